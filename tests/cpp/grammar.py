"""Random kernels in C++: loops in loops, what they carry, leave early, exchange, allocate and overwrite.

A kernel is `template <class T> T NAME(T *x, T *c, long n)`, with the names of numbers.hpp. Every index stays inside of the n
elements, every loop ends, and all memory is written before it is read, whatever the seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

SIZE = 5
_DEPTH = 3  # of loops
_FUNCTIONS = ("sine", "cosine", "size_of", "power(-x * x)", "root(1.0 + x * x)", "logarithm(2.0 + x * x)")


@dataclass
class _Scope:
    """What a statement may name."""

    numbers: list[str]
    arrays: list[str]
    indices: list[str] = field(default_factory=list)  # all of them from 0 to n - 1
    pointers: list[str] = field(default_factory=list)  # to one element
    loops: int = 0
    leaves: bool = False  # whether `break` and `continue` may stand here

    def inside(self, **more: object) -> _Scope:
        changed = {key: list(value) if isinstance(value, list) else value for key, value in vars(self).items()}
        return _Scope(**{**changed, **more})  # type: ignore[arg-type]


class Kernel:
    """The text of one seed."""

    def __init__(self, seed: int, name: str) -> None:
        self._random = random.Random(seed)
        self._name = name
        self._lines: list[str] = []
        self._indent = 1
        self._count = 0
        self._buffers: list[str] = []
        self._statements = 0
        self._most = self._random.choice((3, 5, 8, 12, 20))

    def text(self) -> str:
        """Return the kernel."""
        scope = _Scope(["s", "p", "q"], ["x", "c"])
        self._put("T s = 0.1, p = 0.7, q = 1.0;")
        self._put("long k = 1;")
        for name in ("t", "u")[: self._random.randrange(3)]:
            self._put(f"T *{name} = room<T>(n);")
            self._filled(name, scope)
            scope.arrays.append(name)
            self._buffers.append(name)
        for _ in range(self._random.randint(2, 4)):
            self._statement(scope)
        if self._chance(0.6):
            self._overwritten(scope)
        if self._chance(0.3):
            self._statement(scope)
        self._put(f"return {self._pick(('s', 's + p', 's * q', 's + p * q', 'sine(s) + q'))};")
        head = f"template <class T> static inline T {self._name}(T *x, T *c, long n) {{"
        return "\n".join((head, *self._lines, "}", ""))

    # Parts

    def _put(self, line: str) -> None:
        self._lines.append("    " * self._indent + line)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _pick(self, ones: Sequence[str]) -> str:
        return self._random.choice(ones)

    def _new(self, word: str) -> str:
        self._count += 1
        return f"{word}{self._count}"

    def _index(self, scope: _Scope) -> str:
        if not scope.indices or self._chance(0.15):
            return self._pick(("0", "n - 1", "n / 2", "k"))
        one = self._random.choice(scope.indices[-2:])
        other = self._random.choice(scope.indices)
        return self._pick((one, one, one, one, f"n - 1 - {one}", f"({one} + 1) % n", f"({one} + {other}) % n", f"({one} * 2 + k) % n"))

    def _element(self, scope: _Scope) -> str:
        if scope.pointers and self._chance(0.6):
            return f"*{self._random.choice(scope.pointers)}"
        return f"{self._random.choice(scope.arrays)}[{self._index(scope)}]"

    def _leaf(self, scope: _Scope) -> str:
        kind = self._random.random()
        if kind < 0.55:
            return self._element(scope)
        if kind < 0.85 or not scope.indices:
            return self._random.choice(scope.numbers)
        if kind < 0.93:
            return f"T(0.1 * {self._random.choice(scope.indices)})"
        return f"T({self._random.randint(1, 9) / 4})"

    def _expression(self, scope: _Scope, depth: int = 2) -> str:
        if depth == 0 or self._chance(0.2):
            return self._leaf(scope)
        kind = self._random.random()
        one = self._expression(scope, depth - 1)
        if kind < 0.3:
            function = self._pick(_FUNCTIONS)
            return function.replace("x", f"({one})") if "x * x" in function else f"{function}({one})"
        other = self._expression(scope, depth - 1)
        if kind < 0.6:
            return f"({one} * {other})"
        if kind < 0.8:
            return f"({one} {self._pick('+-')} {other})"
        if kind < 0.87:
            return f"({one} / (2.0 + {other} * {other}))"
        if kind < 0.94:
            return f"{self._pick(('larger', 'smaller'))}<T>({one}, {other})"
        return f"({self._condition(scope)} ? T({one}) : T({other}))"

    def _condition(self, scope: _Scope) -> str:
        if scope.indices and self._chance(0.35):
            return f"{self._random.choice(scope.indices)} {self._pick(('>', '==', '<', '!='))} {self._pick(('k', '1', 'n / 2', 'n - 2'))}"
        bound = self._pick(("0.5", "0.9", "1.1", f"value({self._leaf(scope)})"))
        return f"value({self._leaf(scope)}) {self._pick('<>')} {bound}"

    # Statements

    def _statement(self, scope: _Scope) -> None:
        self._statements += 1
        kinds: list[tuple[float, Callable[[_Scope], None]]] = [(3, self._update), (2, self._write)]
        if self._statements < self._most:
            if scope.loops < _DEPTH:
                kinds += [(6 if not scope.loops else 3, self._loop), (0.8, self._search), (0.6, self._block_copy)]
                kinds += [(0.7, self._temporary), (0.5, self._best), (0.4, self._two_results)]
                kinds += [(0.6, self._steps)] if self._buffers else []
            kinds += [(1.2, self._branch), (0.5, self._closer_search)]
        if scope.leaves:
            kinds += [(0.7, self._leave)]
        if len(self._buffers) == 2:
            kinds += [(0.8, self._exchange)]
        kinds += [(0.6, self._integer)]
        weights, makers = zip(*kinds, strict=True)
        self._random.choices(makers, weights)[0](scope)

    def _update(self, scope: _Scope) -> None:
        name = self._pick(("s", "s", "p", "q"))
        value = self._expression(scope)
        form = self._pick(("{0} += {1};", "{0} += {1};", "{0} = {1};", "{0} = 0.7 * {0} + {1};", "{0} = sine({0} * {1});", "{0} *= 0.9 + 0.1 * cosine({1});"))
        self._put(form.format(name, value))

    def _write(self, scope: _Scope) -> None:
        place = self._element(scope)
        form = self._pick(("{0} = {1};", "{0} = {1};", "{0} += {1};", "{0} = 0.5 * {0} + {1};", "{0} *= sine({1});"))
        self._put(form.format(place, self._expression(scope)))

    def _body(self, scope: _Scope, most: int = 3) -> None:
        self._indent += 1
        for _ in range(self._random.randint(1, most)):
            self._statement(scope)
        self._indent -= 1

    def _loop(self, scope: _Scope) -> None:
        i = self._new("i")
        outer = self._random.choice(scope.indices) if scope.indices else "k"
        heads = [
            (4, f"for (long {i} = 0; {i} < n; {i}++) {{"),
            (1, f"for (long {i} = n - 1; {i} >= 0; {i}--) {{"),
            (1, f"for (long {i} = n; {i}-- > 0;) {{"),
            (1, f"for (long {i} = 1; {i} < n; {i}++) {{"),
            (1, f"for (long {i} = 0; {i} < {SIZE}; {i}++) {{"),
            (1, f"for (long {i} = 0; {i} < n; {i} += 2) {{"),
            (1, f"for (long {i} = 0; {i} < {outer}; {i}++) {{"),
            (1, f"for (long {i} = 0; {i} <= {outer}; {i}++) {{"),
            (1, f"for (long {i} = {outer}; {i} < n; {i}++) {{"),
            (0.5, f"for (long {i} = 0; {i} != n; {i}++) {{"),
            (0.7, "pointer"),
            (0.7, "while"),
            (0.5, "do"),
        ]
        weights, texts = zip(*heads, strict=True)
        head = self._random.choices(texts, weights)[0]
        inside = scope.inside(loops=scope.loops + 1, leaves=True)
        if head == "pointer":
            z, array = self._new("z"), self._random.choice(scope.arrays)
            begin = self._new("begin")
            self._put(f"{{ T *{begin} = {array};")
            self._put(f"for (T *{z} = {begin}; {z} != {begin} + n; {z}++) {{")
            inside.pointers.append(z)
            if self._chance(0.5):
                self._put(f"    long {i} = {z} - {begin};")
                inside.indices.append(i)
            self._body(inside)
            self._put("}}")
            return
        inside.indices.append(i)
        if head == "while":
            self._put(f"{{ long {i} = 0;")
            self._put(f"while ({i} < n && value({self._pick(scope.numbers)}) < {self._pick(('0.8', '1.5', '4.0', '50.0'))}) {{")
            self._body(inside.inside(leaves=False))
            self._put(f"    {i}++;")
            self._put("}}")
            return
        if head == "do":
            self._put(f"{{ long {i} = 0;")
            self._put("do {")
            self._body(inside.inside(leaves=False))
            self._put(f"}} while (++{i} < n && {self._condition(inside.inside(indices=scope.indices))}); }}")
            return
        self._put(head)
        self._body(inside)
        self._put("}")

    def _search(self, scope: _Scope) -> None:
        i = self._new("i")
        inside = scope.inside(indices=[*scope.indices, i])
        self._put(f"for (long {i} = 0; {i} < n; {i}++)")
        self._put(f"    if ({self._condition(inside)}) {{ k = {i}; {self._pick(('break; ', ''))}}}")

    def _best(self, scope: _Scope) -> None:
        """Look for the largest, or the last one before a bound, with its place."""
        i = self._new("i")
        inside = scope.inside(indices=[*scope.indices, i])
        best, value = self._pick(("p", "q")), self._expression(inside)
        self._put(f"for (long {i} = 0; {i} < n; {i}++) {{")
        self._put(f"    T e = {value};")
        self._put(f"    if (value(e) {self._pick('<>')} value({best})) {{ {best} = e; {self._pick((f'k = {i}; ', ''))}}}")
        self._put("}")

    def _two_results(self, scope: _Scope) -> None:
        """Call a function that leaves its results in memory; it may use the first as it goes on."""
        arrays = [self._random.choice(scope.arrays) for _ in range(2)]
        self._put(f"{{ T both[2]; {self._pick(('norms', 'sums'))}<T>({arrays[0]}, {arrays[1]}, n, both);")
        self._put(f"{self._pick(('s', 'p', 'q'))} {self._pick(('=', '+='))} both[0] * 0.3;")
        self._put(f"{self._pick(('s', 'p', 'q'))} += {self._pick(('both[1]', 'sine(both[1]) * both[0]'))} * 0.2; }}")

    def _steps(self, scope: _Scope) -> None:
        """Steps of time: each makes a new state of the old one, which takes its place; or pairs of all, and an update in place."""
        step, i, j, w = (self._new(word) for word in "tijw")
        buffer = self._random.choice(self._buffers)
        inside = scope.inside(indices=[*scope.indices, i, j])
        pair = self._pick(
            (f"sine({buffer}[{i}] * {buffer}[{j}])", f"{buffer}[{i}] / (2.0 + {buffer}[{j}] * {buffer}[{j}])", self._expression(inside))
        )
        self._put(f"for (long {step} = 0; {step} < {self._pick(('2', '3', 'k', 'n - 2'))}; {step}++) {{")
        self._put(f"    T *{w} = room<T>(n);")
        self._put(f"    for (long {i} = 0; {i} < n; {i}++) {{")
        self._put(f"        T e = {self._pick(('0.0', f'{buffer}[{i}]', 's'))};")
        self._put(f"        for (long {j} = 0; {j} < n; {j}++) {self._pick(('', f'if ({i} != {j}) '))}e += {pair};")
        self._put(f"        {w}[{i}] = {self._pick(('e', '0.3 * e', 'sine(e)'))};")
        self._put("    }")
        if self._chance(0.5):
            self._put(f"    {buffer} = {w};")
        else:
            self._put(f"    for (long {i} = 0; {i} < n; {i}++) {buffer}[{i}] {self._pick(('= ', '+= 0.1 * '))}{w}[{i}];")
            self._put(f"    free({w});")
        if self._chance(0.5):
            self._put(f"    s {self._pick(('+= ', '= 0.5 * s + '))}{buffer}[{self._pick(('0', 'n - 1', 'k'))}];")
        self._put("}")

    def _closer_search(self, scope: _Scope) -> None:
        """Look for a place, and look closer at some of them in a loop within."""
        i, j, m = (self._new(word) for word in "ijm")
        inside = scope.inside(indices=[*scope.indices, i], pointers=[])
        within = inside.inside(indices=[*inside.indices, j])
        self._put(f"{{ long {m} = 0;")
        self._put(f"for (long {i} = 0; {i} < n; {i}++) {{")
        self._put(f"    if ({self._condition(inside)}) {{")
        self._put(f"        long {j} = {self._pick(('0', i))};")
        self._put(f"        while ({j} < n && {self._condition(within)}) {{")
        self._put(f"            if ({self._condition(within)}) {m}++;")
        self._put(f"            {j}++;")
        self._put("        }")
        self._put(f"        if ({m} > {self._pick(('0', '1', '2'))}) {{ k = {i}; break; }}")
        self._put("    }")
        self._put("}}")

    def _branch(self, scope: _Scope) -> None:
        self._put(f"if ({self._condition(scope)}) {{")
        self._body(scope, 2)
        if self._chance(0.5):
            self._put("} else {")
            self._body(scope, 2)
        self._put("}")

    def _leave(self, scope: _Scope) -> None:
        word = self._pick(("break", "break", "continue", "return s"))
        self._put(f"if ({self._condition(scope)}) {word};")

    def _exchange(self, _scope: _Scope) -> None:
        z, (one, other) = self._new("z"), self._buffers
        self._put(f"{{ T *{z} = {one}; {one} = {other}; {other} = {z}; }}")

    def _integer(self, scope: _Scope) -> None:
        i = self._random.choice(scope.indices) if scope.indices else "3"
        new = self._pick((i if scope.indices else "0", f"(k + {i}) % n", "(k * 2 + 1) % n"))
        condition = f"if ({self._condition(scope)}) " if self._chance(0.5) else ""
        self._put(f"{condition}k = {new};")

    def _filled(self, name: str, scope: _Scope) -> None:
        i = self._new("i")
        kind = self._random.random()
        if kind < 0.3:
            self._put(f"copy<T>({name}, {self._random.choice(scope.arrays)}, n);")
        elif kind < 0.5:
            self._put(f"clear<T>({name}, n);")
        else:
            inside = scope.inside(indices=[*scope.indices, i])
            self._put(f"for (long {i} = 0; {i} < n; {i}++) {name}[{i}] = {self._expression(inside)};")

    def _block_copy(self, scope: _Scope) -> None:
        one, other = self._random.choice(scope.arrays), self._random.choice(scope.arrays)
        form = self._pick((f"copy<T>({one}, {other}, n);", f"copy<T>({one} + 1, {other}, n - 1);", f"copy<T>({one}, {other} + 1, n - 1);"))
        self._put(form)

    def _temporary(self, scope: _Scope) -> None:
        name = self._new("w")
        on_stack = self._chance(0.3)
        self._put(f"{{ T {name}[{SIZE}];" if on_stack else f"{{ T *{name} = room<T>(n);")
        self._filled(name, scope)
        self._body(scope.inside(arrays=[*scope.arrays, name, name], leaves=False))
        freed = not on_stack and self._chance(0.5)
        self._put(f"free({name}); }}" if freed else "}")

    def _overwritten(self, scope: _Scope) -> None:
        for name in scope.arrays:
            if self._chance(0.7):
                i = self._new("i")
                value = self._pick(("0.0", "0.5", f"0.3 * {name}[{i}]", "s"))
                self._put(f"for (long {i} = 0; {i} < n; {i}++) {name}[{i}] = {value};" if self._chance(0.7) else f"clear<T>({name}, n);")


def kernel(seed: int, name: str) -> str:
    """Return the text of a kernel."""
    return Kernel(seed, name).text()
