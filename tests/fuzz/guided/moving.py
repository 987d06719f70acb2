"""Random kernels of memory that moves in loops: the next iteration looks elsewhere, or finds what this one has written.

    v = v[1:]        v, u = (u, v) if i % 2 == 0 else (v, u)        both[k], both[1 - k]        views[i], which overlap

Counters go up, down, round and by choice; loops are asked in front, behind an iteration, and begin behind their end.
What an iteration writes, others have read by factors: only what is kept gives them back.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Lines = list[str]
SIZES = (2, 3, 3, 4, 5, 6)  # statements, not counting those in their bodies
LEVELS = 3  # of loops and branches in each other
FIRST = 4  # elements that every vector has, always
HASH = 2862933555777941757  # a factor: products leave 64 bits, which is defined for unsigned ones alone

OWN = ("y", "w", "z")  # arrays that the kernel has made: they stay
CARRIED = ("v", "u")  # names of one or the other, or of a part
WRITES = (
    "{v}[{i}] = {v2}[{i2}] * {v3}[{i3}]",
    "{v}[{i}] *= {v2}[{i2}]",
    "{v}[{i}] += {v2}[{i2}] * {v2}[{i2}] * 0.25",
    "{v}[{i}] = np.sin({v2}[{i2}] * {v3}[{i3}])",
    "{v}[{i}] = {t}",
    "{v}[{i}] = 0.5",
    "{v}[{i}], {v}[{i2}] = {v}[{i2}], {v}[{i}] * {v2}[{i3}]",
    "{v}[{i}] -= 0.1 * t * {v2}[{i2}]",
)
SLICES = (
    "{v}[1:] = {v}[:-1]",
    "{v}[:-1] = {v}[1:] * 0.9",
    "{v}[1:] *= {v}[:-1]",
    "{v}[:4] = {v2}[:4]",
    "{v}[:4] *= {v2}[:4]",
    "{v}[1:4] = {v2}[:3] * {v3}[1:4]",
    "{v}[::-1][:3] = {v2}[:3] * 0.8",
    "{v}[:] = 0.4",
    "{v}[:] = {v}[::-1]",
    "{v}[:] += 0.1 * {v}[0]",
)
READS = (
    "t += {v}[{i}] * {v2}[{i2}]",
    "t += np.sin({v}[{i}] * {v2}[{i2}])",
    "t = 0.6 * t * {v}[{i}] + {v2}[{i2}]",
    "t += {v}[{i}] / (1.5 + {v2}[{i2}] ** 2)",
    "t += np.sum({v} * {v})",
    "t += np.dot({v}[:4], {v2}[:4])",
    "t += 0.3 * np.max({v})",
    "total += t * {v}[{i}]",
    "total += t * t",
)
MOVES = (
    "{p} = {p}[1:] if {p}.size > 4 else {o}[:]",
    "{p} = {p}[:-1] if {p}.size > 4 else {o}[1:]",
    "{p} = {o}[k:]",
    "{p} = {o}[k:k + 5]",
    "{p} = {o}[{i} % 4:]",
    "{p} = {p}[::-1]",
    "{p} = {v}",
    "{p} = {v} * 0.9",
    "{p} = {v}.copy()",
    "{p}, {q} = {q}, {p}",
    "{p}, {q} = ({q}, {p}) if {c} else ({p}, {q})",
    "{p} = {q} if {c} else {v}",
    "{p}, {q} = both[{i} % 2], both[1 - {i} % 2]",
    "y, w = w, y",
    "y = {v} * 0.8 if {v}.size == y.size else y",
)
COUNTS = (
    "k = (k + 1) % 4",
    "k = 3 - k",
    "k ^= 1",
    "k = (2 * k + {i}) % 4",
    "k = order[k] % 4",
    "k = {i} % 4",
    "order[{i}], order[{i2}] = order[{i2}], order[{i}]",
    "k = (k * 3 + 1) & 3",
)
LISTS = (
    "views[{i} % 3] = {o}[k:]",
    "views = [views[1], views[2], views[0]]",
    "views.reverse()",
    "views[0], views[1] = views[1], views[0]",
    "views[{i} % 3][{i2}] *= views[{i3} % 3][{i2}]",
)
CALLS = (
    "{p} = advanced({p}, {o})",
    "t += changed_at({v}, {v2}, {i})",
    "{p}, {q} = put_in_order({p}, {q}, {i})",
    "t += smoothed({v}, t)",
)
TESTS = (
    "{n} % 2 == 0",
    "{n} > 1",
    "{n} != k",
    "{n} < k",
    "{v}[{i}] > 0.4321",
    "{v}[{i}] < {v2}[{i2}] - 0.0321",
    f"np.uint64({{n}} + 3) * np.uint64({HASH}) > np.uint64(1 << 63)",
    "t < 0.7531",
    "{n} & 2 == 2",
)


class Moving:
    """Draws one kernel."""

    NAME = "moving"
    MORE: tuple[str, ...] = ()  # statements in front of all others
    TABLES: tuple[tuple[float, str, tuple[str, ...]], ...] = (
        (4, "write", WRITES),
        (2, "slice", SLICES),
        (4, "read", READS),
        (3, "move", MOVES),
        (1.5, "count", COUNTS),
        (1, "list", LISTS),
        (0.8, "call", CALLS),
    )

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"{self.NAME} {seed}")
        self.features: set[str] = {self.NAME}
        self._count = 0
        self._counters: list[str] = []  # of the loops around: 0 to 3
        self._has_rows = self._is(0.4)

    def source(self, size: int | None) -> str:
        """Return the text of a kernel of some statements."""
        lines = [
            "y = np.empty(n + 5)",
            "y[:n] = 0.4 * x + 0.5",
            "y[n:] = 0.3 * s + 0.4 + 0.07 * np.arange(5.0)",
            "w = np.sin(y) + 0.2 * y[::-1]",
            "z = 0.7 * y * w",
            "rows = np.outer(y, w)",
            "order = np.argsort(-w)",
            *self.MORE,
            "both = (w, z)",
            "views = [y[1:], w[:-1], y[2:]]",
            f"v, u = {self._pick('y, w', 'w, z', 'y, y[1:]', 'z[1:], z', 'y[::-1], w')}",
            f"k, t, total = {self.random.randrange(4)}, 0.3 * y[0], 0.2 * s",
        ]
        for _ in range(size or self.random.choice(SIZES)):
            lines += self._statement(0)
        lines.append("total += np.sum(rows[0]) + np.sum(views[0]) + np.sum(np.sin(y)) + np.sum(w * w) + np.sum(z)")
        lines.append("return total + t + np.sum(v * v) + 0.5 * np.sum(u) + a[0, 0] * u[0]")
        return "def kernel(x, a, s, c, n):\n" + "".join(f"    {line}\n" for line in lines)

    # -- names and expressions

    def _pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _is(self, share: float) -> bool:
        return self.random.random() < share

    def _index(self) -> str:
        """Return a place that every vector has."""
        i = self._pick(*self._counters[-2:], "k") if self._is(0.85) else str(self.random.randrange(FIRST))
        other = self._pick(*self._counters, "k")
        return self._pick(i, i, i, f"(3 - {i})", f"({i} - 1)", f"({i} ^ 1)", f"(({i} + {other}) % 4)", f"min({i}, {other})", f"(order[{i}] % 4)", f"({i} * {other} % 4)", f"({i} // 2)")

    def _vector(self) -> str:
        if self._has_rows and self._is(0.25):
            return self._pick(f"rows[{self._index()}]", f"rows[:, {self._index()}]", f"rows[{self._index()}, 1:]", f"rows.T[{self._index()}]")
        i = self._index()
        return self._pick(*CARRIED, *CARRIED, *CARRIED, *OWN, f"both[{i} % 2]", f"views[{i} % 3]", "v[::-1]")

    def _filled(self, row: str) -> str:
        """Return a row of a table with something in its holes."""
        p, q = self.random.sample(CARRIED, 2)
        return row.format(
            p=p, q=q, o=self._pick(*OWN), n=self._pick(*self._counters, "k"), t=self._pick("t", "0.5 * t", "np.sin(t)"),
            v=self._vector(), v2=self._vector(), v3=self._vector(), i=self._index(), i2=self._index(), i3=self._index(), c=self._test(),
        )  # fmt: skip

    def _test(self) -> str:
        return self._pick(*TESTS).format(
            n=self._pick(*self._counters, "k"), v=self._pick(*CARRIED), v2=self._pick(*OWN), i=self._index(), i2=self._index()
        )

    # -- statements

    def _statement(self, depth: int) -> Lines:
        """Return the lines of one statement."""
        loops: list[tuple[float, Callable[[int], Lines]]] = []
        if depth < LEVELS:
            share = 8 if depth == 0 else 1
            loops = [(3 * share, self._for), (2 * share, self._while), (1.5, self._branch)]
        kinds = [*self.TABLES, *loops]
        kind = self.random.choices(kinds, [one[0] for one in kinds])[0]
        if len(kind) == 2:
            return kind[1](depth)
        self.features.add(kind[1])
        return [self._filled(self._pick(*kind[2]))]

    def _body(self, depth: int) -> Lines:
        return [line for _ in range(self.random.randint(2 if depth == 0 else 1, (5, 4, 2, 2)[depth])) for line in self._statement(depth + 1)]

    def _looped(self, depth: int, counter: str) -> Lines:
        self._counters.append(counter)
        lines = self._body(depth)
        if self._is(0.15):
            lines += [f"if {self._test()}:", f"    {self._left()}", *self._body(LEVELS)]
        self._counters.pop()
        return lines

    def _left(self) -> str:
        left = self._pick("break", "continue")
        self.features.add(left)
        return left

    def _counter(self) -> str:
        self._count += 1
        return f"i{self._count}"

    def _for(self, depth: int) -> Lines:
        self.features.add("for")
        i, around = self._counter(), self._pick(*self._counters, "k")
        head = self._pick(
            "range(4)", "range(4)", "range(3)", "range(1, 4)", "range(3, -1, -1)", "range(0, 4, 2)", f"range({around}, 4)", f"range({around} + 1)",
            f"range(3, {around}, -1)", "range(n % 4)", "range(min(v.size, 4))",
        )  # fmt: skip
        return [f"for {i} in {head}:", *_indented(self._looped(depth, i))]

    def _while(self, depth: int) -> Lines:
        """A loop that is asked in front, or behind an iteration: then it may begin behind its end."""
        self.features.add("while")
        i, first, step = self._counter(), self._pick("0", "0", "1", "3", "k", *self._counters), self._pick("1", "1", "2")
        body = [line.replace("continue", "break") for line in self._looped(depth, i)]
        if self._is(0.5):
            return [f"{i} = {first}", f"while {i} < {self._pick('3', '4', 'n % 4')}:", *_indented([*body, f"{i} += {step}"])]
        end = self._pick("2", "3", "4", "n % 5", "k + 1")
        asked = [f"{i} += {step}", f"if {i} >= min({end}, 4):", "    break"]
        return [f"{i} = {first}", "while True:", *_indented([*body, *asked])]

    def _branch(self, depth: int) -> Lines:
        self.features.add("if")
        lines = [f"if {self._test()}:", *_indented(self._body(depth))]
        return [*lines, "else:", *_indented(self._body(depth))] if self._is(0.4) else lines


def _indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]
