"""Sparse Jacobians and Hessians: against exact values, and against the dense ones."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import enzyme_py as enzyme
from enzyme_py import Const, Forward, Reverse
from enzyme_py.errors import AnnotationError, EnzymeError, SparsityError, UnsupportedTypeError
from enzyme_py.sparse.colouring import number_of
from enzyme_py.sparse.patterns import as_pattern
from enzyme_py.transforms.jacobians.compressed import Products, products_runner

MODES = [None, Forward, Reverse]
quickly = settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def patterns(draw: Any, square: bool = False) -> Any:
    """Random patterns, some of them with full rows or columns."""
    height = draw(st.integers(1, 12))
    width = height if square else draw(st.integers(1, 12))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dense = random.random((height, width)) < draw(st.sampled_from([0.0, 0.1, 0.3, 0.8]))
    dense[random.random(height) < draw(st.sampled_from([0.0, 0.2]))] = True
    dense[:, random.random(width) < draw(st.sampled_from([0.0, 0.2]))] = True
    return dense


def tridiagonal(n: int) -> Any:
    return sparse.diags_array([np.ones(n - 1), np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1])


def grid(n: int) -> Any:
    """The 5-point Laplacian on n x n points."""
    line, eye = tridiagonal(n), sparse.eye_array(n)
    return sparse.kron(line, eye) + sparse.kron(eye, line)


def arrow(n: int) -> Any:
    dense = np.eye(n, dtype=bool)
    dense[0] = dense[:, 0] = True
    return dense


# -- colours ---------------------------------------------------------------------------------------


@quickly
@given(dense=patterns())
def test_columns_of_a_colour_share_no_row(dense: np.ndarray) -> None:
    for by, matrix in (("columns", dense), ("rows", dense.T)):
        colours = enzyme.sparse.colour(dense, by)
        assert colours.shape == (matrix.shape[1],)
        assert set(colours) == set(range(number_of(colours)))
        for one in range(number_of(colours)):
            assert (matrix[:, colours == one].sum(axis=1) <= 1).all()


@quickly
@given(dense=patterns(square=True))
def test_two_colours_make_stars(dense: np.ndarray) -> None:
    dense |= dense.T
    colours = enzyme.sparse.colour(dense, "symmetric")
    joined = dense & ~np.eye(len(dense), dtype=bool)
    for v, w in np.argwhere(joined):
        assert colours[v] != colours[w]
        for x in np.flatnonzero(joined[w]):
            for y in np.flatnonzero(joined[x]):
                if x != v and y not in (v, w):
                    assert len({colours[k] for k in (v, w, x, y)}) > 2, (v, w, x, y)


@pytest.mark.parametrize("n", [10, 1000])
def test_colours_do_not_grow_with_the_problem(n: int) -> None:
    assert number_of(enzyme.sparse.colour(tridiagonal(n))) == 3
    assert number_of(enzyme.sparse.colour(tridiagonal(n), "rows")) == 3
    assert number_of(enzyme.sparse.colour(tridiagonal(n), "symmetric")) == 3
    assert 5 <= number_of(enzyme.sparse.colour(grid(n // 10 + 4))) <= 7
    assert 4 <= number_of(enzyme.sparse.colour(grid(n // 10 + 4), "symmetric")) <= 7
    assert number_of(enzyme.sparse.colour(arrow(n), "symmetric")) == 2
    assert number_of(enzyme.sparse.colour(arrow(n))) == n
    assert number_of(enzyme.sparse.colour(sparse.csr_array((n, n)))) == 1


# -- kernels with a given pattern ------------------------------------------------------------------


@enzyme.jit
def along(x, starts, columns, weights):
    """Row i: the sum of weights * x[j]^2 over its columns."""
    y = np.zeros(starts.size - 1, x.dtype)
    for i in range(y.size):
        for at in range(starts[i], starts[i + 1]):
            y[i] += weights[at] * x[columns[at]] ** 2
    return y


@enzyme.jit
def pairs(x, starts, columns, weights):
    """The sum of weights * x[i]^2 x[j] over the entries."""
    total = x.dtype.type(0)
    for i in range(starts.size - 1):
        for at in range(starts[i], starts[i + 1]):
            total += weights[at] * x[i] ** 2 * x[columns[at]]
    return total


def with_weights(dense: np.ndarray, dtype: Any = np.float64) -> tuple[Any, ...]:
    pattern = as_pattern(dense)
    weights = np.arange(1.0, pattern.nnz + 1, dtype=dtype)
    return pattern.indptr.astype(np.int64), pattern.indices.astype(np.int64), weights


def point(size: int, dtype: Any = np.float64) -> np.ndarray:
    return (np.arange(size) % 5 + 1).astype(dtype) / 2


def exact_jacobian(dense: np.ndarray) -> np.ndarray:
    found = np.zeros(dense.shape)
    found[dense] = np.arange(1.0, dense.sum() + 1)
    return found * 2 * point(dense.shape[1])


def exact_hessian(dense: np.ndarray) -> np.ndarray:
    weights = np.zeros(dense.shape)
    weights[dense] = np.arange(1.0, dense.sum() + 1)
    x = point(len(dense))
    mixed = 2 * weights * x[:, None]
    return mixed + mixed.T + np.diag(2 * weights @ x)


@pytest.mark.parametrize("mode", MODES, ids=repr)
@quickly
@given(dense=patterns())
def test_random_jacobians(mode: Any, dense: np.ndarray) -> None:
    x, others = point(dense.shape[1]), with_weights(dense)
    found = enzyme.sparse.jacobian_sparsity(along, x, *others, mode=mode)
    np.testing.assert_array_equal(found.toarray(), dense)
    function = enzyme.sparse.jacobian(along, mode=mode)
    np.testing.assert_allclose(function(x, *others).toarray(), exact_jacobian(dense), rtol=1e-14)
    forward, reverse = function.colours
    if mode is None:
        assert forward + reverse <= min(dense.shape) + 3
    else:
        assert (reverse if mode.is_forward else forward) == 0


@quickly
@given(dense=patterns(square=True))
def test_random_hessians(dense: np.ndarray) -> None:
    x, others = point(len(dense)), with_weights(dense)
    exact = exact_hessian(dense)
    found = enzyme.sparse.hessian_sparsity(pairs, x, *others)
    np.testing.assert_array_equal(found.toarray(), exact != 0)
    matrix = enzyme.sparse.hessian(pairs)(x, *others)
    np.testing.assert_allclose(matrix.toarray(), exact, rtol=1e-14)
    assert (matrix != matrix.T).nnz == 0


@pytest.mark.parametrize("mode", MODES, ids=repr)
def test_arrows(mode: Any) -> None:
    """A full row and a full column: either mode alone needs them all, both together a few."""
    dense = arrow(100)
    function = enzyme.sparse.jacobian(along, mode=mode)
    found = function(point(100), *with_weights(dense))
    np.testing.assert_allclose(found.toarray(), exact_jacobian(dense), rtol=1e-14)
    assert function.colours == {None: (2, 1), Forward: (100, 0), Reverse: (0, 100)}[mode]


def test_arrow_of_a_hessian() -> None:
    dense = arrow(100)
    function = enzyme.sparse.hessian(pairs)
    found = function(point(100), *with_weights(dense)).toarray()
    np.testing.assert_allclose(found, exact_hessian(dense), rtol=1e-14)
    assert function.colours == (2, 0)


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_formats_and_precisions(format: str, dtype: Any) -> None:
    dense = np.array([[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 0, 0]], bool)
    others = with_weights(dense, dtype)
    function = enzyme.sparse.jacobian(along, format=format)
    first = function(point(4, dtype), *others)
    assert (first.format, first.dtype, first.shape) == (format, dtype, (3, 4))
    np.testing.assert_allclose(first.toarray(), exact_jacobian(dense), rtol=1e-6)
    first.data[:] = 0  # the caller's own
    first.indices[:] = 0
    again = function(point(4, dtype), *others)
    np.testing.assert_allclose(again.toarray(), exact_jacobian(dense), rtol=1e-6)
    dense = dense[:, :3] | np.eye(3, dtype=bool)
    found = enzyme.sparse.hessian(pairs, format=format)(
        point(3, dtype), *with_weights(dense, dtype)
    )
    assert (found.format, found.dtype) == (format, dtype)
    np.testing.assert_allclose(found.toarray(), exact_hessian(dense), rtol=1e-6)


# -- shapes of arguments and results ---------------------------------------------------------------


@enzyme.jit
def bratu(u, strength):
    """The residual of -Laplace(u) = strength * exp(u) on a grid, zero outside."""
    n, m = u.shape
    r = np.empty_like(u)
    for i in range(n):
        for j in range(m):
            v = 4 * u[i, j] - strength * np.exp(u[i, j])
            if i > 0:
                v -= u[i - 1, j]
            if i < n - 1:
                v -= u[i + 1, j]
            if j > 0:
                v -= u[i, j - 1]
            if j < m - 1:
                v -= u[i, j + 1]
            r[i, j] = v
    return r


def test_grid_against_exact_and_dense() -> None:
    u = np.linspace(0.0, 1.0, 42).reshape(6, 7)
    function = enzyme.sparse.jacobian(bratu)
    for given_u in (u, np.asfortranarray(u), u[::-1, ::-1]):
        found = function(given_u, Const(1.5)).toarray()
        dense = enzyme.jacobian(Forward, bratu, np.ascontiguousarray(given_u), Const(1.5))[0]
        np.testing.assert_array_equal(found, dense.reshape(42, 42))
        np.testing.assert_allclose(np.diag(found), 4 - 1.5 * np.exp(given_u.ravel()), rtol=1e-14)
    assert sum(function.colours) <= 7
    assert function.pattern.nnz == 42 + 2 * (5 * 7 + 6 * 6)


def test_another_size_is_prepared_anew() -> None:
    function = enzyme.sparse.jacobian(bratu)
    for shape in ((2, 3), (5, 4), (2, 3)):
        assert function(np.ones(shape), 1.0).shape == (np.prod(shape),) * 2


def test_nothing_in_nothing_out_nothing_between() -> None:
    none = with_weights(np.zeros((0, 3), bool))
    assert enzyme.sparse.jacobian(along)(point(3), *none).shape == (0, 3)
    none = with_weights(np.zeros((3, 0), bool))
    assert enzyme.sparse.jacobian(along)(point(0), *none).shape == (3, 0)
    none = with_weights(np.zeros((0, 0), bool))
    assert enzyme.sparse.hessian(pairs)(point(0), *none).shape == (0, 0)
    none = with_weights(np.zeros((3, 3), bool))
    for mode in MODES:
        function = enzyme.sparse.jacobian(along, mode=mode)
        assert function(point(3), *none).nnz == 0
        assert function.colours == (0, 0)
    assert enzyme.sparse.hessian(pairs)(point(3), *none).nnz == 0


def test_numbers_come_from_single_rows() -> None:
    function = enzyme.sparse.jacobian(pairs)
    dense = np.array([[1, 1, 1], [0, 0, 0], [0, 0, 0]], bool)
    found = function(point(3), *with_weights(dense))
    np.testing.assert_array_equal(found.toarray(), [[7.25, 0.5, 0.75]])
    assert function.colours == (0, 1)
    by_weights = enzyme.sparse.jacobian(pairs, argnums=-1)(point(3), *with_weights(dense))
    np.testing.assert_array_equal(by_weights.toarray(), [[0.125, 0.25, 0.375]])


def test_kernels_that_write_leave_nothing_behind() -> None:
    def squares(x, scale):
        x *= x
        scale[0] += 1.0
        return x * scale[0]

    x, scale = point(4), np.ones(1)
    for mode in MODES:
        found = enzyme.sparse.jacobian(squares, mode=mode)(x, scale)
        np.testing.assert_array_equal(found.toarray(), np.diag(4 * point(4)))
    np.testing.assert_array_equal(x, point(4))
    assert scale == 1.0


# -- patterns that are too small -------------------------------------------------------------------


@enzyme.jit
def upwind(u):
    """Differences against the direction in which u flows."""
    r = np.zeros_like(u)
    for i in range(1, u.size - 1):
        r[i] = u[i] * (u[i] - u[i - 1]) if u[i] > 0 else u[i] * (u[i + 1] - u[i])
    return r


@pytest.mark.parametrize("mode", MODES, ids=repr)
def test_a_detected_pattern_grows_where_a_branch_turns(mode: Any) -> None:
    function = enzyme.sparse.jacobian(upwind, mode=mode)
    u = 1 + point(9)
    dense = enzyme.jacfwd(upwind)
    np.testing.assert_allclose(function(u).toarray(), dense(u), rtol=1e-15)
    assert function.pattern.nnz == 14
    np.testing.assert_allclose(function(-u).toarray(), dense(-u), rtol=1e-15)
    assert function.pattern.nnz == 21
    u[::2] *= -1
    np.testing.assert_allclose(function(u).toarray(), dense(u), rtol=1e-15)
    assert function.pattern.nnz == 21


def test_a_given_pattern_is_checked() -> None:
    small = np.tri(9, dtype=bool) & ~np.tri(9, k=-2, dtype=bool)
    u = 1 + point(9)
    for mode in MODES:
        function = enzyme.sparse.jacobian(upwind, small, mode=mode)
        np.testing.assert_allclose(function(u).toarray(), enzyme.jacfwd(upwind)(u), rtol=1e-15)
        with pytest.raises(SparsityError, match=r"\(1, 2\), \(2, 3\).* and 2 more"):
            function(-u)
    full = tridiagonal(9)
    found = enzyme.sparse.jacobian(upwind, full)(-u)
    assert found.nnz == full.nnz
    np.testing.assert_allclose(found.toarray(), enzyme.jacfwd(upwind)(-u), rtol=1e-15)


def test_entries_that_share_a_product_are_checked() -> None:
    """Every row has its entry of every colour, so that only the random direction can tell."""

    def mixed(x):
        return np.array([x[0] * x[1] + x[2], x[1] * x[0] + 1e-9 * x[3]])

    wrong = np.array([[1, 1, 0, 0], [1, 1, 0, 0]])
    for mode in (Forward, Reverse):
        with pytest.raises(SparsityError, match=r"\(0, 2\), \(1, 3\)\n"):
            enzyme.sparse.jacobian(mixed, wrong, mode=mode)(point(4))
    not_asked = enzyme.sparse.jacobian(mixed, wrong, mode=Forward, check=False)(point(4))
    np.testing.assert_array_equal(not_asked.toarray()[:, :2], [[2.0, 0.5], [1 + 1e-9, 0.5]])


def test_a_hessian_is_checked() -> None:
    dense = arrow(6)
    x, others = point(6), with_weights(dense)
    with pytest.raises(SparsityError, match="lacks entries"):
        enzyme.sparse.hessian(pairs, np.eye(6))(x, *others)

    def kinked(x):
        return np.sum(x**2) + (x[0] * x[3] ** 2 if x[0] > 0 else x[1] * x[2] ** 2)

    function = enzyme.sparse.hessian(kinked)
    for sign in (1, -1):
        found = function(sign * x).toarray()
        np.testing.assert_allclose(found, enzyme.hessian(kinked)(sign * x), rtol=1e-15)


def test_entries_that_vanish_at_the_point() -> None:
    def product(x):
        return np.array([x[0] * x[1], x[1] * x[2]])

    found = enzyme.sparse.jacobian_sparsity(product, np.zeros(3)).toarray()
    np.testing.assert_array_equal(found, [[1, 1, 0], [0, 1, 1]])
    at_point = enzyme.sparse.jacobian_sparsity(product, np.array([1.0, 0, 0]), points=0)
    np.testing.assert_array_equal(at_point.toarray(), [[0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize("mode", [Forward, Reverse], ids=repr)
def test_infinity_and_nan_stay_in_their_rows_or_columns(mode: Any) -> None:
    def logarithms(x):
        y = np.log(x)
        y[1:] += x[:-1]
        return y

    function = enzyme.sparse.jacobian(logarithms, mode=mode)
    x = np.array([1.0, 4.0, 0.25, 1.0])
    before = function(x).toarray()
    np.testing.assert_array_equal(before, np.diag(1 / x) + np.eye(4, k=-1))
    for bad in (0.0, np.nan):
        x[1] = bad
        found = function(x).toarray()
        assert not np.isfinite(found[1, 1])
        place = (1, slice(None)) if mode.is_forward else (slice(None), 1)
        found[place] = before[place] = 0
        np.testing.assert_array_equal(found, before)
    assert function.pattern.nnz == 7


def test_a_point_without_derivative_detects_nothing() -> None:
    with pytest.raises(SparsityError, match="output 0 is not finite"):
        enzyme.sparse.jacobian_sparsity(lambda x: x / x[0], np.full(2, np.nan))


# -- what is refused -------------------------------------------------------------------------------


def test_refusals() -> None:
    x = point(4)

    def two(x):
        return x, x

    with pytest.raises(UnsupportedTypeError, match="dtype int64"):
        enzyme.sparse.jacobian(upwind)(np.arange(4))
    with pytest.raises(UnsupportedTypeError, match="dtype complex128"):
        enzyme.sparse.jacobian(upwind)(x + 0j)
    with pytest.raises(UnsupportedTypeError, match="type float"):
        enzyme.sparse.jacobian(upwind)(1.0)
    with pytest.raises(UnsupportedTypeError, match=r"np\.concatenate"):
        enzyme.sparse.jacobian(two)(x)
    with pytest.raises(UnsupportedTypeError, match="dtype int64"):
        enzyme.sparse.jacobian(lambda x: np.arange(3))(x)
    with pytest.raises(EnzymeError, match="upwind"):
        enzyme.sparse.hessian(upwind)(x)
    with pytest.raises(AnnotationError, match="argnums names argument 1"):
        enzyme.sparse.jacobian(upwind, argnums=1)(x)
    with pytest.raises(AnnotationError, match="by one argument"):
        enzyme.sparse.jacobian(upwind, argnums=(0, 1))
    with pytest.raises(AnnotationError, match="mode must be"):
        enzyme.sparse.jacobian(upwind, mode="forward")
    with pytest.raises(AnnotationError, match="no format 'coo'"):
        enzyme.sparse.jacobian(upwind, format="coo")
    with pytest.raises(SparsityError, match="nothing was prepared"):
        _ = enzyme.sparse.jacobian(upwind).pattern


def test_patterns_that_are_none() -> None:
    x = point(4)
    with pytest.raises(SparsityError, match=r"shape \(4, 5\), the derivative \(4, 4\)"):
        enzyme.sparse.jacobian(upwind, np.ones((4, 5)))(x)
    with pytest.raises(SparsityError, match="1 dimensions"):
        enzyme.sparse.jacobian(upwind, np.ones(4))
    with pytest.raises(SparsityError, match="dtype object"):
        enzyme.sparse.jacobian(upwind, "tridiagonal" and np.array([[None]]))
    with pytest.raises(SparsityError, match="is symmetric, this one is not"):
        enzyme.sparse.hessian(pairs, np.tri(4))
    with pytest.raises(SparsityError, match="choose among columns, rows, symmetric"):
        enzyme.sparse.colour(np.eye(3), "columns and rows")


@pytest.mark.parametrize("size", [2, 4])
def test_products_of_another_size_are_refused(size: int) -> None:
    """A kernel that draws may return more, or less, than when its output was looked at."""
    kernel = numba.njit(lambda x: x[:3] * 2.0)
    run = products_runner(Products(kernel, Forward, 0, 1))
    with pytest.raises(ValueError, match="different sizes"):
        run(np.zeros((1, size)), np.ones((1, 5)), np.zeros(size), np.arange(5.0))
