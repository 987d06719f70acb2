"""Stencils: heat, waves, reactions and flow on grids."""

from __future__ import annotations

import numpy as np

from user_kernels.rows import Row, numbers


def heat_1d(start, steps, c):
    """Heat in a rod: two buffers that change places."""
    u = start.copy()
    new = start.copy()
    for _ in range(steps):
        for i in range(1, u.size - 1):
            new[i] = u[i] + c * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        u, new = new, u
    total = 0.0
    for i in range(u.size):
        total += u[i] * u[i]
    return total


def heat_1d_slices(start, steps, c):
    """The same rod, on slices."""
    u = start.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def jacobi_1d(right, steps, h):
    """Jacobi iterations for Poisson's equation: a new array each."""
    u = np.zeros(right.size)
    for _ in range(steps):
        new = np.zeros(right.size)
        new[1:-1] = 0.5 * (u[2:] + u[:-2] + h * h * right[1:-1])
        u = new
    return np.sum(u * u)


def burgers_upwind(start, steps, c):
    """Burgers' equation, differences taken against the wind."""
    u = start.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, u.size - 1):
            if u[i] > 0.0:
                new[i] = u[i] - c * u[i] * (u[i] - u[i - 1])
            else:
                new[i] = u[i] - c * u[i] * (u[i + 1] - u[i])
        u = new
    return np.sum(u * u)


def wave_2d(start, steps, c):
    """Waves on a membrane: the new values take the place of the old."""
    n, m = start.shape
    old = start.copy()
    now = start.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                around = now[i + 1, j] + now[i - 1, j] + now[i, j + 1] + now[i, j - 1]
                old[i, j] = 2.0 * now[i, j] - old[i, j] + c * (around - 4.0 * now[i, j])
        old, now = now, old
    return np.sum(now * now)


def staggered_waves(start, steps, c):
    """Pressure and velocities on staggered grids, on slices."""
    p = start.copy()
    u = np.zeros((p.shape[0] - 1, p.shape[1]))
    v = np.zeros((p.shape[0], p.shape[1] - 1))
    for _ in range(steps):
        u -= c * (p[1:, :] - p[:-1, :])
        v -= c * (p[:, 1:] - p[:, :-1])
        p[1:-1, 1:-1] -= c * (u[1:, 1:-1] - u[:-1, 1:-1] + v[1:-1, 1:] - v[1:-1, :-1])
    return np.sum(p * p)


def heat_3d(start, steps, c):
    """Heat in a block, seven points."""
    n, m, k = start.shape
    u = start.copy()
    new = start.copy()
    for _ in range(steps):
        for x in range(1, n - 1):
            for y in range(1, m - 1):
                for z in range(1, k - 1):
                    new[x, y, z] = u[x, y, z] + c * (
                        u[x + 1, y, z]
                        + u[x - 1, y, z]
                        + u[x, y + 1, z]
                        + u[x, y - 1, z]
                        + u[x, y, z + 1]
                        + u[x, y, z - 1]
                        - 6.0 * u[x, y, z]
                    )
        u, new = new, u
    return np.sum(u * u)


def gauss_seidel(right, sweeps):
    """Poisson's equation in place, row by row."""
    n, m = right.shape
    u = np.zeros((n, m))
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                u[i, j] = 0.25 * (around + right[i, j])
    return np.sum(u * u)


def gray_scott(start, steps, feed, kill):
    """Two substances that react and diffuse, periodic."""
    n = start.shape[0]
    u = 1.0 - start
    v = 0.5 * start
    new_u = np.empty((n, n))
    new_v = np.empty((n, n))
    for _ in range(steps):
        for i in range(n):
            up, down = (i - 1) % n, (i + 1) % n
            for j in range(n):
                left, right = (j - 1) % n, (j + 1) % n
                lu = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4.0 * u[i, j]
                lv = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4.0 * v[i, j]
                reaction = u[i, j] * v[i, j] * v[i, j]
                new_u[i, j] = u[i, j] + 0.16 * lu - reaction + feed * (1.0 - u[i, j])
                new_v[i, j] = v[i, j] + 0.08 * lv + reaction - (feed + kill) * v[i, j]
        u, new_u = new_u, u
        v, new_v = new_v, v
    return np.sum(v * v)


def gray_scott_slices(start, steps, feed, kill):
    """The same substances between walls, on slices."""
    u = 1.0 - start
    v = 0.5 * start
    for _ in range(steps):
        lu = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        lv = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4.0 * v[1:-1, 1:-1]
        inner_u = u[1:-1, 1:-1]
        inner_v = v[1:-1, 1:-1]
        reaction = inner_u * inner_v**2
        new_u = inner_u + 0.16 * lu - reaction + feed * (1.0 - inner_u)
        new_v = inner_v + 0.08 * lv + reaction - (feed + kill) * inner_v
        u[1:-1, 1:-1] = new_u
        v[1:-1, 1:-1] = new_v
    return np.sum(v * v)


ROWS = (
    Row(heat_1d, lambda n: (numbers(n), n, 0.2), 3000, 8),
    Row(heat_1d_slices, lambda n: (numbers(n), n, 0.2), 2000, 8, "NumPy"),
    Row(jacobi_1d, lambda n: (numbers(n), n, 0.1), 2000, 8, "NumPy"),
    Row(burgers_upwind, lambda n: (numbers(n) - 0.3, n, 0.2), 2500, 9),
    Row(wave_2d, lambda n: (numbers(n, n), n, 0.1), 200, 6),
    Row(staggered_waves, lambda n: (numbers(n, n), n, 0.3), 130, 6, "NumPy"),
    Row(heat_3d, lambda n: (numbers(n, n, n), n, 0.1), 50, 5),
    Row(gauss_seidel, lambda n: (numbers(n, n), n), 120, 6),
    Row(gray_scott, lambda n: (numbers(n, n), n, 0.04, 0.06), 100, 5),
    Row(gray_scott_slices, lambda n: (numbers(n, n), n, 0.04, 0.06), 120, 6, "NumPy"),
)
