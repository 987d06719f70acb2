"""Rules in Enzyme's own form, of functions that write to their arrays: enzyme.rules.ruled and its doors.

The function: out_i <- a x_i^2 + out_i / 2, returning sum_i x_i. It writes over what it reads, so the adjoint of
out before the call is half of that behind it.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import RuleError

X, OUT, A = np.array([0.5, -1.25, 2.0]), np.array([1.0, 3.0, -2.0]), 0.75


def grow(out, x, a):
    for i in range(x.size):
        out[i] = a * x[i] * x[i] + 0.5 * out[i]
    return np.sum(x)


def augmented(config, out, x, a):
    if config.width != 1 or not config.needs_primal or not config.overwritten[0]:
        raise ValueError("not what was asked for")
    kept = x.copy()
    return grow(out, x, a), kept


def reverse(config, cotangent, tape, arguments, shadows):
    out, x = shadows[0], shadows[1]
    a, by_a = arguments[2], 0.0
    for i in range(tape.size):
        x[i] += 2.0 * a * tape[i] * out[i] + cotangent
        by_a += tape[i] * tape[i] * out[i]
        out[i] = 0.5 * out[i]
    return None, None, by_a


def forward(config, arguments, tangents):
    out, x, a = arguments
    d_out, dx, da = tangents
    for i in range(x.size):
        d_out[i] = da * x[i] * x[i] + 2.0 * a * x[i] * dx[i] + 0.5 * d_out[i]
    return grow(out, x, a), np.sum(dx)


def made(*, with_forward: bool = True, with_reverse: bool = True) -> Any:
    function = enzyme.rules.ruled(grow, writes="out")
    if with_reverse:
        enzyme.rules.augmented_primal(function)(augmented)
        enzyme.rules.reverse(function)(reverse)
    if with_forward:
        enzyme.rules.forward(function)(forward)
    return function


def loss_of(function: Any) -> Any:
    """sum(sin(out)) + result^2, after two calls, on a copy."""

    def loss(out, x, a):
        work = out.copy()
        function(work, x, a)
        result = function(work, x, a)
        return np.sum(np.sin(work)) + result * result

    return loss


def by_hand() -> tuple[Any, Any, Any]:
    """The gradient: out'' = 1.5 a x^2 + out / 4 behind two calls."""
    slope = np.cos(1.5 * A * X**2 + OUT / 4)
    return slope / 4, slope * 3.0 * A * X + 2 * np.sum(X), np.sum(slope * 1.5 * X**2)


@pytest.mark.parametrize("halves", [(True, True), (True, False), (False, True)])
def test_gradient_and_tangent(halves: tuple[bool, bool]) -> None:
    loss = loss_of(made(with_forward=halves[0], with_reverse=halves[1]))
    found = enzyme.gradient(loss, OUT, X, A)
    for got, want in zip(found, by_hand(), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13)
    ways = (np.array([0.3, 0.1, -0.2]), np.array([1.0, -0.5, 0.25]), 0.4)
    along = sum(np.sum(one * way) for one, way in zip(by_hand(), ways, strict=True))
    assert enzyme.jvp(loss, (OUT, X, A), ways)[1] == pytest.approx(along, rel=1e-13)


def test_second_order() -> None:
    """By a: -sum(sin(out'') (1.5 x^2)^2)."""
    want = -np.sum(np.sin(1.5 * A * X**2 + OUT / 4) * (1.5 * X**2) ** 2)
    slopes = enzyme.grad(loss_of(made()), argnums=(0, 1, 2))

    def by_a(out, x, a):
        return slopes(out, x, a)[2]

    assert enzyme.jvp(lambda a: by_a(OUT, X, a), (A,), (1.0,))[1] == pytest.approx(want, rel=1e-12)
    assert enzyme.grad(by_a, argnums=2)(OUT, X, A) == pytest.approx(want, rel=1e-12)


def test_called_plainly_it_is_the_function() -> None:
    function = made()
    work = OUT.copy()
    assert function(work, X, A) == pytest.approx(np.sum(X))
    np.testing.assert_allclose(work, A * X**2 + OUT / 2)
    assert numba.njit(lambda out, x, a: function(out, x, a))(OUT.copy(), X, A) == np.sum(X)


def test_the_rules_are_asked() -> None:
    function = enzyme.rules.ruled(grow, writes=("out",))
    enzyme.rules.augmented_primal(function)(augmented)

    @enzyme.rules.reverse(function)
    def of_something_else(config, cotangent, tape, arguments, shadows):
        shadows[0][:] = 0.0
        return None, None, 42.0 + 0.0 * cotangent

    assert enzyme.grad(loss_of(function), argnums=2)(OUT, X, A) == 84.0  # of two calls


def test_a_function_that_returns_nothing() -> None:
    def clear(out):
        out[:] = 0.0

    function = enzyme.rules.ruled(clear, writes="out")

    @enzyme.rules.forward(function)
    def cleared(config, arguments, tangents):
        arguments[0][:] = 0.0
        tangents[0][:] = 0.0
        return 0.0, 0.0

    def loss(x):
        work = x * x
        kept = work[0]
        function(work)
        return kept + np.sum(work)

    np.testing.assert_allclose(enzyme.grad(loss)(X), [2 * X[0], 0.0, 0.0])


def refused(fragment: str, function: Any, *arguments: Any) -> None:
    with pytest.raises(RuleError, match=fragment) as refusal:
        function(*arguments)
    assert refusal.value.remedy


def test_what_does_not_fit_is_refused() -> None:
    refused("has no argument 'y'", lambda: enzyme.rules.ruled(grow, writes="y"))
    refused("which takes no rules", lambda: enzyme.rules.reverse(grow)(reverse))
    function = enzyme.rules.ruled(grow, writes="out")
    refused("takes 2 arguments", lambda: enzyme.rules.forward(function)(lambda config, x: x))
    refused("has no rule yet", enzyme.gradient, loss_of(function), OUT, X, A)
    enzyme.rules.reverse(function)(reverse)
    refused("has a reverse rule already", lambda: enzyme.rules.reverse(function)(reverse))
    refused("has no augmented_primal rule", enzyme.gradient, loss_of(function), OUT, X, A)
    enzyme.rules.augmented_primal(function)(lambda config, out, x, a: 0.0)
    refused("2 values were expected", enzyme.gradient, loss_of(function), OUT, X, A)


def test_a_tape_of_a_wrong_type_is_refused() -> None:
    function = enzyme.rules.ruled(grow, writes="out")
    enzyme.rules.augmented_primal(function)(lambda config, out, x, a: (grow(out, x, a), "tape"))
    enzyme.rules.reverse(function)(reverse)
    refused(
        "the reverse rule of `grow` cannot be compiled",
        enzyme.gradient,
        loss_of(function),
        OUT,
        X,
        A,
    )
