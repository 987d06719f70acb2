"""Constants that mix with active memory: right in every mode and order, and never written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme

GENERATOR = np.random.default_rng(8)
WEIGHTS = GENERATOR.uniform(0.3, 1.0, (3, 3))
DIRECTION = GENERATOR.uniform(0.3, 1.0, (3, 3))
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": np.ascontiguousarray,
    "strided": lambda x: np.repeat(x, 3)[::3],
    "backwards": lambda x: x[::-1].copy()[::-1],
}


def recurrence(w, h, n):
    for _ in range(n):
        h = np.tanh(w @ h)
    return np.sum(h)


def along(w, h, n, v):
    return np.sum(enzyme.gradient(recurrence, w, h, n)[0] * v)


def differences(f: Callable[..., Any], w: np.ndarray, v: np.ndarray, *rest: Any) -> Any:
    step = 1e-6
    return (f(w + step * v, *rest) - f(w - step * v, *rest)) / (2 * step)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("is_decided_while_running", [False, True])
def test_first_order(layout: str, is_decided_while_running: bool) -> None:
    start = LAYOUTS[layout](np.array([0.3, 0.5, 0.7]))
    before = start.tobytes()
    for n in (0, 1, 3):
        slope = differences(recurrence, WEIGHTS, DIRECTION, start, n)
        rest = enzyme.Const(start), enzyme.Const(n)
        forward, reverse = enzyme.Forward, enzyme.Reverse
        if is_decided_while_running:
            forward, reverse = map(enzyme.set_runtime_activity, (forward, reverse))
        for _ in range(2):
            weights = enzyme.Duplicated(WEIGHTS, DIRECTION)
            pushed = enzyme.autodiff(forward, recurrence, weights, *rest)[0]
            assert pushed == pytest.approx(slope, rel=1e-7, abs=1e-9)
            gradient = np.zeros((3, 3))
            enzyme.autodiff(reverse, recurrence, enzyme.Duplicated(WEIGHTS, gradient), *rest)
            assert np.sum(gradient * DIRECTION) == pytest.approx(slope, rel=1e-7, abs=1e-9)
            assert start.tobytes() == before


@pytest.mark.parametrize("is_decided_while_running", [False, True])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_second_order(n: int, is_decided_while_running: bool) -> None:
    """Run-time activity added the adjoint to the constant: right once, then wrong for good."""
    start = np.array([0.3, 0.5, 0.7])
    before = start.tobytes() + WEIGHTS.tobytes()
    gradient = enzyme.grad(recurrence)
    expected = differences(gradient, WEIGHTS, DIRECTION, start, n)
    mode = enzyme.Reverse
    if is_decided_while_running:
        mode = enzyme.set_runtime_activity(mode)
    for _ in range(3):
        found = np.zeros((3, 3))
        enzyme.autodiff(
            mode,
            along,
            enzyme.Duplicated(WEIGHTS, found),
            enzyme.Const(start),
            enzyme.Const(n),
            enzyme.Const(DIRECTION),
        )
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
        assert start.tobytes() + WEIGHTS.tobytes() == before


def test_several_directions() -> None:
    start = np.array([0.3, 0.5, 0.7])
    one, two = enzyme.autodiff(
        enzyme.Forward,
        recurrence,
        enzyme.BatchDuplicated(WEIGHTS, (DIRECTION, 2 * DIRECTION)),
        enzyme.Const(start),
        enzyme.Const(3),
    )[0]
    assert one == pytest.approx(differences(recurrence, WEIGHTS, DIRECTION, start, 3), rel=1e-7)
    assert two == pytest.approx(2 * one, rel=1e-12)
