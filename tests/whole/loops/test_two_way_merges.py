"""Code behind which three ways meet: the reverse sweep must go back by the way that was taken."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Const, Duplicated
from enzyme_py.llvm import Module
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.passes.control_flow.two_way_merges import TwoWayMerges
from tests.passes.running import is_left_alone, ran

X = np.array([0.5, -0.3, 0.7, 1.2])


@numba.njit
def array_of_a_branch(x, n):
    t = x[1] * 3.0
    if n > 2:
        z = np.sin(x)
        if z[0] > 0.0:
            t = z[1] * 2.0
        else:
            t += z[2]
    return t


def of_array_of_a_branch(x: np.ndarray, n: int) -> np.ndarray:
    if n <= 2:
        return np.array([0.0, 3.0, 0.0, 0.0])
    if x[0] > 0.0:
        return np.array([0.0, 2.0 * np.cos(x[1]), 0.0, 0.0])
    return np.array([0.0, 3.0, np.cos(x[2]), 0.0])


@numba.njit
def array_of_a_turn(x, n):
    t = 0.0
    for i in range(x.size):
        if i > n:
            z = np.sin(x * t)
            if z[0] > 0.2:
                t += z[1] * 2.0
            else:
                t *= z[2]
        else:
            t += x[i]
    return t


def of_array_of_a_turn(x: np.ndarray, n: int) -> np.ndarray:
    t, slope = 0.0, np.zeros(4)
    for i in range(4):
        unit = np.eye(4)
        if i <= n:
            t, slope = t + x[i], slope + unit[i]
            continue
        z, by_x = np.sin(x * t), np.cos(x * t)[:, None] * (unit * t + np.outer(x, slope))
        if z[0] > 0.2:
            t, slope = t + 2.0 * z[1], slope + 2.0 * by_x[1]
        else:
            t, slope = t * z[2], slope * z[2] + t * by_x[2]
    return slope


@numba.njit
def loop_between_two_questions(x, n):
    if n > 3:
        t = x[0] * 2.0
    elif x[0] > 0.0 or np.sum(x * x) > 2.2:
        t = np.sin(x[0]) * x[1]
    else:
        t = x[2] * x[1]
    return t


def of_loop_between_two_questions(x: np.ndarray, n: int) -> np.ndarray:
    if n > 3:
        return np.array([2.0, 0.0, 0.0, 0.0])
    if x[0] > 0.0 or np.sum(x * x) > 2.2:
        return np.array([np.cos(x[0]) * x[1], np.sin(x[0]), 0.0, 0.0])
    return np.array([0.0, x[2], x[1], 0.0])


@numba.njit
def memory_in_front_of_a_return(x, n):
    y = x.copy()
    if n % 2 == 0:
        if n:
            y = y * 2.0
        w = np.empty(y.size)
        for i in range(x.size):
            w[i] = x[i] * n
        u = y[n - 1]
        return u * np.cos(0.5) if u > 0.0456 else np.sin(u)
    return x[0] * x[1]


def of_memory_in_front_of_a_return(x: np.ndarray, n: int) -> np.ndarray:
    if n % 2:
        return np.array([x[1], x[0], 0.0, 0.0])
    u = 2.0 * x[n - 1] if n else x[-1]
    slope = np.cos(0.5) if u > 0.0456 else np.cos(u)
    return np.eye(4)[n - 1] * slope * (2.0 if n else 1.0)


@numba.njit
def divisor_that_is_asked_for(x, n):
    t = 0.0
    for i in range(x.size):
        if n == i:
            t += x[i] * 2.0
        elif 6 // (n - i) > 1:
            t += x[i] * x[i] * t
        else:
            t += np.sin(x[i]) * x[i]
    return t


def of_divisor_that_is_asked_for(x: np.ndarray, n: int) -> np.ndarray:
    t, slope, unit = 0.0, np.zeros(4), np.eye(4)
    for i in range(4):
        if n == i:
            t, slope = t + 2.0 * x[i], slope + 2.0 * unit[i]
        elif 6 // (n - i) > 1:
            slope = slope * (1.0 + x[i] ** 2) + 2.0 * x[i] * t * unit[i]
            t += x[i] ** 2 * t
        else:
            slope = slope + (np.cos(x[i]) * x[i] + np.sin(x[i])) * unit[i]
            t += np.sin(x[i]) * x[i]
    return slope


@numba.njit
def cases_of_a_switch(x, n):
    t = np.sin(x[0])
    if not (n == 1 or n == 3 or n == 4):
        t = x[1] * x[1] * np.cos(x[1]) + np.exp(x[2])
    return t * x[3]


def of_cases_of_a_switch(x: np.ndarray, n: int) -> np.ndarray:
    if n in (1, 3, 4):
        return np.array([np.cos(x[0]) * x[3], 0.0, 0.0, np.sin(x[0])])
    t = x[1] ** 2 * np.cos(x[1]) + np.exp(x[2])
    by_1 = 2 * x[1] * np.cos(x[1]) - x[1] ** 2 * np.sin(x[1])
    return np.array([0.0, by_1 * x[3], np.exp(x[2]) * x[3], t])


@numba.njit
def cases_of_a_turn(x, n):
    q = x[3]
    for i in range(n):
        if i == 0 or i == 1 or i == 3:
            continue
        if x[i] < 0.8:
            q = x[i] * x[0] * q
    return q


def of_cases_of_a_turn(x: np.ndarray, n: int) -> np.ndarray:
    if n < 3 or x[2] >= 0.8:
        return np.eye(4)[3]
    return np.array([x[2] * x[3], 0.0, x[0] * x[3], x[2] * x[0]])


CASES = {
    cases_of_a_switch: of_cases_of_a_switch,
    cases_of_a_turn: of_cases_of_a_turn,
    array_of_a_branch: of_array_of_a_branch,
    array_of_a_turn: of_array_of_a_turn,
    loop_between_two_questions: of_loop_between_two_questions,
    memory_in_front_of_a_return: of_memory_in_front_of_a_return,
    divisor_that_is_asked_for: of_divisor_that_is_asked_for,
}


def name(f: Any) -> str:
    return f.__name__


every_kernel = pytest.mark.parametrize("f", CASES, ids=name)


@every_kernel
@pytest.mark.parametrize("x", [X, -X, 2.0 * X], ids=["some", "negative", "large"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_value_and_gradient(f: Any, x: np.ndarray, n: int) -> None:
    value, slope = enzyme.value_and_grad(f)(x.copy(), n)
    assert value == f(x, n)
    assert np.allclose(slope, CASES[f](x, n), rtol=1e-13, atol=1e-15)
    forward = [enzyme.jvp(f, (x, n), (one, 0))[1] for one in np.eye(4)]
    assert np.allclose(slope, forward, rtol=1e-13, atol=1e-15)


@every_kernel
@pytest.mark.parametrize("n", [1, 2, 4])
def test_split_mode(f: Any, n: int) -> None:
    shadow = np.zeros(4)
    given = Duplicated(X.copy(), shadow), Const(n)
    forward, reverse = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, f, Active, *given)
    tape, value, _ = forward(*given)
    reverse(*given, 1.0, tape)
    assert value == f(X, n)
    assert np.allclose(shadow, CASES[f](X, n), rtol=1e-13, atol=1e-15)


@every_kernel
@pytest.mark.parametrize("outer", [enzyme.grad, "forward"], ids=["reverse", "forward"])
@pytest.mark.parametrize("n", [1, 2])
def test_second_order(f: Any, outer: Any, n: int) -> None:
    along, step = np.array([0.3, -0.2, 0.5, 0.7]), 1e-6
    want = (CASES[f](X + step * along, n) - CASES[f](X - step * along, n)) / (2 * step)
    if outer == "forward":
        got = enzyme.jvp(lambda x, n: enzyme.grad(f)(x, n), (X, n), (along, 0))[1]
    else:
        got = enzyme.grad(lambda x, v, n: enzyme.jvp(f, (x, n), (v, 0))[1])(X, along, n)
    assert np.allclose(got, want, rtol=1e-7, atol=1e-8)


# -- the text


SWITCH = """declare void @__enzyme_autodiff.x()
define double @f(i64 %n, double %a) {
entry:
  call void @__enzyme_autodiff.x()
  switch i64 %n, label %four [
    i64 1, label %one
    i64 2, label %two
    i64 3, label %meet
  ]
one:
  br label %meet
two:
  %0 = icmp slt i64 %n, 5
  br i1 %0, label %meet, label %four
four:
  %1 = phi i64 [ 7, %entry ], [ %n, %two ]
  br label %meet
meet:                                             ; preds = %four, %two, %one, %entry
  %2 = phi double [ 1.0, %entry ], [ %a, %one ], [ 2.0, %two ], [ 4.0, %four ]
  %3 = phi i64 [ 1, %entry ], [ 2, %one ], [ 3, %two ], [ %1, %four ]
  %both = phi [2 x i64] [ [i64 1, i64 2], %entry ], [ zeroinitializer, %one ], \
[ [i64 3, i64 4], %two ], [ undef, %four ]
  %4 = uitofp i64 %3 to double
  %5 = fadd double %2, %4
  ret double %5
}
"""

LOOP = """declare void @__enzyme_autodiff.x()
declare i1 @ask()
define i64 @f(i64 %n) {
entry:
  call void @__enzyme_autodiff.x()
  %a = call i1 @ask()
  br i1 %a, label %left, label %right
left:
  %b = call i1 @ask()
  br i1 %b, label %head, label %right
right:
  %c = call i1 @ask()
  br i1 %c, label %head, label %other
other:
  br label %head
head:
  %i = phi i64 [ 0, %left ], [ 1, %right ], [ 2, %other ], [ %more, %turn ], [ %more, %again ], [ %i, %last ]
  %more = add i64 %i, 1
  %d = call i1 @ask()
  br i1 %d, label %turn, label %behind
turn:
  %e = call i1 @ask()
  br i1 %e, label %head, label %again
again:
  %g = call i1 @ask()
  br i1 %g, label %head, label %last
last:
  %h = call i1 @ask()
  br i1 %h, label %head, label %behind
behind:
  ret i64 %i
}
"""


def ways(code: Module) -> dict[str, tuple[list[str], list[str]]]:
    """Return the blocks that lead to each block, from outside and from the iterations of its loop."""
    function = code.function("f")
    predecessors = function.analysis(ControlFlow).predecessors
    dominates = function.analysis(Dominators).dominates
    return {
        block.name: (
            [one.name for one in predecessors[block] if not dominates(block, one)],
            [one.name for one in predecessors[block] if dominates(block, one)],
        )
        for block in function.blocks
    }


@pytest.mark.parametrize("text", [SWITCH, LOOP], ids=["switch", "loop"])
def test_no_more_than_two_ways_meet(text: str) -> None:
    assert max(len(one) for both in ways(Module(text)).values() for one in both) > 2
    made = ran(TwoWayMerges(), text).code
    assert max(len(one) for both in ways(made).values() for one in both) == 2
    assert is_left_alone(TwoWayMerges(), str(made))


def test_a_loop_has_one_pair_outside_and_one_of_its_turns() -> None:
    outside, repeated = ways(ran(TwoWayMerges(), LOOP).code)["head"]
    assert len(outside) == len(repeated) == 2


def test_what_was_parted_last_meets_first() -> None:
    made = ways(ran(TwoWayMerges(), LOOP).code)
    pairs = [sorted(outside) for label, (outside, _) in made.items() if label.startswith("join")]
    assert ["other", "right"] in pairs
    assert ["again", "last"] in pairs


def test_each_case_of_a_switch_has_a_block_of_its_own() -> None:
    text = SWITCH.replace("label %one", "label %meet").replace("one:\n  br label %meet\n", "")
    for one, first in (("%a", "1.0"), ("2", "1"), ("zeroinitializer", "[i64 1, i64 2]")):
        text = text.replace(f"[ {one}, %one ]", f"[ {first}, %entry ]")
    switch = ran(TwoWayMerges(), text).code.function("f").entry.terminator
    assert switch.opcode == "switch"
    assert len(switch.successors) == len(set(switch.successors)) == 4


def test_forward_mode_stays_as_it_is() -> None:
    text = SWITCH.replace("__enzyme_autodiff.x", "__enzyme_fwddiff.x")
    assert is_left_alone(TwoWayMerges(), text)
