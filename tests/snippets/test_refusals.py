"""Refusals that users meet: each says what to do, and what it says to do works."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import DerivativeError, LoweringError, UnsupportedTypeError

X = np.array([0.3, 0.7])


@numba.njit
def square(x):
    return x * x


@numba.njit
def triple(x):
    return 3.0 * x


@numba.cfunc("f8(f8)")
def by_address(x):
    return x * x


@numba.guvectorize(["(f8[:],f8[:])"], "(n)->()")
def sum_of_squares(a, out):
    out[0] = np.sum(a * a)


def test_functions_chosen_while_running() -> None:
    def chosen(x: float, flag: bool) -> Any:
        f = square if flag else triple
        return f(x)

    with pytest.raises(LoweringError, match=r"chosen while running[\s\S]*under a branch"):
        enzyme.grad(chosen)(2.0, True)
    instead = enzyme.grad(lambda x, flag: square(x) if flag else triple(x))
    assert (instead(2.0, True), instead(2.0, False)) == (4.0, 3.0)


class Pair(NamedTuple):
    one: float
    other: complex


def raises(x: np.ndarray) -> float:
    if x[0] > 100.0:
        raise ValueError("far away", x)
    return x[0] * x[0]


def test_exceptions_with_arrays() -> None:
    """Third-party code does (py-pde's interpolators); it was a bare AttributeError."""
    with pytest.raises(LoweringError, match=r"raises an exception with an array[\s\S]*numbers of the array"):
        enzyme.grad(raises)(np.ones(3))


def test_lists_for_python() -> None:
    def shows(x: np.ndarray) -> float:
        print([x[0], x[1]])  # noqa: T201  (what is asked)
        return x[0] * x[0]

    with pytest.raises(DerivativeError, match=r"prints what becomes an object of Python's \(`PyList_New`\)[\s\S]*tuples of them"):
        enzyme.grad(shows)(np.ones(3))


def test_numbers_for_python(capfd: pytest.CaptureFixture[str]) -> None:
    """What the refusal says to do instead."""

    def shows(x: np.ndarray) -> float:
        print("near", x[0], (x.size, x[1]), Pair(x[1], 1j * x[0]), "of " + str(x.size))  # noqa: T201  (what is asked)
        if x[0] > 100.0:
            raise ValueError("far away", x[0], x[1])
        return x[0] * x[0]

    assert enzyme.grad(shows)(np.array([3.0, 2.0])).tolist() == [6.0, 0.0]
    assert "near 3.0 (2, 2.0) Pair(one=2.0, other=3j) of 2" in capfd.readouterr().out
    with pytest.raises(ValueError, match="far away") as raised:
        enzyme.grad(shows)(np.array([300.0, 2.0]))
    assert raised.value.args == ("far away", 300.0, 2.0)


def test_functions_in_a_tuple() -> None:
    with pytest.raises(LoweringError, match=r"call the functions under branches"):
        enzyme.grad(lambda x, k: (square, triple)[k](x))(2.0, 0)


def test_cfuncs() -> None:
    with pytest.raises(LoweringError, match=r"`by_address`, a numba\.cfunc[\s\S]*function that it was made of"):
        enzyme.grad(lambda x: by_address(x))(2.0)
    with pytest.raises(UnsupportedTypeError, match=r"CFunc[\s\S]*function that it was made of"):
        enzyme.grad(by_address)


def test_gufuncs_without_an_output() -> None:
    with pytest.raises(LoweringError, match=r"out = np\.zeros"):
        enzyme.grad(lambda x: np.sum(sum_of_squares(x)))(X)

    def with_output(x: Any) -> Any:
        out = np.zeros(1)
        sum_of_squares(x, out)
        return out[0]

    np.testing.assert_allclose(enzyme.grad(with_output)(X), 2 * X)


def test_vectorize_of_numpy() -> None:
    with pytest.raises(UnsupportedTypeError, match=r"numba\.vectorize"):
        enzyme.grad(np.vectorize(lambda a: a * a))(2.0)


def from_a_constant(t):
    y = np.array([1.0, 1.0])
    for _ in range(5):
        y = y + 0.1 * t * y
    return np.sum(y * y)


def test_loops_that_start_from_a_constant() -> None:
    # 2 (1 + t / 10)^10: the second derivative is 1.8 (1 + t / 10)^8.
    exact = 1.8 * 1.05**8
    for outer in (enzyme.grad, enzyme.jacfwd):
        for inner in (enzyme.grad, enzyme.jacfwd):
            assert outer(inner(from_a_constant))(0.5) == pytest.approx(exact, rel=1e-13)


def test_what_works_from_python_alone() -> None:
    jacobian = enzyme.sparse.jacobian(lambda x: x * x)

    @numba.njit
    def halves(x):
        enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, square, enzyme.Active)
        return x

    for kernel, told in (
        (halves, r"autodiff_thunk[\s\S]*enzyme\.vjp"),
        (numba.njit(lambda x: enzyme.sparse.hessian(square)(x)), r"hessian[\s\S]*\.indptr"),
        (numba.njit(lambda x: jacobian(x)), r"SparseDerivative[\s\S]*jacrev"),
    ):
        with pytest.raises(LoweringError, match=told):
            kernel(X)
