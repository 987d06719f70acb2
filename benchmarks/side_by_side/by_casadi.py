"""The problems in CasADi: graphs of matrices (MX), scans by mapaccum, observations by map. ht is not written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]


def lse(x: Any) -> Any:
    return ca.logsumexp(x)


def llsq(x: Any, n: int) -> Any:
    """By Horner's rule, all points at once."""
    t = ca.DM(np.linspace(-1.0, 1.0, n))
    value = ca.MX.zeros(n)
    for c in reversed(ca.vertsplit(x)):
        value = value * t + c
    residual = ca.sign(t) - value
    return ca.dot(residual, residual) / 2.0


def ode(x: Any, steps: int) -> Any:
    n, h = x.numel(), 2.0 / steps
    y, parameter = ca.MX.sym("y", n), ca.MX.sym("x", n)

    def slope(y: Any) -> Any:
        return parameter * ca.vertcat(1.0, y[:-1])

    k1 = slope(y)
    k2 = slope(y + h / 2.0 * k1)
    k3 = slope(y + h / 2.0 * k2)
    k4 = slope(y + h * k3)
    after = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    step = ca.Function("step", [y, parameter], [after])
    return step.fold(steps)(ca.MX.zeros(n), x)[-1]


def log_sum_exp(rows: list[Any]) -> Any:
    """Element by element, over matrices in a list."""
    largest = rows[0]
    for row in rows[1:]:
        largest = ca.fmax(largest, row)
    total = 0.0
    for row in rows:
        total = total + ca.exp(row - largest)
    return ca.log(total) + largest


def gmm(alpha: Any, mu: Any, q: Any, below: Any, given: dict[str, Any]) -> Any:
    """Return the log-posterior but for a constant; components are columns here."""
    d, k, gamma = given["d"], given["k"], given["gamma"]
    points, terms, prior = ca.DM(given["x"].T), [], 0.0
    lower = ca.Sparsity.lower(d)
    starts = np.concatenate(([0], np.cumsum(np.arange(d - 1, 0, -1)))).tolist()
    for c in range(k):
        diagonal, under = ca.exp(q[:, c]), below[:, c]
        parts = []
        for column in range(d):
            parts += [diagonal[column]]
            if column < d - 1:
                parts += [under[starts[column] : starts[column] + d - 1 - column]]
        root = ca.MX(lower, ca.vertcat(*parts))
        made = ca.mtimes(root, points - ca.repmat(mu[:, c], 1, points.shape[1]))
        total = ca.sum1(q[:, c])
        terms.append(alpha[c] + total - 0.5 * ca.sum1(made * made))
        squares = ca.dot(diagonal, diagonal) + ca.dot(under, under)
        prior = prior + 0.5 * gamma * gamma * squares - given["m"] * total
    likelihood = ca.sum2(log_sum_exp(terms))
    return likelihood - points.shape[1] * ca.logsumexp(alpha) - prior


def lstm(main: Any, extra: Any, given: dict[str, Any]) -> Any:
    """Rows of the parameters are columns here."""
    start, sequence = given["state"].T, given["sequence"].T
    b, layers, length = start.shape[0], start.shape[1] // 2, sequence.shape[1]
    state, pair = ca.SX.sym("state", b, 2 * layers + 1), ca.SX.sym("pair", b, 2)
    weights, others = ca.SX.sym("main", *main.shape), ca.SX.sym("extra", *extra.shape)

    def sigmoid(x: Any) -> Any:
        return 1.0 / (1.0 + ca.exp(-x))

    now, columns = pair[:, 0] * others[:, 0], []
    for layer in range(layers):
        weight = ca.reshape(weights[:, 2 * layer], b, 4)
        bias = ca.reshape(weights[:, 2 * layer + 1], b, 4)
        hidden, cell = state[:, 2 * layer], state[:, 2 * layer + 1]
        forget = sigmoid(now * weight[:, 0] + bias[:, 0])
        ingate = sigmoid(hidden * weight[:, 1] + bias[:, 1])
        outgate = sigmoid(now * weight[:, 2] + bias[:, 2])
        change = ca.tanh(hidden * weight[:, 3] + bias[:, 3])
        cell = cell * forget + ingate * change
        now = outgate * ca.tanh(cell)
        columns += [now, cell]
    made = now * others[:, 1] + others[:, 2]
    normaliser = ca.log(2.0 + ca.sum1(ca.exp(made)))
    loss = state[:, -1] + pair[:, 1] * (made - normaliser)
    after = ca.horzcat(*columns, loss)
    step = ca.Function("step", [state, pair, weights, others], [after])
    pairs = np.empty((b, 2 * (length - 1)))
    pairs[:, ::2], pairs[:, 1::2] = sequence[:, :-1], sequence[:, 1:]
    first = ca.DM(np.hstack((start, np.zeros((b, 1)))))
    times = length - 1
    last = step.fold(times)(
        first, ca.DM(pairs), ca.repmat(main, 1, times), ca.repmat(extra, 1, times)
    )
    return -ca.sum1(last[:, -1]) / (times * b)


