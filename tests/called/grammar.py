"""The kernels: functions of two vectors that return a number, through two functions that they call from several places."""

from __future__ import annotations

import random
from typing import Any

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
# What the wide grammar has besides: views that walk backwards or skip, arrays that lists hold, dicts, functions of whole arrays.
WIDE_RESULTS = (
    ("a, s", ("part, got = {call}", "got += 0.1 * np.sum(part * part)", "part[0] = 0.3 * got")),
    ("rows, k", ("listed, count = {call}", "got = np.sum(listed[count % len(listed)])")),
    ("(a if t > 0.3 else None), s", ("part, got = {call}", "if part is not None: got += 0.1 * part[0]")),
)
WIDE_NUMBERS = ("np.sum(np.sin(a))", "rows[k % len(rows)][0]", "h[k % 2]", "x[-1]", "np.sqrt(np.sum(a * a) + 0.1)", "x[0]")
WIDE_SETS = ("h[k % 2] = {0}", "x[k % x.size] = 0.3 * {0}", "rows[0][-1] = {0}", "a[-1] += 0.1 * {0}", "rows.append(a * {0})")
WIDE_CHANGES = (
    *("a = a[::-1]", "if a.size > 4: a = a[::2]", "rows.append(a)", "rows.append(a.copy())", "a = rows[k % len(rows)]", "h[k % 2] = h[1 - k % 2] * 0.8"),
    *("a = np.where(a > {level}, a, 0.9 * a + 0.05)", "a = 0.3 * np.cumsum(a)", "a = np.concatenate((a[1:], a[:1]))", "t += 0.1 * np.median(a)"),
    *("q = np.outer(a, a); a = np.tanh(q @ a)", "q = np.outer(a, a); t += 0.1 * q[k % a.size].sum() + 0.1 * q[:, 0].max()", "if len(rows) > 1: a = rows.pop()"),
    *("a, rows[0] = rows[0], a", "k = np.argsort(a)[-1]", "a[:] = rows[-1][: 1]", "a = np.array([v * 0.9 for v in a])", "a[a > {level}] *= 0.9"),
)
WIDE_LOOPS = (
    ("i = k", "for e in a:", "t += 0.1 * e; i = k"),
    ("", "for i, e in enumerate(x):", "t = 0.9 * t + 0.1 * e * e"),
    ("i = k", "for d, e in zip(a[::-1], x):", "t += 0.1 * d * e; i = k"),
    ("i = k", "for e in rows[:2]:", "t += 0.1 * e[0]; i = k"),
    ("i = 0", "while np.max(a) > {level} and i < 4:", "i += 1; a = 0.8 * a"),
    ("i = 0", "while i < len(rows) and len(rows) < 5:", "i += 1; rows.append(rows[-1] * 0.9)"),
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


class Writer:
    """Writes functions; what they are given, and what they call, another grammar may say otherwise (objects.py)."""

    def __init__(self, drawn: random.Random, *, is_wide: bool) -> None:
        self.drawn, self.lines, self.is_wide = drawn, list[str](), is_wide
        self.results = (*RESULTS, *WIDE_RESULTS) if is_wide else RESULTS

    def one_of(self, rows: tuple[Any, ...], wide: tuple[Any, ...]) -> Any:
        """Draw a row; of the wide grammar, from one table or the other."""
        return self.drawn.choice(wide if self.is_wide and self.drawn.random() < 0.5 else rows)

    def line(self, depth: int, text: str) -> None:
        self.lines += ["    " * depth + one for one in text.split("\n")]

    def begin(self) -> None:
        """Write what the wide grammar has in each function: views of any layout, a list of them, a dict."""
        if self.is_wide:
            self.line(1, "a, rows, h = a[::-1], [x[::-1]], {0: s, 1: t}")

    def number(self) -> str:
        return str(self.one_of(NUMBERS, WIDE_NUMBERS))

    def term(self) -> str:
        return self.drawn.choice(TERMS).format(self.number(), self.number())

    def body(self, depth: int, count: int, called: list[tuple[str, int]], leave: str) -> None:
        """Write statements; the functions that may be called, with what they return, and how the function is left early."""
        for _ in range(count):
            kind = self.drawn.random()
            if kind < 0.2:
                self.line(depth, self.one_of(SETS, WIDE_SETS).format(self.term()))
            elif kind < 0.4:
                self.line(depth, self._leveled(self.one_of(CHANGES, WIDE_CHANGES)))
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
        before, head, moves = self.one_of(LOOPS, WIDE_LOOPS)
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

    def given(self, depth: int) -> str:
        """Draw what a function is called with."""
        return self.drawn.choice(("a", "a.copy()", "a[1:]", "a * 0.9", "x"))

    def call(self, depth: int, name: str, result: int) -> None:
        call = f"{name}({self.given(depth)}, {self.drawn.choice(('s', 't', self.term()))}, {self.drawn.choice(('m', 'm.copy()'))})"
        for one in self.results[result][1]:
            self.line(depth, one.format(call=call))
        self.line(depth, self.drawn.choice(("s = 0.5 * s + got", "t = np.tanh(got)", "s += 0.3 * got * a[0]")))

    def function(self, name: str, size: int, called: list[tuple[str, int]]) -> int:
        """Write a function, and return which of the results it has."""
        result = self.drawn.randrange(len(self.results))
        self.line(0, f"def {name}(x, p, m):")
        self.line(1, self.drawn.choice(("a = x", "a = x.copy()", "a = x * 1.1")))
        self.line(1, "s, t, k, l = 0.5 * p, 0.2, m[0] % 4, [p]")
        self.begin()
        self.body(1, size, called, f"return {self.results[result][0]}")
        self.line(1, "s = np.tanh(s)")
        self.line(1, f"return {self.results[result][0]}")
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


def source(seed: int, *, is_wide: bool = False) -> str:
    """Return the text of two functions and a kernel that calls them."""
    writer = Writer(random.Random(seed), is_wide=is_wide)
    drawn = writer.drawn
    inner = writer.function("inner", drawn.randint(3, 5), [])
    outer = writer.function("outer", drawn.randint(3, 5), [("inner", inner)])
    both = [("inner", inner), ("outer", outer)]
    writer.line(0, "def kernel(x, w):")
    writer.line(1, "a, m = x * w, np.array([3, 4, 2])")
    writer.line(1, "s, t, k, p, l = 0.3 * x[0], w[1], 2, w[2], [w[0]]")
    if is_wide:
        writer.line(1, "x = x * 1.1")
    writer.begin()
    writer.call(1, "outer", outer)
    writer.line(1, "for i in range(3):")
    writer.call(2, *drawn.choice(both))
    writer.body(1, drawn.randint(1, 2), both, "")
    writer.call(1, "outer", outer)
    writer.line(1, "return s * s + t + np.sum(a * a) + 0.1 * np.sum(np.sin(x))")
    return "\n".join(writer.lines) + "\n"
