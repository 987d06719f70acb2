"""Kernels at random: slices, rows and broadcast arrays, long enough for all versions of a loop.

Written as a user would, in Python that also takes complex numbers: so their derivatives are known by complex steps.
"""

from __future__ import annotations

from random import Random

SLICES = ("1:-1", "2:", ":-2", "1:-1", "0:-2", "2:", "-2:0:-1", "-1:1:-1")  # of n - 2 numbers each
COLUMNS = ("1:-1", "2:", ":-2", "0:1", "1:2")  # the last two are broadcast


class OnSlices:
    """One kernel `f(x, n, steps)` of x with two indices; `text` is its source."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)
        lines = ["def f(x, n, steps):", f"    u = {self._pick('x.copy()', 'x * 0.7', 'np.sin(x)')}", "    w = x[:, 0] * 0.5"]
        lines += ["    t = 0.0 * x[0, 0]", "    for s in range(steps):"]
        for _ in range(self._draw.choice([1, 2, 3])):
            lines += [f"        {line}" for line in self._statement()]
        lines += ["    return t + np.sum(u * u) + np.sum(w)"]
        self.text = "\n".join(["import numpy as np", "", "", *lines, ""])

    def _pick(self, *those: str) -> str:
        return self._draw.choice(those)

    def _matrix(self) -> str:
        """A part of u that fits into all but its rim, or is broadcast to that."""
        rows = self._pick(*SLICES, "0:1") if self._draw.random() < 0.9 else "1:2"
        return f"u[{rows}, {self._pick(*COLUMNS)}]"

    def _vector(self) -> str:
        return f"w[{self._pick(*SLICES, '1:2')}]"

    def _statement(self) -> list[str]:
        kind = self._draw.randrange(7)
        if kind == 0:
            one, other, third = (self._matrix() for _ in range(3))
            sign = self._pick("=", "+=", "-=", "*=")
            return [f"u[1:-1, 1:-1] {sign} 0.2 * {one} * {other} + 0.3 * {third}"]
        if kind == 1:
            one, other, third = (self._vector() for _ in range(3))
            return [f"w[{self._pick(*SLICES)}] {self._pick('=', '+=')} 0.3 * {one} - 0.1 * {other} * {third}"]
        if kind == 2:
            return [f"t += np.sum({self._matrix()} * u[1:-1, 1:-1]) * 0.1 + np.sum(np.sqrt({self._vector()} ** 2 + 1.0))"]
        if kind == 3:
            return ["for i in range(1, n - 1):", *self._inner("i")]
        if kind == 4:
            return ["for i in range(n):", f"    for j in range({self._pick('i', 'i + 1', '0')}, n):", *self._pairs()]
        if kind == 5:
            skipped = self._pick("if i != j:", "if j != 3:", "if j != n - 1:")
            return ["for i in range(n):", "    for j in range(n):", f"        {skipped}", *(f"    {one}" for one in self._pairs())]
        return [f"u[:, {self._pick('0', '1')}] = {self._pick('w', 'w * 0.9 + 0.1', 'np.cos(w)')}"]

    def _inner(self, i: str) -> list[str]:
        near = [f"w[{i}{self._pick('', ' - 1', ' + 1')}]" for _ in range(3)]
        return [f"    w[{i}] {self._pick('=', '+=')} 0.3 * {near[0]} * {near[1]} + 0.1 * {near[2]}"]

    def _pairs(self) -> list[str]:
        """Two rows of numbers beside each other."""
        lines = ["        a = u[i, 0] - u[j, 0]", "        b = u[i, 1] - u[j, 1]"]
        if self._draw.random() < 0.6:
            lines.append("        b += u[i, 2] * u[j, 2]")
        far = self._pick("a * a + b * b + 0.5", "np.sqrt(a * a + b * b + 0.5)")
        lines.append(f"        r = {far}")
        lines.append(self._pick("        t += 0.01 / r", "        w[j] += 0.001 * a / r", "        u[j, 1] -= 0.001 * b / r", "        w[i] -= 0.01 * r"))
        if self._draw.random() < 0.4:
            lines.append("        u[i, 0] += 0.001 * a")
        return lines
