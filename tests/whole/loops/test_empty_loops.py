"""Loops in loops at sizes at which the inner one has no turn, and its bounds say that it has less than none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.control_flow.empty_loops import EmptyLoops
from tests.passes.running import is_left_alone
from tests.whole.by_forward_mode import gradient_by_forward_mode

SIZES = (0, 1, 2, 3, 4, 5, 8)


def inside(u, n, k):
    for _ in range(k + 1):
        for i in range(2, n - 2):
            u[i] = u[i] * u[i + 1]
    return np.sum(u)


def downwards(u, n, k):
    for _ in range(k + 1):
        for i in range(n - 3, 0, -1):
            u[i] = np.sin(u[i]) * u[i + 1]
    return np.sum(u)


def in_steps(u, n, k):
    for _ in range(k + 1):
        for i in range(3, n - 1, 2):
            u[i] *= u[i - 2] + u[i] * u[i]
    return np.sum(u)


def from_there_to_here(u, n, k):
    for _ in range(k + 1):
        for i in range(k, n - k):
            u[i] = u[i] * u[i]
    return np.sum(u)


def downwards_to_there(u, n, k):
    for _ in range(k + 1):
        for i in range(n - k, k, -1):
            u[i] = u[i] * u[i]
    return np.sum(u)


def of_three(u, n, k):
    for _ in range(k):
        for i in range(1, n - 1):
            for j in range(k, n - 2):
                u[i] += u[i] * u[j] * 0.5
    return np.sum(u)


def by_while(u, n, k):
    for _ in range(k + 1):
        i = 1
        while i < n - 2:
            u[i] = np.exp(-u[i]) * u[i + 1]
            i += 1
    return np.sum(u)


def by_slices(u, n, k):
    for _ in range(k + 1):
        u[1:-1] = u[1:-1] * u[2:] + u[:-2]
    return np.sum(u * u)


def with_a_way_out(u, n, k):
    for _ in range(k + 1):
        for i in range(2, n - 1):
            if u[i] > 3.0:
                break
            u[i] = u[i] * u[i] + u[i - 1]
    return np.sum(u)


def then_the_first(u, n, k):
    """Within the inner derivative LLVM knows that the loop is entered, and that its count is n - 5."""
    for _ in range(n):
        for i in range(2, n - 3):
            u[i] = u[i] * u[i + 1]
        u[0] = u[0] * u[-1]
    return np.sum(u * u)


KERNELS = (
    inside,
    downwards,
    in_steps,
    from_there_to_here,
    downwards_to_there,
    of_three,
    by_while,
    by_slices,
    with_a_way_out,
)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_all_sizes(kernel: Any) -> None:
    """Where the inner loop has no turn the gradient is known; else forward mode, which keeps nothing, tells it."""
    slope = enzyme.grad(kernel, argnums=0)
    for n in SIZES:
        x = np.linspace(0.5, 0.9, n)
        found = slope(x.copy(), n, 2)
        if n <= 2:
            np.testing.assert_array_equal(found, 2 * x if kernel is by_slices else np.ones(n))
        want = gradient_by_forward_mode(kernel, x, n, 2)
        np.testing.assert_allclose(found, want, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("kernel", [inside, downwards, of_three, then_the_first], ids=lambda one: one.__name__)
def test_second_orders_at_all_sizes(kernel: Any) -> None:
    for n in SIZES[1:]:
        x = np.linspace(0.5, 0.9, n)
        v = np.cos(x)

        def pull(z, n, v):
            return np.sum(enzyme.grad(pure, argnums=0)(z, n) * v)

        def pure(z, n):
            return kernel(z.copy(), n, 2)

        found = enzyme.grad(pull, argnums=0)(x, n, v)
        want = gradient_by_forward_mode(pull, x, n, v)
        np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-14)


def whole(u):
    for _ in range(u.size):
        for i in range(u.size):
            u[i] = u[i] * u[i]
    return np.sum(u)


@pytest.mark.parametrize(("kernel", "count"), [(inside, 1), (whole, 0)])
def test_only_bounds_that_may_be_less_are_limited(kernel: Any, count: int) -> None:
    given = (np.ones(5),) if kernel is whole else (np.ones(5), 5, 2)
    text = enzyme.inspect.ir(kernel, *given, stage="simplified")
    assert text.count(".trips") == 2 * count  # made once, used once
    assert is_left_alone(EmptyLoops(), text)
