"""`numba.stencil` functions in kernels: slopes by hand, every option, every order, and what is kept of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.frontend.functions.content import content_of
from tests.rotation import diagonal

U = np.array([0.5, -1.0, 2.0, 0.75, 1.5, -0.25])
V = np.array([1.0, 0.5, -2.0, 0.25, 3.0, -1.5])


@numba.stencil
def differences(u):
    return u[1] - u[-1]


@numba.stencil
def products(u):
    return 0.5 * (u[-1] + u[1]) * u[0]


@numba.stencil
def laplacian(u):
    return u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0] - 4.0 * u[0, 0]


@numba.stencil(neighborhood=((-2, 2),), cval=1.5, standard_indexing=("weights",))
def weighted(u, weights):
    total = 0.0
    for i in range(-2, 3):
        total += u[i] * weights[i + 2]
    return total


@numba.stencil(standard_indexing=("weights",))
def by_weights(u, weights):
    return u[-1] * weights[0] + u[1] * weights[1]


def energy(u):
    return np.sum(differences(u) ** 2)


def test_the_slopes_of_squared_differences() -> None:
    """e = sum of d_i^2 with d_i = u_(i+1) - u_(i-1) inside: de/du = 2 (d_(i-1) - d_(i+1)), d zero at both ends."""
    d = np.zeros(U.size + 2)
    d[2:-2] = U[2:] - U[:-2]
    value, slope = enzyme.value_and_grad(energy)(U)
    assert value == numba.njit(energy)(U)
    np.testing.assert_allclose(slope, 2.0 * (d[:-2] - d[2:]), rtol=1e-15)


@pytest.mark.parametrize(("outer", "inner"), diagonal([enzyme.Forward, enzyme.Reverse], [enzyme.Forward, enzyme.Reverse]), ids=repr)
def test_the_second_derivatives_of_squared_differences(outer: Any, inner: Any) -> None:
    """The Hessian is 2 D^T D with the matrix D of the differences."""
    matrix = np.zeros((U.size, U.size))
    for i in range(1, U.size - 1):
        matrix[i, i + 1], matrix[i, i - 1] = 1.0, -1.0
    kernel = enzyme.jit(energy)
    found = enzyme.jacobian(outer, lambda u: enzyme.jacobian(inner, kernel, u)[0], U)[0]
    np.testing.assert_allclose(found, 2.0 * matrix.T @ matrix, atol=1e-14)


def test_what_stands_beside_the_inside_is_constant() -> None:
    """`cval` fills both ends: only the three numbers in the middle depend on the weights, as do all five on each number."""

    def kernel(u, weights):
        return np.sum(weighted(u, weights))

    weights = np.array([1.0, -2.0, 0.5, 3.0, -1.0, 0.0])
    value, (by_u, by_weights) = enzyme.value_and_grad(kernel, argnums=(0, 1))(U, weights)
    inside = [2, 3]
    assert value == pytest.approx(4 * 1.5 + sum(U[i - 2 : i + 3] @ weights[:5] for i in inside), rel=1e-15)
    wanted = np.zeros(U.size)
    for i in inside:
        wanted[i - 2 : i + 3] += weights[:5]
    np.testing.assert_allclose(by_u, wanted, rtol=1e-15)
    np.testing.assert_allclose(by_weights, [*sum(U[i - 2 : i + 3] for i in inside), 0.0], rtol=1e-15)


def test_an_argument_with_indices_as_they_are() -> None:
    def kernel(u, weights):
        return np.sum(by_weights(u, weights))

    by_u, slope = enzyme.grad(kernel, argnums=(0, 1))(U, np.array([2.0, -3.0, 0.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(by_u, [2.0, 2.0, 2.0 - 3.0, 2.0 - 3.0, -3.0, -3.0], rtol=1e-15)
    np.testing.assert_allclose(slope[:2], [U[:-2].sum(), U[2:].sum()], rtol=1e-15)


def into(u, v):
    out = np.ones_like(u)
    products(u, out=out)
    return np.sum(out * v)


def test_a_given_array_keeps_its_ends() -> None:
    """What is written is v_i (u_(i-1) + u_(i+1)) u_i / 2 inside; Numba leaves the ends of `out` as they are."""
    value, slope = enzyme.value_and_grad(into)(U, V)
    inside = 0.5 * (U[:-2] + U[2:]) * U[1:-1] * V[1:-1]
    assert value == pytest.approx(inside.sum() + V[0] + V[-1], rel=1e-15)
    wanted = np.zeros(U.size)
    wanted[1:-1] += 0.5 * (U[:-2] + U[2:]) * V[1:-1]
    wanted[:-2] += 0.5 * U[1:-1] * V[1:-1]
    wanted[2:] += 0.5 * U[1:-1] * V[1:-1]
    np.testing.assert_allclose(slope, wanted, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jvp(into, (U, V), (V, 0.0 * V))[1], wanted @ V, rtol=1e-14)


def heat(u, steps, rate):
    for _ in range(steps):
        u = u + rate * laplacian(u)
    return np.sum(u * u)


def test_steps_of_heat_in_a_plane() -> None:
    """All steps are one matrix M: the slope is 2 M^T M u, by the rate it is that of the difference quotient."""
    u = np.random.default_rng(3).random((5, 4))
    one = np.eye(20)
    for i in range(1, 4):
        for j in range(1, 3):
            at = i * 4 + j
            for other, weight in ((at + 1, 1.0), (at - 1, 1.0), (at + 4, 1.0), (at - 4, 1.0), (at, -4.0)):
                one[at, other] += 0.1 * weight
    steps = np.linalg.matrix_power(one, 6)
    by_u, by_rate = enzyme.grad(heat, argnums=(0, 2))(u, 6, 0.1)
    np.testing.assert_allclose(by_u.ravel(), 2.0 * steps.T @ steps @ u.ravel(), rtol=1e-13)
    plain, h = numba.njit(heat), 1e-6
    assert by_rate == pytest.approx((plain(u, 6, 0.1 + h) - plain(u, 6, 0.1 - h)) / (2 * h), rel=1e-8)
    hvp = enzyme.hvp(heat, u, np.ones_like(u), 6, 0.1)
    np.testing.assert_allclose(hvp.ravel(), 2.0 * steps.T @ steps @ np.ones(20), rtol=1e-13)


def test_a_parallel_kernel() -> None:
    parallel = numba.njit(parallel=True)(energy)
    np.testing.assert_array_equal(enzyme.grad(parallel)(U), enzyme.grad(energy)(U))


@pytest.mark.parametrize("kind", [np.float32, np.complex128])
def test_other_numbers(kind: Any) -> None:
    u = U.astype(kind)

    def kernel(u):
        return np.sum(np.abs(differences(u)) ** 2)

    np.testing.assert_allclose(enzyme.grad(kernel)(u), enzyme.grad(energy)(U), rtol=1e-6)
    assert enzyme.grad(kernel)(u).dtype == kind


def scaled(factor: float) -> Callable[..., Any]:
    @numba.stencil
    def neighbours(u):
        return factor * u[-1] * u[1]

    return lambda u: np.sum(neighbours(u))


def test_stencils_of_one_factory_are_apart() -> None:
    once, thrice = scaled(1.0), scaled(3.0)
    np.testing.assert_allclose(3.0 * enzyme.grad(once)(U), enzyme.grad(thrice)(U), rtol=1e-15)
    assert content_of(once) != content_of(thrice)
    assert content_of(once) == content_of(scaled(1.0))


def test_options_count() -> None:
    def mean(u):
        return 0.5 * (u[-1] + u[1])

    plain, filled, again = numba.stencil(mean), numba.stencil(mean, cval=1.0), numba.stencil(mean)
    assert content_of(plain) == content_of(again)
    assert content_of(plain) != content_of(filled)
    assert content_of(plain) != content_of(mean)


def test_a_stencil_that_is_defined_anew() -> None:
    scope: dict[str, Any] = {"numba": numba, "np": np}
    text = "@numba.stencil\ndef s(u):\n    return {} * u[-1] * u[1]\n"
    exec(text.format(2.0), scope)
    exec("def kernel(u):\n    return np.sum(s(u))\n", scope)
    before = enzyme.grad(scope["kernel"])(U)
    exec(text.format(6.0), scope)
    np.testing.assert_allclose(enzyme.grad(scope["kernel"])(U), 3.0 * before, rtol=1e-15)


PROGRAM = """
import numpy as np, numba, enzyme_py as enzyme
from tests.snippets.test_stencils import energy, U
before = len(enzyme.inspect.timings())
print(enzyme.grad(energy)(U).tolist())
print(any(one.stage == "host" for one in enzyme.inspect.timings()[before:]))
"""


def test_another_process_finds_what_one_has_compiled(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENZYME_PY_CACHE_DIR", str(tmp_path))
    said = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    ]
    assert [lines[1] for lines in said] == ["True", "False"]
    assert said[0][0] == said[1][0] == str(enzyme.grad(energy)(U).tolist())
