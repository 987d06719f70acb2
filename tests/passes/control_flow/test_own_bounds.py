"""Which loops get bounds of their own, and which do not."""

from __future__ import annotations

import re

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py.passes.control_flow.bounds.own_bounds import OwnBounds
from tests.passes.running import is_left_alone, ran, with_line
from tests.traps.trap import traps

(NESTED,) = (one.text for one in traps() if one.name == "equal_loops")
# The inner loop reads the other array.
OF_TWO = with_line(NESTED, "%x.j = getelementptr inbounds double, ptr %x, i64 %j", "%x.j = getelementptr inbounds double, ptr %c, i64 %j")
# The outer loop reads no place after the other: only the inner one moves what it reads.
ONE_READER = NESTED.replace("%x.i = getelementptr inbounds double, ptr %x, i64 %i", "%x.i = getelementptr inbounds double, ptr %x, i64 0")


def bounds(text: str) -> list[str]:
    """Return what the loops are compared with, inner ones first."""
    code = str(ran(OwnBounds(), text).code)
    return re.findall(r"\.done = icmp eq i64 \S+, (\S+)", code)


def test_the_inner_loop_reads_what_the_outer_one_reads() -> None:
    assert len(set(bounds(NESTED))) == 2


def test_other_memory() -> None:
    """The trap's outer loop reads both arrays; only if it reads the other one alone, they share none."""
    assert len(set(bounds(OF_TWO))) == 2
    assert bounds(OF_TWO.replace("ptr %c, i64 %i", "ptr %x, i64 %i")) == ["%n", "%n"]


def test_a_place_that_does_not_move() -> None:
    assert bounds(ONE_READER) == ["%n", "%n"]


def test_every_loop_has_a_function_of_its_own() -> None:
    """Equal calls would be merged."""
    code = str(ran(OwnBounds(), NESTED).code)
    assert len(set(re.findall(r"call i64 @(\S+own_\d+_i64)\(", code))) == code.count("call i64 @enzyme_py_inactive.own_")


def test_forward_mode() -> None:
    assert is_left_alone(OwnBounds(), NESTED.replace("__enzyme_autodiff", "__enzyme_fwddiff"))


@numba.njit
def by_two_counters(a, b):
    total = 0.0
    j = 7
    for i in range(7):
        for k in range(7 - i):
            total += a[k] * a[k]
        for k in range(j):
            total += a[k] * b[i] * a[k]
        j -= 1
    a[:] = 0.0
    return total


@numba.njit
def by_two_counters_at_least_two(a, b):
    total = 0.0
    j = a.size
    for i in range(a.size):
        for k in range(max(a.size - i, 2)):
            total += a[k] * a[k]
        if b[i] > 0.5:
            for k in range(max(j, 2)):
                total += a[k] * b[i] * a[k]
        j -= 1
    a[:] = 0.0
    return total


@numba.njit
def by_two_choices(x):
    """O2 makes two loops of the two turns, each with a `select` of its own that says how long the slice is."""
    w = np.sin(x)
    kept = 0.5 * w[:4]
    total = 0.3 * x[0]
    for _ in range(min(w.size, 4)):
        for _ in range(2):
            w[:4] = kept * kept
        for _ in range(2):
            for one in w[:4]:
                total += one * one * x[3]
    return total


def test_lengths_that_are_chosen_alike() -> None:
    """The total is 0.3 x[0] + x[3] / 2 times the sum of the sines to the fourth, of four numbers."""
    x = np.array([0.31, 0.62, 0.13, 0.84, 0.44])
    hand = np.append(2.0 * x[3] * np.sin(x[:4]) ** 3 * np.cos(x[:4]), 0.0)
    hand[0] += 0.3
    hand[3] += 0.5 * np.sum(np.sin(x[:4]) ** 4)
    np.testing.assert_allclose(enzyme.grad(by_two_choices)(x), hand, rtol=1e-14)


def test_counters_that_are_equal_in_each_iteration() -> None:
    """The slope by a[k] is 2 a[k] times the sum of what each loop multiplies it by."""
    a, b = np.linspace(0.3, 1.4, 7), np.linspace(1.1, 0.2, 7)
    hand = [2 * a[k] * sum(1 + b[i] for i in range(7 - k)) for k in range(7)]
    np.testing.assert_allclose(enzyme.grad(by_two_counters)(a.copy(), b), hand, rtol=1e-14)
    often = [[(1 + b[i] * (b[i] > 0.5)) * (k < max(7 - i, 2)) for i in range(7)] for k in range(7)]
    hand = [2 * a[k] * sum(often[k]) for k in range(7)]
    np.testing.assert_allclose(enzyme.grad(by_two_counters_at_least_two)(a.copy(), b), hand, rtol=1e-14)
