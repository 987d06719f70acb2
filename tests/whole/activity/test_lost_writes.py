"""A Const array that takes active values costs a derivative: told once, and never without reason."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import ActivityError, ConstWrittenWarning

X = np.arange(1.0, 6.0)
W = np.linspace(1.0, 2.0, 5)

LOST: list[Callable[..., Any]] = []
KEPT: list[Callable[..., Any]] = []


def lost(kernel: Callable[..., Any]) -> Callable[..., Any]:
    LOST.append(kernel)
    return kernel


def kept(kernel: Callable[..., Any]) -> Callable[..., Any]:
    KEPT.append(kernel)
    return kernel


@numba.njit
def fill(a, b):
    for i in range(a.size):
        b[i] = a[i] * 2.0


@numba.njit
def scale(b, c):
    for i in range(b.size):
        b[i] *= c


@numba.njit
def fill_down(a, b, i):
    if i < a.size:
        b[i] = a[i]
        fill_down(a, b, i + 1)


@lost
def in_a_loop(x, w):
    total = 0.0
    for i in range(x.size):
        w[i] = x[i] * x[i]
        total += w[i]
    return total


@lost
def by_an_array_expression(x, w):
    w[...] = x * 2.0
    return w.sum()


@lost
def by_a_block_copy(x, w):
    w[1:3] = x[1:3]
    return w[1]


@lost
def accumulated(x, w):
    for i in range(x.size):
        w[0] += x[i]
    return w[0]


@lost
def in_a_callee(x, w):
    fill(x, w)
    return w[0] * w[1]


@lost
def through_a_view(x, w):
    fill(x[1:], w[1:])
    return w[0] * w[1]


@lost
def in_a_recursion(x, w):
    fill_down(x, w, 0)
    return w[0] * w[1]


@lost
def on_one_path(x, w):
    for i in range(x.size):
        w[i] = x[i] if x[i] > 2.0 else 0.0
    return w[3] * x[0]


@lost
def from_a_temporary(x, w):
    w[:] = np.sort(x * 2.0)
    return w[0]


@lost
def inside_a_try(x, w):
    try:
        w[0] = x[0] * 2.0
    except Exception:
        w[0] = 0.0
    return w[0]


@kept
def only_read(x, w):
    total = 0.0
    for i in range(x.size):
        total += w[i] * x[i]
    return total


@kept
def copied_first(x, w):
    v = w.copy()
    v[0] = x[0]
    return v[0] * v[1]


@kept
def filled_with_numbers(x, w):
    w[:] = 0.0
    w[1] = 3.0
    return x[0] * x[0]


@kept
def constants_from_constants(x, w):
    for i in range(w.size):
        w[i] = np.sin(w[i]) * i
    return x[0] * w[1]


@kept
def constants_by_a_callee(x, w):
    scale(w, 3.0)
    return w[0] * x[1]


@kept
def constants_by_a_temporary(x, w):
    w[:] = np.sqrt(w + 1.0)
    return w[0] * x[0]


@kept
def flags(x, w):
    for i in range(x.size):
        w[i] = 1.0 if x[i] > 2.0 else 0.0
    return w[3] * x[0]


@kept
def other_memory(x, w):
    v = np.empty(x.size)
    for i in range(x.size):
        v[i] = x[i] * w[i]
    return v.sum()


@enzyme.jit
def cubes(x):
    return np.sum(x**3)


@enzyme.jit
def last_cubed(x):
    x[0] = x[4] ** 3
    return x[0] * x[1]


@lost
def shadow_of_a_gradient(x, w):
    w[:] = 0.0
    enzyme.autodiff(enzyme.Reverse, cubes, enzyme.Active, enzyme.Duplicated(x, w))
    return np.sum(w * w)


@lost
def tangents_that_a_kernel_writes(x, w):
    y = x.copy()
    (found,) = enzyme.autodiff(
        enzyme.Forward, last_cubed, enzyme.Duplicated, enzyme.Duplicated(y, w)
    )
    return found + w[0]


@kept
def tangents_that_are_read(x, w):
    (found,) = enzyme.autodiff(enzyme.Forward, cubes, enzyme.Duplicated, enzyme.Duplicated(x, w))
    return found


@kept
def gradient_of_constants(x, w):
    ones = np.ones(x.size)
    w[:] = 0.0
    enzyme.autodiff(enzyme.Reverse, cubes, enzyme.Active, enzyme.Duplicated(ones, w))
    return np.sum(w * x)


def reverse(kernel: Any, strict: bool = False) -> None:
    x, w = X.copy(), W.copy()
    with enzyme.config(strict=strict):
        enzyme.autodiff(kernel, enzyme.Duplicated(x, np.zeros_like(x)), enzyme.Const(w))


@pytest.mark.parametrize("kernel", LOST, ids=lambda kernel: kernel.__name__)
def test_warning_once(kernel: Callable[..., Any]) -> None:
    jitted = enzyme.jit(kernel)
    with pytest.warns(ConstWrittenWarning) as caught:
        reverse(jitted)
    (told,) = [one for one in caught if one.category is ConstWrittenWarning]
    text = str(told.message)
    for fragment in ("writes `w`", "Const", f"`{kernel.__name__}`", "Duplicated(w,", "strict"):
        assert fragment in text
    assert told.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reverse(jitted)


@pytest.mark.parametrize("kernel", KEPT, ids=lambda kernel: kernel.__name__)
def test_no_false_alarm(kernel: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConstWrittenWarning)
        reverse(enzyme.jit(kernel))


def test_strict_is_an_error_each_time() -> None:
    jitted = enzyme.jit(in_a_loop)
    for _ in range(2):
        with pytest.raises(ActivityError, match="writes `w`"):
            reverse(jitted, strict=True)


def test_a_shadow_that_is_not_constant_is_right() -> None:
    found, _ = enzyme.grad(shadow_of_a_gradient, argnums=(0, 1))(X.copy(), W.copy())
    np.testing.assert_allclose(found, 36.0 * X**3, rtol=1e-13)  # of the sum of (3 x^2)^2


def test_unselected_arguments_of_grad() -> None:
    def scratch(x, w):
        for i in range(x.size):
            w[i] = x[i] ** 2
        total = 0.0
        for i in range(x.size):
            total += w[i]
        return total

    for strict in (False, True):
        with enzyme.config(strict=strict):
            found = enzyme.grad(scratch)(X.copy(), W.copy())
        assert np.array_equal(found, 2.0 * X)  # nobody has said that w is constant: it has a shadow
    first, _ = enzyme.grad(scratch, argnums=(0, 1))(X.copy(), W.copy())
    assert np.array_equal(first, 2.0 * X)


def test_arrays_in_tuples_complex_and_two_dimensions() -> None:
    def scratch(x, given):
        given[1][0, 0] = x[0] * x[1]
        return given[1][0, 0].real

    x, w = X + 0j, (3, np.zeros((2, 2)) + 0j)
    with pytest.warns(ConstWrittenWarning, match="writes `given`"):
        enzyme.autodiff(scratch, enzyme.Duplicated(x, np.zeros_like(x)), enzyme.Const(w))


def test_nothing_active_nothing_told() -> None:
    def scratch(x, w):
        w[0] = x[0]
        return w[0]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enzyme.autodiff(scratch, enzyme.Const(X.copy()), enzyme.Const(W.copy()))


PROGRAM = """
import warnings
import numpy as np
import enzyme_py as enzyme
from enzyme_py import host

def scratch(x, w):
    w[0] = x[0]
    return w[0]

def refuse(module):
    raise AssertionError("the host was asked")

if {cached}:
    host.differentiate = host.simplify = refuse
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    enzyme.autodiff(scratch, enzyme.Duplicated(np.ones(3), np.zeros(3)), enzyme.Const(np.ones(3)))
print(sum(isinstance(one.message, enzyme.errors.ConstWrittenWarning) for one in caught))
"""


def test_told_also_from_the_disk_cache(tmp_path: Any) -> None:
    path = tmp_path / "program.py"
    for cached in (False, True):
        path.write_text(textwrap.dedent(PROGRAM).replace("{cached}", str(cached)))
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["1"]
