"""What the derivatives of kernels with temporaries in loops hold at most, and that it is right."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from tests.peaks import peak_of


def temporary(x, n):
    total = 0.0
    for _ in range(n):
        t = x * 2.0
        total += np.sum(t * np.sin(t))
    return total


def carried(x, n):
    v = x.copy()
    for _ in range(n):
        v = np.sin(v) * x
    return np.sum(v)


def recurrent(x, n):
    h = np.zeros(x.size)
    w = np.outer(x, x)
    for _ in range(n):
        h = np.tanh(w @ h + x)
    return np.sum(h)


def exchanged(x, n):
    old, new = x.copy(), np.empty(x.size)
    for _ in range(n):
        for i in range(x.size):
            new[i] = np.sin(old[i])
        old, new = new, old
    return np.sum(old)


def left_early(x, n):
    total = 0.0
    for k in range(n):
        t = np.cos(x) * x
        if k > 20 and t[0] > 5.0:
            break
        u = t + 1.0
        total += np.sum(u)
    return total


def now_and_then(x, n):
    best = x * 1.0
    for k in range(n):
        if k % 3 == 0:
            best = np.sin(best) + x
    return np.sum(best)


def helper(v):
    return np.sin(v) * v


def from_an_argument(x, n):
    v = x
    for _ in range(n):
        v = helper(v) + x
    return np.sum(v)


def reshaped(x, n):
    total = 0.0
    for k in range(n):
        y = np.cos(x + 1.0 / (k + 1.0)).reshape(2, 4).T.copy()
        total += y[1, 0] * np.append(x, y)[9]
    return total


KERNELS = [temporary, carried, recurrent, exchanged, left_early, now_and_then]
KERNELS += [from_an_argument, reshaped]
X = np.linspace(0.1, 0.9, 8)


def first(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, n: enzyme.jvp(f, (x, n), (np.ones_like(x), None))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_forward_mode_holds_one_turn_at_a_time(kernel: Callable[..., Any]) -> None:
    few, _ = peak_of(lambda: first(kernel)(X, 10))
    many, (value, slope) = peak_of(lambda: first(kernel)(X, 10_000))
    assert many == few < 4096
    step = 1e-6
    expected = (kernel(X + step, 10_000) - kernel(X - step, 10_000)) / (2 * step)
    assert value == pytest.approx(kernel(X, 10_000), rel=1e-12)
    assert slope == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_the_numbers_are_those_of_memory_that_is_kept(
    kernel: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    freed = first(kernel)(X, 25)
    optimise = importlib.import_module("enzyme_py.native.optimising")
    monkeypatch.setattr(optimise, "add_frees", lambda code: None)
    enzyme.config(cache=False)
    try:
        again = first(enzyme.jit(copy_of(kernel)))(X, 25)
    finally:
        enzyme.config(cache=True)
    assert again == freed


def copy_of(kernel: Any) -> Any:
    """The same function with another identity, so that it is compiled again."""
    return types.FunctionType(kernel.__code__, {**globals()}, kernel.__name__)


@pytest.mark.parametrize("kernel", [temporary, carried, recurrent], ids=lambda k: k.__name__)
def test_nested_forward_mode_holds_one_turn_at_a_time(kernel: Callable[..., Any]) -> None:
    def slope(x, n):
        return enzyme.jvp(kernel, (x, n), (np.ones_like(x), None))[1]

    few, _ = peak_of(lambda: first(slope)(X, 10))
    many, (_, second) = peak_of(lambda: first(slope)(X, 2000))
    assert many == few < 8192
    step = 1e-5
    difference = first(kernel)(X + step, 2000)[1] - first(kernel)(X - step, 2000)[1]
    assert second == pytest.approx(difference / (2 * step), rel=1e-4, abs=1e-6)
