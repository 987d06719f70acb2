"""The states of a recurrence are kept once, where that is right, and the derivatives are the same.

Reverse mode, which may use a record, is compared with forward mode, which never does, and with
finite differences; what the kernels leave in their arguments with what njit leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.inspect import memory
from enzyme_py.llvm import Module
from enzyme_py.passes.memory.overwriting.untouched_arguments import writes_its_own_only
from enzyme_py.rules.recurrences import PREFIX
from tests.rotation import selected, sweep
from tests.whole.memory.recurrent_kernels import RECORDED, REFUSED, plain, program

SIZE = 3


def drawn(turns: int, seed: int = 5, dtype: Any = np.float64) -> tuple[np.ndarray, ...]:
    """Two matrices, a start, and inputs; or a direction for them."""
    random = np.random.default_rng([seed, turns])
    shapes = (SIZE, SIZE), (SIZE, SIZE), (SIZE,), (turns, SIZE)
    return tuple(random.uniform(-1.0, 1.0, shape).astype(dtype) for shape in shapes)


def reverse(kernel: Callable[..., Any], arguments: Any, constant: int | None = None) -> list[Any]:
    """Return the gradients by the four arrays.

    The shadows begin with something in them, but for the inputs': a kernel may write those, and then
    what their shadow begins with is the cotangent of what was written.
    """
    begins = (1.0, 2.0, -1.0, 0.0)
    given: list[Any] = []
    for place, one in enumerate(arguments):
        shadow = np.full_like(one, begins[place])
        own = one.copy()
        given.append(enzyme.Const(own) if place == constant else enzyme.Duplicated(own, shadow))
    enzyme.autodiff(enzyme.Reverse, kernel, enzyme.Active, *given, enzyme.Const(len(arguments[3])))
    return [
        None if place == constant else one.shadows[0] - begin
        for place, (one, begin) in enumerate(zip(given, begins, strict=True))
    ]


def forward(kernel: Callable[..., Any], arguments: Any, directions: Any) -> float:
    own = [enzyme.Duplicated(x.copy(), v.copy()) for x, v in zip(arguments, directions)]
    turns = enzyme.Const(len(arguments[3]))
    return float(enzyme.autodiff(enzyme.Forward, kernel, *own, turns)[0])


def along(gradients: Any, directions: Any) -> float:
    return float(sum(np.sum(g * v) for g, v in zip(gradients, directions) if g is not None))


def difference(kernel: Callable[..., Any], arguments: Any, directions: Any) -> float:
    """Return a central difference of the kernel as Python runs it."""
    step = 1e-5
    there, back = (
        kernel(*(x + sign * step * v for x, v in zip(arguments, directions)), len(arguments[3]))
        for sign in (1, -1)
    )
    return float(there - back) / (2 * step)


def has_record(kernel: Callable[..., Any]) -> bool:
    given = drawn(4)
    return PREFIX in enzyme.inspect.ir(kernel, *given, len(given[3]), stage="simplified")


@pytest.mark.parametrize("kernel", RECORDED, ids=lambda kernel: kernel.__name__)
def test_states_are_recorded(kernel: Callable[..., Any]) -> None:
    assert has_record(kernel)


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda kernel: kernel.__name__)
def test_what_cannot_be_recorded_is_left_alone(kernel: Callable[..., Any]) -> None:
    assert not has_record(kernel)


@pytest.mark.parametrize("kernel", sweep(RECORDED + REFUSED, 2), ids=lambda kernel: kernel.__name__)
def test_derivatives_are_right(kernel: Callable[..., Any]) -> None:
    for turns in (0, 1, 2, 7):
        arguments, directions = drawn(turns), drawn(turns, 6)
        if turns == 0 and kernel.__name__ == "a_result_used_twice":
            continue  # the mean of nothing
        found = along(reverse(kernel, arguments), directions)
        exact = forward(kernel, arguments, directions)
        assert found == pytest.approx(exact, rel=1e-12, abs=1e-13)
        assert found == pytest.approx(difference(kernel, arguments, directions), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("constant", range(4))
def test_constant_arguments(constant: int) -> None:
    arguments, directions = drawn(5), list(drawn(5, 6))
    before = arguments[constant].tobytes()
    found = reverse(plain, arguments, constant)
    directions[constant] = np.zeros_like(directions[constant])
    assert arguments[constant].tobytes() == before
    assert along(found, directions) == pytest.approx(forward(plain, arguments, directions))


def test_single_precision() -> None:
    arguments, directions = drawn(6, dtype=np.float32), drawn(6, 6, np.float32)
    found, wide = (reverse(plain, [x.astype(kind) for x in arguments]) for kind in ("f4", "f8"))
    assert has_record(plain)
    for one, other in zip(found, wide):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    assert forward(plain, arguments, directions) == pytest.approx(along(wide, directions), rel=1e-4)


def test_rows_of_different_lengths() -> None:
    """One turn only, by a matrix that is not square: the rows of the record differ."""
    w, start, xs = np.ones((5, SIZE)) / 4, drawn(1)[2], np.full((1, 5), 0.1)
    for matrix, state, inputs in ((w, start, xs), (w.T.copy(), xs[0], start[None, :])):
        gradient = enzyme.gradient(every, matrix, state, inputs)
        y = np.tanh(matrix @ state + inputs[0])
        slope = 2 * y * (1 - y * y)
        np.testing.assert_allclose(gradient[0], np.outer(slope, state), rtol=1e-12)
        np.testing.assert_allclose(gradient[1], matrix.T @ slope, rtol=1e-12)


def every(w, h, xs):
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + xs[t])
    return np.sum(h * h)


def test_shapes_that_do_not_fit_raise_as_before() -> None:
    with pytest.raises(ValueError, match="incompatible array sizes"):
        enzyme.gradient(every, np.ones((4, 3)), np.ones(3), np.ones((2, 4)))


def test_second_derivatives() -> None:
    arguments, directions = drawn(3), drawn(3, 6)
    step = 1e-6

    def gradient(w, u, h, xs, n, dw):
        return np.sum(enzyme.gradient(plain, w, u, h, xs, n)[0] * dw)

    w, *others = arguments
    ends = [enzyme.gradient(plain, w + s * step * directions[0], *others, 3)[0] for s in (1, -1)]
    wanted = (ends[0] - ends[1]) / (2 * step)
    found = enzyme.gradient(gradient, *arguments, 3, directions[0])[0]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)


def test_saturated_units() -> None:
    """By its result the slope of tanh has an absolute error of a few units of 1, like any other's."""
    for far in (5.0, 20.0, 1e3, np.inf):
        w, start = np.eye(SIZE) * 0.5, np.zeros(SIZE)
        xs = np.array([[far, -far, 0.0]] * 2)
        found = enzyme.gradient(every, w, start, xs)
        h, slopes = start, []
        for x in xs:
            h, a = np.tanh(w @ h + x), w @ h + x
            slopes.append(4 / (np.exp(np.clip(a, -300, 300)) + np.exp(-np.clip(a, -300, 300))) ** 2)
        last = 2 * h * slopes[1]
        np.testing.assert_allclose(found[2][1], last, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found[2][0], w.T @ last * slopes[0], rtol=1e-12, atol=1e-15)


