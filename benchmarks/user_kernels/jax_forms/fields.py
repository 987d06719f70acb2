"""Stencils, particles and matrices in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from user_kernels.jax_forms.steps import repeated
from user_kernels.rows import numbers

# -- stencils ------------------------------------------------------------------------------------


def heat_1d(start, steps, c):
    u = repeated(lambda u: u.at[1:-1].add(c * (u[2:] - 2 * u[1:-1] + u[:-2])), start, steps)
    return jnp.sum(u * u)


def jacobi_1d(right, steps, h):
    def step(u):
        return jnp.pad(0.5 * (u[2:] + u[:-2] + h * h * right[1:-1]), 1)

    u = repeated(step, jnp.zeros_like(right), steps)
    return jnp.sum(u * u)


def burgers_upwind(start, steps, c):
    def step(u):
        here = u[1:-1]
        slope = jnp.where(here > 0.0, here - u[:-2], u[2:] - here)
        return u.at[1:-1].add(-c * here * slope)

    u = repeated(step, start, steps)
    return jnp.sum(u * u)


def wave_2d(start, steps, c):
    def step(state):
        old, now = state
        around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        here = now[1:-1, 1:-1]
        new = 2.0 * here - old[1:-1, 1:-1] + c * (around - 4.0 * here)
        return now, old.at[1:-1, 1:-1].set(new)

    _, now = repeated(step, (start, start), steps)
    return jnp.sum(now * now)


def staggered_waves(start, steps, c):
    def step(state):
        p, u, v = state
        u = u - c * (p[1:, :] - p[:-1, :])
        v = v - c * (p[:, 1:] - p[:, :-1])
        change = u[1:, 1:-1] - u[:-1, 1:-1] + v[1:-1, 1:] - v[1:-1, :-1]
        return p.at[1:-1, 1:-1].add(-c * change), u, v

    n, m = start.shape
    p, _, _ = repeated(step, (start, jnp.zeros((n - 1, m)), jnp.zeros((n, m - 1))), steps)
    return jnp.sum(p * p)


def heat_3d(start, steps, c):
    def step(u):
        here = u[1:-1, 1:-1, 1:-1]
        around = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
        around = around + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
        return u.at[1:-1, 1:-1, 1:-1].add(c * (around - 6.0 * here))

    u = repeated(step, start, steps)
    return jnp.sum(u * u)


def gray_scott(start, steps, feed, kill):
    def around(u):
        return sum(jnp.roll(u, by, axis) for by in (1, -1) for axis in (0, 1)) - 4.0 * u

    def step(state):
        u, v = state
        reaction = u * v * v
        new_u = u + 0.16 * around(u) - reaction + feed * (1.0 - u)
        return new_u, v + 0.08 * around(v) + reaction - (feed + kill) * v

    _, v = repeated(step, (1.0 - start, 0.5 * start), steps)
    return jnp.sum(v * v)


def gray_scott_slices(start, steps, feed, kill):
    def around(u):
        return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]

    def step(state):
        u, v = state
        a, b = u[1:-1, 1:-1], v[1:-1, 1:-1]
        reaction = a * b**2
        new_u = a + 0.16 * around(u) - reaction + feed * (1.0 - a)
        new_v = b + 0.08 * around(v) + reaction - (feed + kill) * b
        return u.at[1:-1, 1:-1].set(new_u), v.at[1:-1, 1:-1].set(new_v)

    _, v = repeated(step, (1.0 - start, 0.5 * start), steps)
    return jnp.sum(v * v)


# -- particles -----------------------------------------------------------------------------------


def pair_energy(x):
    square = jnp.sum((x[:, None] - x[None]) ** 2, axis=2) + jnp.eye(x.shape[0])
    near = 1.0 / square**3
    return 0.5 * jnp.sum(4.0 * (near * near - near))  # 1 - 1 on the diagonal


def pair_forces(x, steps, dt):
    def step(state):
        place, speed = state
        apart = place[:, None] - place[None]
        inverse = 1.0 / (jnp.sum(apart * apart, axis=2) + 0.1)
        force = jnp.sum((inverse * inverse * (inverse - 0.5))[:, :, None] * apart, axis=1)
        speed = speed + dt * force
        return place + dt * speed, speed

    place, _ = repeated(step, (x, jnp.zeros_like(x)), steps)
    return jnp.sum(place * place)


def planets(x, mass, steps, dt):
    def step(state):
        place, speed = state
        apart = place[None] - place[:, None]
        square = jnp.sum(apart * apart, axis=2) + 0.01
        speed = speed + dt * jnp.sum((mass / (square * jnp.sqrt(square)))[:, :, None] * apart, axis=1)
        return place + dt * speed, speed

    place, _ = repeated(step, (x, jnp.zeros_like(x)), steps)
    return jnp.sum(place * place)


def spring_chain(x, steps, dt):
    def step(state):
        place, speed = state
        apart = jnp.diff(place)
        left, right = apart[:-1], apart[1:]
        push = right - left + 0.3 * (right * right - left * left)
        speed = speed.at[1:-1].add(dt * push)
        return place.at[1:-1].add(dt * speed[1:-1]), speed

    place, speed = repeated(step, (x, jnp.zeros_like(x)), steps)
    return 0.5 * jnp.sum(speed * speed) + jnp.sum(place)


def squares(centres, points):
    return jnp.sum((points[:, None] - centres[None]) ** 2, axis=2)


def k_means(centres, points):
    return jnp.sum(jnp.min(squares(centres, points), axis=1))


POINTS = numbers(100_000, 4)


def k_means_of_global(centres):
    return k_means(centres, POINTS)


def mixture(centres, points):
    return -jnp.sum(jax.nn.logsumexp(-0.5 * squares(centres, points), axis=1))


# -- matrices ------------------------------------------------------------------------------------


def lu_in_place(a):
    return jnp.linalg.slogdet(a)[1]


def cholesky_by_loops(a):
    low = jnp.linalg.cholesky(a)
    return jnp.sum(jnp.log(jnp.diag(low))) + jnp.sum(low[:, 0] ** 2)


def thomas(right, lower, main, upper):
    def down(state, row):
        c, d = state
        low, mid, up, b = row
        pivot = mid - low * c
        state = up / pivot, (b - low * d) / pivot
        return state, state

    def back(x, row):
        x = row[1] - row[0] * x
        return x, jnp.sum(x * x)

    zero = jnp.zeros(right.shape[0])
    _, rows = lax.scan(down, (0.0, zero), (lower, main, upper, right.T))
    _, sums = lax.scan(back, zero, rows, reverse=True)
    return jnp.sum(sums)


def adi(start, steps, c):
    n = start.shape[0]
    factors = lax.scan(lambda f, _: (2 * (c / (1 + 2 * c - c * f),)), 0.0, None, length=n)[1]

    def solved(rows):
        def down(row, given):
            row = (given[0] + c * row) * given[1] / c
            return row, row

        def back(row, given):
            row = given[0] + given[1] * row
            return row, row

        zero = jnp.zeros(n)
        made = lax.scan(down, zero, (rows, factors))[1]
        return lax.scan(back, zero, (made, factors), reverse=True)[1]

    u = repeated(lambda u: solved(solved(u.T).T), start, steps)
    return jnp.sum(u * u)


def triangular_solve(low, right):
    x = jax.scipy.linalg.solve_triangular(low, right, lower=True)
    return jnp.sum(x * x)


def matrix_product(a, b):
    c = a @ b
    return jnp.sum(c * c)


def matrix_chain(a, start, steps):
    def step(state):
        v, total = state
        v = a @ v
        length = jnp.sqrt(jnp.sum(v * v))
        return v / length, total + jnp.log(length)

    return repeated(step, (start, 0.0), steps)[1]


def covariance(data):
    centred = data - jnp.mean(data, axis=0)
    return jnp.sum((centred.T @ centred / (data.shape[0] - 1)) ** 2)


def csr_product(values, columns, starts, x, times):
    n = starts.shape[0] - 1
    rows = jnp.repeat(jnp.arange(n), jnp.diff(starts), total_repeat_length=values.shape[0])

    def step(v):
        parts = values * v[columns]
        return jax.ops.segment_sum(parts, rows, n, indices_are_sorted=True)

    v = repeated(step, x, times)
    return jnp.sum(v * v)


def complex_solves(x, a, steps):
    scale = 1j * (1.0 + 0.01 * jnp.arange(steps))
    systems = a + scale[:, None, None] * jnp.diag(x)
    right = jnp.broadcast_to(x.astype(complex)[:, None], (steps, x.shape[0], 1))
    v = jnp.linalg.solve(systems, right)
    return jnp.sum(v.real**2 + v.imag**2)
