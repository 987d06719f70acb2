"""Functions that O2 leaves in calls, and that would be inlined in Enzyme's own run (passes/control_flow/kept_calls.py).

Without the pass the process ended, or gradients were wrong. Found by the fuzzer, `--grammar applied`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.control_flow.kept_calls import KeptCalls
from tests.passes.running import is_left_alone, ran
from tests.whole.by_complex_numbers import gradient_by_complex_numbers

X = np.array([0.31, 0.62, 0.13, 0.84])
V = np.array([0.3, -1.0, 0.7, 2.0])


@numba.njit
def twice(a):
    out = np.empty(2 * a.size, dtype=a.dtype)
    for i in range(a.size):
        out[i * 2 : (i + 1) * 2] = a[i]
    return out


@numba.njit
def used_behind(x):
    z = np.sin(x)
    total, v = np.sum(z), z
    for _ in range(3):
        total += np.sum(twice(z[:3])) + np.sum(twice(z[:2])) + np.sum(twice(z[1:]))
        v = twice(z[:2])
    return total + np.sum(z * v)


@numba.njit
def repeated(x):
    z = np.sin(x)
    total, v = np.sum(z), z
    for _ in range(3):
        u = z
        for _ in range(x.size - 1):
            u = np.repeat(u[:2], 2)
        total += np.sum(u)
        v = np.repeat(z[:2], 2)
    return total + np.sum(z * v)


@numba.njit
def written_later(x):
    z = np.sin(x)
    w, total = z * 1.1, 0.3 * z[0]
    for i in range(2):
        u = z
        for _ in range(3):
            u = z[i:]
            for _ in range(3):
                u = np.repeat(u[:3], 2)
            total += np.sum(u * u)
            u = np.repeat(z[:3], 2)
        w *= u[:4]
    return total + np.sum(w * w)


@pytest.mark.parametrize("kernel", [used_behind, repeated, written_later])
def test_derivatives(kernel: Callable[..., Any]) -> None:
    wanted = gradient_by_complex_numbers(kernel, X)
    np.testing.assert_allclose(enzyme.grad(kernel)(X), wanted, rtol=1e-13)
    np.testing.assert_allclose(enzyme.jvp(kernel, (X,), (V,))[1], wanted @ V, rtol=1e-13)


MODULE = """\
declare double @__enzyme_autodiff(ptr, ...)

define internal double @called(double %x) {
  ret double %x
}

define internal double @first(double %x) #0 {
  ret double %x
}

define double @f(double %x) {
  %one = call double @called(double %x)
  %other = call double @first(double %one)
  ret double %other
}

define double @g(double %x) {
  %slope = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %slope
}

attributes #0 = { alwaysinline }
"""


def test_what_is_marked() -> None:
    """What is called; not what is asked for, and not what must be inlined."""
    code = ran(KeptCalls(), MODULE).code
    marked = [one.name for one in code.functions if one.has_attribute("noinline")]
    assert marked == ["called"]
    assert is_left_alone(KeptCalls(), str(code))
    assert is_left_alone(KeptCalls(), MODULE.replace("autodiff", "fwddiff"))
