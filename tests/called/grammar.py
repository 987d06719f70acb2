"""The kernels: functions of two vectors that return a number, through two functions that they call from several places."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from tests.metamorphic.texts import executed

SIZE = 5

# What a function returns, and how its caller makes a number, `got`, of that.
RESULTS = (
    ("s", ("got = {call}",)),
    ("s, t", ("got, more = {call}", "got += 0.1 * more")),
    ("s, k", ("got, count = {call}", "got += 0.1 * count * got")),
    ("k, s", ("_, got = {call}",)),
    ("s, t > 0.1", ("got, flag = {call}", "if flag: got *= 0.9")),
    ("s, a * 0.5", ("got, part = {call}", "got += 0.1 * np.sum(part * part)")),
    ("s, (k, t)", ("got, (count, more) = {call}", "got += 0.1 * count * more")),
    ("[s, t, s * t], k", ("listed, count = {call}", "got = listed[count % 3]")),
    ("s + 1j * t, k", ("z, _ = {call}", "got = abs(z * z)")),
    ("a[:2] * s", ("part = {call}", "got = part[0] + 0.1 * np.sin(part[1])")),
)
NUMBERS = ("s", "t", "p", "a[0]", "a[-1]", "a[k % a.size]", "a[m[0] % a.size]", "np.sum(a)", "np.max(a)", "np.mean(a * a)")
TERMS = ("np.sin({0})", "0.5 * {0} * {1}", "np.tanh({0} + {1})", "np.exp(-{0} * {0})", "0.7 * {0}", "{0} / (1.0 + {1} * {1})")
SETS = ("s = 0.5 * s + {0}", "s += 0.2 * {0}", "t = {0} + 0.3 * t", "a[0] = {0}", "a[k % a.size] = {0}", "l.append({0})")
CHANGES = (
    *("a *= 0.9", "a[1:] = 0.5 * a[:-1] + 0.1", "a = a[::-1].copy()", "a = np.sort(a)", "a[:] = np.sin(a)", "a = a * a + 0.1"),
    *("if a.size > 3: a = a[1:]", "if a.size < 7: a = np.append(a, s)", "m[1] = max(m[1] - 1, 1)", "m[2] = 1 + (m[2] + k) % 3", "k = (k + 3) % 4"),
    *("k = np.argmax(a)", "if len(l) > 1: t += 0.3 * l.pop()", "s, t = t, s", "b = a[a > {level}]; t += 0.1 * b.size + 0.1 * np.sum(b)"),
)
LEVELS = ("0.237", "0.411", "0.568", "0.733")
# Loops by their heads, and what goes in front of them and on in each iteration.
LOOPS = (
    ("", "for i in range(a.size):", ""),
    ("", "for i in range(m[1]):", ""),
    ("", "for i in range(m[1]):", "m[1] = max(m[1] - 1, 1)"),
    ("", "for i in range(k):", ""),
    ("", "for i in range(a.size - 1, -1, -1):", ""),
    ("", "for i in range(len(l)):", ""),
    ("i = 0", "while i < m[2]:", "i += 1"),
    ("i = a.size", "while i > 0:", "i //= 2"),
    ("i, last = 0, a.size - 1", "while i < last:", "i += 1; last -= 1"),
    ("i, e = 0, 1.0", "while e > 0.3:", "i += 1; e = 0.6 * e * np.max(np.abs(np.sin(a * e + 0.2)))"),
    ("d = a - 0.5 * p; k = 0\n    for i in range(a.size):\n        if d[i] > {level}: k += 1", "for i in range(k):", "s += 0.1 * d[i]"),
    ("i = 0", "while True:", "i += 1\n    if i > m[0] or {number} * i > 1.37: break"),
)


class _Writer:
    def __init__(self, drawn: random.Random) -> None:
        self.drawn, self.lines = drawn, list[str]()

    def line(self, depth: int, text: str) -> None:
        self.lines += ["    " * depth + one for one in text.split("\n")]

    def number(self) -> str:
        return self.drawn.choice(NUMBERS)

    def term(self) -> str:
        return self.drawn.choice(TERMS).format(self.number(), self.number())

    def body(self, depth: int, count: int, called: list[tuple[str, int]], leave: str) -> None:
        """Write statements; the functions that may be called, with what they return, and how the function is left early."""
        for _ in range(count):
            kind = self.drawn.random()
            if kind < 0.2:
                self.line(depth, self.drawn.choice(SETS).format(self.term()))
            elif kind < 0.4:
                self.line(depth, self._leveled(self.drawn.choice(CHANGES)))
            elif kind < 0.47:
                self.line(depth, f"if {self.number()} > {self.drawn.choice(LEVELS)}:")
                self.line(depth + 1, "t *= 0.9")
                self.body(depth + 1, 1, called, leave)
            elif kind < 0.53 and leave:
                self.line(depth, f"if {self.term()} > 0.92: {leave}")
            elif kind < 0.7 and called:
                self.call(depth, *self.drawn.choice(called))
            elif depth < 3:
                self.loop(depth, called, leave)

    def loop(self, depth: int, called: list[tuple[str, int]], leave: str) -> None:
        before, head, moves = self.drawn.choice(LOOPS)
        counter = f"i{len(self.lines)}"  # loops in each other have counters of their own

        def own(text: str) -> str:
            words = self._leveled(text).replace("{number}", self.number())
            for name in ("i", "last", "e", "d"):
                words = _renamed(words, name, f"{name}{counter[1:]}" if name != "i" else counter)
            return words

        if before:
            self.line(depth, own(before).replace("\n    ", "\n"))
        self.line(depth, own(head))
        self.line(depth + 1, f"s = 0.8 * s + 0.2 * a[{counter} % a.size] * {self.number()}")
        self.body(depth + 1, self.drawn.randint(0, 2), called, leave)
        if moves:
            self.line(depth + 1, own(moves).replace("\n    ", "\n"))

    def call(self, depth: int, name: str, result: int) -> None:
        given = self.drawn.choice(("a", "a.copy()", "a[1:]", "a * 0.9", "x"))
        call = f"{name}({given}, {self.drawn.choice(('s', 't', self.term()))}, {self.drawn.choice(('m', 'm.copy()'))})"
        for one in RESULTS[result][1]:
            self.line(depth, one.format(call=call))
        self.line(depth, self.drawn.choice(("s = 0.5 * s + got", "t = np.tanh(got)", "s += 0.3 * got * a[0]")))

    def function(self, name: str, size: int, called: list[tuple[str, int]]) -> int:
        """Write a function, and return which of the results it has."""
        result = self.drawn.randrange(len(RESULTS))
        self.line(0, f"def {name}(x, p, m):")
        self.line(1, self.drawn.choice(("a = x", "a = x.copy()", "a = x * 1.1")))
        self.line(1, "s, t, k, l = 0.5 * p, 0.2, m[0] % 4, [p]")
        self.body(1, size, called, f"return {RESULTS[result][0]}")
        self.line(1, "s = np.tanh(s)")
        self.line(1, f"return {RESULTS[result][0]}")
        return result

    def _leveled(self, text: str) -> str:
        return text.replace("{level}", self.drawn.choice(LEVELS))


def _renamed(text: str, old: str, new: str) -> str:
    """Rename a variable of one letter or word, where it stands by itself."""
    parts, word = list[str](), ""
    for letter in f"{text} ":
        if letter.isalnum() or letter in "_.":
            word += letter
            continue
        parts += [new if word == old else word, letter]
        word = ""
    return "".join(parts)[:-1]


def source(seed: int) -> str:
    """Return the text of two functions and a kernel that calls them."""
    writer = _Writer(random.Random(seed))
    drawn = writer.drawn
    inner = writer.function("inner", drawn.randint(3, 5), [])
    outer = writer.function("outer", drawn.randint(3, 5), [("inner", inner)])
    both = [("inner", inner), ("outer", outer)]
    writer.line(0, "def kernel(x, w):")
    writer.line(1, "a, m = x * w, np.array([3, 4, 2])")
    writer.line(1, "s, t, k, p, l = 0.3 * x[0], w[1], 2, w[2], [w[0]]")
    writer.call(1, "outer", outer)
    writer.line(1, "for i in range(3):")
    writer.call(2, *drawn.choice(both))
    writer.body(1, drawn.randint(1, 2), both, "")
    writer.call(1, "outer", outer)
    writer.line(1, "return s * s + t + np.sum(a * a) + 0.1 * np.sum(np.sin(x))")
    return "\n".join(writer.lines) + "\n"


def kernel(seed: int) -> Callable[..., Any]:
    """Return a kernel, whose lines error messages can show."""
    scope = executed(source(seed), f"<called {seed}>", {"np": np})
    for one in ("inner", "outer", "kernel"):
        scope[one] = numba.njit(scope[one])
    made: Callable[..., Any] = scope["kernel"]
    return made


def arguments(seed: int) -> tuple[Any, ...]:
    """Return what a kernel is called with."""
    drawn = np.random.default_rng(seed)
    return drawn.uniform(0.2, 1.0, SIZE), drawn.uniform(0.5, 1.5, SIZE)
