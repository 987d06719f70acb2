"""The kernels: functions of two vectors and their length that return a number."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.metamorphic.texts import executed

ARRAYS = ("x", "c", "u", "w")
COUNTERS = ("i", "j", "k", "l", "m")
SIZE = 40  # so long that LLVM does not unroll the loops of a known length
WHOLE = ("range(n)", "range(len(x))", f"range({SIZE})", f"range({SIZE - 1}, -1, -1)")
OTHERS = ("range(1, n - 1)", "range(n - 1, -1, -1)", "range(0, n, 2)", "range(2, n)", "range(n - 1)")
WHILES = (("{i} = 0", "{i} < n", "{i} += 1"), ("{i}, left_{i} = 0, n", "left_{i} != 0", "{i}, left_{i} = {i} + 1, left_{i} - 1"))
TERMS = ("{a}[{i}] * {b}[{i}]", "np.sin({a}[{i}])", "{a}[{i}] * {a}[{i}]", "{a}[{i}] * {b}[n - 1 - {i}]", "np.exp(-{a}[{i}]) * {b}[{i}]", "{a}[{i}]", f"{{a}}[{SIZE - 1} - {{i}}]")
SUMS = ("s += x @ c", "q += 0.1 * np.linalg.norm(u)", "s += np.sum(u * x)", "q += 0.01 * np.dot(w, w)")
WRITES = (
    *("x[:] = np.cos(0.01 * q * x)", "c *= 0.9", "u[:] = 0.1 * s", "x[0] = 0.01 * s", "c[n - 1] = 0.01 * q", "w[1:] = w[:-1]"),
    *("u[2] = q", "x, u = u, x", "s = np.tanh(s)", "q = np.tanh(q)"),
)
CLEARED = ("x[:] = 0.0", "c[:] = 0.0", "u[:] = 1.0")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.drawn = random.Random(seed)
        self.lines = ["def kernel(x, c, n):", "    u, w, s, q = np.sin(x) * c, x + c, 0.1, 0.2"]

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def term(self, counter: str) -> str:
        a, b = self.drawn.choice(ARRAYS), self.drawn.choice(ARRAYS)
        return self.drawn.choice(TERMS).format(a=a, b=b, i=counter)

    def loop(self, depth: int, around: tuple[str, ...] = ()) -> None:
        """Write a loop, with at most two inside of each other in it."""
        counter = self.drawn.choice([one for one in COUNTERS if one not in around])
        counters, moves = (*around, counter), ""
        if self.drawn.random() < 0.2:
            begin, goes_on, moves = self.drawn.choice(WHILES)
            self.line(depth, begin.format(i=counter))
            self.line(depth, f"while {goes_on.format(i=counter)}:")
        else:
            self.line(depth, f"for {counter} in {self.drawn.choice(WHOLE if self.drawn.random() < 0.6 else OTHERS)}:")
        if len(around) < 2 and self.drawn.random() < 0.5:
            name = f"t{len(self.lines)}"
            self.line(depth + 1, f"{name} = {self.term(counter)}")
            if self.drawn.random() < 0.5:
                self.line(depth + 1, f"q += 0.1 * {self.term(counter)}")
            self.loop(depth + 1, counters)
            self.line(depth + 1, f"s += 0.01 * {name} * q")
        else:
            self.line(depth + 1, f"{self.drawn.choice('sq')} += {self.term(counter)} * {self.term(self.drawn.choice(counters))}")
            if self.drawn.random() < 0.3:
                self.line(depth + 1, f"w[{counter}] = 0.01 * q + {self.term(counter)}")
        if moves:
            self.line(depth + 1, moves.format(i=counter))


def source(seed: int) -> str:
    """Return the text of a kernel."""
    writer, depth = _Writer(seed), 1
    drawn = writer.drawn
    if drawn.random() < 0.5:
        writer.line(1, "for _ in range(3):")
        depth = 2
    for _ in range(drawn.randint(1, 3)):
        if drawn.random() < 0.2:
            writer.line(depth, drawn.choice(SUMS))
        writer.loop(depth)
        if drawn.random() < 0.6:
            writer.line(depth, drawn.choice(WRITES))
    writer.line(1, "result = s * q + s")
    for one in CLEARED[: drawn.randint(0, 3)]:
        writer.line(1, one)
    writer.line(1, "return result")
    return "\n".join(writer.lines) + "\n"


def kernel(seed: int) -> Callable[..., Any]:
    """Return a kernel, whose lines error messages can show."""
    made: Callable[..., Any] = executed(source(seed), f"<readers {seed}>", {"np": np})["kernel"]
    return made
