"""No two parts of a loop touch one number that any of them writes: every kernel, every order."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.threads.kernels import CASES, SIZE, Case
from tests.threads.watching import Watch, planted_race, watched

BY_NAME = pytest.mark.parametrize("case", CASES, ids=[one.name for one in CASES])
_RNG = np.random.default_rng(8)
POINT = (_RNG.uniform(0.1, 1.0, SIZE), _RNG.uniform(0.1, 1.0, SIZE), 1.5)
ALL = (0, 1, 2)


def flat(parts: Any) -> np.ndarray:
    return np.concatenate([np.ravel(np.asarray(one, dtype=float)) for one in parts])


def anew(case: Case) -> Any:
    """The kernel, as one that nothing has been compiled for."""
    return numba.njit(parallel=True)(case.kernel.py_func)


def check(watch: Watch) -> None:
    assert watch.parts >= 8
    assert watch.accesses > 20
    assert watch.races == []


@BY_NAME
def test_gradient(case: Case) -> None:
    with watched(parts=4) as watch:
        found = enzyme.grad(anew(case), argnums=ALL)(*POINT)
    np.testing.assert_allclose(flat(found), flat(case.gradient(*POINT)), rtol=1e-12, atol=1e-13)
    check(watch)


@BY_NAME
def test_reverse_over_reverse(case: Case) -> None:
    gradient = enzyme.grad(anew(case), argnums=ALL)

    def squared(x, y, c):
        by_x, by_y, by_c = gradient(x, y, c)
        return (by_x * by_x).sum() + np.sin(by_y).sum() + by_c

    with watched(parts=4) as watch:
        enzyme.grad(squared, argnums=ALL)(*POINT)
    check(watch)


@BY_NAME
def test_forward_over_reverse(case: Case) -> None:
    gradient = enzyme.grad(anew(case), argnums=ALL)

    def squared(x, y, c):
        by_x, by_y, by_c = gradient(x, y, c)
        return (by_x * by_x).sum() + np.sin(by_y).sum() + by_c

    with watched(parts=4) as watch:
        enzyme.jvp(squared, POINT, POINT)
    check(watch)


def test_a_race_is_seen() -> None:
    """With the marks of what is shared taken away, the detector must speak."""
    case = next(one for one in CASES if one.name == "gather")
    with planted_race(), watched(parts=4) as watch:
        enzyme.grad(anew(case), argnums=ALL)(*POINT)
    assert watch.races
