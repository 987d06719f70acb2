"""The problems in PyTorch, run as they are written, without a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]


def lse(x: Any) -> Any:
    return torch.logsumexp(x, 0)


def llsq(x: Any, t: Any) -> Any:
    """By Horner's rule, all points at once."""
    value = torch.zeros_like(t)
    for c in x.flip(0).unbind():
        value = value * t + c
    residual = torch.sign(t) - value
    return torch.sum(residual * residual) / 2.0


def ode(x: Any, steps: int) -> Any:
    h = 2.0 / steps
    one = torch.ones(1)
    y = torch.zeros_like(x)
    for _ in range(steps):
        k1 = x * torch.cat((one, y[:-1]))
        k2 = x * torch.cat((one, (y + h / 2.0 * k1)[:-1]))
        k3 = x * torch.cat((one, (y + h / 2.0 * k2)[:-1]))
        k4 = x * torch.cat((one, (y + h * k3)[:-1]))
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def gmm(alpha: Any, mu: Any, q: Any, below: Any, x: Any, gamma: float, m: float) -> Any:
    k, d = mu.shape
    columns, rows = np.triu_indices(d, 1)
    root = torch.diag_embed(torch.exp(q))
    root = root.index_put(
        (torch.arange(k)[:, None], torch.tensor(rows), torch.tensor(columns)), below
    )
    made = (x[None, :, :] - mu[:, None, :]) @ root.transpose(1, 2)
    sums = torch.sum(q, 1)
    terms = (alpha + sums)[:, None] - 0.5 * torch.sum(made**2, 2)
    squares = torch.sum(torch.exp(2.0 * q)) + torch.sum(below**2)
    prior = 0.5 * gamma * gamma * squares - m * torch.sum(sums)
    likelihood = torch.sum(torch.logsumexp(terms, 0))
    return likelihood - x.shape[0] * torch.logsumexp(alpha, 0) - prior


def lstm(main: Any, extra: Any, start: Any, sequence: Any) -> Any:
    layers, b = start.shape[0] // 2, start.shape[1]
    gates = main.reshape(layers, 2, 4, b)
    state = [(start[2 * layer], start[2 * layer + 1]) for layer in range(layers)]
    total = torch.zeros(())
    for t in range(sequence.shape[0] - 1):
        given = sequence[t] * extra[0]
        for layer in range(layers):
            weight, bias = gates[layer]
            hidden, cell = state[layer]
            of_given = torch.sigmoid(given * weight[::2] + bias[::2])
            ingate = torch.sigmoid(hidden * weight[1] + bias[1])
            change = torch.tanh(hidden * weight[3] + bias[3])
            cell = cell * of_given[0] + ingate * change
            given = of_given[1] * torch.tanh(cell)
            state[layer] = given, cell
        prediction = given * extra[1] + extra[2]
        normaliser = torch.log(2.0 + torch.sum(torch.exp(prediction)))
        total = total + torch.sum(sequence[t + 1] * (prediction - normaliser))
    return -total / ((sequence.shape[0] - 1) * b)


def reprojection(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
    """Two errors of one observation; the angle is not zero here."""
    y = point - camera[3:6]
    angle = torch.sqrt(torch.sum(camera[:3] ** 2))
    n, c, s = camera[:3] / angle, torch.cos(angle), torch.sin(angle)
    crossed = torch.linalg.cross(n, y)
    at = y * c + crossed * s + n * torch.sum(n * y) * (1.0 - c)
    seen = at[:2] / at[2]
    radius = torch.sum(seen * seen)
    distortion = 1.0 + camera[9] * radius + camera[10] * radius * radius
    return weight * (seen * distortion * camera[6] + camera[7:9] - feature)


def ba(given: dict[str, Any]) -> Prepared:
    """Return the values of the Jacobian's rows; in which columns they are is known."""
    p = given["p"]
    numbers = torch.arange(p)
    cameras = torch.tensor(given["cam"]).repeat(given["n"], 1)
    points = torch.tensor(given["x"]).repeat(given["m"], 1)
    weights, features = torch.full((p,), given["w"]), torch.tensor(given["feat"]).repeat(p, 1)
    blocks_of = torch.func.vmap(torch.func.jacrev(reprojection, (0, 1, 2)))
    slope = torch.func.vmap(torch.func.grad(lambda w: 1.0 - w * w))

    def run() -> Any:
        at = cameras[numbers % given["n"]], points[numbers % given["m"]]
        blocks = blocks_of(*at, weights, features)
        block = torch.cat((blocks[0], blocks[1], blocks[2][:, :, None]), 2)
        return (torch.cat((block.ravel(), slope(weights))),)

    return run, _flat


def ht(given: dict[str, Any]) -> Prepared:
    """Two compressed columns for the points' own coordinates, and one for each angle."""
    from .hand_in_arrays import arguments_of, residuals

    numbers, fixed = arguments_of(given)
    theta, us, *rest = (torch.tensor(one) for one in numbers)
    sides = [torch.zeros_like(us) for _ in range(2)]
    for column, side in enumerate(sides):
        side[:, column] = 1.0

    def of(theta: Any, us: Any) -> Any:
        return residuals(torch, theta, us, *rest, *fixed)

    def run() -> Any:
        by_us = [torch.func.jvp(lambda us: of(theta, us), (us,), (side,))[1] for side in sides]
        by_theta = torch.func.jacfwd(of)(theta, us)
        return (torch.cat((torch.stack(by_us), by_theta.T)),)

    return run, _flat


def of_lse(given: dict[str, Any]) -> tuple[Any, ...]:
    return lse, (given["x"],), ()


def of_llsq(given: dict[str, Any]) -> tuple[Any, ...]:
    return llsq, (given["x"],), (torch.linspace(-1.0, 1.0, given["n"]),)


def of_ode(given: dict[str, Any]) -> tuple[Any, ...]:
    return lambda x, steps: ode(x, steps)[-1], (given["x"],), (given["s"],)


def of_gmm(given: dict[str, Any]) -> tuple[Any, ...]:
    arrays = tuple(given[name] for name in ("alpha", "mu", "q", "l"))
    return gmm, arrays, (torch.tensor(given["x"]), given["gamma"], given["m"])


def of_lstm(given: dict[str, Any]) -> tuple[Any, ...]:
    rest = tuple(torch.tensor(given[name]) for name in ("state", "sequence"))
    if rest[1].shape[0] > 2000:
        raise ValueError("too long for a loop in Python: seconds a call")
    return lstm, (given["main_params"], given["extra_params"]), rest


PREPARE = {name[3:]: made for name, made in list(globals().items()) if name.startswith("of_")}


def prepared(problem: str, function: str, given: dict[str, Any]) -> Prepared:
    """Return what is timed, and what makes a flat answer of its result."""
    assert function == "gradient"
    if problem in ("ba", "ht"):
        return {"ba": ba, "ht": ht}[problem](given)
    value, arrays, rest = PREPARE[problem](given)
    leaves = tuple(torch.tensor(one, requires_grad=True) for one in arrays)
    return lambda: torch.autograd.grad(value(*leaves, *rest), leaves), _flat


def _flat(found: Any) -> Any:
    return np.concatenate([np.ravel(part.numpy()) for part in found])
