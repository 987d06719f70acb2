"""Random kernels of records, tuples and named tuples, of float32 and complex numbers, and of loops on threads.

What a loop carries here is no plain number: a record of an array, a tuple that is made anew, a complex number, a float32.
"""

from __future__ import annotations

import random

Lines = list[str]
SIZES = (1, 1, 2, 2, 3, 4)  # statements
ON_THREADS = 0.12  # of the kernels: Numba takes seconds for each
SINGLE = 0.3  # of the kernels may have float32
INDICES = ("i", "j")


class Containers:
    """Draws one kernel."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"containers {seed}")
        self.features: set[str] = {"containers"}
        self._count = 0
        self._reads = ["t"]  # numbers that expressions may use
        self._is_single = self.random.random() < SINGLE

    def source(self, size: int | None) -> str:
        """Return the text of a kernel of some statements."""
        lines = ["t = 0.5 * s", "y = x * 0.75"]
        for _ in range(size or self.random.choice(SIZES)):
            lines += self._statement(())
        if "records" not in self.features and self.random.random() < ON_THREADS:
            lines += self._threads()  # Numba has no copies of records there
        lines.append(f"return t + np.sum(y) * 0.5 + {self._number(())}")
        return "def kernel(x, a, s, c, n):\n" + "".join(f"    {line}\n" for line in lines)

    # -- expressions

    def _pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _name(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def _index(self, loops: tuple[str, ...]) -> str:
        beside = [f"{loops[-1]} - 1", f"({loops[-1]} + 1) % n"] if loops else []
        return self._pick(*loops, *loops, *beside, "0", "n - 1", "-1")

    def _number(self, loops: tuple[str, ...]) -> str:
        i, j = self._index(loops), self._index(loops)
        read = self.random.choice(self._reads[-6:])
        return self._pick(
            f"x[{i}]",
            f"x[{i}] * y[{j}]",
            f"np.sin({read} * x[{i}])",
            f"np.tanh({read})",
            f"np.cos({read}) * a[{i}, {j}]",
            f"c[{i}] * y[{j}]",
            "s * 0.5",
            f"max(x[{i}], np.tanh({read}))",
            f"in_turn((s, x[{i}], 0.5), y) * 0.25",
        )

    def _small(self, loops: tuple[str, ...]) -> str:
        return f"{self._pick('np.tanh', 'np.sin', 'np.cos')}({self._number(loops)})"

    # -- statements

    def _statement(self, loops: tuple[str, ...]) -> Lines:
        kinds = [self._records, self._tuple, self._named, self._complex, self._arrays, self._plain]
        weights = [4, 3, 3, 2, 2, 2]
        if self._is_single:
            kinds.append(self._float32)
            weights.append(2)
        if len(loops) < len(INDICES):
            kinds += [self._loop, self._branch]
            weights += [3, 1]
        (make,) = self.random.choices(kinds, weights)
        return make(loops)

    def _plain(self, loops: tuple[str, ...]) -> Lines:
        i = self._index(loops)
        return [
            self._pick(
                f"t = t * 0.75 + {self._number(loops)} * 0.5",
                f"y[{i}] = {self._small(loops)}",
                f"y[{i}] *= {self._small(loops)}",
                f"y = np.sin(y) + {self._number(loops)} * 0.25",
            )
        ]

    def _body(self, loops: tuple[str, ...]) -> Lines:
        reads = list(self._reads)
        lines = [line for _ in range(self.random.randint(1, 2)) for line in self._statement(loops)]
        self._reads = reads
        return [f"    {line}" for line in lines]

    def _loop(self, loops: tuple[str, ...]) -> Lines:
        own = INDICES[len(loops)]
        head = self._pick("range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(3)", "range(0, n, 2)")
        head = "range(min(3, n))" if head == "range(3)" else head
        return [f"for {own} in {head}:", *self._body((*loops, own))]

    def _branch(self, loops: tuple[str, ...]) -> Lines:
        index = loops[-1] if loops else "n"
        test = self._pick(f"{index} % 2 == 0", f"{index} > 1", "t > 0.1234", f"x[{self._index(loops)}] > 0.0213")
        lines = [f"if {test}:", *self._body(loops)]
        return [*lines, "else:", *self._body(loops)] if self.random.random() < 0.4 else lines

    def _records(self, loops: tuple[str, ...]) -> Lines:
        """An array of records, filled and written over in some of many ways, then read."""
        self.features.add("records")
        kind, name, i = self._pick("RECORD", "PACKED"), self._name("r"), self._name("i")
        inner = (*loops, i)
        lines = [f"{name} = np.zeros(n, {kind})", f"for {i} in range(n):"]
        lines.append(f"    {name}[{i}].u = {self._small(inner)}")
        second = f"{name}[{i}].v[1]" if kind == "RECORD" else f"{name}[{i}].v"
        if self.random.random() < 0.6:
            lines.append(f"    {second} = {self._small(inner)}")
        if self._is_single:
            lines.append(f"    {name}[{i}].w = {self._small(inner)}")
        if kind == "RECORD" and self.random.random() < 0.4:
            lines.append(f"    {name}[{i}].count = {i} + 1")
        if self.random.random() < 0.5:
            lines += ["    " + line for line in self._of_record(name, kind, inner)]
        for _ in range(self.random.randint(0, 2)):
            lines += self._of_records(name, kind, loops)
        field = self._pick("u", "v", "u")
        part = "[:, 1]" if kind == "RECORD" and field == "v" else ""
        return [*lines, f"t += np.sum({name}[{field!r}]{part} * {name}.u) * 0.25"]

    def _of_record(self, name: str, kind: str, loops: tuple[str, ...]) -> Lines:
        one, i = self._name("p"), self._index(loops)
        lines = [f"{one} = {name}[{i}]"]
        lines.append(
            self._pick(
                f"{one}.u *= 0.5 + 0.25 * {self._small(loops)}",
                f"{one}.u = {one}.u * {name}[0].u",
                f"{one}['u'] += x[{i}] * 0.25",
                f"t += {one}.u * {one}.w",
            )
        )
        return lines

    def _of_records(self, name: str, kind: str, loops: tuple[str, ...]) -> Lines:
        other = self._name("r")
        v = "v[:, 0]" if kind == "RECORD" else "v"
        text = self._pick(
            f"{name}['u'][1:] = x[:-1] * 0.5",
            f"{name}.u[:] = {name}.{v} * y",
            f"{name}.u[:] = np.sin(x)",
            f"{name}[0] = {name}[n - 1]",
            f"{name}[1:] = {name}[:-1]",
            f"{name}.{v}[:] += y * {name}.u",
            f"{other} = {name}.copy()",
            f"{other} = {name}[::-1]",
            f"{other} = {name}[::-1].copy()",
            f"{other} = np.concatenate(({name}[1:], {name}[:1]))",
        )
        if not text.startswith(other):
            return [text]
        lines = [text, f"{other}[{self._index(())}].u = {self._small(loops)}"]
        return [*lines[: self.random.randint(1, 2)], f"t += np.sum({other}.u * {other}.{v}) * 0.25"]

    def _tuple(self, loops: tuple[str, ...]) -> Lines:
        """A tuple of numbers that a loop makes anew."""
        self.features.add("tuple")
        name, i = self._name("u"), self._name("i")
        inner = (*loops, i)
        first, second = self._number(loops), self._number(loops)
        new = self._pick(
            f"({name}[1], {self._small(inner)} * {name}[0])",
            f"({name}[0] * 0.5 + x[{i}], {name}[0])",
            f"({name}[1] * {name}[0], np.cos({name}[1]))",
            f"(np.sin({name}[0]), {name}[1] + y[{i}] * 0.25)",
        )
        lines = [f"{name} = ({first}, {second})", f"for {i} in range(n):", f"    {name} = {new}"]
        if self.random.random() < 0.3:
            lines.append(f"    if {self._pick(f'{i} == n - 2', f'{name}[0] > 0.9123')}:")
            lines.append(f"        {self._pick('break', 'continue')}")
        if self.random.random() < 0.5:
            lines.append(f"    t += {name}[0] * {name}[1] * 0.25")
        self._reads.append(f"{name}[0]")
        return [*lines, f"t += {name}[1] * 0.5"]

    def _named(self, loops: tuple[str, ...]) -> Lines:
        """A named tuple that functions take and return; tuples in lists."""
        self.features.add("named tuple")
        name, i = self._name("p"), self._name("i")
        inner = (*loops, i)
        lines = [f"{name} = Point({self._number(loops)}, {self._number(loops)})"]
        if self.random.random() < 0.4:
            items, item = self._name("l"), self._name("e")
            lines += [f"{items} = [{name}]", f"for {i} in range(n):"]
            lines.append(f"    {items}.append(Point({items}[-1].v, {self._small(inner)} * {items}[-1].u))")
            lines += [f"for {item} in {items}:", f"    t += {item}.u * {item}.v * 0.25"]
            return lines
        new = self._pick(
            f"turned_round({name})",
            f"Point({name}.v, {self._small(inner)} + {name}.u * 0.5)",
            f"Point({name}.u * {name}.v, {name}.u)",
        )
        lines += [f"for {i} in range({self._pick('n', '3', 'n - 1')}):", f"    {name} = {new}"]
        self._reads.append(f"{name}.u")
        return [*lines, f"t += {name}.v * {name}.u * 0.25"]

    def _arrays(self, loops: tuple[str, ...]) -> Lines:
        """Arrays in a tuple: one of them is written, they change places."""
        self.features.add("arrays in a tuple")
        name, i = self._name("b"), self._name("i")
        inner = (*loops, i)
        lines = [f"{name} = (y * 0.5, np.cos(x) * {self._small(loops)})", f"for {i} in range(n):"]
        lines.append(
            self._pick(
                f"    {name}[0][{i}] = {name}[1][{self._index(inner)}] * {name}[0][{i}]",
                f"    {name} = ({name}[1], np.sin({name}[0]))",
                f"    {name} = ({name}[1], {name}[0])",
                f"    {name}[{i} % 2][{i}] *= 0.5",
                f"    {name} = ({name}[1] * {name}[0], {name}[0])",
            )
        )
        if self.random.random() < 0.5:
            lines.append(f"    {name}[1][{self._index(inner)}] = {self._small(inner)}")
        return [*lines, f"t += np.sum({name}[0] * {name}[1]) * 0.25"]

    def _complex(self, loops: tuple[str, ...]) -> Lines:
        """A complex number or vector that a loop carries."""
        self.features.add("complex")
        name, i = self._name("z"), self._name("i")
        inner = (*loops, i)
        if self.random.random() < 0.5:
            new = self._pick(
                f"{name} * {name} * 0.5 + x[{i}] * 1j",
                f"{name} * (0.5 + 0.25j) + {self._small(inner)}",
                f"np.exp(1j * {name}.real) * {name}",
                f"{name} / (2.5 + {name} * np.conj({name}))",
            )
            lines = [f"{name} = {self._number(loops)} + 0.5j", f"for {i} in range(n):", f"    {name} = {new}"]
            return [*lines, f"t += ({name} * {name}).real * 0.25 + abs({name} + 3.0) * 0.1"]
        new = self._pick(
            f"{name}[{i}] = {name}[{self._index(inner)}] * {name}[{i}] * 0.5",
            f"{name}[{i}] = np.conj({name}[{i}]) * 1j",
            f"{name}[{i}] += {self._small(inner)} * 1j",
            f"{name} = {name}[::-1] * (0.5 + 0.5j)",
            f"{name}[1:] = {name}[:-1]",
        )
        lines = [f"{name} = x + 1j * y", f"for {i} in range(n):", f"    {new}"]
        return [*lines, f"t += np.sum({name}.real * {name}.imag) * 0.25"]

    def _float32(self, loops: tuple[str, ...]) -> Lines:
        """A float32 vector or number, carried and written."""
        self.features.add("float32")
        name, i = self._name("f"), self._name("i")
        inner = (*loops, i)
        new = self._pick(
            f"{name}[{i}] = {name}[{self._index(inner)}] * {name}[{i}]",
            f"{name} = np.sin({name})",
            f"{name}[{i}] += np.float32({self._small(inner)})",
            f"{name} = {name} * np.float32(0.5)",
            f"y[{i}] = {name}[{i}] * 0.5",
        )
        lines = [f"{name} = x.astype(np.float32)", f"for {i} in range(n):", f"    {new}"]
        return [*lines, f"t += np.sum({name} * {name}) * 0.25"]

    def _threads(self) -> Lines:
        """A loop on threads, whose iterations are apart."""
        self.features.add("prange")
        name, i = self._name("h"), self._name("i")
        value = self._pick(f"np.sin(x[{i}]) * y[{i}]", f"x[{i}] * s + c[{i}]", f"np.tanh(a[{i}, 0] * x[{i}])")
        lines = [f"{name} = np.zeros(n)", f"for {i} in prange(n):", f"    {name}[{i}] = {value}"]
        inner = self._name("j")
        lines += self.random.choice(
            [
                [],
                [f"    for {inner} in range(n):", f"        {name}[{i}] += a[{i}, {inner}] * x[{inner}] * 0.25"],
                [f"    t += {name}[{i}] * {name}[{i}]"],
                [f"    if {name}[{i}] > 0.1234:", f"        {name}[{i}] *= s"],
            ]
        )
        return [*lines, f"t += np.sum({name} * {name}) * 0.25"]
