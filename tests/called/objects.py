"""The kernels whose state lies in objects: what `grammar.py` does to `a`, `s` and `k`, these do to an array, a number and a count in one.

Functions get the object itself, a copy, or a new one; they change it, and put other arrays into it. The kernel has two, which change places.
"""

from __future__ import annotations

import random
import re

from tests.called.grammar import Writer

# Of each kind: the array, the number and the count of an object `o`, one that is made of such, and a function that changes one.
KINDS = {
    "class": ("{o}.a", "{o}.v", "{o}.n", "Kept({a}, {v}, {n})", "{o}.grow({p})"),
    "record": ("{o}.a", "{o}.v", "{o}.n", "Fields({a}, {v}, {n})", "grow({o}, {p})"),
    "lists": ("{o}[0][0]", "{o}[1][0]", "{o}[2][0]", "([{a}], [{v}], [{n}])", "grow_items({o}, {p})"),
    "dicts": ("{o}[0][0]", "{o}[1][0]", "{o}[2][0]", "({{0: {a}}}, {{0: {v}}}, {{0: {n}}})", "grow_items({o}, {p})"),
}
# Objects stand in the text under names that no rule of the grammar has: the own one, the other one of a kernel, and the one that was given.
OWN, OTHER, GIVEN = "o_", "q_", "x_"
CHANGES_PLACES = (f"{OWN}, {OTHER} = {OTHER}, {OWN}", f"{OTHER} = {OWN}", f"{OWN} = {OTHER}")


class ObjectWriter(Writer):
    """Writes the functions of one kind of objects."""

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn, is_wide=False)
        *fields, self._new, self._changed = KINDS[drawn.choice(sorted(KINDS))]
        self._fields = dict(zip("ask", fields, strict=True))
        self._has_other = False

    def made(self, a: str, v: str, n: str) -> str:
        return self._new.format(a=f"view({a})", v=v, n=n)

    def copied(self, o: str) -> str:
        a, v, n = (field.format(o=o) for field in self._fields.values())
        return self.made(f"{a}.copy()", v, n)

    def body(self, depth: int, count: int, called: list[tuple[str, int]], leave: str) -> None:
        for _ in range(count):
            kind = self.drawn.random()
            if kind < 0.2:
                self.line(depth, f"t += 0.1 * {self._changed.format(o=OWN, p=self.term())}")
            elif kind < 0.27 and self._has_other:
                self.line(depth, self.drawn.choice(CHANGES_PLACES))
            elif kind < 0.3:
                self.line(depth, f"{OWN} = {self.copied(OWN)}")
            else:
                super().body(depth, 1, called, leave)

    def given(self, depth: int) -> str:
        choice = [OWN, OWN, OWN, self.made("a * 0.9", "s", "k"), self.copied(OWN)]
        return self.drawn.choice([*choice, OTHER] if depth and self._has_other else choice)

    def begin(self) -> None:
        """Take the object that is given, or a copy."""
        copy = self.copied(GIVEN)
        taken = self.drawn.choice((GIVEN, GIVEN, copy, f"{GIVEN} if p > 0.4 else {copy}"))
        self.lines[-2:] = [f"    {OWN} = {taken}", "    s, t, k, l = 0.5 * p + 0.3 * s, 0.2, m[0] % 4, [p]"]

    def kernel(self, both: list[tuple[str, int]], outer: int) -> None:
        """Write the kernel, which has two objects."""
        self._has_other = True
        self.line(0, "def kernel(x, w):")
        self.line(1, "m = np.array([3, 4, 2])")
        self.line(1, f"{OWN} = {self.made('x * w', '0.3 * x[0]', '2')}")
        self.line(1, f"{OTHER} = {self.made('x * 1.1', '0.2 * w[0]', '1')}")
        self.line(1, "t, p, l = w[1], w[2], [w[0]]")
        self.call(1, "outer", outer)
        self.line(1, "for i in range(3):")
        self.call(2, *self.drawn.choice(both))
        self.body(1, self.drawn.randint(1, 2), both, "")
        self.call(1, "outer", outer)
        a, v, _ = (field.format(o=OTHER) for field in self._fields.values())
        self.line(1, f"return s * s + t + np.sum(a * a) + 0.1 * np.sum(np.sin(x)) + 0.1 * ({v} * {v} + np.sum({a}))")

    def text(self) -> str:
        """Return what was written, with fields in place of variables."""
        before, at, kernel = "\n".join(self.lines).partition("def kernel(")
        given = self._fields["a"].format(o="x")
        text = _renamed(before, "x", given).replace(f"({given}, p, m)", "(x, p, m)") + at + kernel
        for name, field in self._fields.items():
            text = _renamed(text, name, field.format(o="o"))
        for name in (OWN, OTHER, GIVEN):
            text = text.replace(name, name[0])
        return f"{text}\n"


def _renamed(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![\w.]){old}(?!\w)", new, text)


def source(seed: int) -> str:
    """Return the text of two functions and a kernel that calls them."""
    writer = ObjectWriter(random.Random(seed))
    drawn = writer.drawn
    inner = writer.function("inner", drawn.randint(3, 5), [])
    outer = writer.function("outer", drawn.randint(3, 5), [("inner", inner)])
    writer.kernel([("inner", inner), ("outer", outer)], outer)
    return writer.text()
