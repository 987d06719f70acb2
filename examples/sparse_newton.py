"""Newton's method on a nonlinear equation in two dimensions: -Laplace(u) = strength * exp(u) in a square.

Run it: `python examples/sparse_newton.py [points on a side]`. The residual is written as loops over the grid. Its
Jacobian, which couples each point to itself and four neighbours, comes as a sparse matrix; nothing is said
about its pattern.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.sparse.linalg import spsolve

import enzyme_py as enzyme

STRENGTH = 6.0  # above 6.81 there is no solution


@enzyme.jit
def residual(u, strength):
    """Five-point differences; u is zero on the boundary."""
    n = u.shape[0]
    h2 = 1.0 / (n + 1) ** 2
    r = np.empty_like(u)
    for i in range(n):
        for j in range(n):
            left = u[i - 1, j] if i > 0 else 0.0
            right = u[i + 1, j] if i < n - 1 else 0.0
            below = u[i, j - 1] if j > 0 else 0.0
            above = u[i, j + 1] if j < n - 1 else 0.0
            r[i, j] = 4 * u[i, j] - left - right - below - above - h2 * strength * np.exp(u[i, j])
    return r


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    jacobian = enzyme.sparse.jacobian(residual, format="csc")
    u = np.zeros((n, n))
    for step in range(20):
        r = residual(u, STRENGTH)
        size = float(np.max(np.abs(r)))
        print(f"step {step}: residual {size:.1e}, largest u {np.max(u):.6f}")
        if size < 1e-12:
            break
        u -= spsolve(jacobian(u, STRENGTH), r.ravel()).reshape(u.shape)
    else:
        raise SystemExit("Newton's method did not converge")
    products = sum(jacobian.colours)
    entries = jacobian.pattern.nnz
    print(f"{n * n} unknowns, {entries} entries of the Jacobian from {products} products")


if __name__ == "__main__":
    main()
