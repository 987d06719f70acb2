"""Random kernels of arrays of three to five dimensions, whose sizes are known only when they run.

The other grammars have vectors of n numbers and matrices of n x n. Here sizes are arguments, and arrays are reshaped,
turned, stretched, stacked, cut and summed by axes, in loops and in functions that are called. A size is its
text; two sizes are equal if they are so for all of some values of n, k and m. Of u and z it is known that they are 1 and 0.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.shape_expressions import ShapeExpressions
from tests.fuzz.sizes import EMPTY, LEVELS, STATEMENTS, Array, Lines, Sizes, least


class Shapes(ShapeExpressions):
    """Draws one kernel."""

    # -- the kernel

    def source(self, size: int | None) -> str:
        """Return the text of a kernel of some statements."""
        kinds = ["n", "k", "m", "n", "k", "m", "u", "2"]
        if self.chance(EMPTY):
            self.features.add("empty")
            kinds += ["z"] * 3
        shapes = {
            "x": self.shape(kinds, (3, 3, 3, 4, 5)),
            "a": self.shape(kinds, (2, 3, 3, 4)),
            "c": self.shape(kinds, (1, 2, 3, 3)),
        }
        for name, sizes in shapes.items():
            self.arrays[name] = Array(name, sizes)
        self.arrays["y"] = Array("y", shapes["x"], is_c=True)
        self.writable.add("y")
        if self.chance(0.1):
            self.features.add("written argument")
            self.writable |= {"x", "a"}
        lines = ["n, k, m, u, z = sizes", "y = x.copy()", "total = 0.5 * s"]
        for _ in range(size or self.random.choice(STATEMENTS)):
            lines += self.statement(0)
        lines.append(f"return {self.result()}")
        given = ", ".join(
            f"{name}: '{', '.join(shapes[name])}'" if name in shapes else name for name in "xasc"
        )
        return f"def kernel({given}, sizes):\n" + "".join(f"    {line}\n" for line in lines)

    def result(self) -> str:
        """Return what the kernel returns: it depends on all that it wrote."""
        last = list(self.arrays.values())[-1]
        texts = ["np.sum(np.sin(y))", "total"]
        if last.text != "y":
            texts.append(f"np.sum({last.text} * 0.25)")
        number = " + ".join([*texts, self.number(1)])
        form = self.random.choices(["number", "array", "tuple"], [8, 1, 1])[0]
        self.features.add(f"{form} result")
        array = f"{self.array(1).text} * total"
        return {"number": number, "array": array, "tuple": f"({number}, {array})"}[form]

    def statement(self, depth: int) -> Lines:
        """Return the lines of one statement."""
        kinds: list[tuple[float, Callable[[int], Lines]]] = [
            (4, self.new_array),
            (2, self.new_view),
            (3, self.more_number),
            (4, self.write_slice),
            (2, self.write_mask),
            (2, self.write_elements),
            (2, self.write_through),
            (2, self.each_index),
            (1.5, self.each_item),
            (3 if self.loops else 1, self.carried),
            (1.5, self.filled),
            (1, self.grown_list),
            (1, self.unpacked),
            (1, self.reshaped_carried),
        ]
        if depth < LEVELS:
            kinds += [(7, self.count_loop), (1, self.while_loop), (2, self.branch)]
        weights = [weight for weight, _ in kinds]
        make = self.random.choices([one for _, one in kinds], weights)[0]
        kept = dict(self.arrays), set(self.writable), list(self.numbers)
        lines = make(depth)
        if depth:  # what a body defines may not exist behind it
            self.arrays, self.writable, self.numbers = kept
        return lines

    def named(self, array: Array, letter: str = "w") -> str:
        """Return a new name for an array, which expressions may use from now on."""
        name = f"{letter}{self.count()}"
        self.arrays[name] = Array(name, array.sizes, is_c=array.is_c)
        if array.is_new:
            self.writable.add(name)
        return name

    def target(self) -> Array:
        """Return an array that may be written."""
        found = [self.arrays[one] for one in self.arrays if one in self.writable]
        return self.random.choice(found)

    def new_array(self, _depth: int) -> Lines:
        array = self.array(self.random.choice((1, 2, 2, 3)))
        name = self.named(array)
        return [f"{name} = {array.text}"]

    def new_view(self, _depth: int) -> Lines:
        """A second name for memory of another variable, through which it may be written too."""
        self.features.add("view")
        of = self.target()
        view = self.random.choice([self.turned, self.sliced, self.extended, self.picked])(of)
        name = self.named(Array(view.text, view.sizes, is_new=True))
        return [f"{name} = {view.text}"]

    def more_number(self, _depth: int) -> Lines:
        return [f"total += 0.25 * {self.bounded(self.random.choice((1, 2)))}"]

    def part(self, of: Array) -> tuple[str, Sizes]:
        """Return a part of an array that is written, and its shape."""
        places, sizes = self.slices(of)
        left = []
        for axis, one in enumerate(of.sizes):
            if least(one) and self.chance(0.25) and len(left) < of.rank - 1:
                places[axis] = self.index(one)
                left.append(axis)
        shape = tuple(one for axis, one in enumerate(sizes) if axis not in left)
        if not left and self.chance(0.15):
            return f"{of.text}[...]", of.sizes
        return f"{of.text}[{', '.join(places)}]", shape

    def write_slice(self, _depth: int) -> Lines:
        self.features.add("slice write")
        place, sizes = self.part(self.target())
        if self.chance(0.3):
            return [f"{place} = {self.pick([self.bounded(1), '0.25', '0.0'])}"]
        value = self.value_for(sizes)
        sign = self.pick(["=", "=", "+=", "*="])
        return [f"{place} {sign} {value}"]

    def value_for(self, sizes: Sizes) -> str:
        """Return what is written to a part of this shape; it may be stretched."""
        if len(sizes) > 1 and self.chance(0.3):
            sizes = sizes[1:]
        array = self.fitted(sizes, self.random.choice((0, 1, 1)))
        return f"{self.pick(['np.sin', 'np.tanh'])}({array.text})"

    def write_mask(self, _depth: int) -> Lines:
        """Numbers that a mask picks, of a row: Numba has masks of one axis."""
        self.features.add("mask")
        of = self.target()
        if not min(map(least, of.sizes)):
            return self.more_number(0)
        free = self.random.randrange(of.rank)
        places = [":" if axis == free else self.index(one) for axis, one in enumerate(of.sizes)]
        row = f"{of.text}[{', '.join(places)}]" if of.rank > 1 else of.text
        name = f"r{self.count()}"
        value = self.pick(["0.25", f"{self.bounded(0)}"])
        return [f"{name} = {row}", f"{name}[{name} > 0.1357] = {value}"]

    def write_elements(self, depth: int) -> Lines:
        """A nest of loops over all axes."""
        if depth > 1:
            return self.write_slice(depth)
        self.features.add("element write")
        of, lines, inside = self.target(), [], ""
        names = [f"i{self.count()}" for _ in of.sizes]
        for name, size in zip(names, of.sizes, strict=True):
            head = self.pick([f"range({self.size(size)})", f"range({self.size(size)} - 1, -1, -1)"])
            lines.append(f"{inside}for {name} in {head}:")
            inside += "    "
        self.counters += names
        value = self.bounded(0)
        self.counters = self.counters[: -len(names)]
        place = f"{of.text}[{', '.join(names)}]"
        back = [f"{one} - 1" if self.chance(0.4) else one for one in names]
        other = f"{of.text}[{', '.join(back)}]"
        body = self.pick(
            [f"{place} = {place} * {other} * 0.5 + {value} * 0.25", f"{place} += {value} * 0.25"]
        )
        return [*lines, f"{inside}{body}"]

    def write_through(self, _depth: int) -> Lines:
        """Something new, written through another shape of it, then read."""
        self.features.add("write through")
        made = self.array(1)
        new = Array(f"v{self.count()}", made.sizes, is_c=True)
        name = new.text
        view, shape = name, self.other_shape(made.sizes)
        lines = [f"{name} = {made.text}.copy()"]
        ways = [f"np.reshape({name}, {self.tuple(shape)})", f"{name}.reshape({self.tuple(shape)})"]
        view = f"p{self.count()}"
        lines.append(f"{view} = {self.pick(ways)}")
        place, sizes = self.part(Array(view, shape))
        lines.append(f"{place} = {self.pick([self.value_for(sizes), '0.25'])}")
        return [*lines, f"total += np.sum({name} * {name}) * 0.1"]

    def each_index(self, _depth: int) -> Lines:
        """A loop over the places of an array, or over its items with their places."""
        of, other = self.target(), self.variable()
        place = f"p{self.count()}"
        shape = self.tuple(of.sizes)
        if self.chance(0.4):
            self.features.add("ndenumerate")
            item = f"e{self.count()}"
            head = f"for {place}, {item} in np.ndenumerate({other.text}):"
            read = f"total += np.tanh({other.text}[{place}] * {item}) * 0.1"
            return [head, f"    {read}"]
        self.features.add("ndindex")
        body = self.pick(
            [
                f"{of.text}[{place}] = np.sin({of.text}[{place}]) * {self.bounded(0)}",
                f"{of.text}[{place}] *= 0.5 + 0.25 * {self.bounded(0)}",
                f"total += {of.text}[{place}] * {of.text}[{place}] * 0.1",
            ]
        )
        return [f"for {place} in np.ndindex({shape}):", f"    {body}"]

    def each_item(self, _depth: int) -> Lines:
        """A loop over numbers or over rows."""
        of, item = self.variable(), f"e{self.count()}"
        if self.chance(0.5):
            self.features.add("nditer")
            return [
                f"for {item} in np.nditer({of.text}):",
                f"    total += np.sin({item}.item() * {self.bounded(0)}) * 0.1",
            ]
        self.features.add("rows")
        if of.rank < 2:
            return [f"for {item} in {of.text}:", f"    total += np.sin({item}) * 0.1"]
        return [f"for {item} in {of.text}:", f"    total += np.sum({item} * {item}) * 0.1"]

    def carried(self, _depth: int) -> Lines:
        """An array of its own for a variable that exists: in a loop the next iteration reads it."""
        self.features.add("carried" if self.loops else "assigned again")
        return [f"y = np.sin({self.fitted(self.arrays['y'].sizes, 2).text})"]

    def reshaped_carried(self, _depth: int) -> Lines:
        """The variable that loops carry, in another shape and back."""
        self.features.add("reshape")
        y = self.arrays["y"]
        first = self.in_shape(y, self.other_shape(y.sizes))
        back = self.in_shape(Array(f"np.sin({first.text})", first.sizes), y.sizes)
        return [f"y = {back.text} * {self.bounded(0)}"]

    def filled(self, depth: int) -> Lines:
        """A new array, filled as a whole or row by row."""
        self.features.add("empty and filled")
        made = self.array(1)
        name = f"o{self.count()}"
        lines = [f"{name} = np.empty({self.tuple(made.sizes)})"]
        if made.rank < 2 or depth > 1 or self.chance(0.3):
            place = self.pick([f"{name}[...]", f"{name}[:]"])
            lines.append(f"{place} = {made.text}")
        else:
            counter = f"i{self.count()}"
            self.counters.append(counter)
            row = self.fitted(made.sizes[1:], 1)
            self.counters.pop()
            lines += [
                f"for {counter} in range({self.size(made.sizes[0])}):",
                f"    {name}[{counter}] = np.tanh({row.text}) * {self.bounded(0)}",
            ]
        self.arrays[name] = Array(name, made.sizes, is_c=True)
        self.writable.add(name)
        return lines

    def grown_list(self, _depth: int) -> Lines:
        """A list of arrays, each made of the one before."""
        self.features.add("list")
        items, counter = f"l{self.count()}", f"j{self.count()}"
        first = f"{self.array(1).text} * 1.0"
        head = self.pick(
            [[f"{items} = [{first}]"], [f"{items} = TypedList()", f"{items}.append({first})"]]
        )
        return [
            *head,
            f"for {counter} in range(1, {self.pick(['3', 'n', 'k'])}):",
            f"    {items}.append(np.sin({items}[{counter} - 1]) * {self.bounded(0)})",
            f"total += np.sum({items}[-1] * {items}[0]) * 0.1",
        ]

    def unpacked(self, _depth: int) -> Lines:
        """A tuple of arrays that a function returns."""
        self.features.add("tuple")
        one = self.variable()
        other = self.fitted(one.sizes, 0)
        made = Array("", one.sizes, is_new=True)
        return [f"{self.named(made)}, {self.named(made)} = in_both({one.text}, {other.text})"]

    # -- statements with bodies

    def count_loop(self, depth: int) -> Lines:
        self.features.add(f"{self.loops + 1} loops")
        counter = f"i{self.count()}"
        self.counters.append(counter)
        body = self.looped(depth)
        self.counters.pop()
        size = self.size(self.pick(["n", "k", "m"]))
        heads = [f"range({size})", "range(2)", f"range({size} - 1, -1, -1)", f"range(0, {size}, 2)"]
        return [f"for {counter} in {self.pick(heads)}:", *body]

    def while_loop(self, depth: int) -> Lines:
        self.features.add("while")
        counter = f"k{self.count()}"
        body = self.looped(depth)
        head = self.pick([f"while {counter} < 3:", f"while {counter} < n and total < 1.4321:"])
        return [f"{counter} = 0", head, *body, f"    {counter} += 1"]

    def branch(self, depth: int) -> Lines:
        self.features.add("if")
        tests = ["n > 2", "k % 2 == 0", f"{self.element()} > 0.1234", "n > k"]
        tests += [f"{one} > 0" for one in self.counters]
        lines = [f"if {self.pick(tests)}:", *self.body(depth)]
        return [*lines, "else:", *self.body(depth)] if self.chance(0.4) else lines

    def looped(self, depth: int) -> Lines:
        """Return the body of a loop."""
        self.loops += 1
        lines = self.body(depth)
        self.loops -= 1
        return lines

    def body(self, depth: int) -> Lines:
        """Return one to three statements, but fewer of those that are deep."""
        kept = dict(self.arrays), set(self.writable), list(self.numbers)
        count = self.random.randint(1, 3 if depth == 0 else 2)
        lines = [f"    {line}" for _ in range(count) for line in self.statement(depth + 1)]
        self.arrays, self.writable, self.numbers = kept
        return lines
