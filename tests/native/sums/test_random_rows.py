"""Rows of two or three numbers at random, updated in place in plain nests of loops; and that a fault of such loops is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.native.rewrites.sums import plans
from tests.native.sums.rows import OnRows
from tests.passes.memory.test_random_nests import function
from tests.rotation import sweep

TOLD = 40  # a seed whose reverse loops write what other iterations read


def along(f: Any, gradient: Any, x: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """The derivative along v: of the gradient, and by a complex step."""
    n = x.shape[0]
    return np.sum(gradient(x, n, 2) * v), f(x + 1e-200j * v, n, 2).imag / 1e-200


@pytest.mark.parametrize("seed", sweep(range(1, 301), every=100))
def test_gradients(seed: int, tmp_path: Path) -> None:
    f = function(OnRows(seed).text, tmp_path)
    gradient, draw = enzyme.grad(f), np.random.default_rng(seed)
    for shape in ((70, 3), (3, 3), (35, 4), (1, 3), (2, 3), (27, 3)):
        x, v = draw.uniform(0.2, 1.0, shape), draw.normal(size=shape)
        for array in (x, np.asfortranarray(x)) if shape == (35, 4) and seed % 4 == 0 else (x,):
            found, expected = along(f, gradient, array, v)
            assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)
    x, v = draw.uniform(0.2, 1.0, (27, 3)), draw.normal(size=(27, 3))
    assert enzyme.jvp(f, (x, 27, 2), (v, 0, 0))[1] == pytest.approx(along(f, gradient, x, v)[1], rel=1e-10, abs=1e-12)


def test_it_finds_loops_that_are_told_to_be_parallel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the question whether iterations meet, LLVM reads what others have still to write."""
    f = function(OnRows(TOLD).text, tmp_path)
    x, v = np.random.default_rng(1).uniform(0.2, 1.0, (70, 3)), np.random.default_rng(2).normal(size=(70, 3))
    with enzyme.config(cache=False):
        found, expected = along(f, enzyme.grad(f), x, v)
        assert found == pytest.approx(expected, rel=1e-10)
        monkeypatch.setattr(plans, "is_kept_apart", lambda store, other, places: True)
        again = function(f"{OnRows(TOLD).text} + 0.0 * t\n".replace("\n + 0.0", " + 0.0"), tmp_path)
        found, expected = along(again, enzyme.grad(again), x, v)
    assert abs(found - expected) > 1e-7 * abs(expected)
