"""Every kernel in every order, on three threads: by hand, by a complex step of that, and as on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count
from tests.threads.kernels import CASES, SIZE, Case

BY_NAME = pytest.mark.parametrize("case", CASES, ids=[one.name for one in CASES])
_RNG = np.random.default_rng(27)
POINT = (_RNG.uniform(0.1, 1.0, SIZE), _RNG.uniform(0.1, 1.0, SIZE), 1.5)
DIRECTION = (_RNG.normal(size=SIZE), _RNG.normal(size=SIZE), 0.7)
OTHER = (_RNG.normal(size=SIZE), _RNG.normal(size=SIZE), -0.4)
ALL = (0, 1, 2)


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    with enzyme.config(threads=3):
        yield


def flat(parts: Any) -> np.ndarray:
    return np.concatenate([np.ravel(np.asarray(one, dtype=complex)).real for one in parts])


def by_hand(case: Case) -> np.ndarray:
    return flat(case.gradient(*POINT))


def second_by_hand(case: Case) -> np.ndarray:
    """The Hessian times DIRECTION."""
    step = 1e-30
    moved = [p + 1j * step * d for p, d in zip(POINT, DIRECTION, strict=True)]
    return np.concatenate([np.ravel(np.asarray(one)).imag / step for one in case.gradient(*moved)])


def forked(call: Any) -> tuple[Any, int]:
    before = fork_count()
    return call(), fork_count() - before


@BY_NAME
def test_gradient(case: Case) -> None:
    found, forks = forked(lambda: enzyme.grad(case.kernel, argnums=ALL)(*POINT))
    np.testing.assert_allclose(flat(found), by_hand(case), rtol=1e-12, atol=1e-13)
    assert forks >= 2  # each sweep


@BY_NAME
def test_forward(case: Case) -> None:
    (_, found), forks = forked(lambda: enzyme.jvp(case.kernel, POINT, DIRECTION))
    assert found == pytest.approx(by_hand(case) @ flat(DIRECTION), rel=1e-11, abs=1e-12)
    assert forks >= 1


def slope(case: Case) -> Any:
    """The gradient along DIRECTION, as a function of the point."""
    gradient = enzyme.grad(case.kernel, argnums=ALL)
    u, v, w = DIRECTION

    def along(x, y, c):
        by_x, by_y, by_c = gradient(x, y, c)
        return (by_x * u).sum() + (by_y * v).sum() + by_c * w

    return along


@BY_NAME
def test_reverse_over_reverse(case: Case) -> None:
    found, forks = forked(lambda: enzyme.grad(slope(case), argnums=ALL)(*POINT))
    np.testing.assert_allclose(flat(found), second_by_hand(case), rtol=1e-10, atol=1e-11)
    assert forks >= 2


@BY_NAME
def test_forward_over_reverse(case: Case) -> None:
    (_, found), forks = forked(lambda: enzyme.jvp(slope(case), POINT, OTHER))
    assert found == pytest.approx(second_by_hand(case) @ flat(OTHER), rel=1e-10, abs=1e-11)
    assert forks >= 2


@BY_NAME
def test_reverse_over_forward(case: Case) -> None:
    kernel, (u, v, w) = case.kernel, DIRECTION

    def along(x, y, c):
        return enzyme.jvp(kernel, (x, y, c), (u, v, w))[1]

    found, forks = forked(lambda: enzyme.grad(along, argnums=ALL)(*POINT))
    np.testing.assert_allclose(flat(found), second_by_hand(case), rtol=1e-10, atol=1e-11)
    assert forks >= 2


@pytest.mark.parametrize("size", [0, 1, 2, 4])
def test_loops_that_are_shorter_than_there_are_threads(size: int) -> None:
    x, y = POINT[0][:size], POINT[1][:size]
    case = CASES[0]
    found = enzyme.grad(case.kernel, argnums=ALL)(x, y, 1.5)
    np.testing.assert_allclose(flat(found), flat(case.gradient(x, y, 1.5)), rtol=1e-12)
