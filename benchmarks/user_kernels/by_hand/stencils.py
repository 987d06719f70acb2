"""Adjoints of stencils."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit
def heat_1d(start, steps, c):
    """The steps are linear: nothing is kept. The ends stand still: what they would take is summed beside.

    A number is doubled by a sum, which is the same in both precisions.
    """
    n = start.size
    u, new = start.copy(), start.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            new[i] = u[i] + c * (u[i + 1] - (u[i] + u[i]) + u[i - 1])
        u, new = new, u
    total = np.sum(u * u)
    back = u + u
    before = np.zeros_like(u)
    first, last = back[0], back[n - 1]
    back[0] = back[n - 1] = before[0]
    for _ in range(steps):
        first += c * back[1]
        last += c * back[n - 2]
        for i in range(1, n - 1):
            before[i] = back[i] + c * (back[i + 1] - (back[i] + back[i]) + back[i - 1])
        back, before = before, back
    back[0], back[n - 1] = first, last
    return total, back


@njit
def jacobi_1d(right, steps, h):
    """Linear; the slope by the right side is a sum over the steps."""
    n = right.size
    u = np.zeros(n)
    new = np.zeros(n)
    for _ in range(steps):
        for i in range(1, n - 1):
            new[i] = 0.5 * (u[i + 1] + u[i - 1] + h * h * right[i])
        u, new = new, u
    value = np.sum(u * u)
    back = 2.0 * u
    before = np.zeros(n)
    slope = np.zeros(n)
    for _ in range(steps):
        back[0] = 0.0
        back[n - 1] = 0.0
        for i in range(1, n - 1):
            slope[i] += 0.5 * h * h * back[i]
            before[i] = 0.5 * (back[i - 1] + back[i + 1])
        back, before = before, back
    return value, slope


@njit
def wave_2d(start, steps, c):
    """Linear: nothing is kept. The adjoint of a step gathers from the same four neighbours."""
    n, m = start.shape
    old, now = start.copy(), start.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                around = now[i + 1, j] + now[i - 1, j] + now[i, j + 1] + now[i, j - 1]
                old[i, j] = 2.0 * now[i, j] - old[i, j] + c * (around - 4.0 * now[i, j])
        old, now = now, old
    value = np.sum(now * now)
    # A step is its own adjoint inside; what it would pass to the border, which stands still, is summed in a frame.
    frame = np.zeros((n, m))
    back, last = 2.0 * now, np.zeros((n, m))
    for border in (0, n - 1):
        frame[border, :] = back[border, :]
        back[border, :] = 0.0
    for border in (0, m - 1):
        frame[:, border] += back[:, border]
        back[:, border] = 0.0
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                around = back[i + 1, j] + back[i - 1, j] + back[i, j + 1] + back[i, j - 1]
                last[i, j] = 2.0 * back[i, j] - last[i, j] + c * (around - 4.0 * back[i, j])
            frame[i, 0] += c * back[i, 1]
            frame[i, m - 1] += c * back[i, m - 2]
        for j in range(1, m - 1):
            frame[0, j] += c * back[1, j]
            frame[n - 1, j] += c * back[n - 2, j]
        back, last = last, back
    return value, back - last + frame


@njit
def burgers_upwind(start, steps, c):
    """The states are kept."""
    n = start.size
    kept = np.empty((steps + 1, n))
    kept[0] = start
    for t in range(steps):
        u, new = kept[t], kept[t + 1]
        new[0], new[n - 1] = u[0], u[n - 1]
        for i in range(1, n - 1):
            if u[i] > 0.0:
                new[i] = u[i] - c * u[i] * (u[i] - u[i - 1])
            else:
                new[i] = u[i] - c * u[i] * (u[i + 1] - u[i])
    back = 2.0 * kept[steps]
    before = np.empty(n)
    for t in range(steps - 1, -1, -1):
        u = kept[t]
        before[:] = 0.0
        before[0], before[n - 1] = back[0], back[n - 1]
        for i in range(1, n - 1):
            g = back[i]
            if u[i] > 0.0:
                before[i] += g * (1.0 - c * (2.0 * u[i] - u[i - 1]))
                before[i - 1] += g * c * u[i]
            else:
                before[i] += g * (1.0 - c * (u[i + 1] - 2.0 * u[i]))
                before[i + 1] -= g * c * u[i]
        back, before = before, back
    return np.sum(kept[steps] * kept[steps]), back


@njit
def heat_3d(start, steps, c):
    """Linear: nothing is kept. What a step would pass to the border is summed in a frame."""
    n, m, k = start.shape
    u, new = start.copy(), start.copy()
    for _ in range(steps):
        step_3d(u, new, c)
        u, new = new, u
    back = np.zeros_like(u)
    frame = 2.0 * u
    frame[1:-1, 1:-1, 1:-1] = 0.0
    back[1:-1, 1:-1, 1:-1] = 2.0 * u[1:-1, 1:-1, 1:-1]
    before = np.zeros_like(u)
    for _ in range(steps):
        for y in range(1, m - 1):
            for z in range(1, k - 1):
                frame[0, y, z] += c * back[1, y, z]
                frame[n - 1, y, z] += c * back[n - 2, y, z]
        for x in range(1, n - 1):
            for z in range(1, k - 1):
                frame[x, 0, z] += c * back[x, 1, z]
                frame[x, m - 1, z] += c * back[x, m - 2, z]
            for y in range(1, m - 1):
                frame[x, y, 0] += c * back[x, y, 1]
                frame[x, y, k - 1] += c * back[x, y, k - 2]
        step_3d(back, before, c)
        back, before = before, back
    return np.sum(u * u), back + frame


@njit
def step_3d(u, new, c):
    n, m, k = u.shape
    for x in range(1, n - 1):
        for y in range(1, m - 1):
            for z in range(1, k - 1):
                around = u[x + 1, y, z] + u[x - 1, y, z] + u[x, y + 1, z] + u[x, y - 1, z]
                around += u[x, y, z + 1] + u[x, y, z - 1]
                new[x, y, z] = u[x, y, z] + c * (around - 6.0 * u[x, y, z])


@njit
def gauss_seidel(right, sweeps):
    """Linear: nothing is kept; the sweeps run the other way."""
    n, m = right.shape
    u = np.zeros((n, m))
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                u[i, j] = 0.25 * (around + right[i, j])
    back = 2.0 * u
    slope = np.zeros((n, m))
    for _ in range(sweeps):
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                g = 0.25 * back[i, j]
                back[i, j] = 0.0
                back[i - 1, j] += g
                back[i + 1, j] += g
                back[i, j - 1] += g
                back[i, j + 1] += g
                slope[i, j] += g
    return np.sum(u * u), slope


@njit
def gray_scott(start, steps, feed, kill):
    """Both substances are kept; the adjoint gathers."""
    n = start.shape[0]
    us, vs = np.empty((steps + 1, n, n)), np.empty((steps + 1, n, n))
    us[0] = 1.0 - start
    vs[0] = 0.5 * start
    for t in range(steps):
        u, v, new_u, new_v = us[t], vs[t], us[t + 1], vs[t + 1]
        for i in range(n):
            up, down = (i - 1) % n, (i + 1) % n
            for j in range(n):
                left, right = (j - 1) % n, (j + 1) % n
                lu = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4.0 * u[i, j]
                lv = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4.0 * v[i, j]
                reaction = u[i, j] * v[i, j] * v[i, j]
                new_u[i, j] = u[i, j] + 0.16 * lu - reaction + feed * (1.0 - u[i, j])
                new_v[i, j] = v[i, j] + 0.08 * lv + reaction - (feed + kill) * v[i, j]
    p, q = np.zeros((n, n)), 2.0 * vs[steps]
    new_p, new_q = np.empty((n, n)), np.empty((n, n))
    for t in range(steps - 1, -1, -1):
        u, v = us[t], vs[t]
        for i in range(n):
            up, down = (i - 1) % n, (i + 1) % n
            for j in range(n):
                left, right = (j - 1) % n, (j + 1) % n
                lp = p[up, j] + p[down, j] + p[i, left] + p[i, right] - 4.0 * p[i, j]
                lq = q[up, j] + q[down, j] + q[i, left] + q[i, right] - 4.0 * q[i, j]
                g = (q[i, j] - p[i, j]) * v[i, j]
                new_p[i, j] = (1.0 - feed) * p[i, j] + 0.16 * lp + g * v[i, j]
                new_q[i, j] = (1.0 - feed - kill) * q[i, j] + 0.08 * lq + 2.0 * g * u[i, j]
        p, new_p = new_p, p
        q, new_q = new_q, q
    return np.sum(vs[steps] * vs[steps]), 0.5 * q - p
