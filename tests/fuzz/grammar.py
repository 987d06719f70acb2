"""Random well-typed kernels, drawn from a seed, as source text.

A kernel is `kernel(x, a, s, c, n)`: a vector of n numbers, a matrix of n x n, a number, a vector that is
always Const, and n itself. An annotation of x names its type, if that is not float64. It returns a number, a vector, or a tuple of both; some write to their arguments.
Some raise if a number of c is above 5, which only the question about raising makes it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fuzz.expressions import Expressions
from tests.fuzz.guided.applied import Applied
from tests.fuzz.guided.containers import Containers
from tests.fuzz.guided.moving import Moving
from tests.fuzz.guided.prange import Prange
from tests.fuzz.iterations import recurrence, row_by_row
from tests.fuzz.scalars import Scalars
from tests.fuzz.shapes import Shapes
from tests.fuzz.writes import COMPLEX, ONE_OF, PLAIN, THROUGH_MATRIX, THROUGH_VECTOR, WRITES

Lines = list[str]
SIZES = (1, 1, 2, 2, 3, 3, 4, 5, 8)  # statements, not counting those in their bodies
OF_NUMBERS = 0.4  # of the kernels: see scalars.py
OF_SHAPES = 0.2  # see shapes.py
NAMES = ("arrays", "numbers", "shapes", "containers", "prange", "moving", "applied")  # of the grammars
LEVELS = 2  # of loops and branches in each other


@dataclass(frozen=True)
class Kernel:
    """A kernel's text, the seed that it came from, and what it is made of."""

    seed: int
    source: str
    features: frozenset[str]


def kernel(seed: int, size: int | None = None, name: str | None = None) -> Kernel:
    """Return the kernel of a seed: of the grammar that it draws, or of this one. No seed draws the last four: guided runs do, and who names them."""
    name = name or grammar_of(seed)
    if name == "arrays":
        return Draw(seed).kernel(size)
    drawn = OTHERS[name](seed)
    return Kernel(seed, drawn.source(size), frozenset(drawn.features))


def grammar_of(seed: int) -> str:
    """Return the name of the grammar that a seed draws."""
    drawn = random.Random(f"grammar {seed}").random()
    if drawn < OF_NUMBERS:
        return "numbers"
    return "shapes" if drawn > 1.0 - OF_SHAPES else "arrays"


OTHERS: dict[str, Callable[[int], Any]] = {"numbers": Scalars, "shapes": Shapes, "containers": Containers, "prange": Prange, "moving": Moving, "applied": Applied}


