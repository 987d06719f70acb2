"""Tables that kernels prepare from constants: nobody asks for their slopes, and derivatives by what they rest on are right."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

import enzyme_py as enzyme
from enzyme_py.passes.memory import constant_memory
from tests.rotation import diagonal

X, V = np.linspace(0.5, 1.0, 6), np.cos(np.arange(6.0))


@njit
def implicit_steps(x, c):
    """Each step multiplies by factors from a recurrence in c."""
    u = x.copy()
    factor = np.empty(u.size)
    factor[0] = c
    for i in range(1, u.size):
        factor[i] = c / (1.0 + 2.0 * c - c * factor[i - 1])
    for _ in range(3):
        for i in range(1, u.size):
            u[i] = (u[i] + c * u[i - 1]) * factor[i]
    return np.sum(u)


@njit
def exchanged_tables(x, c):
    """Legendre's polynomials at c by two buffers that change places, then a sum with weights."""
    older, newer = np.ones(x.size), np.full(x.size, c)
    total = 0.0
    for k in range(1, 4):
        for i in range(x.size):
            older[i] = ((2 * k + 1) * c * newer[i] - k * older[i]) / (k + 1)
        older, newer = newer, older
        for i in range(x.size):
            total += newer[i] * x[i] ** 2
    return total


@njit
def table_of_an_argument(x, c):
    """A table that is one of c up to the place where x is written to it."""
    table = np.full(x.size, c)
    for i in range(1, x.size):
        table[i] = table[i] + c * table[i - 1]
    table[2] = x[0]
    for i in range(1, x.size):
        table[i] = table[i] + c * table[i - 1] * x[i]
    return np.sum(table * x)


@njit
def bits_of_numbers(x, c):
    """Numbers that are moved as integers, eight bytes at a time."""
    table = np.full(x.size, c)
    table.view(np.int64)[1] = x.view(np.int64)[1]
    for i in range(1, x.size):
        table[i] = table[i] * table[i - 1]
    return np.sum(table * x)


KERNELS = [implicit_steps, exchanged_tables, table_of_an_argument, bits_of_numbers]


def by_hand(c):
    """Return the gradient of `implicit_steps` by x: it is linear in x, and rows of its matrix come one by one."""
    factor = [c]
    for _ in X[1:]:
        factor.append(c / (1.0 + 2.0 * c - c * factor[-1]))
    step = np.zeros((X.size, X.size))
    step[0, 0] = 1.0
    for i in range(1, X.size):
        step[i] = c * factor[i] * step[i - 1]
        step[i, i] += factor[i]
    return np.ones(X.size) @ np.linalg.matrix_power(step, 3)


def test_the_gradient_of_a_linear_kernel():
    assert np.allclose(enzyme.grad(implicit_steps)(X, 0.3), by_hand(0.3), rtol=1e-14)


@pytest.mark.parametrize("kernel", [implicit_steps, exchanged_tables])
def test_no_slope_of_the_table_is_kept(kernel):
    constant = enzyme.inspect.tape(kernel, X, enzyme.Const(0.3))
    assert constant.bytes < enzyme.inspect.tape(kernel, X, 0.3).bytes


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_number_that_tables_rest_on(kernel):
    """By x alone it is constant; by c, and by both, it is not: h is small enough for ten digits."""
    h = 1e-5
    by_x, by_c = enzyme.grad(kernel, argnums=(0, 1))(X, 0.3)
    assert np.isclose(by_c, (kernel(X, 0.3 + h) - kernel(X, 0.3 - h)) / (2 * h), rtol=1e-8)
    assert np.allclose(enzyme.grad(kernel)(X, 0.3), by_x, rtol=1e-13)
    _, slope = enzyme.jvp(kernel, (X, 0.3), (V, 0.7))
    assert np.isclose(slope, V @ by_x + 0.7 * by_c, rtol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "outer"), diagonal(KERNELS, [enzyme.Forward, enzyme.Reverse])
)
def test_what_is_constant_inside_may_not_be_outside(kernel, outer):
    """The slope by c of a gradient by x, where the inner derivative has c as a constant."""

    def inner(x, c):
        return np.sum(enzyme.grad(kernel)(x, c) * V)

    h = 1e-5
    expected = V @ (enzyme.grad(kernel)(X, 0.3 + h) - enzyme.grad(kernel)(X, 0.3 - h)) / (2 * h)
    if outer is enzyme.Reverse:
        found = enzyme.grad(inner, argnums=1)(X, 0.3)
    else:
        found = enzyme.jvp(inner, (X, 0.3), (0 * X, 1.0))[1]
    assert np.isclose(found, expected, rtol=1e-7)


def test_marks_are_gone_behind_enzyme(monkeypatch):
    """What Enzyme copied is differentiated again by the next run."""
    marked = []
    mark = constant_memory.ConstantMemory.run
    forget = constant_memory.ForgetConstantMemory.run

    def noted(self, draft):
        mark(self, draft)
        marked.append(str(draft.code).count("!enzyme_inactive"))

    def left(self, draft):
        forget(self, draft)
        assert "!enzyme_inactive !" not in "".join(str(one) for one in draft.code.functions)

    monkeypatch.setattr(constant_memory.ConstantMemory, "run", noted)
    monkeypatch.setattr(constant_memory.ForgetConstantMemory, "run", left)
    fresh = njit(lambda x, c: implicit_steps(x, c) + 1.0)
    assert np.allclose(enzyme.grad(fresh)(X, 0.3), by_hand(0.3), rtol=1e-14)
    assert max(marked) > 0
