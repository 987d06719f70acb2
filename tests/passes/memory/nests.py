"""Kernels at random: a nest of loops that reads one array at many places, within a loop that writes over it.

Written as a user would, in Python that also takes complex numbers: so their derivatives are known by complex steps.
"""

from __future__ import annotations

from random import Random

ARRAYS = ("x.copy()", "x * 0.7", "np.concatenate((x, x))", "np.sin(x)")
OTHERS = ("np.zeros_like(x)", "x * 0.5", "np.ones_like(x)")


class Nest:
    """One kernel `f(x, n, steps)`; `text` is its source."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)
        self._columns = self._draw.choice(["", "2", "3", "n"])
        self._lines = ["def f(x, n, steps):"]
        self._begin()
        inside = "        " if self._draw.random() < 0.85 else "    "
        if inside == "        ":
            self._lines.append("    for s in range(steps):")
        self._nest(inside)
        self._lines += [inside + line for line in self._overwriting()]
        self._lines.append("    return t + np.sum(v * v) + np.sum(u)")
        self.text = "\n".join(["import numpy as np", "", "", *self._lines, ""])

    def _begin(self) -> None:
        if self._columns:
            self._lines += [
                f"    u = np.zeros((x.size, {self._columns}), x.dtype)",
                "    for i in range(x.size):",
                f"        for c in range({self._columns}):",
                "            u[i, c] = x[i] * (0.3 + 0.1 * c)",
            ]
        else:
            self._lines.append(f"    u = {self._draw.choice(ARRAYS)}")
        self._lines += [f"    v = {self._draw.choice(OTHERS)}", "    t = 0.0 * x[0]"]

    def _nest(self, inside: str) -> None:
        names = ["i", "j", "k"][: self._draw.choice([2, 2, 3])]
        if self._draw.random() < 0.2:
            self._lines.append(f"{inside}if {'s % 2 == 0' if len(inside) > 4 else 'n > 1'}:")
            inside += "    "
        outer = ""
        for name in names:
            self._lines.append(f"{inside}for {name} in {self._range(outer)}:")
            inside, outer = inside + "    ", name
            if self._draw.random() < 0.15 and name != names[-1]:
                self._lines.append(f"{inside}v[{name}] = v[{name}] * 0.9 + {self._read('u', [name])} * 0.1")
        if self._draw.random() < 0.2:
            self._lines.append(f"{inside}if {names[-1]} == 1:")
            self._lines.append(f"{inside}    {self._draw.choice(['continue', 'break'])}")
        for _ in range(self._draw.choice([1, 1, 2])):
            self._lines.append(inside + self._statement(names))

    def _range(self, outer: str) -> str:
        high = self._draw.choice(["n", "n", "x.size", "n - 1"])
        if self._draw.random() < 0.15:
            return f"range({high} - 1, -1, -1)"
        low = self._draw.choice(["0", "0", outer or "1", f"{outer} + 1" if outer else "0"])
        return f"range({low}, {high}{self._draw.choice(['', '', '', ', 2'])})"

    def _read(self, array: str, names: list[str]) -> str:
        name = self._draw.choice(names)
        place = self._place(name)
        if array == "u" and self._columns:
            columns = ["0", "1", "-1"] + ([self._draw.choice(names)] if self._columns == "n" else [])
            return f"u[{place}, {self._draw.choice(columns)}]"
        return f"{array}[{place}]"

    def _place(self, name: str) -> str:
        moved = self._draw.choice(["", "", "", "", "", "-", "+"])
        if moved == "+":
            return f"min({name} + 1, n - 1)" if self._draw.random() < 0.5 else f"({name} + 1) % n"
        return f"{name} - 1" if moved else name

    def _statement(self, names: list[str]) -> str:
        one, other, third = (self._read("u", names) for _ in range(3))
        return self._draw.choice(
            [
                f"t += {one} * {other}",
                f"t += np.sin({one}) * {self._read('v', names)} * {other}",
                f"v[{names[0]}] += 0.1 * {one} * {other}",
                f"t += {one} / (1.5 + {third} ** 2)",
            ]
        )

    def _overwriting(self) -> list[str]:
        first, second = ("u[i, 0]", "u[i, 1]") if self._columns else ("u[i]", "u[i]")
        column = "u[:, 0]" if self._columns else "u"
        return self._draw.choice(
            [
                [f"{column}[:] = np.sin({column}) * 0.9"],
                ["for i in range(n):", f"    {first} = np.cos({second}) * 0.5 + 0.05 * v[i]"],
                [f"{first.replace('i', '1')} = 0.3 * {second.replace('i', '0')} ** 2 + 0.1"],
                [f"v[0] = {first.replace('i', '0')} * 0.5"],
            ]
        )


class NestInPlace(Nest):
    """The same, but the nest also writes to what it reads."""

    def _statement(self, names: list[str]) -> str:
        if self._draw.random() >= 0.6:
            return super()._statement(names)
        to = self._read("u", names)
        if self._draw.random() < 0.5:
            return f"{to} = 0.8 * {to} + 0.1 * {self._read('u', names)} * {self._read('u', names)}"
        return f"{to} = 0.5 * np.sin({self._read('u', names)}) + 0.2 * {self._read('v', names)}"
