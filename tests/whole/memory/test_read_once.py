"""Temporaries that are read once, in order, are not made; all others are, and no number changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.inspect import memory
from enzyme_py.passes.memory.read_once import ReadOnce
from tests.passes.running import ran
from tests.rotation import selected
from tests.whole.memory.read_once_kernels import MADE, READ_ONCE, mean_of_squares, program

SIZES = (2, 3, 6)


def drawn(size: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray, float]:
    random = np.random.default_rng([seed, size])
    x, y = random.uniform(-1.0, 1.0, (2, size))
    return x, y, float(random.uniform(0.3, 1.0))


def allocations(kernel: Callable[..., Any]) -> int:
    """Return how many places of the kernel make memory, as the pass reads it."""
    ir = enzyme.inspect.ir(kernel, *drawn(3), stage="simplified")
    name = re.escape(kernel.__name__)
    (own,) = re.findall(rf"(?ms)^define [^\n]*\.{name}\"?\([^\n]*$.*?^}}$", ir)
    return len(re.findall(r"@(?:m|c)alloc\(", own))


def check(kernel: Callable[..., Any], size: int, seed: int = 3) -> None:
    """Compare the value with njit's, and reverse mode with forward mode and with differences."""
    x, y, c = drawn(size, seed)
    v, w, d = drawn(size, seed + 1)
    dx, dy = np.zeros(size), np.zeros(size)
    given = enzyme.Duplicated(x.copy(), dx), enzyme.Duplicated(y.copy(), dy), enzyme.Active(c)
    (*_, dc), value = enzyme.autodiff(enzyme.ReverseWithPrimal, kernel, enzyme.Active, *given)
    assert value == pytest.approx(numba.njit(kernel)(x.copy(), y.copy(), c), rel=1e-15)
    found = dx @ v + dy @ w + dc * d
    given = (
        enzyme.Duplicated(x.copy(), v.copy()),
        enzyme.Duplicated(y.copy(), w.copy()),
        enzyme.Duplicated(c, d),
    )
    exact = enzyme.autodiff(enzyme.Forward, kernel, *given)[0]
    step = 1e-6
    there, back = (
        kernel(x + s * step * v, y + s * step * w, c + s * step * d) for s in (1.0, -1.0)
    )
    assert found == pytest.approx(exact, rel=1e-11, abs=1e-12), kernel.__doc__
    assert found == pytest.approx((there - back) / (2 * step), rel=1e-6, abs=1e-7), kernel.__doc__


@pytest.mark.parametrize("kernel", READ_ONCE, ids=lambda kernel: kernel.__name__)
def test_what_is_read_once_is_not_made(kernel: Callable[..., Any]) -> None:
    assert allocations(kernel) == 0
    for size in SIZES:
        check(kernel, size)


@pytest.mark.parametrize("kernel", MADE, ids=lambda kernel: kernel.__name__)
def test_all_else_is_made(kernel: Callable[..., Any]) -> None:
    assert allocations(kernel) > 0
    for size in SIZES:
        check(kernel, size)


def test_nothing_is_kept_of_a_square() -> None:
    x = np.ones(10_000)
    assert memory(mean_of_squares, x, x, 1.0).peak < 1000


def test_nothing_at_all() -> None:
    gradient = enzyme.gradient(empty, np.zeros(0))[0]
    assert gradient.shape == (0,)


def empty(x):
    return np.mean(x * x) if x.size else 0.0


def test_programs_at_random(pytestconfig: pytest.Config) -> None:
    for seed in selected(range(100), pytestconfig, 19):
        check(program(seed), 5, seed)


# The first loop is entered if there are any turns: `if n > 0: q = y[0]; ...`.
GUARDED = """\
define double @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  %t = call noalias ptr @malloc(i64 80)
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %before, label %middle

before:                                           ; preds = %entry
FRONT
  br label %fill

fill:                                             ; preds = %fill, %before
  %i = phi i64 [ 0, %before ], [ %i.next, %fill ]
  %i.next = add nuw nsw i64 %i, 1
  %x.at = getelementptr double, ptr %x, i64 %i
  %x.i = load double, ptr %x.at, align 8
  %made = fmul double %x.i, %q
  %t.at = getelementptr double, ptr %t, i64 %i
  store double %made, ptr %t.at, align 8
  %i.end = icmp eq i64 %i.next, %n
  br i1 %i.end, label %middle, label %fill

middle:                                           ; preds = %fill, %entry
  br i1 %some, label %sum, label %exit

sum:                                              ; preds = %sum, %middle
  %j = phi i64 [ 0, %middle ], [ %j.next, %sum ]
  %s = phi double [ 0.0, %middle ], [ %s.next, %sum ]
  %j.next = add nuw nsw i64 %j, 1
  %t.from = getelementptr double, ptr %t, i64 %j
  %t.j = load double, ptr %t.from, align 8
  %s.next = fadd double %s, %t.j
  %j.end = icmp eq i64 %j.next, %n
  br i1 %j.end, label %exit, label %sum

exit:                                             ; preds = %sum, %middle
  %r = phi double [ 0.0, %middle ], [ %s.next, %sum ]
  ret double %r
}
declare noalias ptr @malloc(i64)
"""
READ = "  %q = load double, ptr %y, align 8"
WRITTEN = "  store double 2.0, ptr %y, align 8"


@pytest.mark.parametrize(
    ("front", "is_made"), [((READ,), False), ((READ, WRITTEN), True), ((WRITTEN, READ), False)]
)
def test_what_is_read_in_front_of_the_first_loop(front: tuple[str, ...], is_made: bool) -> None:
    """It is read in the second loop then, so nobody may write there in between."""
    text = GUARDED.replace("FRONT", "\n".join(front))
    done = str(ran(ReadOnce(), text).code)
    assert ("call noalias ptr @malloc" in done) == is_made
    assert (done == text) == is_made
