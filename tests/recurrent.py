"""The losses of one recurrent cell that break other tools, and their exact relations.

A loss takes the weights W and U, the bias b, the initial state h0 and the inputs, one per row.
`b` and `c` are the mean over all prefixes of the input of `a`; `d` is the mean of squares of what
`c` holds; both losses of `e` are `a`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

HIDDEN, INPUTS = 3, 2
LENGTHS = (0, 1, 2, 7)
NAMES = ("W", "U", "b", "h0", "inputs")

Arrays = tuple[np.ndarray, ...]


def last_state(W, U, b, h0, inputs):
    """(a) The state is updated; the mean of the last."""
    h = h0
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
    return np.mean(h)


def listed_states(W, U, b, h0, inputs):
    """(b) The states are collected in a list; the mean of all."""
    h = h0
    states = [h]
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
        states.append(h)
    total = np.zeros_like(h0)
    for state in states:
        total += state
    return np.mean(total) / len(states)


def assigned_states(W, U, b, h0, inputs):
    """(c) The states are joined in one array by slice assignment; the mean of all."""
    h = h0
    states = np.zeros((inputs.shape[0] + 1, h0.size), h0.dtype)
    states[0, :] = h
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
        states[t + 1, :] = h
    return np.mean(states)


def assigned_squares(W, U, b, h0, inputs):
    """(c) again, one long array of pieces; the mean of the squares."""
    h = h0
    n = h0.size
    states = np.empty((inputs.shape[0] + 1) * n, h0.dtype)
    states[:n] = h
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
        states[(t + 1) * n : (t + 2) * n] = h
    return np.mean(states * states)


def concatenated_states(W, U, b, h0, inputs):
    """(d) The states are joined by concatenation in the loop; the mean of squares."""
    h = h0
    y = h
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
        y = np.concatenate((y, h))
    return np.mean(y * y)


def growing_list(W, U, b, h0, inputs):
    """(e) A list that grows by concatenation; the mean of its last element."""
    y = [h0]
    for t in range(inputs.shape[0]):
        y = y + [np.tanh(W @ y[-1] + U @ inputs[t] + b)]  # noqa: RUF005
    return np.mean(y[-1])


def growing_array(W, U, b, h0, inputs):
    """(e) An array that grows by concatenation; the mean of its last row."""
    y = h0.reshape((1, h0.size))
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ y[-1] + U @ inputs[t] + b)
        y = np.concatenate((y, h.reshape((1, h.size))))
    return np.mean(y[-1])


LOSSES = (
    last_state,
    listed_states,
    assigned_states,
    assigned_squares,
    concatenated_states,
    growing_list,
    growing_array,
)


def drawn(length: int, seed: int) -> Arrays:
    """Arguments, or a direction, for a sequence of some length."""
    random = np.random.default_rng([seed, length])
    shapes = ((HIDDEN, HIDDEN), (HIDDEN, INPUTS), (HIDDEN,), (HIDDEN,), (length, INPUTS))
    return tuple(random.uniform(-1.0, 1.0, shape) for shape in shapes)


# --- finite differences of the plain Python function, in extended precision -----------------------
# longdouble has 64 bits of mantissa: with steps of 1e-3 and Richardson's extrapolation the second
# differences below are good to about 1e-11.

EXACT = 1e-9


def moved(args: Arrays, *steps: tuple[float, Arrays]) -> Arrays:
    """The arguments, moved along directions, in extended precision."""
    wide = [arg.astype(np.longdouble) for arg in args]
    for step, direction in steps:
        wide = [x + np.longdouble(step) * t for x, t in zip(wide, direction)]
    return tuple(wide)


def richardson(difference: Callable[[float], Any], step: float = 2e-3) -> float:
    """Remove the terms in step^2 and step^4 of a central difference."""
    coarse, middle, fine = (difference(step / 2**k) for k in range(3))
    first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    return float((16 * second - first) / 15)


def slope_of(f: Callable[..., Any], args: Arrays, v: Arrays) -> float:
    """The derivative of a plain function along v."""

    def difference(h: float) -> Any:
        return (f(*moved(args, (h, v))) - f(*moved(args, (-h, v)))) / (2 * h)

    return richardson(difference)


def curvature_of(f: Callable[..., Any], args: Arrays, v: Arrays, w: Arrays) -> float:
    """The second derivative of a plain function along v and w."""

    def difference(h: float) -> Any:
        corners = [(i, j) for i in (-1, 1) for j in (-1, 1)]
        return sum(i * j * f(*moved(args, (i * h, v), (j * h, w))) for i, j in corners) / (4 * h**2)

    return richardson(difference)


def inner(left: Sequence[Any], right: Sequence[Any]) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(left, right)))
