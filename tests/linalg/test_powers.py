"""Linear algebra as the tests of Numba call it: powers by an exponent of run time, and vectors of float32."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme

A = np.array([[1.5, -0.5], [0.25, 2.0]])
WAY = np.array([[0.5, 1.0], [-2.0, 0.75]])


def power(a: np.ndarray, n: int) -> np.ndarray:
    return np.linalg.matrix_power(a, n)


def along(n: int) -> np.ndarray:
    """Return the sum of A^i WAY A^(n-1-i); of inverses for negative n."""
    if n < 0:
        inverse, way = np.linalg.inv(A), -np.linalg.inv(A) @ WAY @ np.linalg.inv(A)
    else:
        inverse, way = A, WAY
    parts = [power(inverse, i) @ way @ power(inverse, abs(n) - 1 - i) for i in range(abs(n))]
    return np.sum(parts, axis=0) if parts else np.zeros((2, 2))


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 3, 4, 6])
def test_powers_along_a_way(n: int) -> None:
    value, tangent = enzyme.jvp(power, (A.copy(), n), (WAY.copy(), 0))
    np.testing.assert_allclose(value, power(A, n), rtol=1e-13)
    np.testing.assert_allclose(tangent, along(n), rtol=1e-12, atol=1e-14)
    weights = np.array([[1.0, -1.0], [0.5, 2.0]])
    slope = enzyme.vjp(power, A.copy(), n)[1](weights)[0]
    assert np.sum(slope * WAY) == pytest.approx(np.sum(weights * along(n)), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("full", [0, 1])
def test_singular_vectors_of_float32(full: int) -> None:
    def projected(a: np.ndarray, b: np.ndarray) -> float:
        u, s, vh = np.linalg.svd(a, full)
        return np.sum(np.dot(u[:, :2] * s, vh) * b)  # a itself, so that b is the slope

    a = np.array([[1.0, 2.0], [-0.5, 0.25], [3.0, 1.0]], np.float32)
    b = np.array([[0.5, -1.0], [2.0, 1.0], [0.25, -0.75]], np.float32)
    slope = enzyme.grad(projected, argnums=0)(a, b)
    assert slope.dtype == np.float32
    np.testing.assert_allclose(slope, b, atol=1e-5)
