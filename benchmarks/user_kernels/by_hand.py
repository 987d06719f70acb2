"""Adjoints by hand, in Numba: `(value, gradient)` of the kernel of the same name.

Each is the adjoint of the same algorithm, as somebody who knows it well would write it: what a linear step does not need
is not kept, and a stencil's adjoint gathers where its kernel does.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit
def heat_1d(start, steps, c):
    """The steps are linear: nothing is kept."""
    n = start.size
    u, new = start.copy(), start.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            new[i] = u[i] + c * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        u, new = new, u
    total = 0.0
    for i in range(n):
        total += u[i] * u[i]
    back = 2.0 * u
    before = np.empty(n)
    for _ in range(steps):
        pulled_back(back, before, c)
        back, before = before, back
    return total, back


@njit
def pulled_back(back, before, c):
    """One step of heat backwards. The ends stand still: they keep their own, and take from one side."""
    n = back.size
    for i in range(2, n - 2):
        before[i] = back[i] + c * (back[i + 1] - 2.0 * back[i] + back[i - 1])
    before[1] = back[1] + c * (back[2] - 2.0 * back[1])
    before[n - 2] = back[n - 2] + c * (back[n - 3] - 2.0 * back[n - 2])
    before[0] = back[0] + c * back[1]
    before[n - 1] = back[n - 1] + c * back[n - 2]


@njit
def heat_1d_slices(start, steps, c):
    """As heat_1d."""
    u = start.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    back = 2.0 * u
    before = np.empty(u.size)
    for _ in range(steps):
        pulled_back(back, before, c)
        back, before = before, back
    return np.sum(u * u), back


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
def lu_in_place(a):
    """What the factors are at the end is all that is read."""
    lu = a.copy()
    n = lu.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            lu[i, k] /= lu[k, k]
            for j in range(k + 1, n):
                lu[i, j] -= lu[i, k] * lu[k, j]
    total = 0.0
    back = np.zeros((n, n))
    for k in range(n):
        total += math.log(abs(lu[k, k]))
        back[k, k] = 1.0 / lu[k, k]
    for k in range(n - 1, -1, -1):
        for i in range(k + 1, n):
            factor = lu[i, k]
            slope = back[i, k]
            for j in range(k + 1, n):
                slope -= back[i, j] * lu[k, j]
                back[k, j] -= back[i, j] * factor
            back[i, k] = slope / lu[k, k]
            back[k, k] -= slope * factor / lu[k, k]
    return total, back


@njit
def matrix_product(a, b):
    """Rows times rows."""
    n, m = a.shape[0], b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for k in range(a.shape[1]):
            for j in range(m):
                c[i, j] += a[i, k] * b[k, j]
    turned = b.T.copy()
    back = np.zeros_like(a)
    for i in range(n):
        for j in range(m):
            slope = 2.0 * c[i, j]
            for k in range(a.shape[1]):
                back[i, k] += slope * turned[j, k]
    return np.sum(c * c), back


@njit
def matrix_product_by_dots(a, b):
    """A column of b is looked at as a row of what is turned."""
    turned = b.T.copy()
    back = np.zeros_like(a)
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c = 0.0
            for k in range(a.shape[1]):
                c += a[i, k] * turned[j, k]
            total += c * c
            for k in range(a.shape[1]):
                back[i, k] += 2.0 * c * turned[j, k]
    return total, back


@njit
def csr_product(values, columns, starts, x, times):
    """The vectors are kept, one a product."""
    n = starts.size - 1
    kept = np.empty((times + 1, n))
    kept[0] = x
    for t in range(times):
        for i in range(n):
            total = 0.0
            for p in range(starts[i], starts[i + 1]):
                total += values[p] * kept[t, columns[p]]
            kept[t + 1, i] = total
    value = np.sum(kept[times] * kept[times])
    back = 2.0 * kept[times]
    slope = np.zeros(values.size)
    for t in range(times - 1, -1, -1):
        before = np.zeros(n)
        for i in range(n):
            g = back[i]
            for p in range(starts[i], starts[i + 1]):
                slope[p] += g * kept[t, columns[p]]
                before[columns[p]] += g * values[p]
        back = before
    return value, slope


@njit
def pair_forces(x, steps, dt):
    """The places are kept; the force of a pair is computed again."""
    n = x.shape[0]
    kept = np.empty((steps + 1, n, 3))
    kept[0] = x
    speed = np.zeros((n, 3))
    for t in range(steps):
        place = kept[t]
        force = np.zeros((n, 3))
        for i in range(n):
            for j in range(i + 1, n):
                dx = place[i, 0] - place[j, 0]
                dy = place[i, 1] - place[j, 1]
                dz = place[i, 2] - place[j, 2]
                inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 0.1)
                strength = inverse * inverse * (inverse - 0.5)
                force[i, 0] += strength * dx
                force[i, 1] += strength * dy
                force[i, 2] += strength * dz
                force[j, 0] -= strength * dx
                force[j, 1] -= strength * dy
                force[j, 2] -= strength * dz
        speed += dt * force
        kept[t + 1] = place + dt * speed
    to_place = 2.0 * kept[steps]
    to_speed = np.zeros((n, 3))
    for t in range(steps - 1, -1, -1):
        to_speed += dt * to_place
        place = kept[t]
        for i in range(n):
            px, py, pz = place[i, 0], place[i, 1], place[i, 2]
            fx, fy, fz = to_speed[i, 0], to_speed[i, 1], to_speed[i, 2]
            sx, sy, sz = 0.0, 0.0, 0.0
            for j in range(i + 1, n):
                dx, dy, dz = px - place[j, 0], py - place[j, 1], pz - place[j, 2]
                gx = dt * (fx - to_speed[j, 0])
                gy = dt * (fy - to_speed[j, 1])
                gz = dt * (fz - to_speed[j, 2])
                inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 0.1)
                strength = inverse * inverse * (inverse - 0.5)
                bend = inverse * (3.0 * inverse - 1.0)
                pull = -2.0 * inverse * inverse * bend * (gx * dx + gy * dy + gz * dz)
                hx, hy, hz = strength * gx + pull * dx, strength * gy + pull * dy, strength * gz + pull * dz
                sx, sy, sz = sx + hx, sy + hy, sz + hz
                to_place[j, 0] -= hx
                to_place[j, 1] -= hy
                to_place[j, 2] -= hz
            to_place[i, 0] += sx
            to_place[i, 1] += sy
            to_place[i, 2] += sz
    return np.sum(kept[steps] * kept[steps]), to_place


HAND = {
    f.__name__: f
    for f in (
        heat_1d,
        heat_1d_slices,
        jacobi_1d,
        wave_2d,
        lu_in_place,
        matrix_product,
        matrix_product_by_dots,
        csr_product,
        pair_forces,
    )
}
