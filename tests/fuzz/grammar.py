"""Random well-typed kernels: trees of statements, drawn from a seed, and their source text.

A kernel is `kernel(x, a, s, c, n)`: a vector of n numbers, a matrix of n x n, a number, a vector that is
always Const, and n itself. It returns a number. Whatever is computed stays within some units, so that
finite differences mean something: products are of bounded factors, and what grows passes through sin or
tanh. Branches ask integers, or numbers at a place that a small step does not cross.

A statement is a list of lines with holes for its parts, so that a part can be left out when a failing
kernel is made smaller.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Statement:
    """A line, or a head with an indented body; `features` names what it is made of."""

    head: str
    body: list[Statement] = field(default_factory=list)
    features: tuple[str, ...] = ()
    is_needed: bool = False  # a definition of what others read, or the end of a loop

    def lines(self) -> list[str]:
        """Return the source, not indented."""
        if not self.body:
            return [self.head]
        return [self.head, *(f"    {line}" for part in self.body for line in part.lines())]


@dataclass
class Kernel:
    """A kernel's statements, and the seed that they came from."""

    seed: int
    statements: list[Statement]
    result: str

    @property
    def source(self) -> str:
        """Return the text of the function."""
        lines = [line for statement in self.statements for line in statement.lines()]
        body = "\n".join(f"    {line}" for line in [*lines, f"return {self.result}"])
        return f"def kernel(x, a, s, c, n):\n{body}\n"

    @property
    def features(self) -> set[str]:
        """Return the names of what the kernel is made of."""
        found: set[str] = set()
        pending = list(self.statements)
        while pending:
            statement = pending.pop()
            found |= set(statement.features)
            pending += statement.body
        return found


