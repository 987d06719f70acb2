"""What parts of loops keep between the sweeps, and compute for nobody: as little as plain loops do, and never too little."""

from __future__ import annotations

import re
import warnings

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.native.threads.unread_rows import drop_unread_rows

X = np.linspace(0.5, 1.0, 60)


@numba.njit(parallel=True)
def gathers(x):
    total = 0.0
    for i in prange(3000):
        v = x[i * 7 % 60]
        total += v * v
    return total


@numba.njit(parallel=True)
def of_scores(w, data):
    total = 0.0
    for i in prange(data.shape[0]):
        score = 0.0
        for j in range(w.size):
            score += data[i, j] * w[j]
        total += score * score * score
    return total


@numba.njit(parallel=True)
def through_an_array(x):
    out = np.zeros_like(x)
    for i in prange(x.size):
        out[i] = x[i] * 2.0
    total = 0.0
    for i in prange(x.size):
        total += out[i] * out[i]
    return total


@numba.njit(parallel=True)
def writes_over_what_it_gathered(x):
    z = x * 1.0
    total = 0.0
    for i in prange(z.size):
        v = z[(i * 7 + 3) % z.size]
        total += v * v * v
    z[:] = 2.0 * z
    for i in prange(z.size):
        v = z[(i * 11 + 5) % z.size]
        total += v * v
    return total


@numba.njit(parallel=True)
def in_a_loop_that_writes(x):
    z = x * 1.0
    total = 0.0
    for _ in range(3):
        for i in prange(z.size):
            v = z[(i * 7 + 3) % z.size]
            total += v * v * v
        z[:] = 2.0 * z
    return total


@numba.njit(parallel=True)
def of_sums(x):
    total, most = 1.0, -1.0
    for i in prange(x.size):
        total += x[i] * x[i]
        most = max(most, x[i])
    return total * total * most


@pytest.mark.parametrize(
    ("kernel", "given", "expected"),
    [
        (gathers, (X,), 100.0 * X),
        (of_scores, (X, np.outer(X, X)), 3.0 * (X @ X) ** 2 * (X**3).sum() * X),
        (through_an_array, (X,), 8.0 * X),
        (writes_over_what_it_gathered, (X,), 3.0 * X**2 + 8.0 * X),
        (in_a_loop_that_writes, (X,), 3.0 * X**2 * (1 + 8 + 64)),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_gradients(kernel, given, expected, threads) -> None:
    with enzyme.config(threads=threads):
        np.testing.assert_allclose(enzyme.grad(kernel)(*given), expected, rtol=1e-12)


@pytest.mark.parametrize(("kernel", "given"), [(gathers, (X,)), (of_scores, (X, np.outer(X, X))), (through_an_array, (X,))])
def test_parts_keep_what_plain_loops_keep(kernel, given) -> None:
    """But for some numbers of each part."""
    kept = []
    for threads in (1, 2):
        with enzyme.config(threads=threads):
            kept.append(enzyme.inspect.tape(kernel, *given).bytes)
    copies = 2 * sum(one.nbytes for one in given[:1]) * 2  # with their shadows
    assert kept[1] <= kept[0] + copies + 500, kept


def test_sums_that_are_needed_are_added_up() -> None:
    total = 1.0 + X @ X
    expected = 4.0 * X * total * X.max()
    expected[-1] += total * total
    with enzyme.config(threads=2):
        value, slope = enzyme.value_and_grad(of_sums)(X)
        assert value == pytest.approx(total * total * X.max(), rel=1e-14)
        np.testing.assert_allclose(slope, expected, rtol=1e-12)


def test_sums_that_nobody_asks_for_are_not() -> None:
    """Of a gradient alone no part computes an exponential twice."""

    @numba.njit(parallel=True)
    def energy(x):
        total = 0.0
        for i in prange(x.size):
            total += np.exp(x[i])
        return total

    with enzyme.config(threads=2), warnings.catch_warnings():
        warnings.simplefilter("error")
        optimised = enzyme.inspect.ir(energy, X, stage="optimised")
        tasks = re.findall(r"define internal void @threads_task.*?\n}", optimised, re.DOTALL)
        assert len(tasks) == 2
        assert sum("exp" in one for one in tasks) == 1
        np.testing.assert_allclose(enzyme.grad(energy)(X), np.exp(X), rtol=1e-14)


ROWS = """\
define void @kernel(ptr %out, double %x) {
  %row = call ptr @calloc(i64 1, i64 16)
  call void @k.threads_driver_3(ptr %row, double %x)
  BEHIND
  ret void
}
define internal void @k.threads_driver_3(ptr %row, double %x) {
  call void @k.threads_chunk_3(ptr %row, double %x)
  ret void
}
define internal void @k.threads_chunk_3(ptr %row, double %x) {
  %own = getelementptr i8, ptr %row, i64 8
  %before = load double, ptr %own
  %sum = fadd double %before, %x
  store double %sum, ptr %own
  INSIDE
  ret void
}
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare void @other(ptr)
@kept = global double 0.0
"""


@pytest.mark.parametrize(
    ("behind", "inside", "is_read"),
    [
        ("", "", False),
        ("call void @free(ptr %row)", "", False),
        ("%v = load double, ptr %row\n  store double %v, ptr %out", "", True),
        ("call void @other(ptr %row)", "", True),
        ("store ptr %row, ptr %out", "", True),
        ("call void @k.threads_driver_3(ptr %out, double %x)", "", True),
        ("", "store double %before, ptr @kept", True),
        ("", "store ptr %own, ptr @kept", True),
        ("", "call void @other(ptr %own)", True),
    ],
)
def test_rows_that_are_read_are_written(behind: str, inside: str, *, is_read: bool) -> None:
    code = Module(ROWS.replace("BEHIND", behind).replace("INSIDE", inside))
    drop_unread_rows(code)
    assert ("store double %sum" in str(code)) is is_read
