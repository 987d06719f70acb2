"""Kernels whose temporary is read once, in order; kernels where it must be made; and programs at random.

All take two vectors of one length and a number, and return a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

READ_ONCE: list[Callable[..., Any]] = []
MADE: list[Callable[..., Any]] = []


def read_once(kernel: Callable[..., Any]) -> Callable[..., Any]:
    READ_ONCE.append(kernel)
    return kernel


def made(kernel: Callable[..., Any]) -> Callable[..., Any]:
    MADE.append(kernel)
    return kernel


@read_once
def mean_of_squares(x, y, c):
    return np.mean(x * x) * c


@read_once
def by_loops(x, y, c):
    t = np.empty(x.size)
    for i in range(x.size):
        t[i] = np.sin(x[i]) * y[i] - c
    total = 0.0
    for i in range(x.size):
        total += t[i] * x[i]
    return total


@read_once
def a_chain(x, y, c):
    s = x * c
    t = np.exp(s) - c
    return np.mean(t * t) * y[0]


@read_once
def in_every_turn(x, y, c):
    total = 0.0
    for k in range(3):
        total += np.mean((x - k) * (y + c)) * total + c
    return total


@read_once
def written_afterwards(x, y, c):
    total = np.mean(x * y)
    x[0] = c
    return total + x[0] * x[-1]


@made
def written_in_between(x, y, c):
    t = x * y
    x[0] = c
    return np.mean(t) * x[0]


@made
def written_while_read(x, y, c):
    t = x * y
    for i in range(x.size):
        x[x.size - 1 - i] = t[i] * c
    return np.mean(x)


@made
def read_twice(x, y, c):
    t = np.sin(x * c)
    return np.mean(t) + np.mean(t * y)


@made
def read_backwards(x, y, c):
    t = x * y
    total = 0.0
    for i in range(x.size):
        total += t[x.size - 1 - i] * x[i]
    return total * c


@made
def not_all_of_it(x, y, c):
    t = x * y
    total = 0.0
    for i in range(x.size - 1):
        total += t[i] * c
    return total


@made
def read_again_and_again(x, y, c):
    t = np.sin(x) * y
    total = 0.0
    for _ in range(3):
        for i in range(x.size):
            total = total * c + t[i]
    return total


@made
def made_sometimes(x, y, c):
    t = np.zeros(x.size)
    if c > 0.2:
        for i in range(x.size):
            t[i] = x[i] * y[i]
    total = 0.0
    for i in range(x.size):
        total += t[i] * x[i]
    return total


@made
def written_twice(x, y, c):
    t = x * y
    t[1] = c
    return np.mean(t)


@made
def the_sum_so_far(x, y, c):
    t = np.empty(x.size)
    total = 0.0
    for i in range(x.size):
        total += x[i] * c
        t[i] = total
    for i in range(x.size):
        total += t[i] * y[i]
    return total


_TERMS = ("x", "y", "c", "s", "t", "np.sin({0})", "np.exp({0} * 0.1)", "({0} * {1})", "({0} - {1})")
_STATEMENTS = (
    "s = {0}",
    "t = {0}",
    "total += np.mean({0})",
    "total += np.mean({0})",
    "total += np.sum({0}) * c",
    "x[0] = y[1] * total",
    "s[1] = total * 0.1",
    "for i in range(x.size): y[i] = x[i] * s[i]",
    "for i in range(x.size): total += t[i] * s[i]",
    "for i in range(x.size): t[i] = y[i] - c",
    "for i in range(x.size - 1): total += s[i] * x[i + 1]",
    "if total > 0.3: s = t * 0.5",
)


def _term(random: np.random.Generator, depth: int) -> str:
    kinds = _TERMS if depth else _TERMS[:5]
    parts = [_term(random, depth - 1) for _ in range(2)] if depth else []
    text = str(kinds[random.integers(0 if depth < 2 else 5, len(kinds))])
    return text.format(*parts)


def program(seed: int) -> Callable[..., Any]:
    """Return a kernel of array expressions, reductions and loops at random, some in a loop."""
    random = np.random.default_rng(seed)
    lines = ["total, s, t = c, x * 1.0, y * c"]
    is_inside = False
    for _ in range(random.integers(3, 7)):
        if not is_inside and random.random() < 0.15:
            lines.append("for k in range(2):")
            is_inside = True
        term = f"({_term(random, 2)} + 0.0 * x)"  # a vector in any case
        statement = str(random.choice(_STATEMENTS)).format(term)
        lines.append("    " * is_inside + statement)
    if lines[-1].endswith("(2):"):
        lines.append("    total *= 0.5")
    lines.append("return total + np.mean(s * t) + np.mean(x) + np.sum(y * y)")
    text = "def kernel(x, y, c):\n" + "".join(f"    {line}\n" for line in lines)
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    kernel: Callable[..., Any] = scope["kernel"]
    kernel.__doc__ = text
    return kernel