class Draw(Expressions):
    """Draws one kernel; knows which variables exist and what they hold."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.seed = seed
        self.writable: list[str] = []  # vectors and matrices that the kernel may write
        self.used = 0
        self.dtype = self.random.choices(["", "complex128", "float32"], [88, 8, 4])[0]
        self.loops = 0  # around the place where we are

    def kernel(self, size: int | None) -> Kernel:
        """Return a kernel of some statements."""
        size = size or self.random.choice(SIZES)
        lines = ["z = x.copy()", "x = z.real * 0.75 - z.imag"] if self.is_complex else []
        lines += ["y = x.copy()", "b = a * 0.5", "total = 0.5 * s"]
        self.vectors.append("y")
        self.matrices.append("b")
        self.numbers.append("total")
        self.writable += ["y", "b"]
        if self.chance(0.1):
            self.features.add("written argument")
            self.writable += ["x", "a"]
        for _ in range(size):
            lines += self.statement(depth=0)
        lines.append(f"return {self.result()}")
        annotation = f": '{self.dtype}'" if self.dtype else ""
        if self.dtype:
            self.features.add(f"{self.dtype} argument")
        text = f"def kernel(x{annotation}, a, s, c, n):\n" + "".join(
            f"    {line}\n" for line in lines
        )
        self.is_returning_early(text)
        return Kernel(self.seed, text, frozenset(self.features))

    @property
    def is_complex(self) -> bool:
        """Whether x is a complex vector: its parts are x then, and z is its copy."""
        return self.dtype == "complex128"

    def result(self) -> str:
        """Return what the kernel returns: it depends on all that it wrote."""
        vector, matrix = (self.pick([names[-1], *names]) for names in (self.vectors, self.matrices))
        number = (
            f"np.sum(np.sin({vector})) + np.tanh({self.numbers[-1]} + {self.number(1)}) + total"
        )
        if self.is_complex:
            number += " + np.sum(z.real * 0.5 - z.imag)"
        if matrix != "a":
            number += f" + np.sum({matrix} * 0.25)"
        form = self.random.choices(["number", "vector", "tuple"], [8, 1, 1])[0]
        self.features.add(f"{form} result")
        array = f"{self.pick(self.vectors)} * total + {self.vector(1)}"
        return {"number": number, "vector": array, "tuple": f"({number}, {array})"}[form]

    def is_returning_early(self, text: str) -> None:
        """Note a return in the middle."""
        if text.count("return ") > 1:
            self.features.add("early return")

    def statement(self, depth: int) -> Lines:
        """Return the lines of one statement."""
        kinds: list[tuple[float, Callable[[int], Lines]]] = [
            (3, self.new_number),
            (2, self.more_number),
            (3, self.new_vector),
            (2, self.new_matrix),
            (3, self.write_element),
            (3, self.write_slice),
            (2, self.new_view),
            (1.5, self.write_through),
            (1.5, self.write_to_one_of),
            (1, self.carried),
            (1, lambda _: row_by_row(self)),
            (1.5, lambda _: recurrence(self)),
            (1, self.unpacked),
            (1, self.grown_list),
            (0.7, self.typed_list),
            (0.6, self.raising),
        ]
        if self.is_complex:
            kinds.append((6, self.of_complex))
        if depth < LEVELS:
            kinds += [(4, self.count_loop), (2, self.item_loop), (2, self.branch)]
            kinds += [(1, self.while_loop), (1, self.search)]
            kinds += [] if "try" in self.without else [(1, self.caught)]
        weights = [weight for weight, _ in kinds]
        make = self.random.choices([kind for _, kind in kinds], weights)[0]
        kept = [list(one) for one in (self.numbers, self.vectors, self.matrices, self.writable)]
        lines = make(depth)
        if depth:  # what a body defines may not exist behind it
            self.numbers, self.vectors, self.matrices, self.writable = kept
        return lines

    # -- simple statements

    def new_number(self, _depth: int) -> Lines:
        value = self.number(2)
        return [f"{self.fresh(self.numbers, 'v')} = {value}"]

    def more_number(self, _depth: int) -> Lines:
        self.features.add("accumulate")
        return [f"total += 0.5 * {self.bounded(self.number(1))}"]

    def new_vector(self, _depth: int) -> Lines:
        value = self.vector(2)
        name = self.fresh(self.vectors, "w")
        self.writable.append(name)
        return [f"{name} = {value}"]

    def new_matrix(self, _depth: int) -> Lines:
        value = self.matrix(1)
        name = self.fresh(self.matrices, "m")
        self.writable.append(name)
        return [f"{name} = {value}"]

    def new_view(self, _depth: int) -> Lines:
        """A second name for memory of another variable, through which it may be written too."""
        self.features.add("view")
        target, matrix = self.target(self.vectors), self.target(self.matrices)
        place = self.index()
        if self.chance(0.3):
            name = self.fresh(self.matrices, "m")
            value = self.pick([f"{matrix}.T", f"{matrix}[::-1]", f"{matrix}[:, ::-1]", matrix])
        else:
            name = self.fresh(self.vectors, "w")
            rows = [f"{matrix}[{place}]", f"{matrix}[:, {place}]", f"np.diag({matrix}).copy()"]
            value = self.pick([f"{target}[::-1]", target, *rows])
        self.writable.append(name)
        return [f"{name} = {value}"]

    def write_element(self, _depth: int) -> Lines:
        self.features.add("element write")
        if self.chance(0.3):
            row = self.pick(PLAIN).replace("{w}", self.target(self.vectors))
            row = row.replace("{o}", self.target(self.matrices))
            return [self.with_holes_filled(row, 1)]
        if self.chance(0.4):
            place = f"{self.target(self.matrices)}[{self.index()}, {self.index()}]"
        else:
            place = f"{self.target(self.vectors)}[{self.index()}]"
        if self.chance(0.3):
            return [f"{place} = {self.leaf()}"]
        sign, value = self.pick(["=", "+=", "*=", "-="]), self.bounded(self.number(1))
        return [f"{place} {sign} {value if sign != '*=' else f'(0.5 + 0.25 * {value})'}"]

    def write_slice(self, _depth: int) -> Lines:
        self.features.add("slice write")
        row = self.pick(WRITES)
        row = row.replace("{w}", self.target(self.vectors)).replace(
            "{o}", self.target(self.matrices)
        )
        return [self.with_holes_filled(row, 2)]

    def write_through(self, _depth: int) -> Lines:
        """Something new, written through a view of it or a container that holds it, then read."""
        self.features.add("write through")
        name, is_matrix = f"u{self.count()}", self.chance(0.5)
        value = self.pick([f"c[{self.index()}]", "0.25", self.bounded(self.number(1))])
        row = self.pick(THROUGH_MATRIX if is_matrix else THROUGH_VECTOR).replace("{u}", name)
        place = self.with_holes_filled(row, 1).replace("{{", "{").replace("}}", "}")
        new = f"{self.matrix(1)}.copy()" if is_matrix else f"{self.vector(1)} * 1.0"
        return [f"{name} = {new}", f"{place} = {value}", f"total += np.sum({name} * {name}) * 0.25"]

    def write_to_one_of(self, _depth: int) -> Lines:
        """Two new vectors, and a write to one of them: which, the kernel knows only when it runs."""
        self.features.add("write to one of")
        number = self.count()
        first, second, one = f"u{number}", f"w{number}", f"p{number}"
        value = self.pick([f"c[{self.index()}]", "0.25", "0.0", self.bounded(self.number(1))])
        place = self.pick([f"[{self.index()}]", "[:2]", "[::2]", "[:]"])
        made = self.pick(ONE_OF).format(u=first, w=second, i=f"(n + {self.index()}) % 2")
        return [
            f"{first} = {self.vector(1)} * 1.0",
            f"{second} = {self.vector(1)} * 1.0",
            f"{one} = {made}",
            f"{one}{place} = {value}",
            f"total += np.sum({first} * {second}) * 0.25 + {one}[{self.index()}]",
        ]

    def carried(self, depth: int) -> Lines:
        """An array of its own for a variable that exists: in a loop the next turn reads it."""
        if not self.loops:
            return self.new_vector(depth)
        self.features.add("carried")
        return [f"y = np.sin({self.vector(2)})"]

    def unpacked(self, _depth: int) -> Lines:
        self.features.add("tuple")
        value = f"pair({self.number(0)}, {self.vector(0)})"
        first, second = self.fresh(self.numbers, "v"), self.fresh(self.numbers, "v")
        return [f"{first}, {second} = {value}"]

    def grown_list(self, _depth: int) -> Lines:
        """A list, filled and read by a loop."""
        self.features.add("list")
        items, item = f"l{self.count()}", f"e{self.count()}"
        value = self.pick([self.number(1), f"np.sum({self.vector(1)})"])
        lines = [f"{items} = [{value}]", f"for {item} in {self.pick(self.vectors)}:"]
        lines.append(f"    {items}.append({items}[-1] * 0.5 + {item})")
        return [*lines, f"for {item} in {items}:", f"    total += np.sin({item}) * 0.25"]

    def typed_list(self, _depth: int) -> Lines:
        """A typed list of numbers or of arrays, written and read."""
        self.features.add("typed list")
        items, counter = f"l{self.count()}", f"j{self.count()}"
        if self.chance(0.5):
            value, item = self.number(1), f"{items}[{counter} - 1] * 0.5 + s"
            read = f"{items}[-1] + {items}[0]"
        else:
            value, item = f"{self.vector(0)} * 1.0", f"np.sin({items}[{counter} - 1])"
            read = f"np.sum({items}[-1]) + {items}[0][0]"
        lines = [f"{items} = TypedList()", f"{items}.append({value})"]
        lines += [f"for {counter} in range(1, 3):", f"    {items}.append({item})"]
        if self.chance(0.3):
            lines.append(f"{items}[0] = {items}[1]")
        return [*lines, f"total += ({read}) * 0.25"]

    def of_complex(self, _depth: int) -> Lines:
        return [self.with_holes_filled(self.pick(COMPLEX), 1)]

    def raising(self, _depth: int) -> Lines:
        self.features.add("raise")
        error = self.pick(["ValueError('too large', 6)", "IndexError('place')", "ArithmeticError"])
        return [f"if c[{self.index()}] > 5.0:", f"    raise {error}"]

    # -- statements with bodies

    def count_loop(self, depth: int) -> Lines:
        self.features.add("for")
        counter = f"i{self.count()}"
        body = self.looped(depth, counter)
        head = self.pick(
            ["range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(0, n, 2)", "range(x.size)"]
        )
        if self.chance(0.15):
            self.features.add("break")
            body += [f"if {counter} == n - 2:", "    break"]
        elif self.chance(0.15):
            self.features.add("continue")
            body = [f"if {counter} % 2 == 1:", "    continue", *body]
        elif self.loops == 0 and self.chance(0.07):
            body += [f"if x[{counter}] > 0.7531:", f"    return {self.early()}"]
        return [f"for {counter} in {head}:", *indented(body)]

    def item_loop(self, depth: int) -> Lines:
        """A loop over the items of something."""
        self.features.add("items")
        counter, item = f"i{self.count()}", f"e{self.count()}"
        vector, other = self.pick(self.vectors), self.pick(self.vectors)
        kept = list(self.numbers)
        self.numbers.append(item)
        is_zip = self.chance(0.4)
        body = self.looped(depth, "" if is_zip else counter)
        self.numbers = kept
        if is_zip:
            body.append(f"total += {item} * 0.25")
            return [f"for {item}, _ in zip({vector}, {other}):", *indented(body)]
        return [f"for {counter}, {item} in enumerate({vector}):", *indented(body)]

    def while_loop(self, depth: int) -> Lines:
        self.features.add("while")
        counter = f"k{self.count()}"
        body = [*self.looped(depth, ""), f"{counter} += 1"]
        heads = [f"while {counter} < 3:", f"while {counter} < n and total < 1.4321:", "while True:"]
        head = self.pick(heads)
        if head == "while True:":
            body += [f"if {counter} > 2:", "    break"]
        return [f"{counter} = 0", head, *indented(body)]

    def search(self, _depth: int) -> Lines:
        """A loop that looks for a place, which is used behind it."""
        self.features.add("search")
        counter, place = f"i{self.count()}", f"p{self.count()}"
        lines = [f"{place} = 0", f"for {counter} in range(n):"]
        lines += [f"    if {self.pick(self.vectors)}[{counter}] > 0.2345:"]
        lines += [f"        {place} = {counter}", "        break"]
        return [*lines, f"total += {self.pick(self.vectors)}[{place}] * 0.5"]

    def branch(self, depth: int) -> Lines:
        self.features.add("if")
        test, lines = self.test(), self.body(depth)
        if not self.loops and not depth and self.chance(0.1):
            lines.append(f"return {self.early()}")
        result = [f"if {test}:", *indented(lines)]
        if self.chance(0.4):
            self.features.add("else")
            result += ["else:", *indented(self.body(depth))]
        return result

    def early(self) -> str:
        """Return what is returned in the middle; of another form than the end, Numba refuses it."""
        return f"{self.number(1)}"

    def caught(self, depth: int) -> Lines:
        """A try whose body may raise."""
        self.features.add("try")
        body = [*self.body(LEVELS), "if c[0] > 0.25:", "    raise ValueError('caught')"]
        return ["try:", *indented(body), "except Exception:", *indented(self.body(depth + 1))]

    def looped(self, depth: int, counter: str) -> Lines:
        """Return the body of a loop."""
        self.loops += 1
        self.counters += [counter] if counter else []
        lines = self.body(depth)
        if counter:
            self.counters.pop()
        self.loops -= 1
        return lines

    def body(self, depth: int) -> Lines:
        """Return one to three statements, but fewer of those that are deep."""
        count = self.random.randint(1, 3 if depth == 0 else 2)
        return [line for _ in range(count) for line in self.statement(depth + 1)]

    # -- names

    def target(self, names: list[str]) -> str:
        """Return a variable that may be written."""
        return self.pick([one for one in names if one in self.writable])

    def count(self) -> int:
        """Return a number for a name."""
        self.used += 1
        return self.used

    def fresh(self, names: list[str], letter: str) -> str:
        """Return a new name, which expressions may use from now on."""
        name = f"{letter}{self.count()}"
        names.append(name)
        return name


def indented(lines: Lines) -> Lines:
    """Return the lines of a body."""
    return [f"    {line}" for line in lines]
