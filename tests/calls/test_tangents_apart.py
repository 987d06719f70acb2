"""Tangents that are the primal's own memory, `jvp(f, (x,), (x,))`: a direction like any other.

In the pass, and in the rules of copies and of linear algebra, a shadow at the primal's address says that the argument is
constant. Once the slope along x itself was a part of the right one, or zero, without a word.
"""

from __future__ import annotations

import resource

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import ShadowError

A = np.array([[2.0, 0.5], [0.3, 1.5]])


def assigned(a):
    b = np.empty_like(a)
    b[:] = a
    return np.sum(b * b)


def backwards(a):
    b = np.zeros((2, 2), a.dtype)
    b[:, ::-1] = a
    return np.sum(b * b * a)


def joined(a):
    return np.sum(np.concatenate((a, a)) ** 3)


def chosen_as_it_runs(a):
    y = np.ones_like(a)
    for _ in range(2):
        y = y * a
    return np.sum(y * y)


# What Euler says of the slope of a function of degree n along its argument: n times the value.
DEGREES = {assigned: 2, backwards: 3, joined: 3, chosen_as_it_runs: 4}


@pytest.mark.parametrize("kernel", DEGREES)
@pytest.mark.parametrize("matrix", [A, A.T, A.astype(np.complex64)], ids=["C", "F", "complex64"])
def test_the_slope_along_the_argument_itself(kernel, matrix):
    value, slope = enzyme.jvp(kernel, (matrix,), (matrix,))
    assert np.allclose(slope, DEGREES[kernel] * value, rtol=1e-5)


@pytest.mark.parametrize("kernel", [assigned, backwards])
def test_in_compiled_code(kernel):
    jitted = numba.njit(kernel)

    @numba.njit
    def along_itself(a):
        return enzyme.jvp(jitted, (a,), (a,))

    value, slope = along_itself(A)
    assert np.isclose(slope, DEGREES[kernel] * value)


def test_run_time_activity():
    mode = enzyme.set_runtime_activity(enzyme.ForwardWithPrimal)
    slope, value = enzyme.autodiff(mode, assigned, enzyme.Duplicated(A, A.copy()))
    assert np.isclose(slope, 2 * value)


def test_in_a_kernel_it_is_refused_with_what_to_do():
    def inner(a):
        b = a * 2.0
        return enzyme.jvp(assigned, (b,), (b,))[1]

    with pytest.raises(ShadowError, match="pass a copy"):
        enzyme.grad(inner)(A)

    def copied(a):
        b = a * 2.0
        return enzyme.jvp(assigned, (b,), (b.copy(),))[1]

    assert np.allclose(enzyme.grad(copied)(A), 16 * A)  # of 2 |2 a|^2


def test_a_shadow_in_compiled_code_has_its_own_memory():
    jitted = numba.njit(assigned)

    @numba.njit
    def wrong(a):
        enzyme.autodiff(enzyme.Reverse, jitted, enzyme.Duplicated(a, a))

    with pytest.raises(ShadowError, match="memory of its primal"):
        wrong(A.copy())


def test_tangents_of_another_layout_leave_no_memory_behind():
    x, v = np.ones((1000, 100)), np.ones((100, 1000)).T
    for _ in range(20):
        enzyme.jvp(assigned, (x,), (v,))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):  # 80 MB, were they kept
        enzyme.jvp(assigned, (x,), (v,))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000
