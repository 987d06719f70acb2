"""Jacobians against their exact values: every kind of argument and result, both modes, any chunk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Const, Forward, ForwardWithPrimal, Reverse, ReverseWithPrimal
from enzyme_py.errors import AnnotationError, EnzymeError, UnsupportedTypeError
from tests.rotation import diagonal

A = np.array([[1.0, 2.0, -1.0], [0.5, -3.0, 4.0]])
B = np.array([[2.0, 1.0], [-1.0, 3.0]])
X = np.array([[0.5, 1.5], [-2.0, 1.0], [3.0, -0.5]])
U = np.array([0.5, -1.0, 2.0])
MODES = [Forward, Reverse]
LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "backwards": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
}

modes = pytest.mark.parametrize("mode", MODES, ids=repr)


class Pair(NamedTuple):
    left: Any
    right: Any


def both_sides(x):
    return A @ x @ B


@pytest.mark.parametrize(("mode", "chunk"), diagonal(MODES, [None, 1, 4, 5]), ids=repr)
def test_matrix_by_matrix(mode: enzyme.modes.Mode, chunk: int | None) -> None:
    found = enzyme.jacobian(mode, both_sides, X, chunk=chunk)
    assert len(found) == 1
    assert found[0].shape == (2, 2, 3, 2)
    np.testing.assert_array_equal(found[0], np.einsum("ik,lj->ijkl", A, B))


@pytest.mark.parametrize(("mode", "layout"), diagonal(MODES, LAYOUTS), ids=repr)
def test_layouts(mode: enzyme.modes.Mode, layout: str) -> None:
    given = LAYOUTS[layout](X)
    before = given.copy()
    found = enzyme.jacobian(mode, lambda x: A @ (x * x) @ B, given)[0]
    np.testing.assert_allclose(found, 2 * np.einsum("ik,lj,kl->ijkl", A, B, X), rtol=1e-15)
    np.testing.assert_array_equal(given, before)


@modes
def test_numbers(mode: enzyme.modes.Mode) -> None:
    assert enzyme.jacobian(mode, lambda t: t**3, 2.0) == (12.0,)
    by_number = enzyme.jacobian(mode, lambda t: np.array([t, t * t, 1.0]), 3.0)[0]
    np.testing.assert_array_equal(by_number, [1.0, 6.0, 0.0])
    by_array = enzyme.jacobian(mode, lambda x: x[0] * x[2], U)[0]
    np.testing.assert_array_equal(by_array, [2.0, 0.0, 0.5])
    point = np.array(2.0)
    found = enzyme.jacobian(mode, lambda x: np.array([x[()], x[()] ** 2]), point)[0]
    np.testing.assert_array_equal(found, [1.0, 4.0])


@modes
def test_nothing_in_and_nothing_out(mode: enzyme.modes.Mode) -> None:
    assert enzyme.jacobian(mode, lambda x: 2.0 * x, np.zeros(0))[0].shape == (0, 0)
    assert enzyme.jacobian(mode, lambda x: x[:0], U)[0].shape == (0, 3)
    found = enzyme.jacobian(mode, lambda x: np.full(2, 1.0 + np.sum(x)), np.zeros(0))[0]
    assert found.shape == (2, 0)


@modes
def test_single_precision(mode: enzyme.modes.Mode) -> None:
    found = enzyme.jacobian(mode, lambda x: x * x, U.astype(np.float32))[0]
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.diag(2 * U))


def several(scale, x, count, offset):
    return scale * x * count + offset, (np.sum(x) * scale, count)


@modes
def test_several_arguments_and_results(mode: enzyme.modes.Mode) -> None:
    by_scale, by_x, by_count, by_offset = enzyme.jacobian(
        mode, several, 2.0, U, 3, Const(np.ones(3))
    )
    assert by_count is None
    assert by_offset is None
    np.testing.assert_array_equal(by_scale[0], 3 * U)
    assert by_scale[1] == (np.sum(U), None)
    np.testing.assert_array_equal(by_x[0], 6 * np.eye(3))
    np.testing.assert_array_equal(by_x[1][0], [2.0, 2.0, 2.0])
    assert by_x[1][1] is None


@pytest.mark.parametrize("jac", [enzyme.jacfwd, enzyme.jacrev])
def test_arguments_are_inside_of_results(jac: Any) -> None:
    (first, (second, nothing)) = jac(several, argnums=(1, 0))(2.0, U, 3, np.ones(3))
    np.testing.assert_array_equal(first[0], 6 * np.eye(3))
    np.testing.assert_array_equal(first[1], 3 * U)
    np.testing.assert_array_equal(second[0], [2.0, 2.0, 2.0])
    assert second[1] == np.sum(U)
    assert nothing == (None, None)
    np.testing.assert_array_equal(jac(several, argnums=-1)(2.0, U, 3, np.ones(3))[0], np.eye(3))


def of_pair(pair, weight):
    return Pair(pair.left * pair.right * weight, pair.left @ pair.left)


@modes
def test_named_tuples(mode: enzyme.modes.Mode) -> None:
    by_pair, by_weight = enzyme.jacobian(mode, of_pair, Pair(U, 3.0), 2.0)
    assert isinstance(by_pair, Pair)
    assert isinstance(by_pair.left, Pair)
    np.testing.assert_array_equal(by_pair.left.left, 6 * np.eye(3))
    np.testing.assert_array_equal(by_pair.left.right, 2 * U)
    np.testing.assert_array_equal(by_pair.right.left, 2 * U)
    assert by_pair.right.right == 0.0
    np.testing.assert_array_equal(by_weight.left, 3 * U)


@pytest.mark.parametrize("jac", [enzyme.jacfwd, enzyme.jacrev])
def test_aux(jac: Any) -> None:
    def with_aux(x):
        return x * x, (np.sum(x), x.size)

    found, (total, size) = jac(with_aux, has_aux=True)(U)
    np.testing.assert_array_equal(found, np.diag(2 * U))
    assert (total, size) == (np.sum(U), 3)


@pytest.mark.parametrize("mode", [ForwardWithPrimal, ReverseWithPrimal], ids=repr)
def test_primal(mode: enzyme.modes.Mode) -> None:
    (found,), value = enzyme.jacobian(mode, lambda x: x * x, U)
    np.testing.assert_array_equal(found, np.diag(2 * U))
    np.testing.assert_array_equal(value, U * U)


@modes
def test_holomorphic(mode: enzyme.modes.Mode) -> None:
    z = np.array([1 + 2j, 0.5 - 1j])
    found = enzyme.jacobian(mode, lambda z: z * z * z, z, holomorphic=True)[0]
    np.testing.assert_allclose(found, np.diag(3 * z * z), rtol=1e-15)
    assert enzyme.jacobian(mode, lambda z: z * z, 1 + 2j, holomorphic=True)[0] == 2 + 4j


@modes
def test_complex_result_of_real_argument(mode: enzyme.modes.Mode) -> None:
    found = enzyme.jacobian(mode, lambda x: x * x + 1j * x, U)[0]
    np.testing.assert_array_equal(found, np.diag(2 * U + 1j))


@modes
def test_a_kernel_that_writes_to_its_argument(mode: enzyme.modes.Mode) -> None:
    def doubled(x):
        x *= 2.0
        return x * x

    given = U.copy()
    np.testing.assert_array_equal(enzyme.jacobian(mode, doubled, given)[0], np.diag(8 * U))
    np.testing.assert_array_equal(given, U)


@modes
def test_run_time_lengths_and_loops(mode: enzyme.modes.Mode) -> None:
    def powers(x, n):
        rows = np.empty((n, x.size))
        term = np.ones(x.size)
        for i in range(n):
            term = term * x
            rows[i] = term
        return rows

    for n in (0, 1, 4):
        found = enzyme.jacobian(mode, powers, U, n)[0]
        expected = np.zeros((n, 3, 3))
        for i in range(n):
            expected[i] = np.diag((i + 1) * U**i)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_in_compiled_code() -> None:
    @numba.njit
    def inside(x):
        forward = enzyme.jacobian(enzyme.Forward, both_sides_kernel, x, chunk=2)[0]
        reverse, none = enzyme.jacobian(scaled, x, enzyme.Const(2.0))
        one = enzyme.jacrev(scaled, argnums=1)(x, 2.0)
        return forward, reverse, none, one

    forward, reverse, none, one = inside(X)
    np.testing.assert_array_equal(forward, np.einsum("ik,lj->ijkl", A, B))
    np.testing.assert_array_equal(reverse.reshape(6, 6), 2 * np.eye(6))
    assert none is None
    np.testing.assert_array_equal(one, X)


both_sides_kernel = enzyme.jit(both_sides)


@enzyme.jit
def scaled(x, factor):
    return x * factor


def test_keywords_and_defaults() -> None:
    def shifted(x, by=2.0):
        return (x + by) ** 2

    np.testing.assert_array_equal(enzyme.jacfwd(shifted)(U), np.diag(2 * (U + 2)))


class TestBadInput:
    @modes
    def test_complex_argument(self, mode: enzyme.modes.Mode) -> None:
        with pytest.raises(
            UnsupportedTypeError, match=r"(?s)which derivative is meant.*holomorphic=True"
        ):
            enzyme.jacobian(mode, lambda z: z * z, 1j)

    def test_holomorphic_of_real(self) -> None:
        with pytest.raises(UnsupportedTypeError, match="argument `x` is real"):
            enzyme.jacobian(lambda x: x * x, U, holomorphic=True)
        with pytest.raises(UnsupportedTypeError, match="returns float64"):
            enzyme.jacobian(lambda z: abs(z), 1j, holomorphic=True)

    @modes
    def test_integers(self, mode: enzyme.modes.Mode) -> None:
        with pytest.raises(
            UnsupportedTypeError, match=r"(?s)no derivative.*return what it computes"
        ):
            enzyme.jacobian(mode, lambda x: int(x[0]), U)
        with pytest.raises(UnsupportedTypeError, match="`n` of type int64 has no derivative"):
            enzyme.jacfwd(lambda n: 2.0 * n)(3)

    @pytest.mark.parametrize("chunk", [0, -1, 65, 1.5, True, "all"])
    def test_chunk(self, chunk: Any) -> None:
        with pytest.raises(AnnotationError, match="chunk must be"):
            enzyme.jacobian(lambda x: x, U, chunk=chunk)

    def test_no_function(self) -> None:
        with pytest.raises(AnnotationError, match="needs a function"):
            enzyme.jacobian(Reverse)

    def test_split_mode(self) -> None:
        with pytest.raises(AnnotationError, match="two halves"):
            enzyme.jacobian(enzyme.ReverseSplitNoPrimal, lambda x: x, U)

    def test_aux_that_is_no_pair(self) -> None:
        with pytest.raises(UnsupportedTypeError, match="must return a pair"):
            enzyme.jacfwd(lambda x: x, has_aux=True)(U)

    def test_an_unknown_option_in_compiled_code(self) -> None:
        @numba.njit
        def inside(x):
            return enzyme.jacfwd(scaled, width=3)(x, 2.0)

        with pytest.raises((EnzymeError, numba.errors.NumbaError), match="no option width"):
            inside(U)

    def test_gradient_of_an_array_says_what_to_use(self) -> None:
        with pytest.raises(EnzymeError, match="jacobian"):
            enzyme.grad(lambda x: x * x)(U)


@pytest.mark.parametrize("mode", MODES, ids=repr)
def test_where_the_argument_is_infinite(mode: Any) -> None:
    """1 / x falls as -1 / x^2, which is zero there: the direction is one, and not made of the argument."""
    reciprocal = enzyme.jit(lambda x: 1.0 / x)
    slope = enzyme.jit(lambda x: enzyme.jacobian(mode, reciprocal, x)[0])
    assert slope(np.inf) == 0.0
    assert slope(2.0) == -0.25
    assert enzyme.jacobian(mode, reciprocal, np.inf)[0] == 0.0
    assert np.isnan(slope(np.nan))


@numba.njit
def seed(number):
    np.random.seed(number)  # noqa: NPY002  (Numba's)


@pytest.mark.filterwarnings("ignore::enzyme_py.errors.DrawnAgainWarning")
def test_an_output_whose_size_is_drawn_is_refused() -> None:
    """Each run of forward mode draws another size: columns were written behind the end of their matrix."""

    def kernel(x):
        n = 1 + int(np.random.random() * 4.0)  # noqa: NPY002  (Numba's)
        return x[:n] * 2.0

    jacobian = enzyme.jacfwd(kernel)
    for number in range(40):
        seed(number)
        with pytest.raises(ValueError, match="different sizes"):
            jacobian(np.arange(40.0))
