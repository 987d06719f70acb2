"""Memory that a loop makes in each turn moves in front of it, and only where nothing can tell.

The kernels are recurrences. Gradients are checked against finite differences and against forward
mode, and memory against what a step needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.memory.hoisted_buffers import HoistedBuffers
from tests.passes.running import ran
from tests.peaks import peak_of

GENERATOR = np.random.default_rng(11)
MATRIX = GENERATOR.normal(size=(4, 4)) / 2
START = GENERATOR.normal(size=4)
DIRECTION = (GENERATOR.normal(size=(4, 4)), GENERATOR.normal(size=4))


def from_an_argument(w, h, n):
    for _ in range(n):
        h = np.tanh(w @ h)
    return np.sum(h)


def from_zeros(w, x, n):
    h = np.zeros(x.size)
    for _ in range(n):
        h = np.tanh(w @ h + x)
    return np.sum(h)


def two_carried(w, x, n):
    h, c = x.copy(), np.ones(x.size)
    for _ in range(n):
        c = c * 0.5 + np.sin(w @ h)
        h = np.tanh(c) * x
    return np.sum(h * c)


def both_ends_used(w, x, n):
    h = x * 2.0
    total = 0.0
    for _ in range(n):
        old = h
        h = np.sin(w @ h)
        total += np.sum(h * old)
    return total + np.sum(h)


def exchanged(w, x, n):
    old, new = x * 1.0, x * 2.0
    for _ in range(n):
        old, new = new, np.sin(old) * x + new
    return np.sum(old * new)


def sizes_differ(w, x, n):
    h = x[:1] * 1.0
    for i in range(n):
        h = np.tanh(w[: min(i + 2, 4), : h.size] @ h)
    return np.sum(h)


def kept_in_a_list(w, x, n):
    h = x * 1.0
    states = [h]
    for _ in range(n):
        h = np.tanh(w @ h)
        states.append(h)
    total = 0.0
    for i in range(len(states)):
        total += np.sum(states[i] * states[i]) * (i + 1)
    return total


def under_a_branch(w, x, n):
    h = x * 1.0
    for i in range(n):
        if i % 2 == 0:
            h = np.tanh(w @ h)
        if i % 3 == 1:
            h = h * 0.5
    return np.sum(h)


def left_early(w, x, n):
    h = x * 1.0
    for i in range(n):
        h = np.tanh(w @ h)
        if i > 1 and np.sum(h) < 100.0:
            break
    return np.sum(h)


def loop_in_a_loop(w, x, n):
    total = 0.0
    for _ in range(n):
        h = x * 1.0
        for _ in range(n):
            h = np.sin(w @ h)
        total += np.sum(h)
    return total


def a_view_is_carried(w, x, n):
    h = x * 1.0
    for _ in range(n):
        h = np.tanh(w @ h)[::-1]
    return np.sum(h * x)


def the_state_before_last(w, x, n):
    before, h = x * 1.0, x * 2.0
    for _ in range(n):
        new = np.sin(h) * w[0] + before
        before = h
        h = new
    return np.sum(h * before)


def the_older_state_behind_the_loop(w, x, n):
    h, old = x * 2.0, x
    for _ in range(n):
        old = h
        h = np.tanh(w @ h)
    return np.sum(h * old)


def a_view_of_the_older_state_behind_the_loop(w, x, n):
    h, tail = x * 2.0, x[1:]
    for _ in range(n):
        tail = h[1:]
        h = np.tanh(w @ h)
    return np.sum(h) * np.sum(tail * tail)


def older_states_in_a_list(w, x, n):
    h = x * 2.0
    states = [x]
    for _ in range(n):
        states.append(h)
        h = np.tanh(w @ h)
    total = 0.0
    for i in range(len(states)):
        total += np.sum(states[i] * states[i]) * (i + 1)
    return total


def the_state_at_a_break(w, x, n):
    h = x * 2.0
    for i in range(n):
        new = np.tanh(w @ h)
        if i == 2:
            break
        h = new
    return np.sum(h)


def overwritten_in_place(w, x, n):
    h = x * 2.0
    for _ in range(n):
        h[0] = h[1] * 0.5
        h = np.tanh(w @ h)
        h[1] *= 2.0
    return np.sum(h)


KERNELS = (
    the_state_before_last,
    the_older_state_behind_the_loop,
    a_view_of_the_older_state_behind_the_loop,
    older_states_in_a_list,
    the_state_at_a_break,
    overwritten_in_place,
    from_an_argument,
    from_zeros,
    two_carried,
    both_ends_used,
    exchanged,
    sizes_differ,
    kept_in_a_list,
    under_a_branch,
    left_early,
    loop_in_a_loop,
    a_view_is_carried,
)


def slope(kernel: Callable[..., Any], n: int, step: float = 1e-6) -> float:
    ends = [
        kernel(MATRIX + sign * step * DIRECTION[0], START + sign * step * DIRECTION[1], n)
        for sign in (1, -1)
    ]
    return float(ends[0] - ends[1]) / (2 * step)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_derivatives_are_right(kernel: Callable[..., Any]) -> None:
    for n in (0, 1, 2, 5):
        before = START.tobytes() + MATRIX.tobytes()
        value, gradients = enzyme.value_and_grad(kernel, argnums=(0, 1))(MATRIX, START, n)
        assert value == pytest.approx(kernel(MATRIX, START, n), rel=1e-13, abs=1e-14)
        assert START.tobytes() + MATRIX.tobytes() == before
        found = sum(np.sum(g * d) for g, d in zip(gradients, DIRECTION, strict=True))
        tangent = enzyme.autodiff(
            enzyme.Forward,
            kernel,
            enzyme.Duplicated(MATRIX, DIRECTION[0]),
            enzyme.Duplicated(START, DIRECTION[1]),
            enzyme.Const(n),
        )[0]
        assert found == pytest.approx(slope(kernel, n), rel=1e-6, abs=1e-7)
        assert tangent == pytest.approx(found, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("kernel", [from_an_argument, two_carried, exchanged, under_a_branch])
def test_second_order_is_right(kernel: Callable[..., Any]) -> None:
    def along(w, x, n, v):
        return np.sum(enzyme.gradient(kernel, w, x, n)[0] * v)

    n, v = 3, DIRECTION[0]
    step = 1e-6
    ends = [enzyme.gradient(kernel, MATRIX + sign * step * v, START, n)[0] for sign in (1, -1)]
    expected = (ends[0] - ends[1]) / (2 * step)
    twice = enzyme.gradient(along, MATRIX, START, n, v)[0]
    np.testing.assert_allclose(twice, expected, rtol=1e-5, atol=1e-8)
    forward = enzyme.autodiff(
        enzyme.Forward,
        along,
        enzyme.Duplicated(MATRIX, v.copy()),
        enzyme.Const(START),
        enzyme.Const(n),
        enzyme.Const(v),
    )[0]
    assert forward == pytest.approx(np.sum(expected * v), rel=1e-5)


def test_a_step_keeps_two_vectors() -> None:
    """The overwritten state, for the product, and the argument of tanh: nothing of the matrix.

    One is enough where the state starts in an argument (test_recurrences.py).
    """
    states = 64
    w = GENERATOR.normal(size=(states, states)) / 8
    x = GENERATOR.normal(size=states)
    steps = 2000
    few, many = (peak_of(lambda n=n: enzyme.gradient(from_zeros, w, x, n))[0] for n in (steps, 2 * steps))
    a_step = (many - few) / steps
    assert a_step < 2.5 * states * 8


def test_forward_mode_keeps_nothing() -> None:
    def run(n: int) -> int:
        args = (enzyme.Duplicated(MATRIX, DIRECTION[0]), enzyme.Const(START), enzyme.Const(n))
        return peak_of(lambda: enzyme.autodiff(enzyme.Forward, from_zeros, *args))[0]

    assert run(1000) == run(10)


# --- the text -------------------------------------------------------------------------------------


CARRIED = """
declare ptr @malloc(i64)
declare void @other(ptr)
declare ptr @another(ptr)
define void @f(ptr %start, i64 %size, i64 %n, ptr %out) {
entry:
  br label %loop
loop:
  %h = phi ptr [ %start, %entry ], [ %new, %loop ]
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %new = call noalias ptr @malloc(i64 %size)
  %value = load double, ptr %h
  USE
  store double %value, ptr %new
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out.block, label %loop
out.block:
  %last = phi ptr [ %new, %loop ]
  %result = load double, ptr %last
  store double %result, ptr %out
  ret void
}
"""


def moved(use: str, text: str = CARRIED) -> str:
    given = text.replace("  USE\n", f"  {use}\n" if use else "")
    return str(ran(HoistedBuffers(), given).code)


def test_the_buffer_stands_in_front_of_the_loop() -> None:
    text = moved("")
    entry = text[text.index("entry:") : text.index("loop:")]
    assert "%new.buffer = call noalias ptr @malloc(i64 %size)" in entry
    assert "%h = phi ptr [ %start, %entry ], [ %new.buffer, %loop ]" in text
    assert "%last = phi ptr [ %new.buffer, %loop ]" in text
    assert "call void @free(ptr %new)" in text


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("store ptr %new, ptr %out", id="the pointer is stored"),
        pytest.param("call void @other(ptr %new)", id="an unknown function has it"),
        pytest.param("%address = ptrtoint ptr %new to i64", id="its address is looked at"),
        pytest.param("%either = select i1 true, ptr %new, ptr %start", id="a choice has it"),
        pytest.param("%word = load i64, ptr %new", id="its type is not known"),
        pytest.param("store ptr %h, ptr %out", id="the older state is stored"),
        pytest.param(
            "%other = call ptr @another(ptr %h)", id="an unknown function has the older state"
        ),
    ],
)
def test_what_has_another_owner_stays(use: str) -> None:
    assert ".buffer" not in moved(use)


def test_a_size_of_the_turn_stays() -> None:
    text = CARRIED.replace("@malloc(i64 %size)", "@malloc(i64 %bytes)")
    assert ".buffer" not in moved(
        "", text.replace("  %new = call", "  %bytes = shl i64 %i, 3\n  %new = call")
    )
