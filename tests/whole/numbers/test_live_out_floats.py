"""Floats that an inner loop leaves and the next turn of the outer one uses: each order, against complex steps.

In each kernel the inner loop also writes to v, or the compiler would take it away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Const, Duplicated
from enzyme_py.llvm import Builder, Module
from enzyme_py.native.runtime import library
from enzyme_py.passes.values.picks import pick
from enzyme_py.rules.slopes import define_slopes
from tests.llvm.corpus import verified

C = np.array([0.9, -0.4, 0.7, 1.3, -0.2])
X = np.array([0.5, -0.3, 0.7, 1.2, -0.8])
S, TURNS = 0.8, 5

Kernel = Callable[..., Any]


def a_triangle(x, s, c, n):
    v, t, q, k = x.copy(), 0.1 * s, s, 0
    for i in range(n):
        t += q * s
        for j in range(i, n):
            k += j
            q = c[j] * s
            v[k % n] *= s
    return t


def by_a_sum_of_integers(x, s, c, n):
    v, t, q, k = x.copy(), 0.1 * s, s, 0
    for i in range(n):
        t += q * s
        for j in range(i, n):
            k += j
            q = c[k % n] * s
            v[k % n] *= s
    return t


def two_numbers(x, s, c, n):
    v, t, q, p, k = x.copy(), 0.1 * s, s, s, 0
    for i in range(n):
        t += q * s * p
        for j in range(i, n):
            k += j
            q = c[j] * s
            p = x[j] * c[j]
            v[k % n] *= s
    return t


def functions_of_them(x, s, c, n):
    v, t, q, k = x.copy(), 0.1 * s, s, 0
    for i in range(n):
        t += q * s
        for j in range(i, n):
            k += j
            q = np.sin(c[j] * s) * c[i]
            v[k % n] *= s
    return t


def fewer_and_fewer(x, s, c, n):
    v, t, q, k = x.copy(), 0.1 * s, s, 0
    for i in range(n):
        t += q * s
        for j in range(n - i):
            k += j
            q = c[j] * s
            v[k % n] *= s
    return t + v[0]


def a_choice(x, s, c, n):
    v, t, q, r, k = x.copy(), 0.1 * s, s, 0.0, 0
    for i in range(n):
        t += q * s + r * s
        for j in range(i, n):
            k += j
            r = c[j]
            q = r + 0 * s if r > 0.8 else s
            v[k % n] *= s
    return t


def three_loops(x, s, c, n):
    v, t, q, k = x.copy(), 0.1 * s, s, 0
    for h in range(n):
        t += q * s
        for i in range(h, n):
            for j in range(i, n):
                k += j
                q = c[j] * s
                v[k % n] *= s
    return t


def one_that_may_not_run(x, s, c, n):
    v, t, q, k = x.copy(), 0.1 * s, s, 0
    for i in range(n):
        t += q * s
        for j in range(i + 1, n):
            k += j
            q = c[j] * s
            v[k % n] *= s
    return t


KERNELS = [
    a_triangle,
    by_a_sum_of_integers,
    two_numbers,
    functions_of_them,
    fewer_and_fewer,
    a_choice,
    three_loops,
    one_that_may_not_run,
]


def slope(kernel: Kernel, s: float) -> float:
    """Return the derivative by s, by a complex step in plain Python."""
    return float(kernel(X + 0j, s + 1e-30j, C, TURNS).imag / 1e-30)


def curvature(kernel: Kernel) -> float:
    """Return the second derivative, by differences of complex steps."""
    near, far = ((slope(kernel, S + h) - slope(kernel, S - h)) / (2 * h) for h in (1e-4, 2e-4))
    return (4 * near - far) / 3


@pytest.fixture(autouse=True)
def _no_luck() -> Any:
    library().enzyme_py_scribble(1)  # fresh memory holds NaN
    yield
    library().enzyme_py_scribble(0)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_first_orders(kernel: Kernel) -> None:
    made = numba.njit(kernel)
    want = pytest.approx(slope(kernel, S), rel=1e-12)
    assert enzyme.grad(made, argnums=1)(X, S, C, TURNS) == want
    assert enzyme.jvp(made, (X, S, C, TURNS), (0 * X, 1.0, 0 * C, 0))[1] == want
    given = Duplicated(X, np.zeros(5)), Active(S), Const(C), Const(TURNS)
    forward, reverse = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, made, Active, *given)
    tape, _, _ = forward(*given)
    assert reverse(*given, 1.0, tape)[0][1] == want


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_second_orders(kernel: Kernel) -> None:
    gradient = enzyme.grad(numba.njit(kernel), argnums=1)

    @numba.njit
    def along(x, s, c, n):
        return gradient(x, s, c, n)

    want = pytest.approx(curvature(kernel), rel=1e-9)
    assert enzyme.jvp(along, (X, S, C, TURNS), (0 * X, 1.0, 0 * C, 0))[1] == want
    assert enzyme.grad(along, argnums=1)(X, S, C, TURNS) == want


def in_the_argument(x, s, c, n):
    t, q, k = 0.1 * s, s, 0
    for i in range(n):
        t += np.sin(q * s)
        for j in range(i, n):
            k += j
            q = np.sin(c[j] * s) * c[i]
            x[k % n] = x[k % n] * s
    return t + x[0]


def test_with_kept_slopes_beside_them() -> None:
    """Both declare the same function, and O2 stands between them, as nothing is allocated."""
    _, by_s, *_ = enzyme.autodiff(
        enzyme.Reverse,
        numba.njit(in_the_argument),
        Active,
        Duplicated(X.copy(), np.zeros(5)),
        Active(S),
        Const(C),
        Const(TURNS),
    )[0]
    assert by_s == pytest.approx(slope(in_the_argument, S), rel=1e-12)


def test_a_function_is_declared_once() -> None:
    code = Module("define double @f(double %x) {\n  ret double %x\n}\n")
    function = code.function("f")
    for name in ("one", "other"):
        pick(Builder.at_start(function.entry), function["x"], function["x"], name)
    text = verified(code)
    assert text.count("\ndeclare ") == 1
    define_slopes(code)
    assert "declare" not in verified(code)
