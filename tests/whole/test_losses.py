"""Losses of a recurrent cell that copy, join and grow arrays: every mode and order is right.

Every derivative is compiled once and asked at lengths 0, 1, 2 and 7. It is compared with finite
differences of the plain Python function in extended precision, and losses that are equal by
mathematics have equal derivatives.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Forward, Reverse
from enzyme_py.errors import EnzymeError
from tests.recurrent import (
    EXACT,
    LENGTHS,
    LOSSES,
    NAMES,
    Arrays,
    assigned_squares,
    assigned_states,
    concatenated_states,
    curvature_of,
    drawn,
    growing_array,
    growing_list,
    inner,
    last_state,
    listed_states,
    slope_of,
)
from tests.rotation import selected

# What may be refused today, with a clear error: whoever mends it removes the row. A refusal elsewhere is
# a failure, and so is a wrong number anywhere.
LISTS = "forward over forward of a list of arrays that grows"
CONSTANT = {"weights": (0, 1, 2), "state": (3,), "inputs": (4,)}
PENDING = {"listed_states-forward_over_forward": LISTS}

Loss = Callable[..., Any]
by_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)


def along(loss: Loss) -> Any:
    """The kernel (arguments, v) -> gradient . v."""

    def gradient_along(W, U, b, h0, inputs, vW, vU, vb, vh, vi):
        dW, dU, db, dh, di = enzyme.gradient(loss, W, U, b, h0, inputs)
        weights = np.sum(dW * vW) + np.sum(dU * vU) + np.sum(db * vb)
        return weights + np.sum(dh * vh) + np.sum(di * vi)

    return gradient_along


def slope(loss: Loss) -> Any:
    """The kernel (arguments, v) -> derivative along v, by forward mode."""

    def derivative_along(W, U, b, h0, inputs, vW, vU, vb, vh, vi):
        return enzyme.jvp(loss, (W, U, b, h0, inputs), (vW, vU, vb, vh, vi))[1]

    return derivative_along


def zeros(args: Arrays) -> Arrays:
    return tuple(np.zeros_like(arg) for arg in args)


# Each takes a loss and says how to ask for its second derivative along v and w.
Second = Callable[[Loss], Callable[[Arrays, Arrays, Arrays], float]]


def forward_over_reverse(loss: Loss) -> Callable[[Arrays, Arrays, Arrays], float]:
    kernel = along(loss)
    return lambda args, v, w: enzyme.jvp(kernel, (*args, *v), (*w, *zeros(v)))[1]


def reverse_over_reverse(loss: Loss) -> Callable[[Arrays, Arrays, Arrays], float]:
    kernel = along(loss)
    return lambda args, v, w: inner(enzyme.gradient(kernel, *args, *v)[: len(w)], w)


def reverse_over_forward(loss: Loss) -> Callable[[Arrays, Arrays, Arrays], float]:
    kernel = slope(loss)
    return lambda args, v, w: inner(enzyme.gradient(kernel, *args, *v)[: len(w)], w)


def forward_over_forward(loss: Loss) -> Callable[[Arrays, Arrays, Arrays], float]:
    kernel = slope(loss)
    return lambda args, v, w: enzyme.jvp(kernel, (*args, *v), (*w, *zeros(v)))[1]


SECOND = (
    forward_over_reverse,
    reverse_over_reverse,
    reverse_over_forward,
    forward_over_forward,
)


@cache
def expected_slope(loss: Loss, length: int) -> float:
    return slope_of(loss, drawn(length, 0), drawn(length, 1))


@cache
def expected_curvature(loss: Loss, length: int) -> float:
    return curvature_of(loss, drawn(length, 0), drawn(length, 1), drawn(length, 2))


@by_loss
def test_reverse(loss: Loss) -> None:
    for length in LENGTHS:
        args, v = drawn(length, 0), drawn(length, 1)
        got = inner(enzyme.gradient(loss, *args), v)
        assert got == pytest.approx(expected_slope(loss, length), rel=EXACT, abs=EXACT), length


@by_loss
def test_forward(loss: Loss) -> None:
    for length in LENGTHS:
        args, v = drawn(length, 0), drawn(length, 1)
        value, got = enzyme.jvp(loss, args, v)
        assert value == pytest.approx(loss(*args), rel=1e-14)
        assert got == pytest.approx(expected_slope(loss, length), rel=EXACT, abs=EXACT), length


def test_second_order(second: tuple[Loss, Second]) -> None:
    loss, order = second
    ask = order(loss)
    for length in LENGTHS:
        got = ask(drawn(length, 0), drawn(length, 1), drawn(length, 2))
        want = expected_curvature(loss, length)
        assert got == pytest.approx(want, rel=EXACT, abs=EXACT), length


def test_single_precision() -> None:
    for loss in (last_state, concatenated_states):
        args, v = drawn(7, 0), drawn(7, 1)
        single = [arg.astype(np.float32) for arg in args]
        gradient = enzyme.gradient(loss, *single)
        assert all(part.dtype == np.float32 for part in gradient)
        assert inner(gradient, v) == pytest.approx(expected_slope(loss, 7), rel=2e-5)


# --- losses that are the same function of their arguments -----------------------------------------

EQUAL = (
    (listed_states, assigned_states),
    (assigned_squares, concatenated_states),
    (last_state, growing_list),
    (last_state, growing_array),
)


@pytest.mark.parametrize("pair", EQUAL, ids=lambda pair: "-".join(f.__name__ for f in pair))
def test_equal_losses_have_equal_gradients(pair: tuple[Loss, Loss]) -> None:
    for length in LENGTHS:
        args = drawn(length, 0)
        assert pair[0](*args) == pytest.approx(pair[1](*args), rel=1e-14)
        left, right = (enzyme.gradient(loss, *args) for loss in pair)
        for one, other in zip(left, right):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_mean_of_states_is_mean_over_prefixes() -> None:
    W, U, b, h0, inputs = drawn(7, 0)
    parts = [enzyme.gradient(last_state, W, U, b, h0, inputs[:k]) for k in range(8)]
    for number, whole in enumerate(enzyme.gradient(listed_states, W, U, b, h0, inputs)[:4]):
        np.testing.assert_allclose(whole, sum(part[number] for part in parts) / 8, rtol=1e-12)


# --- the reduced case: what grows is the input itself ---------------------------------------------


def last_of_growing_list(w, x):
    y = [w[0:1]]
    for i in range(x.size):
        y = y + [np.sin(w * x[i])]  # noqa: RUF005
    return np.mean(y[-1])


def last_of_growing_array(w, x):
    y = w[0:1]
    for i in range(x.size):
        y = np.concatenate((y, np.sin(w[0] * x[i : i + 1])))
    return np.mean(y[-1:])


@pytest.mark.parametrize("f", [last_of_growing_list, last_of_growing_array])
def test_reduced_case(f: Callable[..., float]) -> None:
    w = np.array([0.7])
    for length in LENGTHS:
        x = np.linspace(0.4, 1.6, length)
        dw, dx = enzyme.gradient(f, w, x)
        expected = np.zeros(length)
        if length:
            expected[-1] = w[0] * np.cos(w[0] * x[-1])
        np.testing.assert_allclose(dx, expected, rtol=1e-14)
        np.testing.assert_allclose(dw, x[-1] * np.cos(w * x[-1]) if length else [1.0], rtol=1e-14)


# --- Const in turn --------------------------------------------------------------------------------

WITH_CONSTANT = [(loss, constant) for constant in CONSTANT for loss in LOSSES]
INSIDE = (along, slope)


def annotated(args: Arrays, shadows: Arrays, constant: str) -> list[Any]:
    return [
        Const(arg) if number in CONSTANT[constant] else Duplicated(arg, shadow)
        for number, (arg, shadow) in enumerate(zip(args, shadows))
    ]


def masked(direction: Arrays, constant: str) -> Arrays:
    """The direction without what is Const."""
    return tuple(part * (number not in CONSTANT[constant]) for number, part in enumerate(direction))


def test_const_in_reverse(first: tuple[Loss, str]) -> None:
    loss, constant = first
    for length in LENGTHS:
        args, v = drawn(length, 0), drawn(length, 1)
        shadows = tuple(np.full_like(arg, 0.5) for arg in args)  # a derivative adds
        enzyme.autodiff(Reverse, loss, *annotated(args, shadows, constant))
        gradient = [shadow - 0.5 for shadow in shadows]
        want = slope_of(loss, args, masked(v, constant))
        assert inner(gradient, masked(v, constant)) == pytest.approx(want, rel=EXACT, abs=EXACT)
        assert_untouched(args, shadows, length, constant)


def assert_untouched(args: Arrays, shadows: Arrays, length: int, constant: str) -> None:
    for name, arg, before in zip(NAMES, args, drawn(length, 0)):
        assert arg.tobytes() == before.tobytes(), f"{name} was written, length {length}"
    for number in CONSTANT[constant]:
        assert np.all(shadows[number] == 0.5)


def test_const_in_forward(first: tuple[Loss, str]) -> None:
    loss, constant = first
    for length in LENGTHS:
        args, tangents = drawn(length, 0), drawn(length, 1)
        (got,) = enzyme.autodiff(Forward, loss, *annotated(args, tangents, constant))
        want = slope_of(loss, args, masked(tangents, constant))
        assert got == pytest.approx(want, rel=EXACT, abs=EXACT), length
        for arrays, seed in ((args, 0), (tangents, 1)):
            for array, before in zip(arrays, drawn(length, seed)):
                assert array.tobytes() == before.tobytes(), f"length {length}"


def test_const_in_second_order(nested: tuple[Loss, str, Any]) -> None:
    """Reverse over either mode; the inner derivative's direction is Const as well."""
    loss, constant, inside = nested
    kernel = inside(loss)
    for length in LENGTHS:
        args, v, w = (drawn(length, seed) for seed in range(3))
        shadows = tuple(np.full_like(arg, 0.5) for arg in args)
        given = [*annotated(args, shadows, constant), *map(Const, v)]
        enzyme.autodiff(Reverse, kernel, *given)
        direction = masked(w, constant)
        got = inner([shadow - 0.5 for shadow in shadows], direction)
        want = curvature_of(loss, args, v, direction)
        assert got == pytest.approx(want, rel=EXACT, abs=EXACT), length
        assert_untouched(args, shadows, length, constant)
        for array, before in zip(v, drawn(length, 1)):
            assert array.tobytes() == before.tobytes()


