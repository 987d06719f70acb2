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
    one, nothing = torch.ones(1), torch.zeros(1)
    y = torch.zeros_like(x)
    for step in range(steps):
        k1 = x * torch.cat((one, y[:-1]))
        k2 = x * torch.cat((one, (y + h / 2.0 * k1)[:-1]))
        k3 = x * torch.cat((one, (y + h / 2.0 * k2)[:-1]))
        k4 = x * torch.cat((one, (y + h * k3)[:-1]))
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    del nothing, step
    return y


def gmm(alpha: Any, mu: Any, q: Any, below: Any, x: Any, gamma: float, m: float) -> Any:
    k, d = mu.shape
    columns, rows = np.triu_indices(d, 1)
    root = torch.diag_embed(torch.exp(q))
    root = root.index_put((torch.arange(k)[:, None], torch.tensor(rows), torch.tensor(columns)), below)
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
    value, arrays, rest = PREPARE[problem](given)
    leaves = tuple(torch.tensor(one, requires_grad=True) for one in arrays)
    return lambda: torch.autograd.grad(value(*leaves, *rest), leaves), _flat


def _flat(found: Any) -> Any:
    return np.concatenate([np.ravel(part.numpy()) for part in found])
