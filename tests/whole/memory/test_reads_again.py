"""Numbers that both sweeps read: no read is taken for another one, and no memory for what it was before it grew.

The pass notes of reads that they give the same; LLVM believed it of reads before and behind a write (host/process/client.py).
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.typed import List as TypedList

import enzyme_py as enzyme
from enzyme_py import host, native
from enzyme_py.native.runtime import library

X = np.array([-0.77, 0.59, -0.69, -0.23, -0.08])
A = np.array([[0.4, 1.2]])
NUMBERS = np.array([0.0, -0.75, 0.5, 0.0, 1.0])


def first_number_behind_a_loop(x, a, s, n):
    """The loop writes NUMBERS to all of x, from the last to the first."""
    k = 0
    u = x[k % n] + s
    for i in range(n - 1, -1, -1):
        if a[k % n, -1] * u > -0.0045:
            return np.cos(s) * x[k % n] * k
        x[(i + 1) % n] = NUMBERS[(i + 1) % n]
    return x[k % n]


def ends_of_a_search(x, a, s, n):
    """The inner loops have three ends each, of turns that are known."""
    k = 0.0
    for i in range(n):
        k += x[i]
        for j in range(1, n):
            x[j] += x[0] * x[0]
            if k > 0 and (j == 4 or j == 1 or j == 6):
                break
        for h in range(n):
            if np.sum(x) > 0.4479:
                return x[h] * k
    return s


def sum_of_what_was_passed(x, a, s, n):
    """A loop of unknown turns in each turn of another one, which LLVM peels."""
    t = 0.0
    for _ in range(n):
        j = 1
        while x[j] * x[j] < 4.0:
            x[j] = x[j] * x[0] + s
            t += x[j] * x[j]
            j = j + 1
            if (j == 2 and t > 0.5) or j == 4:
                break
    return t


@pytest.mark.parametrize(
    "kernel", [first_number_behind_a_loop, ends_of_a_search, sum_of_what_was_passed]
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_value_and_gradient(kernel: Any, sign: float) -> None:
    """The value is Numba's; reverse mode agrees with forward mode, and with differences."""
    made, x = numba.njit(kernel), sign * X
    taken = enzyme.value_and_grad(made, argnums=(0, 1, 2))
    value, (got, _, _) = taken(x.copy(), A, 0.3, 5)
    assert value == made(x.copy(), A, 0.3, 5) == kernel(x.copy(), A, 0.3, 5)
    rows = [enzyme.jvp(made, (x.copy(), A, 0.3, 5), (e, 0 * A, 0.0, 0))[1] for e in np.eye(5)]
    np.testing.assert_allclose(got, rows, rtol=1e-13, atol=1e-14)
    steps = 1e-6 * np.eye(5)
    want = [(kernel(x + e, A, 0.3, 5) - kernel(x - e, A, 0.3, 5)) / 2e-6 for e in steps]
    np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-8)


def the_number_before_the_last(x, s, n):
    u, q = s, s
    for i in range(1, n):
        for j in range(i):
            q = 1.0 / (2.0 + u * x[j])
            u = x[j]
    return q


def test_what_two_loops_leave() -> None:
    """1 / (2 + x[2] x[3]): the gradient along v, and its own gradient; fresh memory holds NaN."""
    made = numba.njit(the_number_before_the_last)
    x, v = X + 1.0, np.cos(X)

    @numba.njit
    def slope(x, v):
        return enzyme.autodiff(
            enzyme.Forward, made, enzyme.Duplicated, enzyme.Duplicated(x, v), 0.5, enzyme.Const(5)
        )[0]

    d = 2.0 + x[2] * x[3]
    along = v[2] * x[3] + x[2] * v[3]
    want = np.zeros(5)
    want[2] = 2 * along * x[3] / d**3 - v[3] / d**2
    want[3] = 2 * along * x[2] / d**3 - v[2] / d**2
    library().enzyme_py_scribble(1)
    try:
        np.testing.assert_allclose(slope(x, v), -along / d**2, rtol=1e-14)
        np.testing.assert_allclose(enzyme.grad(slope)(x, v), want, rtol=1e-13)
    finally:
        library().enzyme_py_scribble(0)


def test_what_comes_from_nowhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no choice of what to keep helps, nothing is computed."""
    monkeypatch.setattr(host.process.client, "_reads_nowhere", lambda module, done: True)
    with pytest.raises(enzyme.errors.DerivativeError, match="memory that nobody wrote"):
        enzyme.grad(numba.njit(the_number_before_the_last))(X, 0.51, 5)


def test_no_derivative_says_that_reads_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pass notes it in what it writes; what becomes of that has no such note."""
    written, kept = list[str](), list[str]()
    judge, optimise = host.process.client.judge, native.compilation.optimise

    def judged(module: Any, outcome: Any, **options: Any) -> Any:
        written.append(outcome.output)
        return judge(module, outcome, **options)

    def optimised(module: Any) -> Any:
        kept.append(module.ir)
        return optimise(module)

    monkeypatch.setattr(host.process.client, "judge", judged)
    monkeypatch.setattr(native.compilation, "optimise", optimised)
    enzyme.grad(numba.njit(ends_of_a_search))(X.copy(), A, 0.31, 5)
    assert any("!invariant.group" in ir for ir in written)
    assert kept and not any("!invariant.group" in ir for ir in kept)


def length_in_turns_and_behind(x, a, flag):
    """The list's length is read in each turn, in which it grows, and behind the loop, where nobody writes it."""
    total = 0.0
    try:
        u = a * 2.0
        total += np.sum(u * u) * 0.25
        if flag:
            raise ValueError("caught")
    except Exception:
        rows = TypedList()
        rows.append(x * 1.0)
        for j in range(1, 3):
            rows.append(rows[j - 1] * 2.0)
        total += (np.sum(rows[-1]) + rows[0][0]) * 0.25
    return total


@pytest.mark.parametrize("flag", [True, False])
def test_a_length_that_grows_is_read_in_each_turn(flag: bool) -> None:
    """sum a^2, and if flagged sum x + x_0 / 4."""
    value, (by_x, by_a) = enzyme.value_and_grad(length_in_turns_and_behind, argnums=(0, 1))(
        X, A, flag
    )
    want = np.sum(A * A)
    slope = np.zeros(X.size)
    if flag:
        want += np.sum(X) + 0.25 * X[0]
        slope += 1.0
        slope[0] += 0.25
    assert value == pytest.approx(want, rel=1e-14)
    np.testing.assert_allclose(by_x, slope, rtol=1e-14)
    np.testing.assert_allclose(by_a, 2 * A, rtol=1e-14)
