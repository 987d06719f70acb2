"""Kernels whose result, or a part of it, is None on some path: derivatives where it is there, a TypeError where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.transforms.derivatives.pullback import paired

X = np.array([2.0, 3.0])
BELOW = np.array([0.5, 3.0])
MESSAGE = "is None here"


@numba.njit
def square_above_one(x):
    if x > 1.0:
        return x * x
    return None


def squares_above_one(x):
    if x[0] > 1.0:
        return x * x
    return None


def sum_and_cubes(x):
    cubes = x * x * x if x[0] > 1.0 else None
    return np.sum(x * x), cubes


def square_and_root(x):
    """A number beside the value: of an aux no derivative is taken, so that it may be None."""
    return x * x, (np.sqrt(x) if x > 1.0 else None)


def pair_above_one(x):
    if x[0] > 1.0:
        return np.sum(x * x), x * x * x
    return None


@numba.njit
def found_in(values, x):
    """What other people's code looks like: a search that may end without an answer."""
    for place in range(values.size):
        if values[place] > x:
            return values[place] * x
    return None


@numba.njit
def slope_of_square(x):
    return enzyme.grad(square_above_one)(x)


# Each a function of one number or array, its answer at 3, or X, and what it computes.
CASES: dict[str, tuple[Callable[..., Any], Any, Any, Any]] = {
    "grad": (enzyme.grad(square_above_one), 3.0, 0.5, 6.0),
    "value_and_grad": (enzyme.value_and_grad(square_above_one), 3.0, 0.5, (9.0, 6.0)),
    "jvp": (lambda x: enzyme.jvp(square_above_one, (x,), (2.0,)), 3.0, 0.5, (9.0, 12.0)),
    "vjp": (lambda x: enzyme.vjp(square_above_one, x)[1](2.0)[0], 3.0, 0.5, 12.0),
    "hessian": (enzyme.hessian(square_above_one), 3.0, 0.5, 2.0),
    "reverse over reverse": (enzyme.grad(enzyme.grad(square_above_one)), 3.0, 0.5, 2.0),
    "autodiff": (lambda x: enzyme.autodiff(enzyme.Reverse, square_above_one, enzyme.Active(x))[0][0], 3.0, 0.5, 6.0),
    "in compiled code": (slope_of_square, 3.0, 0.5, 6.0),
    "jacfwd": (enzyme.jacfwd(squares_above_one), X, BELOW, np.diag(2 * X)),
    "jacrev": (enzyme.jacrev(squares_above_one), X, BELOW, np.diag(2 * X)),
    "vjp of an array": (lambda x: enzyme.vjp(squares_above_one, x)[1](np.ones(2))[0], X, BELOW, 2 * X),
    "jvp of a part": (lambda x: enzyme.jvp(sum_and_cubes, (x,), (x,))[1], X, BELOW, (26.0, 3 * X**3)),
    "vjp of a part": (lambda x: enzyme.vjp(sum_and_cubes, x)[1]((1.0, np.ones(2)))[0], X, BELOW, 2 * X + 3 * X**2),
    "jvp of a pair": (lambda x: enzyme.jvp(pair_above_one, (x,), (x,))[1], X, BELOW, (26.0, 3 * X**3)),
    "grad with an aux": (enzyme.grad(sum_and_cubes, has_aux=True), X, BELOW, (2 * X, X**3)),
    "grad of a pair with an aux": (enzyme.grad(pair_above_one, has_aux=True), X, BELOW, (2 * X, X**3)),
    "grad of a pairing": (
        lambda x: enzyme.grad(paired(numba.njit(sum_and_cubes)))((1.0, np.ones(2)), x),
        X,
        BELOW,
        (13.0, X**3),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_there_has_derivatives(name: str) -> None:
    derivative, at, below, answer = CASES[name]
    found = derivative(at)
    pairs = list(zip(found, answer, strict=True)) if isinstance(answer, tuple) else [(found, answer)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-14)
    with pytest.raises(TypeError, match=MESSAGE):
        derivative(below)


def test_numbers_of_an_aux_may_be_none() -> None:
    derivative = enzyme.grad(square_and_root, has_aux=True)
    assert derivative(4.0) == (8.0, 2.0)
    assert derivative(0.5) == (1.0, None)


@numba.njit
def square_into(x, out):
    """The function writes what counts, and may return nothing."""
    out[0] = x * x
    if x > 5.0:
        return x
    return None


def test_who_takes_no_result_does_not_mind() -> None:
    for x in (3.0, 6.0):
        out, seed = np.zeros(1), np.ones(1)
        given = enzyme.Active(x), enzyme.Duplicated(out, seed)
        assert enzyme.autodiff(enzyme.Reverse, square_into, enzyme.Const, *given)[0][0] == 2 * x


def test_both_halves_of_a_split_are_of_one_kernel() -> None:
    out, seed = np.zeros(1), np.ones(1)
    given = enzyme.Active(6.0), enzyme.Duplicated(out, seed)
    forward, reverse = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, square_into, enzyme.Const, *given)
    tape, primal, _ = forward(*given)
    assert primal == 6.0
    assert reverse(*given, tape)[0][0] == 12.0
    below = enzyme.Active(3.0), enzyme.Duplicated(out, seed)
    with pytest.raises(TypeError, match=MESSAGE):
        forward(*below)


def test_a_search_and_what_the_error_says() -> None:
    values = np.array([1.0, 4.0, 9.0])
    of_both = enzyme.grad(found_in, argnums=(0, 1))(values, 2.0)
    assert np.array_equal(of_both[0], [0.0, 2.0, 0.0])
    assert of_both[1] == 4.0
    assert found_in(values, 10.0) is None
    with pytest.raises(TypeError, match="return a number or an array on this path"):
        enzyme.grad(found_in)(values, 10.0)
