"""Second derivatives against exact Hessians, in every nesting."""

from __future__ import annotations

import itertools
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Forward, Reverse
from enzyme_py.errors import AnnotationError, EnzymeError, ShadowError
from tests.recurrent import concatenated_states, drawn, last_state
from tests.rotation import sweep

NESTINGS = list(itertools.product((Forward, Reverse), repeat=2))
NAMES = [f"{outer}-over-{inner}" for outer, inner in NESTINGS]
# An ordinary run takes two nestings, of a test these or the other two.
nestings = pytest.mark.parametrize(("outer", "inner"), sweep(NESTINGS, 2), ids=NAMES)
others = pytest.mark.parametrize(("outer", "inner"), sweep(NESTINGS, 2, 1), ids=NAMES)
RANDOM = np.random.default_rng(5)


def rosenbrock(x):
    total = 0.0
    for i in range(x.size - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def hessian_of_rosenbrock(x: np.ndarray) -> np.ndarray:
    found = np.zeros((x.size, x.size))
    for i in range(x.size - 1):
        found[i, i] += 1200.0 * x[i] ** 2 - 400.0 * x[i + 1] + 2.0
        found[i + 1, i + 1] += 200.0
        found[i, i + 1] = found[i + 1, i] = -400.0 * x[i]
    return found


def quadratic(x, a):
    return 0.5 * (x @ (a @ x))


def log_sum_exp(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def factorisation(u, v, target):
    rest = u @ v.T - target
    return np.sum(rest * rest)


@pytest.mark.parametrize("size", [2, 3, 17, 200])
def test_rosenbrock(size: int) -> None:
    x = RANDOM.normal(size=size)
    found = enzyme.hessian(rosenbrock)(x)
    np.testing.assert_allclose(found, hessian_of_rosenbrock(x), rtol=1e-13, atol=1e-10)
    np.testing.assert_allclose(found, found.T, rtol=1e-14, atol=1e-12)


@nestings
def test_every_nesting(outer: enzyme.modes.Mode, inner: enzyme.modes.Mode) -> None:
    x, v = RANDOM.normal(size=5), RANDOM.normal(size=5)
    exact = hessian_of_rosenbrock(x)
    found = enzyme.hessian(rosenbrock, outer=outer, inner=inner)(x)
    np.testing.assert_allclose(found, exact, rtol=1e-13, atol=1e-10)
    for product in (enzyme.hvp, enzyme.vhp):
        found = product(rosenbrock, x, v, outer=outer, inner=inner)
        np.testing.assert_allclose(found, exact @ v, rtol=1e-13, atol=1e-10)


@others
def test_quadratic_form_is_exactly_its_matrix(
    outer: enzyme.modes.Mode, inner: enzyme.modes.Mode
) -> None:
    a = RANDOM.integers(-4, 5, (4, 4)).astype(float)
    a += a.T
    found = enzyme.hessian(quadratic, outer=outer, inner=inner)(RANDOM.normal(size=4), a)
    np.testing.assert_allclose(found, a, rtol=1e-14, atol=1e-14)


@nestings
def test_log_sum_exp(outer: enzyme.modes.Mode, inner: enzyme.modes.Mode) -> None:
    x = RANDOM.normal(size=4)
    share = np.exp(x) / np.sum(np.exp(x))
    exact = np.diag(share) - np.outer(share, share)
    found = enzyme.hessian(log_sum_exp, outer=outer, inner=inner)(x)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-14)


def hessian_of_factorisation(u: np.ndarray, v: np.ndarray, target: np.ndarray) -> Any:
    rest = u @ v.T - target
    rows, ranks, columns = u.shape[0], u.shape[1], v.shape[0]
    by_u = 2 * np.einsum("ik,ab->iakb", np.eye(rows), v.T @ v)
    by_v = 2 * np.einsum("jl,ab->jalb", np.eye(columns), u.T @ u)
    mixed = 2 * np.einsum("ib,ja->iajb", u, v)
    mixed += 2 * np.einsum("ij,ab->iajb", rest, np.eye(ranks))
    return (by_u, mixed), (mixed.transpose(2, 3, 0, 1), by_v)


@others
def test_matrix_factorisation_by_both_factors(
    outer: enzyme.modes.Mode, inner: enzyme.modes.Mode
) -> None:
    u, v = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=(4, 2))
    target = RANDOM.normal(size=(3, 4))
    exact = hessian_of_factorisation(u, v, target)
    found = enzyme.hessian(factorisation, argnums=(0, 1), outer=outer, inner=inner)(u, v, target)
    for own_row, row in zip(found, exact, strict=True):
        for own, block in zip(own_row, row, strict=True):
            np.testing.assert_allclose(own, block, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("loss", [last_state, concatenated_states])
def test_recurrent_loss(loss: Any) -> None:
    """Against differences of exact gradients."""
    arguments = drawn(3, seed=1)
    weights = arguments[0]
    gradient = enzyme.grad(loss)
    found = enzyme.hessian(loss)(*arguments)
    step = 1e-5
    for place in np.ndindex(weights.shape):
        up, down = weights.copy(), weights.copy()
        up[place] += step
        down[place] -= step
        slope = (gradient(up, *arguments[1:]) - gradient(down, *arguments[1:])) / (2 * step)
        np.testing.assert_allclose(found[(..., *place)], slope, rtol=1e-7, atol=1e-9)
    square = found.reshape(weights.size, weights.size)
    np.testing.assert_allclose(square, square.T, rtol=1e-12, atol=1e-13)


def test_products_and_gradient() -> None:
    x, v = RANDOM.normal(size=6), RANDOM.normal(size=6)
    product, gradient = enzyme.hvp_and_gradient(rosenbrock, x, v)
    np.testing.assert_allclose(product, hessian_of_rosenbrock(x) @ v, rtol=1e-13, atol=1e-10)
    np.testing.assert_array_equal(gradient, enzyme.grad(rosenbrock)(x))


def test_strided_arguments_and_vectors() -> None:
    x, v = RANDOM.normal(size=10)[::2], RANDOM.normal(size=15)[::-3]
    found = enzyme.hvp(rosenbrock, x, v)
    np.testing.assert_allclose(found, hessian_of_rosenbrock(x) @ v, rtol=1e-13, atol=1e-10)


def test_numbers_and_tuples() -> None:
    assert enzyme.hessian(lambda t: t**4)(2.0) == 48.0
    assert enzyme.hvp(lambda t: t**4, 2.0, 0.5) == 24.0
    pair = (2.0, np.array([1.0, 3.0]))
    product = enzyme.hvp(lambda p: p[0] * p[1] @ p[1], pair, (1.0, np.zeros(2)))
    assert product[0] == 0.0
    np.testing.assert_array_equal(product[1], [2.0, 6.0])


def test_aux_and_constant_arguments() -> None:
    def with_aux(x, a):
        return 0.5 * (x @ (a @ x)), np.sum(x)

    a = np.array([[2.0, 1.0], [1.0, 4.0]])
    x = np.array([1.0, -3.0])
    found, total = enzyme.hessian(with_aux, has_aux=True)(x, a)
    np.testing.assert_allclose(found, a, rtol=1e-15)
    assert total == -2.0
    np.testing.assert_array_equal(enzyme.hvp(quadratic, x, x, a), a @ x)


def test_in_compiled_code_and_again() -> None:
    kernel = enzyme.jit(rosenbrock)

    @numba.njit
    def inside(x, v):
        return (
            enzyme.hessian(kernel)(x),
            enzyme.hvp(kernel, x, v),
            enzyme.vhp(kernel, x, v, outer=enzyme.Forward),
            enzyme.hvp_and_gradient(kernel, x, v)[1],
        )

    x, v = RANDOM.normal(size=4), RANDOM.normal(size=4)
    exact = hessian_of_rosenbrock(x)
    for found, wanted in zip(
        inside(x, v), (exact, exact @ v, exact @ v, enzyme.grad(kernel)(x)), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-10)

    @enzyme.jit
    def curvature(x):
        return np.sum(np.diag(enzyme.hessian(kernel)(x)))

    slopes = 2400.0 * x
    slopes[1:] -= 400.0
    slopes[-1] = -400.0
    np.testing.assert_allclose(enzyme.grad(curvature)(x), slopes, rtol=1e-12)


class TestBadInput:
    def test_a_vector_of_another_shape(self) -> None:
        with pytest.raises(ShadowError, match="has shape"):
            enzyme.hvp(rosenbrock, np.ones(3), np.ones(4))

    def test_a_complex_vector(self) -> None:
        with pytest.raises(ShadowError, match="dtype complex128"):
            enzyme.hvp(rosenbrock, np.ones(3), np.ones(3) * 1j)

    def test_something_that_is_no_mode(self) -> None:
        with pytest.raises(AnnotationError, match="takes a mode"):
            enzyme.hessian(rosenbrock, outer="forward")

    def test_hessian_of_an_array(self) -> None:
        with pytest.raises(EnzymeError, match="jacobian"):
            enzyme.hessian(lambda x: x * x)(np.ones(3))
