"""The kernels of benchmarks/user_kernels/, at tiny sizes: slopes by differences, and the adjoints by hand.

An ordinary run takes some of them; `pytest --full` takes all.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.native import optimising
from tests.numba_suite.recording import has_floats
from tests.passes.switches import leave_out
from tests.rotation import sweep

sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "benchmarks"))

import levers  # type: ignore[import-not-found]
from user_kernels.by_hand import HAND  # type: ignore[import-not-found]
from user_kernels.table import ROWS  # type: ignore[import-not-found]


def given(name: str) -> tuple[Any, ...]:
    row = ROWS[name]
    return row.arguments(row.tiny)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", sweep(ROWS, 8))
def test_gradients_agree_with_differences(name: str) -> None:
    kernel, (x, *others) = ROWS[name].kernel, given(name)
    python = getattr(kernel, "py_func", kernel)
    direction = np.random.default_rng(0).random(x.shape).astype(x.dtype) - x.dtype.type(0.5)
    value, slope = enzyme.value_and_grad(kernel)(x, *others)
    # Differences of the Python function; in double precision, also of a kernel in single.
    wide = [one.astype(float) if is_single(one) else one for one in (x, *others)]
    step = 1e-6
    ends = [float(python(wide[0] + sign * step * direction, *wide[1:])) for sign in (1.0, -1.0)]
    want = (ends[0] - ends[1]) / (2.0 * step)
    digits = 1e-3 if is_single(x) else 1e-6
    np.testing.assert_allclose(value, python(*wide), rtol=digits)
    scale = np.sum(np.abs(slope * direction))
    assert scale > 0.0
    np.testing.assert_allclose(np.sum(slope * direction), want, rtol=digits, atol=digits * scale)


@pytest.mark.parametrize("name", sweep(ROWS, 14))
def test_second_orders_agree(name: str) -> None:
    """A product with the Hessian by x, forward over reverse and reverse over reverse."""
    (x, *others), slope = given(name), enzyme.grad(ROWS[name].kernel)
    way = np.random.default_rng(0).random(x.shape).astype(x.dtype) - x.dtype.type(0.5)
    still = [enzyme.make_zero(one) if has_floats(one) else None for one in others]
    _, forward = enzyme.jvp(slope, (x.copy(), *others), (way.copy(), *still))
    by_x, *_ = enzyme.vjp(slope, x.copy(), *others)[1](way.copy())
    largest = np.max(np.abs(forward))
    digits = 1e-5 if is_single(x) else 1e-12
    np.testing.assert_allclose(by_x, forward, rtol=digits, atol=digits * largest)


def is_single(value: Any) -> bool:
    return getattr(value, "dtype", None) == np.float32


@pytest.mark.parametrize("name", sweep(HAND, 5))
def test_adjoints_by_hand_agree_with_ours(name: str) -> None:
    ours = enzyme.value_and_grad(ROWS[name].kernel)(*given(name))
    by_hand = HAND[name](*given(name))
    largest = np.max(np.abs(ours[1]))
    digits = 1e-5 if is_single(ours[1]) else 1e-10
    np.testing.assert_allclose(by_hand[0], ours[0], rtol=digits)
    np.testing.assert_allclose(by_hand[1], ours[1], rtol=digits, atol=0.1 * digits * largest)


@pytest.mark.parametrize("lever", levers.LEVERS)
def test_levers_are_there(lever: str, monkeypatch) -> None:
    """benchmarks/levers.py leaves each out: what no longer has its name would give a ratio of one."""
    if lever in levers.BEHIND:
        assert callable(getattr(optimising, levers.BEHIND[lever]))
    elif lever in levers.MADE:
        assert all(callable(getattr(importlib.import_module(module), name)) for module, name in levers.MADE[lever])
    else:
        leave_out(lever, monkeypatch.setattr)
