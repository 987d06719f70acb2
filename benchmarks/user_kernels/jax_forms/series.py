"""Filters, statistics, images, equations in time and networks in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from user_kernels.jax_forms.steps import UNROLL, repeated

# -- filters -------------------------------------------------------------------------------------


def kalman(x, seen):
    move = jnp.array([[1.0, 0.0], [0.0, 0.0]]).at[0, 1].set(x[0]).at[1, 1].set(x[1])

    def step(carried, new):
        state, cov = carried
        state = move @ state
        cov = move @ cov @ move.T + x[2] * jnp.eye(2)
        spread, error = cov[0, 0] + x[3], new - state[0]
        gain = cov[:, 0] / spread
        term = 0.5 * (jnp.log(spread) + error * error / spread)
        return (state + gain * error, cov - jnp.outer(gain, cov[0])), term

    return jnp.sum(lax.scan(step, (jnp.zeros(2), jnp.eye(2)), seen, unroll=UNROLL)[1])


def local_level(x, seen):
    def step(carried, new):
        state, cov = carried
        cov = cov + x[0]
        spread, error = cov + x[1], new - state
        gain = cov / spread
        term = 0.5 * (jnp.log(spread) + error * error / spread)
        return (state + gain * error, cov * (1.0 - gain)), term

    return jnp.sum(lax.scan(step, (0.0, 1.0), seen, unroll=UNROLL)[1])


def hidden_markov(logits, emissions, seen):
    def step(alpha, symbol):
        new = jax.nn.logsumexp(alpha[:, None] + logits, axis=0)
        return new + emissions[:, symbol], None

    return jax.nn.logsumexp(lax.scan(step, jnp.zeros(logits.shape[0]), seen, unroll=UNROLL)[0])


def scaled_markov(transitions, emissions, seen):
    def step(alpha, symbol):
        alpha = (alpha @ transitions) * emissions[:, symbol]
        scale = jnp.sum(alpha)
        return alpha / scale, jnp.log(scale)

    n = transitions.shape[0]
    return jnp.sum(lax.scan(step, jnp.ones(n) / n, seen, unroll=UNROLL)[1])


def recursive_filter(signal, b0, b1, a1, a2):
    def step(carried, driven):
        last, before = carried
        new = driven - a1 * last - a2 * before
        return (new, last), new * new

    driven = b0 * signal[2:] + b1 * signal[1:-1]
    return jnp.sum(lax.scan(step, (0.0, 0.0), driven, unroll=UNROLL)[1])


def filtered_channels(signals, a):
    def step(y, new):
        y = a * y + (1.0 - a) * new
        return y, jnp.sum(y * y)

    first = signals[0]
    rest = lax.scan(step, first, signals[1:], unroll=UNROLL)[1]
    return jnp.sum(first * first) + jnp.sum(rest)


def garch(x, returns):
    def step(variance, square):
        term = 0.5 * (jnp.log(variance) + square / variance)
        return x[0] + x[1] * square + x[2] * variance, term

    first = x[0] / (1.0 - x[1] - x[2])
    return jnp.sum(lax.scan(step, first, returns**2, unroll=UNROLL)[1])


# -- sampling ------------------------------------------------------------------------------------


def asian_option(x, draws, strike):
    dt = 1.0 / draws.shape[1]
    moves = (x[1] - 0.5 * x[2] ** 2) * dt + x[2] * jnp.sqrt(dt) * draws
    mean = jnp.mean(x[0] * jnp.exp(jnp.cumsum(moves, axis=1)), axis=1)
    return jnp.exp(-x[1]) * jnp.mean(jnp.maximum(mean - strike, 0.0))


def quantile_loss(x, features, seen, level):
    errors = seen - features @ x
    loss = jnp.mean(jnp.maximum(level * errors, (level - 1.0) * errors))
    return loss + jnp.mean(jnp.sort(errors)[-(errors.size // 10 + 1) :])


def logistic(x, features, labels):
    z = features @ x
    return jnp.sum(jnp.log(1.0 + jnp.exp(-labels * z))) + 0.1 * jnp.sum(x * x)


def rosenbrock(x):
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def gaussian_process(x, points, seen):
    apart = (points[:, None] - points[None]) ** 2
    k = x[1] * jnp.exp(-apart / (2.0 * x[0] * x[0])) + x[2] * jnp.eye(points.size)
    root = jnp.linalg.cholesky(k)
    weights = jax.scipy.linalg.solve_triangular(root, seen, lower=True)
    return 0.5 * jnp.sum(weights * weights) + jnp.sum(jnp.log(jnp.diag(root)))


# -- images --------------------------------------------------------------------------------------


def convolve_1d(signal, weights):
    out = jnp.convolve(signal, weights[::-1], "valid")
    return jnp.sum(out * out)


def convolve_2d(image, weights):
    n, m = (length - weights.shape[0] + 1 for length in image.shape)
    places = [(a, b) for a in range(weights.shape[0]) for b in range(weights.shape[1])]
    out = sum(weights[a, b] * image[a : a + n, b : b + m] for a, b in places)
    return jnp.sum(out * out)


def warp(x, image, target):
    n, m = image.shape
    i, j = jnp.arange(n)[:, None], jnp.arange(m)[None]
    cos, sin = jnp.cos(x[0]), jnp.sin(x[0])
    u, v = cos * i - sin * j + x[1], sin * i + cos * j + x[2]
    r, c = jnp.floor(u).astype(int), jnp.floor(v).astype(int)
    inside = (r >= 0) & (r < n - 1) & (c >= 0) & (c < m - 1)
    fu, fv = u - r, v - c
    r, c = jnp.clip(r, 0, n - 2), jnp.clip(c, 0, m - 2)
    top = (1.0 - fv) * image[r, c] + fv * image[r, c + 1]
    low = (1.0 - fv) * image[r + 1, c] + fv * image[r + 1, c + 1]
    return jnp.sum(jnp.where(inside, ((1.0 - fu) * top + fu * low - target) ** 2, 0.0))


def smooth_image(image, seen, weight):
    here = image[:-1, :-1]
    dx, dy = image[1:, :-1] - here, image[:-1, 1:] - here
    terms = weight * jnp.sqrt(dx * dx + dy * dy + 1e-3) + (here - seen[:-1, :-1]) ** 2
    return jnp.sum(terms)


def table_lookup(values, places):
    at = places * (values.size - 1)
    i = jnp.minimum(at.astype(int), values.size - 2)
    w = at - i
    y = (1.0 - w) * values[i] + w * values[i + 1]
    return jnp.sum(y * y)


def spline(values, places):
    n = values.size
    h = 1.0 / (n - 1)
    right = 6.0 * (values[2:] - 2.0 * values[1:-1] + values[:-2]) / (h * h)

    def down(state, given):
        factor, bend = state
        pivot = 4.0 - factor
        state = 1.0 / pivot, (given - bend) / pivot
        return state, state

    def back(bend, row):
        bend = row[1] - row[0] * bend
        return bend, bend

    rows = lax.scan(down, (0.0, 0.0), right, unroll=UNROLL)[1]
    bend = jnp.pad(lax.scan(back, 0.0, rows, reverse=True, unroll=UNROLL)[1], 1)
    i = jnp.minimum((places / h).astype(int), n - 2)
    b = places / h - i
    a = 1.0 - b
    cubic = (a**3 - a) * bend[i] + (b**3 - b) * bend[i + 1]
    y = a * values[i] + b * values[i + 1] + cubic * h * h / 6.0
    return jnp.sum(y * y)


# -- integrators ---------------------------------------------------------------------------------


def by_runge_kutta(slope, y, steps, dt):
    def step(y):
        k1 = slope(y)
        k2 = slope(y + 0.5 * dt * k1)
        k3 = slope(y + 0.5 * dt * k2)
        k4 = slope(y + dt * k3)
        return y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    y = repeated(step, y, steps)
    return jnp.sum(y * y)


def lorenz_rk4(x, steps, dt):
    def slope(y):
        a, b, c = y
        return jnp.stack([10.0 * (b - a), a * (28.0 - c) - b, a * b - 8.0 / 3.0 * c])

    return by_runge_kutta(slope, x, steps, dt)


def ring_rk4(x, steps, dt):
    def slope(y):
        return jnp.sin(jnp.roll(y, 1) - y) + jnp.sin(jnp.roll(y, -1) - y) + 0.1 * y

    return by_runge_kutta(slope, x, steps, dt)


def implicit_euler(x, steps, dt):
    def step(y, number):
        new = y
        for _ in range(5):
            wrong = new - y - dt * (x[1] * jnp.cos(0.01 * number) - x[2] * new * new * new)
            new = new - wrong / (1.0 + 3.0 * dt * x[2] * new * new)
        return new, None

    y = lax.scan(step, x[0], jnp.arange(steps))[0]
    return y * y


def predators(x, seen, dt):
    def step(state, at):
        prey, hunters = state
        for _ in range(10):
            more, less = prey * (x[0] - x[1] * hunters), hunters * (x[2] * prey - x[3])
            prey, hunters = prey + dt * more, hunters + dt * less
        return (prey, hunters), (prey - at[0]) ** 2 + (hunters - at[1]) ** 2

    return jnp.sum(lax.scan(step, (x[4], x[5]), seen)[1])


def path_of_vectors(x, steps, dt):
    def step(state):
        place, speed = state
        field = jnp.stack([0.0, 0.1 * place[0], 1.0])
        speed = speed + dt * (jnp.cross(speed, field) - 0.1 * place)
        return place + dt * speed, speed

    place, _ = repeated(step, (x[:3], x[3:6]), steps)
    return jnp.sum(place * place)


def descent(x, steps, rate):
    def step(p):
        bend = 4.0 * p[0] * (p[0] * p[0] - p[1])
        return p - rate * jnp.stack([bend + 2.0 * (p[0] - 1.0), 2.0 * (p[1] - p[0] * p[0])])

    p = repeated(step, x[:2], steps)
    return p[0] ** 2 + x[2] * p[1]


def simpson(x, a, b, depth):
    """All intervals at once."""
    at = jnp.linspace(a, b, 2 ** (depth + 1) + 1)
    squares = (x[0] * jnp.exp(-x[1] * at) + x[2] * at) ** 2
    sums = squares[:-1:2] + 4.0 * squares[1::2] + squares[2::2]
    return (b - a) / 2**depth / 6.0 * jnp.sum(sums)


def fourier(signal):
    amplitudes = jnp.fft.fft(signal)
    return jnp.sum((amplitudes.real**2 + amplitudes.imag**2) ** 2) / signal.size**3


def contour(x, points):
    on = jnp.exp(2j * np.pi * jnp.arange(points) / points)
    value = x[0] + x[1] * on + x[2] * on * on + on * on * on
    total = jnp.sum(on * jnp.exp(x[0] * on) / value)
    return (total.real**2 + total.imag**2) / points


def julia(x, points, turns):
    z = x[2] * jnp.arange(points) / points + 0.1j
    for _ in range(turns):
        z = z * z + lax.complex(x[0], x[1])
    return jnp.mean(z.real * z.real + z.imag * z.imag)


# -- networks ------------------------------------------------------------------------------------


def dense_layer(weights, inputs):
    return jnp.sum(jnp.tanh(inputs @ weights.T) ** 2)


def dense_layer_float32(weights, inputs):
    out = jax.nn.relu(jax.nn.relu(inputs @ weights) @ weights)
    return jnp.sum(out * out)


def perceptron(weights, inputs, labels):
    h = inputs
    for layer in weights:
        h = jnp.tanh(h @ layer)
    seen = jnp.take_along_axis(h, labels[:, None], axis=1)[:, 0]
    return jnp.sum(jax.nn.logsumexp(h, axis=1) - seen)


def attention(queries, keys, values):
    out = jax.nn.softmax(queries @ keys.T / np.sqrt(queries.shape[1]), axis=1) @ values
    return jnp.sum(out * out)


def recurrent(weights, inputs):
    h = lax.scan(lambda h, new: (jnp.tanh(weights @ h + new), None), jnp.zeros(len(weights)), inputs)[0]
    return jnp.sum(h * h)
