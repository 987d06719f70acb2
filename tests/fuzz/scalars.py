"""Random kernels of numbers in loops: what is carried from turn to turn, chosen, divided, counted, and left early.

The other grammar (grammar.py) is about arrays, and goes through NumPy's functions. Here are plain loops up to three
deep, of numbers and elements, with all ways out of them; it has found what that one did not: a running
maximum, ways that leave two loops at once, numbers of a switch.
"""

from __future__ import annotations

import random

Lines = list[str]
INDICES = ("i", "j", "h")
SIZES = (6, 8, 10, 12, 14, 18)  # statements, with those in loops and branches
RANGES = (
    "range(n)",
    "range(n)",
    "range(1, n)",
    "range(n - 1, -1, -1)",
    "range(0, n, 2)",
    "range({outer}, n)",
    "range({outer})",
)
MOST = 5  # turns of a while loop


class Scalars:
    """Draws one kernel."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"scalars {seed}")
        self.features: set[str] = {"loops of numbers"}
        self._count = self._left = 0

    def source(self, size: int | None) -> str:
        """Return the text of a kernel of some statements."""
        lines = ["v = x.copy()", "t = 0.1", "q = s", "u = 1.0 + 0.1 * s", "k = 0"]
        self._left = size or self.random.choice(SIZES)
        while self._left > 0:
            lines += self._statement(())
        lines.append(
            f"return t + 0.5 * q * u + {self._pick(('np.sum(v)', 'v[k % n]', 'v[0] * v[-1]'))}"
        )
        return "def kernel(x, a, s, c, n):\n" + "".join(f"    {line}\n" for line in lines)

    def _pick(self, choices: tuple[str, ...]) -> str:
        return self.random.choice(choices)

    def _number(self, loops: tuple[str, ...]) -> str:
        """Return an expression of a number below about two."""
        i, j = self._index(loops), self._index(loops)
        return self._pick(
            (
                f"x[{i}]",
                f"x[{i}] * x[{j}]",
                f"v[{i}]",
                f"np.sin(x[{i}] * t)",
                f"np.tanh(v[{i}] + q)",
                f"a[{i}, {j}] * u",
                f"np.cos(q) * v[{j}]",
                "np.tanh(t)",
                "s * 0.5",
                f"c[{i}] * np.sin(u)",
                f"np.tanh(q) * {self._index(loops)} * 0.25",
                f"max(x[{i}], v[{j}])",
                f"abs(x[{i}] - 0.3713)",
                f"TABLE[{i}]",
                f"x[{i}] * STEPS[({j}) % 6]",
            )
        )

    def _index(self, loops: tuple[str, ...]) -> str:
        return (
            self._pick(
                (*loops, *loops, f"{loops[-1]} - 1", f"({loops[-1]} + 1) % n", "k % n", "0", "-1")
            )
            if loops
            else self._pick(("0", "-1", "1", "k % n"))
        )

    def _condition(self, loops: tuple[str, ...]) -> str:
        bound = f"{self.random.uniform(-0.6, 0.9):.4f}"
        numbers = "".join(self.random.sample("0123456", 3))
        index = self.random.choice((*loops, "k", "n"))
        return self._pick(
            (
                f"{self._number(loops)} > {bound}",
                f"{self._number(loops)} > {bound}",
                f"t > {bound}",
                f"abs(q) > {bound}",
                f"np.sum(v) > {bound}",
                f"v[{self._index(loops)}] > {bound} or np.sum(v * v) > 1.3",
                f"x[{self._index(loops)}] > {bound} and t < 1.1",
                f"{index} % 2 == 0",
                f"{index} == {numbers[0]} or {index} == {numbers[1]} or {index} == {numbers[2]}",
                f"not ({index} == {numbers[0]} or {index} == {numbers[1]})",
                f"{index} > 0 and 7 // {index} > 2",
            )
        )

    def _statement(self, loops: tuple[str, ...]) -> Lines:
        """Return the lines of one statement, and of what is in it."""
        deep = len(loops)
        self._left -= 1
        if self._left <= 0:
            return self._assignment(loops)
        kinds = [(6, self._assignment), (4, self._carried), (2, self._counted), (3, self._branch)]
        if deep < len(INDICES):
            kinds.append((12 if deep == 0 else 3, self._loop))
        if deep:
            kinds.append((3, self._leaving))
        draw = self.random.choices([one for _, one in kinds], [weight for weight, _ in kinds])[0]
        return draw(loops)

    def _assignment(self, loops: tuple[str, ...]) -> Lines:
        e, i = self._number(loops), self._index(loops)
        j = self._index(loops)
        return [
            self._pick(
                (
                    f"v[{i}] = v[{i}] * v[{j}] * 0.75",
                    f"v[{i}] += v[{j}] * v[{j}] * 0.25",
                    f"v[{i}] = x[{j}] * v[{j}]",
                    f"t += {e} * 0.25",
                    f"t = t * 0.75 + {e} * 0.5",
                    f"q = {e}",
                    f"v[{i}] = np.sin({e}) + 0.3 * v[{i}]",
                    f"v[{i}] = TABLE[{i}]",
                    f"v[{i}] *= 0.5 + 0.25 * np.tanh({e})",
                    f"v = np.sin(v) + {e} * 0.5",
                    f"w = np.cos(v) * {e}",
                    f"u, q = q, np.tanh(u) + {e}",
                )
            )
        ]

    def _carried(self, loops: tuple[str, ...]) -> Lines:
        self.features.add("carried numbers")
        e, f = self._number(loops), self._number(loops)
        first = self._pick(
            (
                f"q = max(q, {e})",
                f"q = min(q, {e})",
                f"q = {e} if {f} > q else q",
                f"u = u / (1.25 + {e} * {f})",
                f"u = u / 1.5 + {e}",
                f"u = u / (1.1 + 0.25 * x[{self._index(loops)}])",
                f"u = 0.5 / (1.5 + u * u) + {e} * 0.25",
                f"u = u * (0.75 + 0.25 * np.sin({e}))",
            )
        )
        return [first, *([f"t += {first[0]} * {f} * 0.5"] if self.random.random() < 0.6 else [])]

    def _counted(self, loops: tuple[str, ...]) -> Lines:
        index = self._pick(loops) if loops else "1"
        return [
            self._pick(
                (f"k = {index}", "k += 1", f"k += {index}", f"t += k * {self._number(loops)} * 0.1")
            )
        ]

    def _branch(self, loops: tuple[str, ...]) -> Lines:
        lines = [f"if {self._condition(loops)}:", *self._block(loops, 1)]
        if self.random.random() < 0.4:
            lines += [f"elif {self._condition(loops)}:", *self._block(loops, 1)]
        if self.random.random() < 0.5:
            lines += ["else:", *self._block(loops, 1)]
        return lines

    def _leaving(self, loops: tuple[str, ...]) -> Lines:
        kind = self._pick(("break", "continue", "return", "return"))
        self.features.add(f"{kind} in a loop")
        if kind == "return":
            kind = f"return {self._number(loops)} * {self._pick(('t', 'q', 'u', 'k', 'np.sum(v)'))}"
        return [f"if {self._condition(loops)}:", f"    {kind}"]

    def _loop(self, loops: tuple[str, ...]) -> Lines:
        self.features.add(f"{len(loops) + 1} loops deep")
        if self.random.random() < 0.15:
            return self._while(loops)
        own = INDICES[len(loops)]
        ways = RANGES if loops else RANGES[:5]
        head = f"for {own} in {self._pick(ways).format(outer=loops[-1] if loops else '')}:"
        return [head, *self._block((*loops, own), self.random.randint(2, 4))]

    def _while(self, loops: tuple[str, ...]) -> Lines:
        self._count += 1
        name = f"k{self._count}"
        self.features.add("while")
        return [
            f"{name} = 0",
            f"while {name} < {self.random.randint(2, MOST)} and ({self._condition(loops)}):",
            f"    {name} += 1",
            *self._block(loops, self.random.randint(1, 2)),
        ]

    def _block(self, loops: tuple[str, ...], size: int) -> Lines:
        return [f"    {line}" for _ in range(size) for line in self._statement(loops)]