def vectors_a_step(loss: Callable[..., Any], states: int) -> float:
    """Return how many arrays of the state's size a turn adds to the peak.

    Blocks come in sizes a quarter apart; both lengths of the record are just below one.
    """
    few, many = (memory(loss, *cell(states, turns)).peak for turns in (500, 1500))
    return (many - few) / 1000 / states / 8


def cell(states: int, turns: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(states)
    shapes = (states, states), (states, 4), (states,), (turns, 4)
    return tuple(random.normal(size=shape) / np.sqrt(states) for shape in shapes)


def last_state(w, u, b, xs):
    h = np.zeros(b.size)
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t] + b)
    return np.mean(h)


def all_states(w, u, b, xs):
    h = np.zeros(b.size)
    states = np.zeros((xs.shape[0], b.size))
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t] + b)
        states[t, :] = h
    return np.mean(states)


def joined_states(w, u, b, xs):
    h = np.zeros(b.size)
    y = np.zeros(0)
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t] + b)
        y = np.concatenate((y, h))
    return np.mean(y * y)


def listed_states(w, u, b, xs):
    h = np.zeros(b.size)
    states = [h]
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t] + b)
        states.append(h)
    total = np.zeros(b.size)
    for state in states:
        total += state
    return np.mean(total)


@pytest.mark.parametrize("states", [8, 32])
def test_what_a_step_keeps(states: int) -> None:
    """The record, and what the loss makes of the states with its shadow; nothing of the matrix.

    Of a list the states and their shadows; the rest is of the items, which double their room.
    """
    assert vectors_a_step(last_state, states) < 1.1
    assert vectors_a_step(all_states, states) < 2.1
    assert vectors_a_step(joined_states, states) < 3.2 + 4 / states
    assert vectors_a_step(listed_states, states) < 2.2 + 90 / states


