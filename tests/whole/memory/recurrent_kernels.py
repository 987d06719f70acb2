"""Recurrences whose states get a record, recurrences that may not have one, and programs at random.

All take a matrix, a second matrix, a start, inputs (one per row) and a number of turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

RECORDED: list[Callable[..., Any]] = []
REFUSED: list[Callable[..., Any]] = []


def recorded(kernel: Callable[..., Any]) -> Callable[..., Any]:
    RECORDED.append(kernel)
    return kernel


def refused(kernel: Callable[..., Any]) -> Callable[..., Any]:
    REFUSED.append(kernel)
    return kernel


@recorded
def plain(w, u, h, xs, n):
    for t in range(n):
        h = np.tanh(w @ h + u @ xs[t])
    return np.sum(h * h)


@recorded
def every_state_counts(w, u, h, xs, n):
    total = 0.0
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        total += np.sum(h * h * xs[t])
    return total


@recorded
def the_older_state_too(w, u, h, xs, n):
    total = 0.0
    for t in range(n):
        old = h[0] * h[1]
        h = np.tanh(w @ h + xs[t])
        total += h[2] * old
    return total + h[0]


@recorded
def not_from_the_first_input(w, u, h, xs, n):
    for t in range(2, n):
        h = np.tanh(w @ h + xs[t])
    return np.sum(h * h * h)


@recorded
def transposed(w, u, h, xs, n):
    for t in range(n):
        h = np.tanh(w.T @ h + xs[t])
    return np.sum(h)


@recorded
def two_products(w, u, h, xs, n):
    for t in range(n):
        gate = 1.0 / (1.0 + np.exp(-(u @ h)))
        h = np.tanh(gate * (w @ h) + xs[t])
    return np.sum(h * h)


@recorded
def two_states(w, u, h, xs, n):
    g = h * 0.5
    for t in range(n):
        a, b = w @ h + g, u @ g - h
        h = np.tanh(a + xs[t])
        g = np.tanh(b) * 1.0
    return np.sum(h * g)


@recorded
def a_result_used_twice(w, u, h, xs, n):
    states = np.zeros((n, h.size))
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        states[t] = h
    return np.mean(states * states) + np.sum(h)


@recorded
def joined(w, u, h, xs, n):
    y = np.zeros(0)
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        y = np.concatenate((y, h))
    return np.sum(y * y) if n else 0.0


@recorded
def a_start_that_is_written_in_the_loop(w, u, h, xs, n):
    start = h * 1.0
    h = start
    for t in range(n):
        start[0] += xs[t, 0]
        h = np.tanh(w @ h + xs[t])
    return np.sum(h) + start[0] * start[0]


@recorded
def written_behind_the_loop(w, u, h, xs, n):
    h = h * 1.0
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
    h[0] = h[1] * h[2]
    return np.sum(h * h)


@refused
def written_before_the_product(w, u, h, xs, n):
    h = h * 1.0
    for t in range(n):
        h[0] = h[1] * 0.5
        h = np.tanh(w @ h + xs[t])
    return np.sum(h)


@refused
def written_after_the_tanh(w, u, h, xs, n):
    h = h * 1.0
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        h[1] *= h[0]
    return np.sum(h)


@recorded
def in_a_loop(w, u, h, xs, n):
    total = 0.0
    for _ in range(2):
        g = h * 1.0
        for t in range(n):
            g = np.tanh(w @ g + xs[t])
        total += np.sum(g * g)
    return total


@recorded
def left_early(w, u, h, xs, n):
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        if np.sum(h) > 2.9:
            break
    return np.sum(h)


@refused
def a_matrix_that_changes(w, u, h, xs, n):
    a = w * 1.0
    for t in range(n):
        h = np.tanh(a @ h + xs[t])
        a[0, 0] += h[0]
    return np.sum(h)


@refused
def another_function(w, u, h, xs, n):
    for t in range(n):
        h = np.sin(w @ h + xs[t])
    return np.sum(h)


@refused
def an_argument_that_is_written(w, u, h, xs, n):
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        xs[t, 0] = h[0]
    return np.sum(h)


# -- arrays that stay where they are ---------------------------------------------------------------


@recorded
def listed(w, u, h, xs, n):
    h = h * 1.0
    states = [h]
    for t in range(n):
        h = np.tanh(w @ h + u @ xs[t])
        states.append(h)
    total = 0.0
    for place, state in enumerate(states):
        total += np.sum(state * state) * (place + 1)
    return total


@recorded
def listed_in_a_loop(w, u, h, xs, n):
    states = [h * 2.0]
    for turn in range(n):
        g = h * (turn + 1.0)
        for x in xs:
            g = np.tanh(w @ g + x)
            states.append(g)
    return np.sum(states[-1] * states[n // 2])


@recorded
def two_lists(w, u, h, xs, n):
    g, h = h * 0.5, h * 1.0
    some, others = [h], [g]
    for t in range(n):
        h = np.tanh(w @ h + g)
        g = np.tanh(u @ g - h * xs[t])
        some.append(h)
        others.append(g)
    return np.sum(some[n // 2] * others[-1]) + np.sum(g)


@refused
def written_through_the_list(w, u, h, xs, n):
    states = [h * 1.0]
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        states.append(h)
        states[t // 2][0] *= 0.5
    return np.sum(states[-1] * states[n // 2])


@refused
def written_behind_the_loop_through_the_list(w, u, h, xs, n):
    states = [h * 1.0]
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        states.append(h)
    states[n // 2][1] = 3.0
    return np.sum(states[-1] * states[n // 2])


@refused
def the_older_one_is_written(w, u, h, xs, n):
    states = [h * 1.0]
    for t in range(n):
        old = h
        h = np.tanh(w @ h + xs[t])
        states.append(h)
        if t > 0:
            old[0] = xs[t, 1]
    return np.sum(states[-1] * states[n // 2])


@refused
def the_first_is_written_in_the_loop(w, u, h, xs, n):
    first = h * 1.0
    states, h = [first], first
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        states.append(h)
        first[1] += xs[t, 0]
    return np.sum(states[-1] * states[n // 2])


@refused
def listed_and_written_after_the_tanh(w, u, h, xs, n):
    states = [h]
    for t in range(n):
        h = np.tanh(w @ h + xs[t])
        h[0] *= h[1]
        states.append(h)
    return np.sum(states[-1] * states[n // 2])


@refused
def stored_where_it_is_positive(w, u, h, xs, n):
    states, total = [h], 0.0
    for t in range(n):
        a = w @ h
        h = np.empty(a.size)
        h[:] = 0.5
        for i in range(a.size):
            value = np.tanh(a[i] + xs[t, i])
            total += value
            if value > 0.1:
                h[i] = value
        states.append(h)
    return total + np.sum(states[-1] * states[n // 2])


# -- programs at random ------------------------------------------------------------------------------

_CELLS = (
    "np.tanh({m} @ h + xs[t])",
    "np.tanh(g * ({m} @ h) + xs[t])",
    "np.tanh({m} @ h * 0.5 + {o} @ xs[t])",
    "np.tanh({m} @ g + h)",
    "np.tanh({m} @ h) * g",
    "np.sin({m} @ h + g)",
)
_BETWEEN = (
    "total += np.sum(h * g)",
    "total += h[t % h.size] * xs[t, 0]",
    "h[0] = h[1] * 0.5",
    "g[1] += h[0]",
    "states[t] = h",
    "g = h * 0.5",
    "if t % 2 == 1: g = g * 0.9",
    "y = np.append(y, h)",
    "old = np.sum(h)\n        total += old * g[0]",
    "xs[t, 1] = h[2]",
    "a[0, 1] = h[0]",
)
_WITH_LIST = (
    "kept.append(h)",
    "kept.append(h)",
    "kept.append(g)",
    "kept[t // 2][0] *= 0.5",
    "kept[-1][1] = xs[t, 0]",
    "total += np.sum(kept[-1 - t % len(kept)] * xs[t])",
    "g = kept[len(kept) // 2]",
    "if np.sum(h) > 2.0: break",
    "h[1] = g[0]",
)


def program(seed: int, *, has_list: bool = False) -> Callable[..., Any]:
    """Return a recurrence of two states, made of pieces at random; perhaps with a list of states."""
    random = np.random.default_rng(seed)
    pieces = _WITH_LIST if has_list else _BETWEEN
    lines = []
    for _ in range(random.integers(2, 5)):
        if random.random() < 0.5:
            state = random.choice(["h", "h", "g"])
            names = {"m": random.choice(["w", "w", "u", "a"]), "o": random.choice(["w", "u"])}
            lines.append(f"{state} = {random.choice(_CELLS).format(**names)}")
        else:
            lines.append(str(random.choice(pieces)))
    lines.insert(random.integers(0, len(lines) + 1), f"h = {_CELLS[random.integers(0, 3)]}")
    lines += ["kept.append(h)"] * has_list
    names = {"m": "w", "o": "u"}
    # Constant memory that takes active values is decided while running, and then no states are recorded.
    starts = ["h[:0] * 1.0, xs * 0.5", "np.zeros(0), np.zeros((n, h.size))"]
    text = (
        "def kernel(w, u, h, xs, n):\n"
        "    total, a, g, h = 0.0, w * 1.0, h * 0.5, h * 1.0\n"
        f"    y, states = {starts[random.random() < 0.2]}\n"
        + "    kept = [h]\n" * has_list
        + "    for t in range(n):\n"
        + "".join(f"        {line.format(**names)}\n" for line in lines)
        + "    for one in kept: total += np.sum(one * one)\n" * has_list
        + "    return total + np.sum(h * h) + np.sum(g) + np.sum(states * states) + np.sum(y * y)\n"
    )
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    kernel: Callable[..., Any] = scope["kernel"]
    kernel.__doc__ = text
    return kernel
