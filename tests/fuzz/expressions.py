"""Random expressions: numbers, vectors of n numbers and matrices of n x n.

They are rows of three tables, by kind. A hole in a row is a name in braces, whose first letter says what goes in:

    N V M   an expression of a number, a vector, a matrix, one level simpler
    v m     a variable that is a vector, a matrix
    B b     a number within -1 and 1: of an expression, of a leaf
    i t     an index, a condition

The same name is the same text. Whatever is computed stays within some units, so that finite
differences mean something: products are of bounded factors, and what grows passes through sin or tanh.
Branches ask integers, or numbers at a place that a small step does not cross.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

Table = Mapping[str, Sequence[str]]

NUMBERS: Table = {
    "sum": ["({N1} + {N2})", "({N1} - {N2})"],
    "product": ["({B1} * {B2})"],
    "quotient": ["({N1} / (1.5 + {N2} * {N2}))", "({N1} / 3.0)"],
    "elementary": [
        "np.sin({N1})",
        "np.exp(-np.abs({N1}) - 0.1)",
        "np.sqrt(1.0 + {N1} * {N1})",
        "np.log(2.0 + np.cos({N1}))",
        "np.arctan2({N1}, 2.0 + np.cos({N2}))",
        "math.erf({N1})",
        "np.log1p({N1} * {N1})",
        "np.hypot({N1}, 0.5 + np.cos({N2}) ** 2)",
    ],
    "power": ["(1.5 + np.cos({N1})) ** 1.5", "np.cos({N1}) ** 3", "np.cos({N1}) ** 2"],
    "reduction": [
        "np.sum({v1})",
        "np.mean({m1})",
        "np.cos({v1}).prod()",
        "np.var({v1})",
        "np.linalg.norm({v1} + 2.5)",
        "np.trace({m1}) * 0.5",
        "sum([v * v for v in {v1}])",
    ],
    "order": [
        "np.max({v1})",
        "{m1}.min()",
        "np.median({v1})",
        "{v1}[np.argmax({v2})]",
    ],
    "dot": ["np.dot({v1}, {v2}) * 0.5", "({v1} @ {v2}) * 0.5"],
    "call": ["helper({N1}, {N2})", "polynomial({N1}, 3)"],
    "tuple": ["pair({N1}, {v1})[1]", "Point({N1}, {N2}).u"],
    "recursion": ["repeated({N1}, 3)", "folded({v1}, 0)", "halved({v1})", "branched({v1}, 0)"],
    "set": ["chosen({v1}, {0, n - 1})", "kept_if({N1}, {n, 2, 5})"],
    "generator": ["sum_of_partials({v1})"],
    "handed on": [
        "weighted([{N1}, {N2}, 0.5])",
        "grown([{N1}], {v1})",
        "changed({0: {N1}, 1: {N2}}, {b})",
    ],
    "choice": ["({N1} if {t} else {N2})", "max({N1}, {N2})", "min({N1}, 0.4321)"],
    "complex": [
        "(np.exp(1j * {N1}) * (0.5 + {N2} * 1j)).real",
        "abs({N1} + 2.5 + {N2} * 1j)",
        "np.sum(np.abs({v1} * 1j + 2.0)) * 0.25",
    ],
    "float32": ["float(np.float32({N1}))", "np.sum({v1}.astype(np.float32))"],
    "linear algebra": ["np.linalg.det(np.eye(n) * 2.0 + np.sin({m1}) * 0.2) * 0.1"],
    "mask": ["np.sum({v1}[{v2} > 0.0123])"],
    "captured": [
        "GRID[{i}, {i2}]",
        "STEPS[({i}) % 6]",
        "{v1}[WHOLE[{i}] % n]",
        "(TABLE[{i}] * {N1})",
    ],
}

VECTORS: Table = {
    "array expression": [
        "(({V1} + {V2}) * 0.5)",
        "(np.sin({V1}) * {V2})",
        "({V1} * {b})",
        "(c + {V1})",
        "np.arctan({V1} - c * {b})",
    ],
    "product": ["np.tanh({m1} @ {V1})", "np.tanh(np.dot({V1}, {m1}))"],
    "row": ["({m1}[{i}] * 1.0)", "np.diag({m1})"],
    "column": ["{m1}[:, {i}].copy()"],
    "concatenate": [
        "np.concatenate(({V1}[1:], {V2}[:1]))",
        "np.append({V1}[:-1], {b})",
        "np.hstack(({V1}[:1], {V2}[1:]))",
        "np.repeat({V1}[:1], n)",
    ],
    "where": [
        "np.where({V1} > 0.0321, {V1}, {V2})",
        "np.maximum({V1}, {V2})",
        "np.minimum({V1}, 0.4321)",
        "np.clip({V1}, -0.6543, 0.7654)",
    ],
    "scan": ["(np.cumsum({V1}) * 0.25)", "np.cumprod(np.cos({V1}))"],
    "reversed": ["{V1}[::-1].copy()", "np.flip({V1})"],
    "full": ["np.full(n, {b})", "(np.ones(n) * {b})"],
    "roll": ["np.roll({V1}, 1)"],
    "axis": ["(np.sum({m1}, axis=0) * 0.25)", "(np.sum({m1}, axis=1) * 0.25)"],
    "call": ["scaled({V1}, {b})", "filled(np.zeros(n), {V1})"],
    "recursion": ["woven(np.zeros(n), {V1}, 0)"],
    "comprehension": ["np.array([{v1}[k] for k in range(n)])"],
    "order": ["np.sort({V1})", "{V1}[np.argsort({V2})]"],
    "list": ["joined({V1}, {b})"],
    "complex": ["(np.exp(1j * {V1}) * (1.0 + 0.5j)).imag", "np.abs({V1} + 1.5 + {V2} * 1j)"],
    "float32": ["{V1}.astype(np.float32).astype(np.float64)", "({V1} * np.float32(0.5))"],
    "linear algebra": ["np.linalg.solve(np.eye(n) * 3.0 + np.tanh({m1}) * 0.3, {V1})"],
    "captured": [
        "TABLE[:n].copy()",
        "(TABLE[1:n + 1] + {V1})",
        "({V1} * GRID[{i}, :n])",
        "np.array([TABLE[k] if k > 1 else {b} for k in range(n)])",
        "np.where(TABLE[:n] > {b}, TABLE[:n], {V1})",
    ],
}

MATRICES: Table = {
    "array expression": ["(({M1} + {M2}) * 0.5)", "np.sin({M1})"],
    "product": ["np.tanh({M1} @ {M2})", "np.tanh(np.dot({M1}.T, {M2}))"],
    "transposed": ["{M1}.T.copy()", "np.transpose({M1}).copy()"],
    "outer": ["np.outer({v1}, np.sin({v2}))"],
    "broadcast": ["({M1} * {v1})", "({M1} - {b})"],
    "reshape": ["np.sin({M1}.copy().reshape(n * n)).reshape((n, n))"],
    "concatenate": [
        "np.vstack(({M1}[1:], {M2}[:1]))",
        "np.concatenate(({M1}[:, 1:], {M2}[:, :1]), axis=1)",
        "np.column_stack(({M1}[:, 0], {M2}[:, 1:]))",
    ],
    "full": ["(np.zeros((n, n)) + {M1})", "(np.eye(n) * {b})"],
    "linear algebra": ["np.linalg.inv(np.eye(n) * 3.0 + np.tanh({M1}) * 0.3)", "np.triu({M1})"],
    "where": ["np.where({M1} > 0.0135, {M1}, 0.25)"],
    "captured": ["(GRID[:n, :n] + {M1})", "({M1} * TABLE[:n])"],
}

# Shares of the kernels that may have what costs many seconds, or digits.
SHARES = {"float32": 0.08, "linear algebra": 0.15, "complex": 0.5, "order": 0.5, "try": 0.2}

_HOLE = re.compile(r"\{((\w)\w*)\}")


class Expressions:
    """Draws expressions of the variables that exist; notes what they are made of."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = ["s"]
        self.vectors = ["x"]
        self.matrices = ["a"]
        self.counters: list[str] = []  # of the loops around, each below n
        self.features: set[str] = set()
        self.without = {kind for kind, share in SHARES.items() if not self.chance(share)}

    def number(self, depth: int) -> str:
        """Return an expression of a number."""
        return self.filled(NUMBERS, depth) if depth > 0 else self.leaf()

    def vector(self, depth: int) -> str:
        """Return an expression of a vector of n numbers."""
        return self.filled(VECTORS, depth) if depth > 0 else self.pick(self.vectors)

    def matrix(self, depth: int) -> str:
        """Return an expression of a matrix of n x n."""
        return self.filled(MATRICES, depth) if depth > 0 else self.pick(self.matrices)

    def filled(self, table: Table, depth: int) -> str:
        """Return a row of a table with its holes filled."""
        feature = self.pick([kind for kind in table if kind not in self.without])
        self.features.add(feature)
        return self.with_holes_filled(self.pick(table[feature]), depth)

    def with_holes_filled(self, row: str, depth: int) -> str:
        """Return a text with its holes filled, each name once."""
        makers: dict[str, Callable[[], str]] = {
            "N": lambda: self.number(depth - 1),
            "V": lambda: self.vector(depth - 1),
            "M": lambda: self.matrix(depth - 1),
            "B": lambda: self.bounded(self.number(depth - 1)),
            "v": lambda: self.vector(0),
            "m": lambda: self.matrix(0),
            "b": lambda: self.bounded(self.leaf()),
            "i": self.index,
            "t": self.test,
        }
        made: dict[str, str] = {}

        def text(hole: re.Match[str]) -> str:
            name, letter = hole.groups()
            if name not in made:
                made[name] = makers[letter]()
            return made[name]

        return _HOLE.sub(text, row)

    def leaf(self) -> str:
        """Return a variable, an element or a number."""
        vector, matrix = self.pick(self.vectors), self.pick(self.matrices)
        leaves = [
            *self.numbers,
            *self.numbers,
            "0.75",
            f"c[{self.index()}]",
            f"TABLE[{self.index()}]",
        ]
        leaves += [f"{vector}[{self.index()}]", f"{matrix}[{self.index()}, {self.index()}]"]
        return self.pick(leaves)

    def bounded(self, number: str) -> str:
        """Return an expression that is no larger than one."""
        return self.pick([f"np.tanh({number})", f"np.cos({number})"])

    def index(self) -> str:
        """Return the index of an element."""
        beside = [f"{one} - 1" for one in self.counters]
        beside += [f"({one} + 1) % n" for one in self.counters]
        return self.pick([*self.counters, *self.counters, *beside, "0", "1", "n - 1", "-1"])

    def test(self) -> str:
        """Return a condition."""
        tests = ["n % 2 == 0", "n > 3", f"{self.pick(self.numbers)} > 0.123456"]
        if self.counters:
            counter = self.pick(self.counters)
            tests += [f"{counter} > 1", f"x[{counter}] > 0.0123", f"{counter} % 2 == 0"]
        return self.pick(tests)

    # -- choices

    def pick(self, choices: Sequence[str]) -> str:
        """Return one of some."""
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        """Tell whether something with this share happens."""
        return self.random.random() < share
