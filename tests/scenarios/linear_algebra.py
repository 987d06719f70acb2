"""Products of vectors and matrices: what Numba gives to BLAS."""

from __future__ import annotations

import numpy as np

from tests.scenarios.arrays import MATRIX, SQUARE, TRIPLE, WAVE, WEIGHTS
from tests.scenarios.scenario import Scenario, scenario

LINEAR_ALGEBRA: list[Scenario] = []
OTHER = np.array([[0.5, 1.0, -0.2, 0.3], [0.8, -0.4, 0.6, 1.1], [0.1, 0.9, -1.2, 0.7]])


@scenario(
    LINEAR_ALGEBRA, args=(WAVE, WEIGHTS), grad=lambda x, y: (2 * (x @ y) * y, 2 * (x @ y) * x)
)
def squared_dot(x, y):
    return np.dot(x, y) ** 2


@scenario(LINEAR_ALGEBRA, args=(SQUARE, TRIPLE), grad=lambda a, x: (np.outer(x, x), (a + a.T) @ x))
def form_by_products(a, x):
    return x @ (a @ x)


@scenario(LINEAR_ALGEBRA, args=(MATRIX, TRIPLE), push=lambda a, x, da, dx: (da @ x + a @ dx,))
def matrix_times_vector(a, x):
    return a @ x


@scenario(LINEAR_ALGEBRA, args=(MATRIX, OTHER), push=lambda a, b, da, db: (da @ b + a @ db,))
def matrix_times_matrix(a, b):
    return a @ b


# |A B|^2: dA = 2 (A B) B', dB = 2 A' (A B)
@scenario(
    LINEAR_ALGEBRA, args=(MATRIX, OTHER), grad=lambda a, b: (2 * (a @ b) @ b.T, 2 * a.T @ (a @ b))
)
def squared_norm_of_product(a, b):
    c = np.dot(a, b)
    return np.sum(c * c)


# tr((A' A)^2): 4 A A' A
@scenario(LINEAR_ALGEBRA, args=(MATRIX,), grad=lambda a: (4 * a @ a.T @ a,))
def norm_of_gram_matrix(a):
    g = a.T @ a
    return np.sum(g * g)


# Least squares by its definition: 2 A' (A x - b)
def least_squares_gradient(a, x, b):
    r = a @ x - b
    return 2 * np.outer(r, x), 2 * a.T @ r, -2 * r


@scenario(LINEAR_ALGEBRA, args=(MATRIX, TRIPLE, WAVE[:2]), grad=least_squares_gradient)
def least_squares(a, x, b):
    r = a @ x - b
    return r @ r


# x := tanh(A x), three times: dx = (1 - x^2) (dA x + A dx)
def recurrent_gradient(a, x):
    start, da, dx = x, np.zeros((x.size, *a.shape)), np.eye(x.size)
    for _ in range(3):
        y = np.tanh(a @ start)
        slope = (1 - y * y)[:, None]
        da = (np.tensordot(a, da, 1) + np.einsum("ij,k->ijk", np.eye(x.size), start)) * slope[
            :, None
        ]
        dx = slope * (a @ dx)
        start = y
    return da.sum(axis=0), dx.sum(axis=0)


@scenario(LINEAR_ALGEBRA, args=(SQUARE, TRIPLE), grad=recurrent_gradient)
def recurrent_network(a, x):
    for _ in range(3):
        x = np.tanh(a @ x)
    return np.sum(x)
