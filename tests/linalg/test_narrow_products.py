"""Products with few rows and few terms go by csrc/products.c: answers from matrix calculus, on integers, so that they are exact.

f(x, a, y) = sum of (x a)^2 / 2 + sum of x a y has the gradients (x a + y') a' and x' (x a + y'), with y' the cotangent of y's place.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.native import blas, symbols
from enzyme_py.native.runtime import library_path


def paired(x, a, y):
    made = x @ a
    return 0.5 * np.sum(made * made) + np.sum(made * y)


def test_they_are_taken() -> None:
    runtime = ctypes.CDLL(str(library_path("libenzyme_py_runtime.so")))
    for letter in "ds":
        own = ctypes.cast(runtime[f"enzyme_py_{letter}gemm"], ctypes.c_void_p).value
        assert symbols.address_of(f"{letter}gemm_") == blas.blas_address(f"{letter}gemm_") == own


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_points_times_small_matrices(dtype) -> None:
    random = np.random.default_rng(0)
    gradient = enzyme.grad(paired, argnums=(0, 1, 2))
    for count, inner, outer in ((100, 2, 2), (40, 3, 4), (16, 1, 2), (50, 4, 4), (31, 2, 3), (8, 2, 2), (20, 5, 3), (20, 3, 5)):
        x, a, y = (
            random.integers(-4, 5, shape).astype(dtype)
            for shape in ((count, inner), (inner, outer), (count, outer))
        )
        by_x, by_a, by_y = gradient(x, a, y)
        np.testing.assert_array_equal(by_x, (x @ a + y) @ a.T)
        np.testing.assert_array_equal(by_a, x.T @ (x @ a + y))
        np.testing.assert_array_equal(by_y, x @ a)


def test_columns_and_second_orders() -> None:
    """By column-major arrays BLAS gets other letters; the Hessian by x times v is v a a'."""
    random = np.random.default_rng(1)
    x, a, y, v = (random.integers(-4, 5, shape).astype(float) for shape in ((60, 2), (2, 2), (60, 2), (60, 2)))
    for order in "CF":
        given = [np.asarray(one, order=order) for one in (x, a, y)]
        np.testing.assert_array_equal(enzyme.grad(paired)(*given), (x @ a + y) @ a.T)
    np.testing.assert_array_equal(enzyme.hvp(paired, x, v, a, y), v @ a @ a.T)


def test_nan_and_zero_by_the_rules_of_blas() -> None:
    """NaN in what is overwritten is not read; NaN and infinity in what is multiplied arrive."""
    routine = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(blas.blas_address("dgemm_"))
    size, many = ctypes.c_int32(2), ctypes.c_int32(16)
    one, zero = ctypes.c_double(1.0), ctypes.c_double(0.0)
    a, b = np.eye(2), np.ones((16, 2))
    b[3, 1], b[5, 0] = np.nan, np.inf

    def product(letter: bytes, beta: ctypes.c_double) -> np.ndarray:
        c = np.full((16, 2), np.nan if beta is zero else 1.0)
        refs = [ctypes.byref(value) for value in (size, many, size, one)]
        ends = [a.ctypes.data, ctypes.byref(size), b.ctypes.data, ctypes.byref(size), ctypes.byref(beta)]
        routine(ctypes.c_char_p(letter), ctypes.c_char_p(b"N"), *refs, *ends, c.ctypes.data, ctypes.byref(size))
        return c

    for letter, beta, added in ((b"T", zero, 0.0), (b"N", one, 1.0), (b"T", one, 1.0)):
        got = product(letter, beta)
        plain = np.delete(got, [3, 5], axis=0)
        np.testing.assert_array_equal(plain, np.full((14, 2), 1.0 + added))
        assert np.isnan(got[3]).tolist() == [True, True]  # 0 * NaN
        assert got[5, 0] == np.inf
        assert np.isnan(got[5, 1])  # 0 * infinity
