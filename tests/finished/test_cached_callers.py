"""@njit(cache=True) code that takes derivatives, in several processes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.caching import FunctionCache

from tests.finished.programs import run, run_again

MODELS = """
import numba
import numpy as np

rate = 2.0

@numba.njit
def inner(x):
    return x**3

@numba.njit
def loss(x):
    return np.sum(inner(x)) * rate
"""
PROGRAM = """
import numba
import numpy as np
import enzyme_py as enzyme
import models

@numba.njit(cache=True)
def train(x):
    return x - 0.1 * enzyme.gradient(models.loss, x)[0]

@numba.njit(cache=True)
def twice(x):
    return train(train(x))

@numba.njit(cache=True)
def plain(x):
    return x + 1.0

x = np.ones(2)
answer = [train(x).tolist(), twice(x).tolist(), plain(x).tolist()]
hits = [sum(one.stats.cache_hits.values()) for one in (train, twice, plain)]
answer = {"values": answer, "hits": hits}
"""


def expected(rate: float) -> list[list[float]]:
    once = 1.0 - 0.1 * 3.0 * rate
    twice = once - 0.1 * 3.0 * rate * once**2
    return [[once] * 2, [twice] * 2, [2.0, 2.0]]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the program ran once."""
    folder = tmp_path_factory.mktemp("callers")
    (folder / "models.py").write_text(MODELS)
    told = run(PROGRAM, folder / "cache", folder, NUMBA_CACHE_DIR=str(folder / "numba"))
    assert told["answer"]["hits"] == [0, 0, 0]
    np.testing.assert_allclose(told["answer"]["values"], expected(2.0), rtol=1e-14)
    return folder


@pytest.fixture
def folder(filled: Path) -> Path:
    """The same folder, as it was: Numba's cache knows a file by its path and its time."""
    before = filled.parent / "before"
    if not before.exists():
        shutil.copytree(filled, before)
    for name in ("cache", "numba"):
        shutil.rmtree(filled / name)
        shutil.copytree(before / name, filled / name)
    (filled / "models.py").write_text(MODELS)
    return filled


def again(folder: Path) -> dict[str, Any]:
    told = run_again(folder / "cache", folder, NUMBA_CACHE_DIR=str(folder / "numba"))
    found: dict[str, Any] = told["answer"]
    return found


def test_a_second_process_compiles_nothing(folder: Path) -> None:
    told = again(folder)
    assert told["hits"] == [1, 1, 1]
    np.testing.assert_allclose(told["values"], expected(2.0), rtol=1e-14)


CHANGES = {
    "a global of another module": ("rate = 2.0", "rate = 1.0", 1.0),
    "a callee of the kernel": ("x**3", "x**3 * 0.5", 1.0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_the_kernel_names_is_noticed(change: tuple[str, str, float], folder: Path) -> None:
    """Numba itself would run the old code: the file of `train` is the same."""
    old, new, rate = change
    (folder / "models.py").write_text(MODELS.replace(old, new))
    told = again(folder)
    np.testing.assert_allclose(told["values"], expected(rate), rtol=1e-14)
    assert told["hits"] == [0, 0, 1]
    told = again(folder)
    np.testing.assert_allclose(told["values"], expected(rate), rtol=1e-14)
    assert told["hits"] == [1, 1, 1]


def test_derivatives_that_are_gone_are_compiled_anew(folder: Path) -> None:
    shutil.rmtree(folder / "cache")
    told = again(folder)
    assert told["hits"] == [0, 1, 1]  # `twice` finds what `train` had to compile
    np.testing.assert_allclose(told["values"], expected(2.0), rtol=1e-14)


def test_numba_has_the_methods_that_are_wrapped() -> None:
    for name in ("_load_overload", "_save_overload"):
        assert hasattr(getattr(FunctionCache, name), "__wrapped__"), name