@pytest.mark.parametrize(("has_list", "share"), [(False, 29), (True, 29)])
def test_programs_at_random(pytestconfig: pytest.Config, has_list: bool, share: int) -> None:
    recorded = 0
    for seed in selected(range(120), pytestconfig, share):
        kernel = program(seed, has_list=has_list)
        for turns in (1, 4):
            arguments, directions = drawn(turns, seed), drawn(turns, seed + 1)
            found = along(reverse(kernel, arguments), directions)
            exact = forward(kernel, arguments, directions)
            assert found == pytest.approx(exact, rel=1e-10, abs=1e-12), kernel.__doc__
        recorded += has_record(kernel)
    assert recorded > 1


# -- arguments that are not written ----------------------------------------------------------------

HEAD = """declare ptr @malloc(i64)
declare void @unknown(ptr)
declare void @enzyme_py_hint.x(ptr)
declare void @cblas_dgemv_64_(i32, ptr, i64, ptr, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define internal void @k(ptr %result, ptr "enzyme_type"="{[-1]:Pointer}" %x, ptr %y, ptr %f) {"""


def is_marked(*lines: str) -> bool:
    text = "\n".join([HEAD, "entry:", *(f"  {line}" for line in lines), "  ret void", "}"])
    llvm.parse_assembly(text).verify()
    return writes_its_own_only(Module(text).function("k"))


MADE = "%made = call ptr @malloc(i64 64)"


def test_writing_what_it_made_is_its_own_business() -> None:
    assert is_marked(MADE, "%v = load double, ptr %x", "store double %v, ptr %made, align 8")
    assert is_marked("store double 1.0, ptr %result")
    assert is_marked(
        MADE, "store ptr %made, ptr %made", "%q = load ptr, ptr %made", "store i64 1, ptr %q"
    )
    assert is_marked(MADE, "call void @unknown(ptr %made)", "call void @enzyme_py_hint.x(ptr %x)")
    product = "call void @cblas_dgemv_64_(i32 102, ptr %x, i64 1, ptr %{}, i64 1)"
    assert is_marked(MADE, product.format("made"))
    assert not is_marked(MADE, product.format("y"))


@pytest.mark.parametrize(
    "line",
    [
        "store double 1.0, ptr %x",
        "store volatile double 1.0, ptr %made",
        "store ptr %x, ptr %made",
        "call void @unknown(ptr %x)",
        "call void %f(ptr %made)",
        "%o = atomicrmw add ptr %made, i64 1 seq_cst",
        "call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %made, i64 8, i1 false)",
    ],
)
def test_writing_anything_else_is_not(line: str) -> None:
    assert not is_marked(MADE, line)


def test_pointers_of_unknown_origin() -> None:
    assert not is_marked("%q = load ptr, ptr %x", "store double 1.0, ptr %q")
    assert not is_marked(
        MADE, "%i = ptrtoint ptr %x to i64", "%q = inttoptr i64 %i to ptr", "store i64 1, ptr %q"
    )
    either = "%q = select i1 true, ptr %x, ptr %made"
    assert not is_marked(MADE, either, "store i64 1, ptr %q")