# --- many calls -----------------------------------------------------------------------------------


def resident() -> int:
    """Bytes of memory that this process has now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_stays_flat() -> None:
    args = drawn(30, 0)
    for _ in range(200):
        enzyme.gradient(concatenated_states, *args)
    before = resident()
    for _ in range(2000):
        enzyme.gradient(concatenated_states, *args)
    assert resident() - before < 2**20


# --- which cases run ------------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The ordinary run asks one second order of each loss, none forward over forward, and few cases with Const."""
    if "second" in metafunc.fixturenames:
        pairs = [(loss, order) for loss in LOSSES for order in SECOND]
        if not metafunc.config.getoption("full"):
            pairs = [(loss, SECOND[number % 3]) for number, loss in enumerate(LOSSES)]
        metafunc.parametrize("second", [parameter(pair) for pair in pairs])
    if "first" in metafunc.fixturenames:
        chosen = selected(WITH_CONSTANT, metafunc.config, 5)
        metafunc.parametrize("first", [parameter(case) for case in chosen])
    if "nested" in metafunc.fixturenames:
        cases = [(*case, inside) for case in WITH_CONSTANT for inside in INSIDE]
        chosen = selected(cases, metafunc.config, 11)
        metafunc.parametrize("nested", [parameter(case) for case in chosen])


def parameter(case: tuple[Any, ...]) -> Any:
    """A test parameter, which may be refused if it is pending."""
    name = "-".join(part if isinstance(part, str) else part.__name__ for part in case)
    reason = PENDING.get(name)
    refused = pytest.mark.xfail(reason=reason, raises=EnzymeError, strict=True)
    return pytest.param(case, id=name, marks=[refused] if reason else [])