def of_lse(given: dict[str, Any]) -> Prepared:
    return gradient(lse, [given["x"]])


def of_llsq(given: dict[str, Any]) -> Prepared:
    return gradient(lambda x: llsq(x, given["n"]), [given["x"]])


def of_gmm(given: dict[str, Any]) -> Prepared:
    arrays = [given["alpha"], given["mu"], given["q"], given["l"]]
    return gradient(lambda *arguments: gmm(*arguments, given), arrays)


def gradient(value_of: Callable[..., Any], arrays: list[Any]) -> Prepared:
    """Return the call of a gradient, without copies between NumPy and CasADi: rows there are columns here."""
    shapes = [one.shape[::-1] if one.ndim == 2 else (one.size, 1) for one in arrays]
    symbols = [ca.MX.sym(f"a{number}", *shape) for number, shape in enumerate(shapes)]
    value = value_of(*symbols)
    slopes = [ca.densify(slope) for slope in (ca.gradient(value, one) for one in symbols)]
    return called(ca.Function("gradient", symbols, slopes), arrays)


def called(function: Any, arrays: list[Any]) -> Prepared:
    """Return a call that reads and writes arrays in place."""
    buffer, run = function.buffer()
    outs = [np.empty(function.numel_out(number)) for number in range(function.n_out())]
    kept = [np.ascontiguousarray(one) for one in arrays]
    for number, one in enumerate(kept):
        buffer.set_arg(number, memoryview(one))
    for number, one in enumerate(outs):
        buffer.set_res(number, memoryview(one))

    def call() -> Any:
        run()
        return kept, outs, buffer

    return call, lambda found: np.concatenate([np.ravel(one) for one in found[1]])


def of_ode(given: dict[str, Any]) -> Prepared:
    return gradient(lambda x: ode(x, given["s"]), [given["x"]])


def of_lstm(given: dict[str, Any]) -> Prepared:
    arrays = [given["main_params"], given["extra_params"]]
    return gradient(lambda main, extra: lstm(main, extra, given), arrays)


def of_ba(given: dict[str, Any]) -> Prepared:
    camera, point = ca.SX.sym("camera", 11), ca.SX.sym("point", 3)
    weight, feature = ca.SX.sym("weight"), ca.SX.sym("feature", 2)
    y = point - camera[3:6]
    angle = ca.sqrt(ca.sumsqr(camera[:3]))
    n, c, s = camera[:3] / angle, ca.cos(angle), ca.sin(angle)
    at = y * c + ca.cross(n, y) * s + n * ca.dot(n, y) * (1.0 - c)
    seen = at[:2] / at[2]
    radius = ca.sumsqr(seen)
    distortion = 1.0 + camera[9] * radius + camera[10] * radius * radius
    error = weight * (seen * distortion * camera[6] + camera[7:9] - feature)
    rows = ca.densify(ca.jacobian(error, ca.vertcat(camera, point, weight))).T
    of_weight = ca.gradient(1.0 - weight * weight, weight)
    one = ca.Function("one", [camera, point, weight, feature], [rows, of_weight])
    p = given["p"]
    arrays = [np.tile(given["cam"], (p, 1)), np.tile(given["x"], (p, 1))]
    return called(one.map(p), [*arrays, np.full(p, given["w"]), np.tile(given["feat"], (p, 1))])


PREPARE = {name[3:]: made for name, made in list(globals().items()) if name.startswith("of_")}


def prepared(problem: str, function: str, given: dict[str, Any]) -> Prepared:
    """Return what is timed, and what makes a flat answer of its result."""
    assert function == "gradient"
    if problem not in PREPARE:
        raise NotImplementedError("not written for CasADi")
    return PREPARE[problem](given)
