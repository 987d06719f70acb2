"""The problems in JAX, as one writes them there: whole arrays, scans over time, vmap over observations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]


def lse(x: Any) -> Any:
    return jax.nn.logsumexp(x)


def llsq(x: Any, t: Any) -> Any:
    """By Horner's rule, all points at once."""
    value, _ = lax.scan(lambda sum_, c: (sum_ * t + c, None), jnp.zeros_like(t), x[::-1])
    residual = jnp.sign(t) - value
    return jnp.sum(residual * residual) / 2.0


def ode(x: Any, steps: int) -> Any:
    h = 2.0 / steps
    first = jnp.zeros_like(x).at[0].set(1.0)

    def slope(y: Any) -> Any:
        return x * (first + jnp.concatenate((jnp.zeros(1), y[:-1])))

    def step(y: Any, _: Any) -> Any:
        k1 = slope(y)
        k2 = slope(y + h / 2.0 * k1)
        k3 = slope(y + h / 2.0 * k2)
        k4 = slope(y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

    return lax.scan(step, jnp.zeros_like(x), None, length=steps)[0]


def gmm(alpha: Any, mu: Any, q: Any, below: Any, x: Any, gamma: Any, m: Any, constant: Any) -> Any:
    k, d = mu.shape
    columns, rows = np.triu_indices(d, 1)
    root = jnp.zeros((k, d, d)).at[:, rows, columns].set(below)
    root = root + jnp.exp(q)[:, :, None] * jnp.eye(d)
    centred = x[None, :, :] - mu[:, None, :]
    made = jnp.einsum("kij,knj->kni", root, centred)
    sums = jnp.sum(q, axis=1)
    terms = (alpha + sums)[:, None] - 0.5 * jnp.sum(made**2, axis=2)
    squares = jnp.sum(jnp.exp(2.0 * q)) + jnp.sum(below**2)
    prior = 0.5 * gamma * gamma * squares - m * jnp.sum(sums)
    likelihood = jnp.sum(jax.nn.logsumexp(terms, axis=0))
    return constant + likelihood - x.shape[0] * jax.nn.logsumexp(alpha) - prior


def lstm(main: Any, extra: Any, start: Any, sequence: Any) -> Any:
    layers, b = start.shape[0] // 2, start.shape[1]
    gates = main.reshape(layers, 2, 4, b)

    def step(state: Any, pair: Any) -> Any:
        now, after = pair
        given, states = now * extra[0], []
        for layer in range(layers):
            weight, bias = gates[layer]
            hidden, cell = state[layer]
            forget = jax.nn.sigmoid(given * weight[0] + bias[0])
            ingate = jax.nn.sigmoid(hidden * weight[1] + bias[1])
            outgate = jax.nn.sigmoid(given * weight[2] + bias[2])
            change = jnp.tanh(hidden * weight[3] + bias[3])
            cell = cell * forget + ingate * change
            given = outgate * jnp.tanh(cell)
            states.append((given, cell))
        prediction = given * extra[1] + extra[2]
        normaliser = jnp.log(2.0 + jnp.sum(jnp.exp(prediction)))
        return tuple(states), jnp.sum(after * (prediction - normaliser))

    first = tuple((start[2 * layer], start[2 * layer + 1]) for layer in range(layers))
    _, losses = lax.scan(step, first, (sequence[:-1], sequence[1:]))
    return -jnp.sum(losses) / ((sequence.shape[0] - 1) * b)


def reprojection(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
    """Two errors of one observation; the angle is not zero here."""
    y = point - camera[3:6]
    angle = jnp.sqrt(jnp.sum(camera[:3] ** 2))
    n, c, s = camera[:3] / angle, jnp.cos(angle), jnp.sin(angle)
    at = y * c + jnp.cross(n, y) * s + n * (n @ y) * (1.0 - c)
    seen = at[:2] / at[2]
    radius = seen @ seen
    distortion = 1.0 + camera[9] * radius + camera[10] * radius * radius
    return weight * (seen * distortion * camera[6] + camera[7:9] - feature)


def ba(cameras: Any, points: Any, weights: Any, seen: Any, features: Any) -> Any:
    """Return the values of the Jacobian's rows; in which columns they are is known."""
    blocks = jax.vmap(jax.jacrev(reprojection, (0, 1, 2)))(
        cameras[seen[:, 0]], points[seen[:, 1]], weights, features
    )
    block = jnp.concatenate((blocks[0], blocks[1], blocks[2][:, :, None]), axis=2)
    of_weights = jax.vmap(jax.grad(lambda w: 1.0 - w * w))(weights)
    return jnp.concatenate((block.ravel(), of_weights))


def of_lse(given: dict[str, Any]) -> tuple[Any, ...]:
    return jax.grad(lse), (given["x"],), None


def of_llsq(given: dict[str, Any]) -> tuple[Any, ...]:
    return jax.grad(llsq), (given["x"], np.linspace(-1.0, 1.0, given["n"])), None


def of_ode(given: dict[str, Any]) -> tuple[Any, ...]:
    steps = given["s"]
    return jax.grad(lambda x: ode(x, steps)[-1]), (given["x"],), None


def of_gmm(given: dict[str, Any]) -> tuple[Any, ...]:
    arrays = [given[name] for name in ("alpha", "mu", "q", "l", "x")]
    return jax.grad(gmm, (0, 1, 2, 3)), (*arrays, given["gamma"], given["m"], 0.0), None


def of_lstm(given: dict[str, Any]) -> tuple[Any, ...]:
    names = ("main_params", "extra_params", "state", "sequence")
    return jax.grad(lstm, (0, 1)), tuple(given[name] for name in names), None


def of_ba(given: dict[str, Any]) -> tuple[Any, ...]:
    numbers = np.arange(given["p"])
    cameras, points = np.tile(given["cam"], (given["n"], 1)), np.tile(given["x"], (given["m"], 1))
    seen = np.stack((numbers % given["n"], numbers % given["m"]), axis=1)
    weights, features = np.full(given["p"], given["w"]), np.tile(given["feat"], (given["p"], 1))
    return ba, (cameras, points, weights, seen, features), None


def of_ht(given: dict[str, Any]) -> tuple[Any, ...]:
    from .hand_in_arrays import arguments_of, residuals

    (theta, us, *rest), fixed = arguments_of(given)

    def jacobian(theta: Any, us: Any, *rest: Any) -> Any:
        def of(theta: Any, us: Any) -> Any:
            return residuals(jnp, theta, us, *rest, *fixed)

        sides = [jnp.zeros_like(us).at[:, column].set(1.0) for column in range(2)]
        by_us = [jax.jvp(lambda us: of(theta, us), (us,), (side,))[1] for side in sides]
        by_theta = jax.jacfwd(of)(theta, us)
        return jnp.concatenate((jnp.stack(by_us), by_theta.T))

    return jacobian, (theta, us, *rest), None


PREPARE = {name[3:]: made for name, made in list(globals().items()) if name.startswith("of_")}


def prepared(problem: str, function: str, given: dict[str, Any]) -> Prepared:
    """Return what is timed, and what makes a flat answer of its result."""
    assert function == "gradient"
    derivative, arguments, flat = PREPARE[problem](given)
    compiled = jax.jit(derivative)
    on_device = [jnp.asarray(one) for one in arguments]
    return lambda: jax.block_until_ready(compiled(*on_device)), flat or _flat


def _flat(found: Any) -> Any:
    return np.concatenate([np.ravel(part) for part in jax.tree.leaves(found)])
