"""Kernels at random: rows of two or three numbers, in plain nests of loops that write to what they read.

Pairs of rows that pull at each other, rows that are updated with another row's numbers, sums in a local variable. Written
as a user would, in Python that also takes complex numbers: so their derivatives are known by complex steps. Numbers stay
of the size of one.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

# One row behind another: wrapped around, from the end, one further on, always the same.
_OTHERS = ("i - 1", "(i + 1) % n", "n - 1 - i", "(i + 2) % n", "0", "n - 1", "i // 2", "i")
_COLUMNS = ("k", "k", "k", "{K} - 1 - k", "(k + 1) % {K}", "0")
_RANGES = ("range(n)", "range(n)", "range(n - 1, -1, -1)", "range(1, n)", "range(0, n, 2)", "range(n - 1)", "range(n - 2, 0, -1)")
_INNER = ("range(n)", "range(i)", "range(i + 1, n)", "range(i, n)", "range(n - 1, i, -1)", "range(n - 1, -1, -1)", "range(0, n, 3)", "range(1, n, 2)")
_CONDITIONS = ("if i != j:", "if i != j:", "if j > i:", "if (i + j) % 2 == 0:", "if i == j:\n    continue", "")


def _deeper(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class OnRows:
    """One kernel `f(x, n, steps)` of x with two indices, of four columns or three; `text` is its source."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)
        self._width = self._draw.choice([2, 3, 3])
        lines = [f"u = {self._pick('x.copy()', 'x * 0.7', 'np.sin(x)')}"]
        lines += [f"z = {self._pick('np.zeros_like(x)', 'x * 0.4', 'np.cos(x)', '0.5 * x[::-1]')}"]
        lines += [f"v = {self._pick('np.zeros_like(x)', 'x * 0.3', 'np.zeros((n, x.shape[1]), x.dtype)')}"]
        lines += ["w = x[:, 0] * 0.5", "t = 0.0 * x[0, 0]", "c = 0.01 * steps"]
        body = [line for _ in range(self._draw.choice([1, 1, 2, 3])) for line in self._statement()]
        if self._chance(0.2):
            body = ["v = np.zeros_like(x)", *body]
        lines += ["for s in range(steps):", *_deeper(body)]
        lines += ["return t + np.sum(u * u) + np.sum(z * np.sin(u) + v * np.cos(z)) + np.sum(w * z[:, 1])"]
        self.text = "\n".join(["import numpy as np", "", "", "def f(x, n, steps):", *_deeper(lines), ""])

    def _pick(self, *those: str) -> str:
        return self._draw.choice(those)

    def _chance(self, share: float) -> bool:
        return self._draw.random() < share

    def _array(self) -> str:
        return self._pick("u", "u", "z", "z", "v")

    def _factor(self) -> str:
        return self._pick("0.02", "-0.03", "c", "c", "c", "0.05 * w[i]", "0.04 * t")

    def _statement(self) -> list[str]:
        kinds = [self._forces] * 3 + [self._pairs] * 2 + [self._updates] * 2
        return self._draw.choice([*kinds, self._products, self._sums, self._swaps])()

    def _forces(self) -> list[str]:
        """A new array in each step, that is filled from rows, and then moves them."""
        way = self._draw.randrange(3)
        if way == 0:
            filled = self._pairs("f", self._pick("u", "v"))
        elif way == 1:
            filled = self._products("f", self._pick("u", "v"))
        else:
            change = self._pick("np.sin(u[i, k])", "u[i, k] * z[i, k]", "w[i] * u[i, k]", "u[i - 1, k] - u[i, k]")
            filled = [f"for i in {self._pick(*_RANGES)}:", f"    for k in range({self._width}):", f"        f[i, k] += 0.3 * {change}"]
        return ["f = np.zeros_like(x)", *filled, *self._updates("f")]

    def _nest(self, body: list[str]) -> list[str]:
        """Both loops, and what is left out of them."""
        condition = self._pick(*_CONDITIONS).split("\n")
        if condition == [""]:
            inner = body
        elif len(condition) > 1:
            inner = [*condition, *body]
        else:
            inner = [*condition, *_deeper(body)]
        return [f"for i in {self._pick(*_RANGES)}:", *_deeper([f"for j in {self._pick(*_INNER)}:", *_deeper(inner)])]

    def _each(self, line: str) -> list[str]:
        """A line for all columns: written out, or in a loop of a known number of iterations."""
        if self._chance(0.5):
            return [line.replace("@", str(column)) for column in range(self._width)]
        return [f"for k in range({self._width}):", *_deeper([line.replace("@", "k")])]

    def _pairs(self, written: str = "", read: str = "") -> list[str]:
        """Forces between rows: from each to the other, or to one of them."""
        read, written = read or self._array(), written or self._array()
        names = "abc"[: self._width]
        if self._chance(0.7):
            body = [f"{name} = {read}[i, {k}] - {read}[j, {k}]" for k, name in enumerate(names)]
            square = " + ".join(f"{name} * {name}" for name in names)
            body.append(f"r = {self._pick('0.05', '0.02')} / ({square} + 0.5){self._pick('', '', ' ** 1.5')}")
            forces = [f"{name} * r" for name in names]
        else:
            body = ["r = 0.5", f"for k in range({self._width}):", f"    r += ({read}[i, k] - {read}[j, k]) ** 2"]
            forces = [f"0.02 * ({read}[i, {k}] - {read}[j, {k}]) / r" for k in range(self._width)]
        ways = self._draw.choice([(("i", "+"), ("j", "-")), (("i", "+"), ("j", "-")), (("i", "+"),), (("j", "-"),)])
        order = [(row, sign, k) for row, sign in ways for k in range(self._width)]
        if self._chance(0.5):
            order.sort(key=lambda one: one[2])
        for row, sign, k in order:
            if self._chance(0.85):
                body.append(f"{written}[{row}, {k}] {sign}= {forces[k]}")
        if self._chance(0.4):
            body.append(self._pick("t += 0.1 * r", "w[i] += 0.01 * r", "w[j] -= 0.01 * r * w[i]", "t += 0.01 * r * z[j, 1]"))
        return self._nest(body)

    def _updates(self, begun: str = "") -> list[str]:
        """Rows with the numbers of other rows, of this array or another one; a line reads what the one before it has written."""
        lines = [f"for k in range({self._width}):"]
        is_chain = self._chance(0.8 if begun else 0.5)
        names = [begun or self._array(), *(self._array() for _ in range(self._draw.choice([1, 2, 2, 3])))]
        for other, first in pairwise(names):
            row, column = "i", "k"
            if not is_chain:
                row, column = self._pick(*_OTHERS), self._pick(*_COLUMNS).format(K=self._width)
            lines.append(f"    {self._update(first, other, row, column)}")
        if self._chance(0.3):
            lines.append(f"    {self._pick('t', 'w[i]')} += 0.1 * {names[-1]}[{self._pick('i', *_OTHERS)}, k]")
        return [f"for i in {self._pick(*_RANGES)}:", *_deeper(lines)]

    def _update(self, first: str, other: str, row: str, column: str) -> str:
        sign = self._pick("+=", "+=", "-=", "=")
        change = f"{self._factor()} * {other}[{row}, {column}]"
        if self._chance(0.3):
            change += f" * {self._array()}[i, {self._pick('k', '0', '1')}]"
        return f"{first}[i, k] {sign} {f'0.9 * {first}[i, k] + ' if sign == '=' else ''}{change}"

    def _products(self, written: str = "", read: str = "") -> list[str]:
        """Three loops, or two and all columns written out; in place if the draw says so."""
        written, read = written or self._array(), read or self._array()
        row = self._pick("i", "i", "j")
        factor = self._pick("0.01", "0.02 * w[j]", "0.02 * w[i] * w[j]", "-0.01 * u[j, 0]")
        line = f"{written}[{row}, @] {self._pick('+=', '-=')} {factor} * {read}[{self._pick('j', 'i')}, @]"
        return self._nest(self._each(line))

    def _sums(self) -> list[str]:
        """A sum in a local variable, that goes into the array that it is made of."""
        one, other = self._draw.randrange(self._width), self._draw.randrange(self._width)
        read, written = self._array(), self._array()
        inner = [f"for j in {self._pick(*_INNER)}:"]
        inner.append(f"    q {self._pick('+=', '-=')} 0.1 * {read}[j, {one}] * {self._pick('w[j]', f'{written}[i, {other}]', f'u[j, {other}]', 'w[i]')}")
        if self._chance(0.3):
            inner.append(f"    {written}[j, {other}] *= 0.99")
        lines = ["q = 0.0 * t", *inner, f"{written}[i, {other}] {self._pick('+=', '=')} 0.1 * q"]
        if self._chance(0.5):
            lines.append(f"w[i] {self._pick('=', '+=')} 0.2 * q + 0.5 * w[{self._pick(*_OTHERS)}]")
        return [f"for i in {self._pick(*_RANGES)}:", *_deeper(lines)]

    def _swaps(self) -> list[str]:
        """Numbers that are taken, set to something else, and put back elsewhere."""
        row = self._pick(*_OTHERS)
        first, other = self._array(), self._array()
        way = self._draw.randrange(3)
        if way == 0:
            lines = [f"q = {first}[i, @]", f"{first}[i, @] = {other}[{row}, @]", f"{other}[{row}, @] = {self._pick('q', '0.9 * q')}"]
        elif way == 1:
            lines = [f"q = {first}[i, @]", f"{first}[i, @] = 0.0", f"z[{row}, @] += 0.3 * q", f"{first}[i, @] += 0.8 * q"]
        else:
            lines = [f"{first}[i, @] = 0.9 * {first}[i, @]", f"{first}[i, @] = {first}[i, @] + 0.2 * {other}[{row}, @] * {first}[i, @]"]
        body = [f"for k in range({self._width}):", *_deeper([line.replace("@", "k") for line in lines])]
        if self._chance(0.5):
            body = [line.replace("@", str(column)) for column in range(self._width) for line in lines]
        return [f"for i in {self._pick(*_RANGES)}:", *_deeper(body)]
