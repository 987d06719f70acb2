"""Numbers that a loop carries by a choice (a running maximum) or a quotient, and uses in each turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.values.loop_carried_choices import LoopCarriedChoices
from tests.passes.running import is_left_alone, ran

X = np.array([0.5, 1.3, 0.7, 1.2, 1.9])


def running_maximum(x):
    q, t = -5.0, 0.0
    for i in range(x.size):
        q = max(q, x[i])
        t += q * q
    return t


def of_running_maximum(x: np.ndarray) -> np.ndarray:
    slope = np.zeros(x.size)
    for i in range(x.size):
        place = int(np.argmax(x[: i + 1]))
        slope[place] += 2.0 * x[place]
    return slope


def last_above(x):
    q, t = x[0], 0.0
    for i in range(x.size):
        if x[i] > 1.0:
            q = x[i]
        t += q * x[i]
    return t


def of_last_above(x: np.ndarray) -> np.ndarray:
    slope, place = np.zeros(x.size), 0
    for i in range(x.size):
        place = i if x[i] > 1.0 else place
        slope[i] += x[place]
        slope[place] += x[i]
    return slope


def quotients(x):
    s, t = 1.0, 0.0
    for i in range(x.size):
        s = s / x[i]
        t += s
    return t


def of_quotients(x: np.ndarray) -> np.ndarray:
    s = np.cumprod(1.0 / x)
    return np.array([-s[i:].sum() / x[i] for i in range(x.size)])


def quotient_alone(x):
    s = x[0]
    for i in range(1, x.size):
        s = s / x[i]
    return s


def of_quotient_alone(x: np.ndarray) -> np.ndarray:
    s = x[0] / np.prod(x[1:])
    return np.where(np.arange(x.size) == 0, 1.0, -1.0) * s / x


def maximum_alone(x):
    q = x[0]
    for i in range(x.size):
        q = max(q, x[i])
    return q * q


def of_maximum_alone(x: np.ndarray) -> np.ndarray:
    return 2.0 * x * (x == x.max())


def inner_loop_with_a_continue(x):
    s, q = 0.1, x[0]
    for i in range(x.size):
        s += x[i]
        for _ in range(i, x.size):
            q = x[i]
        if x[i] > 1.25:
            continue
        s = s + q * s
    return s


def of_inner_loop_with_a_continue(x: np.ndarray) -> np.ndarray:
    s, slope = 0.1, np.zeros(x.size)
    for i, unit in enumerate(np.eye(x.size)):
        s, slope = s + x[i], slope + unit
        if x[i] <= 1.25:
            s, slope = s + x[i] * s, slope * (1.0 + x[i]) + unit * s
    return slope


CASES = {
    running_maximum: of_running_maximum,
    last_above: of_last_above,
    quotients: of_quotients,
    quotient_alone: of_quotient_alone,
    maximum_alone: of_maximum_alone,
    inner_loop_with_a_continue: of_inner_loop_with_a_continue,
}
every_kernel = pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)


@every_kernel
@pytest.mark.parametrize("x", [X, X[::-1].copy(), np.sort(X), X[:1].copy()])
def test_reverse_mode(f: Any, x: np.ndarray) -> None:
    assert np.allclose(enzyme.grad(f)(x), CASES[f](x), rtol=1e-13)


@every_kernel
def test_single_precision(f: Any) -> None:
    got = enzyme.grad(f)(X.astype(np.float32))
    assert np.allclose(got, CASES[f](X), rtol=1e-4)


@every_kernel
def test_split_mode(f: Any) -> None:
    shadow = np.zeros(X.size)
    given = enzyme.Duplicated(X.copy(), shadow)
    forward, reverse = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, f, enzyme.Active, given)
    tape, _, _ = forward(given)
    reverse(given, 1.0, tape)
    assert np.allclose(shadow, CASES[f](X), rtol=1e-13)


@every_kernel
def test_second_order(f: Any) -> None:
    along, step = np.linspace(-0.5, 0.9, X.size), 1e-6
    want = (CASES[f](X + step * along) - CASES[f](X - step * along)) / (2 * step)
    over_forward = enzyme.grad(lambda x, v: enzyme.jvp(f, (x,), (v,))[1])
    assert np.allclose(over_forward(X, along), want, rtol=1e-7, atol=1e-8)
    over_reverse = enzyme.grad(lambda x, v: np.sum(enzyme.grad(f)(x) * v))
    assert np.allclose(over_reverse(X, along), want, rtol=1e-7, atol=1e-8)


TEXT = """declare void @__enzyme_autodiff.x()
define double @f(ptr %x, i64 %n) {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %more, %turn ]
  %q = phi double [ 1.0, %entry ], [ %next, %turn ]
  %item = load double, ptr %x, align 8
  %is = fcmp ogt double %item, %q
  %next = select i1 %is, double %item, double %q
  USE
  %more = add i64 %i, 1
  %again = icmp slt i64 %more, %n
  br i1 %again, label %turn, label %behind
behind:
  ret double %next
}
"""


def test_a_choice_that_no_turn_uses_stays() -> None:
    assert is_left_alone(LoopCarriedChoices(), TEXT.replace("  USE\n", ""))


def test_forward_mode_stays() -> None:
    text = TEXT.replace("USE", "store double %next, ptr %x, align 8")
    text = text.replace("__enzyme_autodiff", "__enzyme_fwddiff")
    assert is_left_alone(LoopCarriedChoices(), text)


def test_a_choice_that_a_turn_uses_is_carried_times_one() -> None:
    made = ran(LoopCarriedChoices(), TEXT.replace("USE", "store double %next, ptr %x, align 8"))
    function = made.code.function("f")
    following = function["q"].value_from(function.block("turn"))
    assert following.name == "next.carried"
    assert following.opcode == "fmul"
    assert [*following.operands] == [function["next"], function["one.double"]]
    assert [*function.block("behind").terminator.operands] == [function["next"]]
    assert is_left_alone(LoopCarriedChoices(), str(made.code))
