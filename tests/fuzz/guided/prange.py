"""Random kernels of `prange` loops: reductions, writes by the loop's own index and by others, all that a body may hold.

Iterations never write what another one reads or writes: Numba runs the primal on threads. What the derivative shares out
or leaves serial is for it to decide; some loops here must stay serial, such as those that write by another index.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Lines = list[str]
Purpose = tuple[Lines, Callable[[], Lines], Lines, Lines]
SIZES = (1, 1, 2, 2, 3)  # loops on threads
RANGES = ("n", "n", "n", "x.size", "1, n", "n - 1", "n // 2", "3 * n", "n * n", "0", "1")
RAISING = 0.1  # of the loops
AROUND = 0.15  # of the loops stand in a loop that is serial


class Prange:
    """Draws one kernel."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"prange {seed}")
        self.features: set[str] = {"prange"}
        self._count = 0
        self._vectors, self._matrices = ["x", "y", "c"], ["a"]
        self._numbers = ["t", "s"]  # that exist outside of loops
        self._own: list[str] = []  # of the body
        self._below: set[str] = set()  # indices that are below n

    def source(self, size: int | None) -> str:
        """Return the text of a kernel of some loops."""
        lines = ["t = 0.5 * s", "y = x * 0.75"]
        for _ in range(size or self.random.choice(SIZES)):
            lines += self._between() if self.random.random() < 0.5 else []
            lines += self._loop()
        vectors = [one for one in self._vectors if one not in ("x", "c")]
        lines.append(f"return t + np.sum(np.sin({self._pick(*vectors)})) * 0.5 + np.tanh({self._pick(*self._numbers)})")
        return "def kernel(x, a, s, c, n):\n" + "".join(f"    {line}\n" for line in lines)

    # -- names and expressions

    def _pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _name(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def _is(self, share: float) -> bool:
        return self.random.random() < share

    def _index(self, indices: tuple[str, ...]) -> str:
        i = self._pick(*indices, *indices[:1])
        own = i if i in self._below else f"{i} % n"
        kind = self.random.choices(["own", "beside", "gather", "fixed", "mixed"], [10, 4, 3, 1, 2])[0]
        if kind != "own":
            self.features.add(f"{kind} index")
        return {
            "own": own,
            "beside": self._pick(f"{own} - 1", f"({i} + 1) % n", f"n - 1 - {own}"),
            "gather": self._pick(f"WHOLE[{i} % n] % n", f"({i} * 7) % n", f"{i} // 2 % n"),
            "fixed": self._pick("0", "-1", "n - 1"),
            "mixed": f"({i} + {self._pick(*indices)}) % n",
        }[kind]

    def _vector(self) -> str:
        return self._pick(*self._vectors, *self._vectors[-2:])

    def _number(self, indices: tuple[str, ...], deep: int = 1) -> str:
        """Return an expression of a number, which reads arrays by the indices of loops."""
        own = self._own[-3:] or ["s"]
        if deep == 0 or self._is(0.3):
            return self._pick(
                f"{self._vector()}[{self._index(indices)}]",
                f"{self._vector()}[{self._index(indices)}]",
                f"{self._pick(*self._matrices)}[{self._index(indices)}, {self._index(indices)}]",
                self._pick(*own),
                self._pick(*own),
                self._pick("s", "0.75", f"TABLE[{self._index(indices)}]", f"STEPS[({indices[0]}) % 6]"),
            )
        one, other = self._number(indices, deep - 1), self._number(indices, deep - 1)
        row = f"{self._pick(*self._matrices)}[{self._index(indices)}]"
        kind, text = self.random.choice(
            [
                ("", f"np.sin({one} * {other})"),
                ("", f"np.tanh({one}) * np.cos({other})"),
                ("", f"{one} / (1.5 + {other} * {other})"),
                ("", f"np.exp(-{one} * {one}) * {other}"),
                ("choice", f"({one} if {other} > 0.0321 else {other} * 0.5)"),
                ("choice", f"max({one}, np.tanh({other}))"),
                ("call", f"helper({one}, {other})"),
                ("call", f"polynomial({one}, 3)"),
                ("recursion", f"repeated({one}, 3)"),
                ("array to a function", f"folded({self._vector()}, {indices[0]} % n)"),
                ("tuple", f"pair({one}, {row})[1]"),
                ("tuple", f"in_turn(({one}, {other}, 0.5), {row})"),
                ("slice", f"np.sum({self._vector()}[{indices[0]} % n:]) * 0.25"),
                ("row", f"np.sum({row} * {self._vector()}) * 0.5"),
                ("row", f"np.max(np.sin({row} * {one}))"),
                ("complex", f"(complex({one}, {other}) * complex(0.5, s)).real"),
                ("float32", f"float(np.float32({one}))"),
                ("set", f"kept_if({one}, {{n, 2, 5}})"),
                ("generator", f"sum_of_partials({row})"),
                ("list", f"weighted([{one}, {other}, 0.5])"),
            ]
        )
        if kind:
            self.features.add(kind)
        return text

    # -- outside of loops on threads

    def _between(self) -> Lines:
        """Views and arrays of other layouts, tuples and numbers for the loops that come."""
        kind = self._pick("view", "column", "turned", "made", "number", "loop", "shared name")
        self.features.add(kind)
        vector, matrix = self._vector(), self._pick(*self._matrices)
        if kind in ("turned", "made") and self._is(0.5):
            name = self._name("m")
            self._matrices.append(name)
            return [f"{name} = {self._pick(f'{matrix}.T', f'np.sin({matrix})', f'{matrix}[::-1]', f'{matrix}[:, ::-1]')}"]
        if kind == "number":
            name = self._name("q")
            self._numbers.append(name)
            return [f"{name} = np.sum({vector} * {self._vector()}) * 0.25"]
        name = self._name("w")
        self._vectors.append(name)
        if kind == "loop":
            i = self._name("i")
            return [f"{name} = np.empty(n)", f"for {i} in range(n):", f"    {name}[{i}] = np.sin({vector}[{i}]) * s"]
        made = {
            "view": f"{vector}[::-1]",
            "column": f"{matrix}[:, {self._pick('0', '-1')}]",
            "turned": f"np.cos({vector})",
            "made": f"{vector} * {self._vector()}",
            "shared name": vector,
        }
        return [f"{name} = {made[kind]}"]

    # -- loops on threads

    def _loop(self) -> Lines:
        """A loop on threads, with what it needs before it and what becomes of it behind it."""
        i, name = self._name("i"), self._name("r")
        size = self._pick(*RANGES)
        if size not in ("3 * n", "n * n", "1"):
            self._below.add(i)
        before, make, behind, vectors = self._purpose(name, i)
        body = [line for _ in range(self.random.choice([0, 0, 1, 1, 2])) for line in self._in_body((i,))]
        body += make()
        # Numba itself loses rows of an array that is added up, or writes beyond it, with another such loop in the body, or around.
        adds_arrays = bool(before) and before[0].startswith(f"{name} = np.zeros") and any(f"{name} += " in line for line in body)
        if adds_arrays:
            body = [line.replace("prange(", "range(") for line in body]
        if self._is(RAISING):
            self.features.add("raise in a loop")
            body = [f"if c[{i} % n] > 5.0:", f"    raise ValueError('too large', {i})", *body]
        self._own = []
        self._vectors += vectors  # from here on: in the body, reads of other elements would race
        lines = [f"for {i} in prange({size}):", *indented(body)]
        if self._is(AROUND) and not adds_arrays:
            self.features.add("loop around")
            lines = [f"for {self._name('k')} in range({self._pick('2', '3')}):", *indented(lines)]
        return [*before, *lines, *behind]

    def _purpose(self, name: str, i: str) -> Purpose:
        """Return what stands before a loop, what makes the end of its body, what stands behind, and new vectors."""
        kinds = [self._sum] * 3 + [self._product, self._most, self._least, self._array, self._rows]
        if i in self._below:
            kinds += [self._write] * 3 + [self._in_place, self._matrix] * 2 + [self._other_index, self._two]
        make = self.random.choice(kinds)
        self.features.add(f"prange: {make.__name__.strip('_').replace('_', ' ')}")
        return make(name, i)

    def _value(self, indices: tuple[str, ...]) -> str:
        return self._number(indices, 2)

    def _sum(self, name: str, i: str) -> Purpose:
        sign = self._pick("+=", "-=")
        return [], lambda: [f"t {sign} {self._value((i,))} * 0.25"], [], []

    def _product(self, name: str, i: str) -> Purpose:
        def body() -> Lines:
            return [f"{name} *= 1.0 + 0.1 * np.tanh({self._value((i,))})"]

        return [f"{name} = 0.5"], body, [f"t += {name}"], []

    def _most(self, name: str, i: str) -> Purpose:
        def body() -> Lines:
            return [f"{name} = max({name}, {self._value((i,))})"]

        return [f"{name} = -3.0"], body, [f"t += np.tanh({name})"], []

    def _least(self, name: str, i: str) -> Purpose:
        def body() -> Lines:
            return [f"{name} = min({name}, {self._value((i,))})"]

        return [f"{name} = 3.0"], body, [f"t += np.sin({name})"], []

    def _array(self, name: str, i: str) -> Purpose:
        def body() -> Lines:
            return [f"{name} += np.array([{self._value((i,))}, {self._number((i,))}]) * 0.25"]

        return [f"{name} = np.zeros(2)"], body, [f"t += np.sin({name}[0]) * {name}[1]"], []

    def _rows(self, name: str, i: str) -> Purpose:
        def body() -> Lines:
            row = f"{self._pick(*self._matrices)}[{self._index((i,))}]"
            return [f"{name} += {row} * np.tanh({self._number((i,))}) * 0.25"]

        return [f"{name} = np.zeros(n)"], body, [], [name]

    def _write(self, name: str, i: str) -> Purpose:
        def body() -> Lines:
            lines = [f"{name}[{i}] = {self._value((i,))}"]
            if self._is(0.3):
                lines.append(f"{name}[{i}] {self._pick('+=', '*=')} np.tanh({self._number((i,))})")
            if self._is(0.3):
                head = f"if {self._number((i,))} > 0.0432:"
                lines = [head, *indented(lines), "else:", f"    {name}[{i}] = 0.5 * s"]
            return lines

        made = self._pick("np.zeros(n)", "np.zeros_like(x)", "np.ones(n)", "x * s")
        return [f"{name} = {made}"], body, [f"t += np.sum({name}) * 0.25"], [name]

    def _in_place(self, name: str, i: str) -> Purpose:
        def body() -> Lines:
            value = self._number((i,))
            return [f"{name}[{i}] = np.sin({name}[{i}]) * {value} + {self._pick('s', '0.5')}"]

        before = [f"{name} = {self._vector()} * 0.5"]
        return before, body, [f"t += np.sum({name} * {name}) * 0.25"], [name]

    def _matrix(self, name: str, i: str) -> Purpose:
        def body() -> Lines:
            if self._is(0.3):
                return [f"{name}[{i}] = np.sin({self._pick(*self._matrices)}[{i}]) * {self._number((i,))}"]
            j, kind = self._name("j"), self._pick("range", "range", "prange")
            self._below.add(j)
            self.features.add("nested prange" if kind == "prange" else "inner loop")
            return [f"for {j} in {kind}(n):", f"    {name}[{i}, {j}] = {self._value((i, j))}"]

        return [f"{name} = np.zeros((n, n))"], body, [f"t += np.sum({name} * {name}) * 0.125"], []

    def _other_index(self, name: str, i: str) -> Purpose:
        place = self._pick(f"n - 1 - {i}", f"({i} + 1) % n", f"{i} - 1")

        def body() -> Lines:
            return [f"{name}[{place}] = {self._value((i,))}"]

        return [f"{name} = x * 0.5"], body, [f"t += np.sum({name} * {name}) * 0.25"], [name]

    def _two(self, name: str, i: str) -> Purpose:
        other = self._name("r")

        def body() -> Lines:
            one = f"{name}[{i}] = {self._value((i,))}"
            return [one, f"{other}[{i}] = {name}[{i}] * {self._number((i,))}", f"t += {other}[{i}] * 0.25"]

        before = [f"{name}, {other} = np.zeros(n), np.ones(n)"]
        return before, body, [f"t += np.sum({other} * {name}) * 0.25"], [name, other]

    # -- within a body

    def _in_body(self, at: tuple[str, ...]) -> Lines:
        """A temporary of the body: a number, an array, a loop of any kind."""
        kind = self._pick("temporary", "temporary", "array in the body", "inner loop", "while", "branch", "inner prange")
        self.features.add(kind)
        name, j = self._name("v"), self._name("j")
        if kind == "inner prange":
            self._below.add(j)
        if kind == "temporary":
            lines = [f"{name} = {self._value(at)}"]
        elif kind == "array in the body":
            lines = [
                f"{name} = np.sum({self._pick(f'np.sin({self._vector()} * {self._number(at)})', f'scaled({self._vector()}, {self._number(at)})')}) * 0.25"
            ]
        elif kind == "inner loop":
            lines = [
                f"{name} = {self._number(at)}",
                f"for {j} in range({self._pick('n', '3', f'{at[0]} % n', '2, n')}):",
                f"    {name} = {self._pick(f'np.sin({name})', f'{name} * 0.5')} + {self._number((*at, j))} * 0.5",
            ]
        elif kind == "while":
            lines = [
                f"{name}, {j} = {self._number(at)}, 0",
                f"while {j} < {self._pick('3', f'{at[0]} % 4')} and {name} < 0.9137:",
                f"    {name} = np.cos({name}) * {self._number(at)} + 0.25",
                f"    {j} += 1",
            ]
        elif kind == "branch":
            lines = [
                f"if {self._pick(f'{at[0]} % 2 == 0', f'{self._number(at)} > 0.0567')}:",
                f"    {name} = {self._value(at)}",
                "else:",
                f"    {name} = {self._number(at)} * 0.5",
            ]
        else:
            lines = [f"{name} = 0.0", f"for {j} in prange(n):", f"    {name} += {self._number((*at, j))} * 0.25"]
        self._own.append(name)
        return lines


def indented(lines: Lines) -> Lines:
    """Return the lines of a body."""
    return [f"    {line}" for line in lines]
