"""The code of rules: compiled once, kept on disk, shared by derivatives, and part of a module where it must be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.assembly.rule_code import rule_of
from enzyme_py.frontend.external.ruled import RULES, new_work, ruled, size_in
from enzyme_py.frontend.functions.content import content_of
from enzyme_py.native import loading, rule_code
from enzyme_py.native.loading import rules
from enzyme_py.native.stored import disk_cache
from enzyme_py.settings import config
from enzyme_py.symbols import RULE_CODE

START = 4
X = np.array([0.5, -1.5])
CUBE = f"{RULE_CODE}tests.cube.float64."


def _cubes(work):
    n = size_in(work, 1)
    for i in range(n):
        if work[START + i] > 100.0:
            raise ValueError("too large to be cubed")
        work[START + n + i] = work[START + i] ** 3


def _cubes_forward(work, shadow):
    n = size_in(work, 1)
    for i in range(n):
        shadow[START + n + i] = 3.0 * work[START + i] ** 2 * shadow[START + i]


def _cubes_reverse(work, shadow):
    n = size_in(work, 1)
    for i in range(n):
        shadow[START + i] += 3.0 * work[START + i] ** 2 * shadow[START + n + i]
        shadow[START + n + i] = 0.0


_cube = ruled("tests.cube", _cubes, _cubes_forward, _cubes_reverse)


@numba.njit
def cubed(x):
    n = x.size
    work = new_work((n,), 2 * n, x.dtype)
    work[START : START + n] = x
    _cube(work)
    return work[START + n : START + 2 * n].copy()


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The symbols that were compiled, from an empty cache on; what was loaded before is forgotten."""
    symbols: list[str] = []
    usual = rule_code._compiled

    def counting(symbol: str) -> Any:
        symbols.append(symbol.removeprefix(CUBE))
        return usual(symbol)

    monkeypatch.setattr(rule_code, "_compiled", counting)
    before = dict(rules)
    rules.clear()
    with config(cache_dir=tmp_path, cache=True):
        yield symbols
    rules.clear()
    rules.update(before)


def test_a_rule_is_compiled_once_for_all_derivatives_and_only_what_they_call(made):
    assert np.array_equal(enzyme.grad(lambda x: np.sum(cubed(x)))(X), 3.0 * X**2)
    assert set(made) <= {"primal", "reverse"} and "reverse" in made
    known = list(made)
    assert np.array_equal(enzyme.grad(lambda x: 2.0 * np.sum(cubed(x)))(X), 6.0 * X**2)
    assert made == known
    _, tangent = enzyme.jvp(lambda x: np.sum(cubed(x)), (X,), (np.array([1.0, 0.0]),))
    assert tangent == 3.0 * X[0] ** 2
    assert "forward" in made and len(made) == len(set(made))


def test_another_process_finds_it_on_the_disk(made):
    enzyme.grad(lambda x: np.sum(cubed(x)) + 1.0)(X)
    first = list(made)
    rules.clear()  # as in another process
    assert np.array_equal(enzyme.grad(lambda x: np.sum(cubed(x)) + 2.0)(X), 3.0 * X**2)
    assert made == first


def test_without_a_disk_cache_it_is_compiled_and_nothing_is_written(made, tmp_path):
    with config(cache=False):
        enzyme.grad(lambda x: np.sum(cubed(x)) + 3.0)(X)
    assert made
    assert not list(tmp_path.rglob("*.derivative"))


def test_a_damaged_file_is_made_anew(made):
    enzyme.grad(lambda x: np.sum(cubed(x)) + 4.0)(X)
    count = len(made)
    for file in disk_cache.folder().iterdir():
        file.write_bytes(file.read_bytes()[:-10] + b"0123456789")
    rules.clear()
    assert np.array_equal(enzyme.grad(lambda x: np.sum(cubed(x)) + 5.0)(X), 3.0 * X**2)
    assert len(made) == 2 * count


def test_an_error_of_a_rule_is_raised(made):
    with pytest.raises(ValueError, match="too large to be cubed"):
        enzyme.grad(lambda x: np.sum(cubed(x)))(np.array([1e3]))


def test_a_module_of_first_order_only_declares_it_and_a_nested_one_defines_it(made):
    def kernel(x):
        return np.sum(cubed(x)) + 6.0

    def nested(x):
        return enzyme.grad(kernel)(x)[0]

    first = enzyme.inspect.ir(kernel, X, stage="assembled")
    second = enzyme.inspect.ir(nested, X, stage="assembled")
    assert f"declare void @{CUBE}reverse(" in first
    assert f"declare void @{CUBE}reverse(" not in second
    assert f"void @{CUBE}reverse(" in second
    assert np.allclose(enzyme.grad(nested)(X), [6.0 * X[0], 0.0], rtol=1e-14)


def test_other_content_is_another_key(monkeypatch):
    before = content_of(rule_of(f"{CUBE}reverse"))
    assert content_of(rule_of(f"{CUBE}forward")) != before
    monkeypatch.setitem(_cubes_reverse.__globals__, "START", 6)
    assert content_of(rule_of(f"{CUBE}reverse")) != before
    assert rule_of(f"{RULE_CODE}nobody.float64.reverse") is None
    assert "tests.cube" in RULES


def test_nobody_waits_for_numba_while_others_wait_for_a_turn(made, monkeypatch):
    usual, held = rule_code._compiled, []

    def watched(symbol):
        held.append(loading._turn.locked())
        return usual(symbol)

    monkeypatch.setattr(rule_code, "_compiled", watched)
    enzyme.grad(lambda x: np.sum(cubed(x)) + 7.0)(X)
    assert held
    assert not any(held)
