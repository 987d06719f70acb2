"""Ruled functions (frontend/external/ruled.py): functions that the pass does not enter, by rules of ours.

The one ruled here squares: y_i = c x_i^2, with the number c and the vector x as operands. Its body calls
what has no derivative, so an answer can only come from the rules; a second ruled function halves,
and each one's reverse rule calls the other, as linear algebra's do.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.extending import register_jitable

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Forward
from enzyme_py.errors import DerivativeError
from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from tests.rotation import sweep

START = 4  # behind two sizes: the length of the work array, and n


@register_jitable(forceinline=True)
def _scale(work):
    return work[START]


@register_jitable(forceinline=True)
def _operand(work, n):
    return work[START + 1 : START + 1 + n]


@register_jitable(forceinline=True)
def _result(work, n):
    return work[START + 1 + n : START + 1 + 2 * n]


def _squares(work):
    n = size_in(work, 1)
    x = _operand(work, n)
    if np.linalg.cond(np.diag(np.abs(x) + 1.0)) > 1e6:  # LAPACK: nothing that the pass could enter
        raise ValueError("too far apart")
    _result(work, n)[:] = _scale(work) * x * x


def _squares_forward(work, shadow):
    n = size_in(work, 1)
    x, dx = _operand(work, n), _operand(shadow, n)
    _result(shadow, n)[:] = _scale(shadow) * x * x + 2.0 * _scale(work) * x * dx


def _squares_reverse(work, shadow):
    n = size_in(work, 1)
    x, dy = _operand(work, n), _result(shadow, n)
    _operand(shadow, n)[:] += 4.0 * _scale(work) * _halved(x) * dy
    shadow[START] += np.sum(x * x * dy)
    dy[:] = 0.0


def _halves(work):
    n = size_in(work, 1)
    _result(work, n)[:] = 0.5 * _operand(work, n)


def _halves_forward(work, shadow):
    n = size_in(work, 1)
    _result(shadow, n)[:] = 0.5 * _operand(shadow, n)


def _halves_reverse(work, shadow):
    n = size_in(work, 1)
    dy = _result(shadow, n)
    half = _halved(dy.copy())
    _operand(shadow, n)[:] += half + 0.0 * _squared(0.0, half)
    dy[:] = 0.0


_square = ruled("tests.square", _squares, _squares_forward, _squares_reverse)
_half = ruled("tests.half", _halves, _halves_forward, _halves_reverse)


@numba.njit
def _squared(c, x):
    n = x.size
    work = new_work((n,), 1 + 2 * n, x.dtype)
    work[START] = c
    _operand(work, n)[:] = x
    _square(work)
    return _result(work, n).copy()


@numba.njit
def _halved(x):
    n = x.size
    work = new_work((n,), 1 + 2 * n, x.dtype)
    _operand(work, n)[:] = x
    _half(work)
    return _result(work, n).copy()


def assert_close(got: Any, want: Any, rtol: float = 1e-12) -> None:
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)


def kernel(c, x):
    """sum_i sin(c x_i^2)."""
    return np.sum(np.sin(_squared(c, x)))


C, X = 0.7, np.array([0.5, -1.1, 0.3])
V = np.array([0.4, 0.2, -0.9])
SLOPE = np.cos(C * X**2) * 2 * C * X
CURVATURE = np.diag(2 * C * np.cos(C * X**2) - np.sin(C * X**2) * (2 * C * X) ** 2)


def test_first_order() -> None:
    by_c, by_x = enzyme.gradient(kernel, C, X)
    assert_close(by_c, np.sum(np.cos(C * X**2) * X**2))
    assert_close(by_x, SLOPE)
    _, tangent = enzyme.jvp(kernel, (C, X), (0.25, V))
    assert_close(tangent, 0.25 * by_c + V @ SLOPE)


@pytest.mark.parametrize("modes", sweep(["RR", "FR", "FF", "RF"], 2, first=1))
def test_second_order(modes: str) -> None:
    outer, inner = ({"R": enzyme.jacrev, "F": enzyme.jacfwd}[one] for one in modes)
    assert_close(outer(inner(kernel, argnums=1), argnums=1)(C, X), CURVATURE)


def test_a_constant_operand_is_never_written() -> None:
    constant = X.copy()
    (by_c, none) = enzyme.gradient(kernel, C, Const(constant))
    assert none is None
    assert_close(by_c, np.sum(np.cos(C * X**2) * X**2))
    (slope,) = enzyme.autodiff(Forward, kernel, Duplicated, Duplicated(C, 1.0), Const(constant))
    assert_close(slope, by_c)
    assert constant.tobytes() == X.tobytes()


def repeated(c, x, turns):
    """x -> c x^2, again and again: every turn's operands are needed by the reverse sweep."""
    for _ in range(turns):
        x = _squared(c, x)
    return np.sum(x)


@pytest.mark.parametrize("turns", [0, 1, 4])
def test_in_a_loop(turns: int) -> None:
    power = 2**turns
    by_x = enzyme.grad(repeated, argnums=1)(C, X, turns)
    assert_close(by_x, C ** (power - 1) * power * X ** (power - 1))
    _, tangent = enzyme.jvp(lambda x: repeated(C, x, turns), (X,), (V,))
    assert_close(tangent, by_x @ V)


def test_an_error_of_the_body_is_raised() -> None:
    with pytest.raises(ValueError, match="too far apart"):
        enzyme.grad(kernel, argnums=1)(C, np.array([0.0, 1e9]))


def test_batches_are_refused_and_jacobians_come_one_by_one() -> None:
    batch = enzyme.BatchDuplicated(X, (V, X.copy()))
    with pytest.raises(DerivativeError, match="several directions at once") as refusal:
        enzyme.autodiff(Forward, kernel, enzyme.BatchDuplicated, Const(C), batch)
    assert "one direction after the other" in str(refusal.value)
    assert_close(enzyme.jacfwd(kernel, argnums=1, chunk=3)(C, X), SLOPE)


def test_single_precision_and_complex_numbers() -> None:
    single = X.astype(np.float32)
    by_x = enzyme.grad(kernel, argnums=1)(np.float32(C), single)
    assert by_x.dtype == np.float32
    assert_close(by_x, SLOPE, 1e-5)

    def real_part(z: Any) -> Any:
        return np.sum(_halved(z).real) + 2.0 * np.sum(_halved(z).imag)

    z = X + 1j * V
    assert_close(enzyme.grad(real_part)(z), np.full(3, 0.5 + 1.0j))