class Draw:
    """Draws one kernel; knows which variables exist and what they hold."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.numbers = ["s"]
        self.vectors = ["x"]
        self.matrices = ["a"]
        self.counters: list[str] = []  # of the loops around, each below n
        self.writable: list[str] = []  # vectors and matrices of the kernel's own
        self.used = 0
        self.features: list[str] = []

    # -- kernels

    def kernel(self, size: int) -> Kernel:
        """Return a kernel of about `size` statements."""
        start = [
            Statement("y = x.copy()", is_needed=True),
            Statement("b = a * 0.5", is_needed=True),
            Statement("total = 0.5 * s", is_needed=True),
        ]
        self.vectors.append("y")
        self.matrices.append("b")
        self.numbers.append("total")
        self.writable += ["y", "b"]
        statements = start + [self.statement(depth=0) for _ in range(size)]
        pieces = [f"np.sum(np.sin({self.pick(self.vectors)}))", f"np.tanh({self.number(1)})"]
        if self.chance(0.5):
            pieces.append(f"np.sum({self.pick(self.matrices)} * 0.25)")
        return Kernel(self.seed, statements, " + ".join(pieces))

    def statement(self, depth: int) -> Statement:
        """Return one statement, with its body if it has one."""
        kinds: list[tuple[float, Callable[[int], Statement]]] = [
            (3, self.new_number),
            (2, self.more_number),
            (3, self.new_vector),
            (2, self.new_matrix),
            (3, self.write_elements),
            (2, self.write_slice),
            (1, self.swap),
        ]
        if depth < 2:
            kinds += [(3, self.count_loop), (2, self.branch), (1, self.while_loop)]
        weights = [weight for weight, _ in kinds]
        make = self.random.choices([kind for _, kind in kinds], weights)[0]
        kept = (self.features, list(self.numbers), list(self.vectors), list(self.matrices))
        self.features = []
        made = make(depth)
        made.features = (*made.features, *self.features)
        self.features = kept[0]
        if depth:  # what a body defines may not exist behind it
            self.numbers, self.vectors, self.matrices = kept[1:]
        return made

    # -- statements

    def new_number(self, _depth: int) -> Statement:
        value = self.number(2)
        return Statement(f"{self.fresh(self.numbers, 'v')} = {value}", is_needed=True)

    def more_number(self, _depth: int) -> Statement:
        self.note("accumulate")
        return Statement(f"total += 0.5 * {self.bounded(self.number(1))}")

    def new_vector(self, _depth: int) -> Statement:
        value = self.vector(2)
        name = self.fresh(self.vectors, "w")
        self.writable.append(name)
        return Statement(f"{name} = {value}", is_needed=True)

    def new_matrix(self, _depth: int) -> Statement:
        value = self.matrix(1)
        name = self.fresh(self.matrices, "m")
        self.writable.append(name)
        return Statement(f"{name} = {value}", is_needed=True)

    def write_elements(self, _depth: int) -> Statement:
        self.note("element write")
        if self.chance(0.4):
            target = self.pick([one for one in self.matrices if one in self.writable])
            place = f"{target}[{self.index()}, {self.index()}]"
        else:
            place = f"{self.pick([one for one in self.vectors if one in self.writable])}[{self.index()}]"
        sign = self.pick(["=", "+=", "*=", "-="])
        value = self.bounded(self.number(1))
        return Statement(f"{place} {sign} {value if sign != '*=' else f'(0.5 + 0.25 * {value})'}")

    def write_slice(self, _depth: int) -> Statement:
        self.note("slice write")
        target = self.pick([one for one in self.vectors if one in self.writable])
        other = self.pick(self.vectors)
        matrix = self.pick([one for one in self.matrices if one in self.writable])
        return Statement(
            self.pick(
                [
                    f"{target}[1:] = {other}[:-1] * 0.5",
                    f"{target}[::2] = np.sin({other}[::2])",
                    f"{target}[:] = {self.vector(1)}",
                    f"{matrix}[{self.index()}] = {other} * 0.5",
                    f"{matrix}[:, {self.index()}] = {self.vector(1)}",
                    f"{target}[::-1] = {other}",
                    f"{matrix}[1:, :-1] = {self.pick(self.matrices)}[:-1, 1:]",
                    f"{target}[:n // 2] *= 0.5",
                ]
            )
        )

    def swap(self, depth: int) -> Statement:
        """A carried array: the value of one turn goes into the next."""
        if not self.counters:
            return self.new_vector(depth)
        self.note("carried")
        return Statement(f"y = {self.vector(2)}")

    def count_loop(self, depth: int) -> Statement:
        self.note("for")
        counter = f"i{self.count()}"
        self.counters.append(counter)
        body = self.body(depth)
        self.counters.pop()
        head = self.pick(["range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(0, n, 2)"])
        if depth == 0 and self.chance(0.2):
            self.note("break")
            body.append(Statement(f"if {counter} == n - 2:", [Statement("break", is_needed=True)]))
        elif self.chance(0.15):
            self.note("continue")
            body.insert(
                0, Statement(f"if {counter} % 2 == 1:", [Statement("continue", is_needed=True)])
            )
        return Statement(f"for {counter} in {head}:", body)

    def while_loop(self, depth: int) -> Statement:
        self.note("while")
        counter = f"k{self.count()}"
        body = self.body(depth)
        body.append(Statement(f"{counter} += 1", is_needed=True))
        loop = Statement(f"while {counter} < 3:", body, is_needed=True)
        return Statement("if n > 1:", [Statement(f"{counter} = 0", is_needed=True), loop])

    def branch(self, depth: int) -> Statement:
        self.note("if")
        tests = ["n % 2 == 0", "n > 3", f"{self.pick(self.numbers)} > 0.123456"]
        if self.counters:
            tests += [f"{self.pick(self.counters)} > 1", f"x[{self.pick(self.counters)}] > 0.0123"]
        return Statement(f"if {self.pick(tests)}:", self.body(depth))

    def body(self, depth: int) -> list[Statement]:
        return [self.statement(depth + 1) for _ in range(self.random.randint(1, 3))]

    # -- expressions

    def number(self, depth: int) -> str:
        """Return an expression of a number."""
        leaves = [*self.numbers, f"{self.pick(self.vectors)}[{self.index()}]", "0.75"]
        leaves.append(f"{self.pick(self.matrices)}[{self.index()}, {self.index()}]")
        leaves.append(f"c[{self.index()}]")
        if depth == 0:
            return self.pick(leaves)
        one, other = self.number(depth - 1), self.number(depth - 1)
        vector, matrix = self.vector(0), self.pick(self.matrices)
        makers = [
            (f"({one} + {other})", "sum"),
            (f"({self.bounded(one)} * {self.bounded(other)})", "product"),
            (f"np.sin({one})", "sin"),
            (f"np.exp(-np.abs({one}) - 0.1)", "exp"),
            (f"np.sqrt(1.0 + {one} * {one})", "sqrt"),
            (f"({one} / (1.5 + {other} * {other}))", "quotient"),
            (f"np.log(2.0 + np.cos({one}))", "log"),
            (f"np.sum({vector})", "reduction"),
            (f"np.mean({matrix})", "reduction"),
            (f"np.dot({vector}, {self.vector(0)})", "dot"),
            (f"np.arctan2({one}, 2.0 + np.cos({other}))", "arctan2"),
            (f"helper({one}, {other})", "call"),
            (f"pair({one}, {vector})[1]", "tuple"),
            (f"repeated({one}, 3)", "recursion"),
            (f"(1.5 + np.cos({one})) ** 1.5", "power"),
            (f"{vector}.prod()", "reduction"),
        ]
        text, feature = self.pick(makers)
        self.note(feature)
        return text

    def vector(self, depth: int) -> str:
        """Return an expression of a vector of n numbers."""
        if depth == 0:
            return self.pick(self.vectors)
        one, other = self.vector(depth - 1), self.vector(depth - 1)
        matrix = self.pick(self.matrices)
        makers = [
            (f"({one} + {other})", "array expression"),
            (f"np.sin({one}) * {other}", "array expression"),
            (f"({one} * {self.bounded(self.number(0))})", "array expression"),
            (f"np.tanh({matrix} @ {one})", "product"),
            (f"np.tanh({one} @ {matrix})", "product"),
            (f"{matrix}[{self.index()}] * 1.0", "row"),
            (f"{matrix}[:, {self.index()}].copy()", "column"),
            (f"np.concatenate(({one}[1:], {other}[:1]))", "concatenate"),
            (f"np.where({one} > 0.0321, {one}, {other})", "where"),
            (f"np.cumsum({one}) * 0.25", "scan"),
            (f"{one}[::-1].copy()", "reversed"),
            (f"np.full(n, {self.bounded(self.number(0))})", "full"),
            (f"(c + {one})", "constant"),
            (f"np.roll({one}, 1)", "roll"),
            (f"np.sum({matrix}, axis={self.random.randint(0, 1)}) * 0.25", "axis"),
            (f"scaled({one}, {self.bounded(self.number(0))})", "call"),
            (f"np.array([{self.pick(self.vectors)}[k] for k in range(n)])", "comprehension"),
        ]
        text, feature = self.pick(makers)
        self.note(feature)
        return text

    def matrix(self, depth: int) -> str:
        """Return an expression of a matrix of n x n."""
        if depth == 0:
            return self.pick(self.matrices)
        one, other = self.matrix(depth - 1), self.matrix(depth - 1)
        makers = [
            (f"({one} + {other})", "array expression"),
            (f"np.sin({one})", "array expression"),
            (f"np.tanh({one} @ {other})", "product"),
            (f"{one}.T.copy()", "transposed"),
            (f"np.outer({self.vector(0)}, np.sin({self.vector(0)}))", "outer"),
            (f"({one} * {self.vector(0)})", "broadcast"),
            (f"np.sin({one}.reshape(n * n)).reshape((n, n))", "reshape"),
            (f"np.vstack(({one}[1:], {other}[:1]))", "concatenate"),
            (f"np.zeros((n, n)) + {one}", "zeros"),
        ]
        text, feature = self.pick(makers)
        self.note(feature)
        return text

    def bounded(self, number: str) -> str:
        """Return an expression that is no larger than one."""
        return self.pick([f"np.tanh({number})", f"np.cos({number})"])

    def index(self) -> str:
        """Return the index of an element."""
        return self.pick([*self.counters, *self.counters, "0", "1", "n - 1", "-1"])

    # -- choices

    def pick(self, choices):  # type: ignore[no-untyped-def]
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def count(self) -> int:
        self.used += 1
        return self.used

    def fresh(self, names: list[str], letter: str) -> str:
        name = f"{letter}{self.count()}"
        names.append(name)
        return name

    def note(self, feature: str) -> None:
        self.features.append(feature)


def kernel(seed: int, size: int = 6) -> Kernel:
    """Return the kernel of a seed."""
    return Draw(seed).kernel(size)


# What kernels may call. Numba compiles it as it is.
HELPERS = """
import numba
import numpy as np


@numba.njit
def helper(u, v):
    if u > 0.0456:
        return u * np.cos(v)
    return np.sin(u) + 0.5 * v


@numba.njit
def pair(u, w):
    return u * 2.0, np.sum(w) * 0.25 + u


@numba.njit
def repeated(u, depth):
    if depth == 0:
        return u
    return np.sin(repeated(u * 0.9, depth - 1))


@numba.njit
def scaled(w, u):
    out = np.empty(w.size)
    for i in range(w.size):
        out[i] = w[i] * u + 0.1
    return out
"""
