"""Random expressions of arrays of several dimensions: what a kernel of shapes.py computes."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from tests.fuzz.sizes import (
    LARGEST,
    MOST,
    RANK,
    Array,
    Sizes,
    bracketed,
    is_alike,
    is_one,
    least,
    product,
    stretches,
    together,
    values,
)


class ShapeExpressions:
    """Draws expressions; knows which arrays exist and which shapes they have."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"shapes {seed}")
        self.features: set[str] = {"shapes"}
        self.arrays: dict[str, Array] = {}
        self.writable: set[str] = set()
        self.numbers = ["s", "total"]
        self.counters: list[str] = []
        self.used = self.loops = 0

    def shape(self, kinds: Sequence[str], ranks: Sequence[int]) -> Sizes:
        """Return a shape of an argument, not too large."""
        while True:
            sizes = tuple(self.pick(kinds) for _ in range(self.random.choice(ranks)))
            if self.is_small(sizes):
                return sizes

    # -- sizes

    def is_small(self, sizes: Sequence[str]) -> bool:
        """Tell whether an array of this shape is small enough."""
        if len(sizes) > RANK:
            return False
        known = dict.fromkeys("nkm", LARGEST - 1) | {"u": 1, "z": 1}
        return math.prod(eval(one, dict(known)) for one in sizes) <= MOST

    def size(self, size: str) -> str:
        """Return a text for a size: itself, or what an array with an axis like that says."""
        found = [size] * 3
        for array in self.arrays.values():
            for axis, one in enumerate(array.sizes):
                if values(one) == values(size):
                    found.append(f"{array.text}.shape[{axis}]")
                    if axis == 0:
                        found.append(f"len({array.text})")
        return self.pick(found)

    def tuple(self, sizes: Sequence[str]) -> str:
        """Return a text for a shape."""
        whole = [f"{one.text}.shape" for one in self.arrays.values() if is_alike(one.sizes, sizes)]
        if whole and self.chance(0.3):
            return self.pick(whole)
        return f"({', '.join(self.size(one) for one in sizes)}{',' if len(sizes) == 1 else ''})"

    def index(self, size: str) -> str:
        """Return an index for an axis of this size, which is never empty."""
        found = ["0", "-1", f"{self.size(size)} - 1"]
        found += [f"{one} % {bracketed(self.size(size))}" for one in self.counters] * 2
        if self.chance(0.1):
            self.features.add("argmin")
            array = self.with_numbers()
            least_of = self.pick(["np.argmin", "np.argmax"])
            found = [f"{least_of}({array.text}) % {bracketed(self.size(size))}"]
        return self.pick(found)

    # -- numbers

    def number(self, depth: int) -> str:
        """Return an expression of a number."""
        array = self.array(depth)
        text = array.text
        if depth <= 0 or self.chance(0.3):
            return self.pick([*self.numbers, "0.75", self.element()])
        kinds = [
            f"np.sum({text}) * 0.1",
            f"np.sin(np.sum({text}))",
            f"np.sum({text} * {text}) * 0.1",
        ]
        if min(map(least, array.sizes)):
            self.features.add("reduction")
            kinds += [f"np.mean({text})", f"np.max({text})", f"({text}).min()"]
            kinds += [f"np.prod(np.cos({text}))"]
        kinds += [f"axes_summed({text}) * 0.1", f"items_summed({text}) * 0.1"]
        return self.pick(kinds)

    def with_numbers(self) -> Array:
        """Return an array that is never empty."""
        found = [one for one in self.arrays.values() if min(map(least, one.sizes))]
        return self.random.choice(found) if found else Array("np.ones(1)", ("1",))

    def element(self) -> str:
        """Return an element of an array."""
        array = self.with_numbers()
        return (
            f"{array.text}[{', '.join(map(self.index, array.sizes))}]"
            if array.text[-1] != ")"
            else "0.5"
        )

    def bounded(self, depth: int) -> str:
        """Return a number that is no larger than one."""
        return f"{self.pick(['np.tanh', 'np.cos'])}({self.number(depth)})"

    # -- arrays

    def variable(self) -> Array:
        """Return an array that has a name, most often one of many axes."""
        found = list(self.arrays.values())
        return self.random.choices(found, [3 if one.rank > 2 else 1 for one in found])[0]

    def array(self, depth: int) -> Array:
        """Return an expression of an array of any shape."""
        if depth <= 0:
            return self.variable()
        array = self.array(depth - 1)
        makers: list[tuple[float, Callable[[Array], Array]]] = [
            (3, self.turned),
            (4, self.reshaped),
            (2, self.extended),
            (3, self.picked),
            (3, self.summed),
            (3, self.sliced),
            (2, self.joined),
            (3, self.combined),
            (4, self.mapped),
            (2, self.stretched),
            (1.5, self.scanned),
            (1, self.repeated),
            (1, self.halved),
            (2, self.called),
            (1, self.one_of),
            (1.5, self.made),
        ]
        weights = [weight for weight, _ in makers]
        for _ in range(5):
            found = self.random.choices([one for _, one in makers], weights)[0](array)
            if self.is_small(found.sizes):
                return found
        return array

    def turned(self, of: Array) -> Array:
        """Axes in another order."""
        self.features.add("axes turned")
        order = list(range(of.rank))
        self.random.shuffle(order)
        one, two = self.random.randrange(of.rank), self.random.randrange(of.rank)
        swapped = list(range(of.rank))
        swapped[one], swapped[two] = swapped[two], swapped[one]
        axes = ", ".join(map(str, order)) + ("," if of.rank == 1 else "")
        ways = [
            (f"np.transpose({of.text}, ({axes}))", order),
            (f"{of.text}.transpose(({axes}))", order),
            (f"{of.text}.T", list(range(of.rank))[::-1]),
            (f"np.swapaxes({of.text}, {one}, {two - self.random.choice((0, of.rank))})", swapped),
        ]
        moved = list(range(of.rank))
        moved.insert(two, moved.pop(one))
        ways.append((f"np.moveaxis({of.text}, {one}, {two})", moved))
        text, taken = self.random.choice(ways)
        return Array(text, tuple(of.sizes[axis] for axis in taken), of.is_new)

    def contiguous(self, of: Array) -> Array:
        """The array as Numba's reshape needs it."""
        if of.is_c and self.chance(0.6):
            return of
        text = self.pick([f"{of.text}.copy()", f"np.ascontiguousarray({of.text})"])
        return Array(text, of.sizes, text.endswith(".copy()") or of.is_new, is_c=True)

    def reshaped(self, of: Array) -> Array:
        """The numbers of an array in another shape."""
        self.features.add("reshape")
        return self.in_shape(of, self.other_shape(of.sizes))

    def in_shape(self, of: Array, sizes: Sizes) -> Array:
        """The numbers of an array in this shape, which has room for as many."""
        of = self.contiguous(of)
        texts = [self.size(one) for one in sizes]
        place = self.random.randrange(len(texts))
        if self.chance(0.3) and all(least(one) for one in sizes):
            texts[place] = "-1"
            whole = f"({', '.join(texts)},)"
        else:
            whole = self.tuple(sizes)
        ways = [
            f"np.reshape({of.text}, {whole})",
            f"{of.text}.reshape({whole})",
            f"{of.text}.reshape({', '.join(texts)})",
        ]
        if "-1" not in texts:
            ways.append(f"in_shape({of.text}, {whole})")
        return Array(self.pick(ways), sizes, of.is_new, is_c=True)

    def other_shape(self, sizes: Sizes) -> Sizes:
        """Return a shape with room for as many numbers."""
        new = list(sizes)
        if self.chance(0.5):
            self.random.shuffle(new)
        if len(new) > 1 and self.chance(0.6):
            place = self.random.randrange(len(new) - 1)
            new[place : place + 2] = [product(new[place : place + 2])]
        if len(new) < RANK and self.chance(0.4):
            new.insert(self.random.randint(0, len(new)), self.pick(["1", "u"]))
        return tuple(new)

    def extended(self, of: Array) -> Array:
        """An axis of one."""
        self.features.add("new axis")
        axis = self.random.randint(0, of.rank)
        sizes = (*of.sizes[:axis], "1", *of.sizes[axis:])
        colons = ":, " * axis
        ways = [f"np.expand_dims({of.text}, {axis})", f"{of.text}[{colons}None]"]
        if axis == of.rank:
            ways += [f"{of.text}[..., np.newaxis]", f"np.expand_dims({of.text}, -1)"]
        return Array(self.pick(ways), sizes, of.is_new)

    def picked(self, of: Array) -> Array:
        """One place of an axis."""
        found = [axis for axis, one in enumerate(of.sizes) if least(one)]
        if of.rank < 2 or not found:
            return of
        self.features.add("index of an axis")
        axis = self.random.choice(found)
        if of.rank > 1 and min(map(least, of.sizes)) and self.chance(0.1):
            self.features.add("argmin by axis")
            places = f"np.expand_dims(np.argmin({of.text}, axis={axis}), {axis})"
            one = (*of.sizes[:axis], "1", *of.sizes[axis + 1 :])
            return Array(f"np.take_along_axis({of.text}, {places}, {axis})", one, is_new=True)
        sizes = of.sizes[:axis] + of.sizes[axis + 1 :]
        behind = ", :" * (of.rank - 1 - axis)
        place = self.index(of.sizes[axis])
        ways = [f"{':, ' * axis}{place}", f"{':, ' * axis}{place}{behind}", f"..., {place}{behind}"]
        return Array(f"{of.text}[{self.pick(ways)}]", sizes, of.is_new)

    def summed(self, of: Array) -> Array:
        """Sums by an axis, or by two."""
        if of.rank < 2:
            return of
        self.features.add("sum by axis")
        axis = self.random.randrange(of.rank)
        sizes = of.sizes[:axis] + of.sizes[axis + 1 :]
        given = axis - self.random.choice((0, of.rank))
        text = self.pick([f"np.sum({of.text}, axis={axis})", f"({of.text}).sum(axis={given})"])
        made = Array(f"({text} * 0.25)", sizes, is_new=True)
        if made.rank > 1 and self.chance(0.4):
            return self.summed(made)
        return made

    def sliced(self, of: Array) -> Array:
        """A part of some axes, or all of them from behind."""
        self.features.add("slice")
        places, sizes = self.slices(of)
        return Array(f"{of.text}[{', '.join(places)}]", sizes, of.is_new)

    def slices(self, of: Array) -> tuple[list[str], Sizes]:
        """Return slices of all axes, and the shape of what they take."""
        places, sizes = [], []
        for one in of.sizes:
            half = f"({one} + 1) // 2"
            ways = [(":", one)] * 3 + [("::-1", one), ("::2", half), ("::-2", half)]
            if least(one) > 1:
                ways += [
                    ("1:", f"({one}) - 1"),
                    (":-1", f"({one}) - 1"),
                    ("-2::-1", f"({one}) - 1"),
                ]
            if least(one) > 0:
                ways += [(":1", "1"), ("-1:", "1")]
            way, size = self.random.choice(ways)
            places.append(way)
            sizes.append(size)
        return places, tuple(sizes)

    def joined(self, of: Array) -> Array:
        """Two arrays side by side, or above each other."""
        self.features.add("stack")
        other = self.fitted(of.sizes, 0)
        axis = self.random.randrange(of.rank)
        if self.chance(0.5) and of.rank < RANK:
            sizes = (*of.sizes[:axis], "2", *of.sizes[axis:])
            return Array(f"np.stack(({of.text}, {other.text}), axis={axis})", sizes, True, True)
        twice = f"2 * {bracketed(of.sizes[axis])}"
        sizes = (*of.sizes[:axis], twice, *of.sizes[axis + 1 :])
        text = f"np.concatenate(({of.text}, {other.text}), axis={axis})"
        return Array(text, sizes, True, True)

    def combined(self, of: Array) -> Array:
        """Arithmetic of two arrays, whose ranks may differ."""
        found = [
            one
            for one in self.arrays.values()
            if (shape := together(of.sizes, one.sizes)) and self.is_small(shape)
        ]
        other = self.random.choice(found) if found else self.fitted(of.sizes, 1)
        self.features.add("ranks differ" if other.rank != of.rank else "array expression")
        text = self.pick(
            [
                f"({of.text} + {other.text})",
                f"({of.text} * {other.text})",
                f"(np.sin({other.text}) - {of.text})",
                f"np.maximum({of.text}, {other.text})",
                f"np.where({of.text} > 0.0321, {of.text}, {other.text})",
            ]
        )
        sizes = together(of.sizes, other.sizes)
        assert sizes is not None
        return Array(text, sizes, is_new=True)

    def mapped(self, of: Array) -> Array:
        """A function of each number."""
        row = self.pick(
            [
                "np.sin({a})",
                "np.tanh({a})",
                "({a} * {b})",
                "({a} / (1.5 + {a} * {a}))",
                "np.exp(-np.abs({a}) - 0.1)",
                "np.where({a} > 0.0123, {a}, 0.25)",
                "np.minimum({a}, 0.4321)",
                "np.clip({a}, -0.6543, 0.7654)",
                "np.flip({a}).copy()",
            ]
        )
        return Array(row.format(a=of.text, b=self.bounded(0)), of.sizes, is_new=True)

    def stretched(self, of: Array) -> Array:
        """Axes of one made longer, or one axis more."""
        self.features.add("broadcast_to")
        sizes = tuple(self.pick(["n", "k", "m"]) if is_one(one) else one for one in of.sizes)
        if self.chance(0.5) or is_alike(sizes, of.sizes):
            sizes = (self.pick(["n", "k", "m", "2"]), *sizes)
        if not self.is_small(sizes):
            return of
        return Array(f"np.broadcast_to({of.text}, {self.tuple(sizes)})", sizes)

    def scanned(self, of: Array) -> Array:
        """Running sums of all numbers or by an axis, in the shape of the array."""
        self.features.add("scan")
        if self.chance(0.4):
            text = f"(np.cumsum({of.text}, axis={self.random.randrange(of.rank)}) * 0.25)"
            return Array(text, of.sizes, is_new=True)
        text = self.pick([f"(np.cumsum({of.text}) * 0.25)", f"np.cumprod(np.cos({of.text}))"])
        flat = Array(text, (product(of.sizes),), is_new=True, is_c=True)
        return self.in_shape(flat, of.sizes if self.chance(0.7) else self.other_shape(of.sizes))

    def repeated(self, of: Array) -> Array:
        """Each number twice, on an axis of its own."""
        self.features.add("repeat")
        shape = (*of.sizes, "2")
        if not self.is_small(shape):
            return of
        text = self.pick([f"np.repeat({of.text}, 2)", f"({of.text}).repeat(2)"])
        flat = Array(text, (f"2 * {product(of.sizes)}",), is_new=True, is_c=True)
        return self.in_shape(flat, shape)

    def halved(self, of: Array) -> Array:
        """One part of an array that is split."""
        self.features.add("split")
        axis, part = self.random.randrange(of.rank), self.random.randrange(2)
        twice = f"np.concatenate(({of.text}, {of.text}), axis={axis})"
        return Array(f"np.split({twice}, 2, axis={axis})[{part}]", of.sizes, is_new=True)

    def called(self, of: Array) -> Array:
        """What a function makes of an array, or of a shape."""
        self.features.add("call")
        other = self.fitted(of.sizes, 0)
        filled = Array(f"of_shape({self.tuple(of.sizes)}, {self.bounded(0)})", of.sizes, True, True)
        ways = [
            filled,
            Array(f"first_moved_back({of.text})", (*of.sizes[1:], of.sizes[0]), of.is_new),
            Array(f"in_both({of.text}, {other.text})[{self.random.randrange(2)}]", of.sizes, True),
            Array(f"row_by_row({of.text})", of.sizes, True, True),
        ]
        if of.rank < 2:
            ways = ways[:1] + ways[2:]
        return self.random.choice(ways)

    def one_of(self, of: Array) -> Array:
        """One of some arrays, which only the run knows."""
        self.features.add("one of")
        other = self.fitted(of.sizes, 0)
        both = f"{of.text}.copy(), {other.text}.copy()"
        which = self.pick(["n % 2", "(n + k) % 2", *(f"{one} % 2" for one in self.counters)])
        text = self.pick([f"[{both}][{which}]", f"({both})[{which}]"])
        return Array(text, of.sizes, is_new=True)

    def made(self, of: Array) -> Array:
        """A new array of one number."""
        self.features.add("full")
        shape = self.tuple(of.sizes)
        ways = [f"np.full({shape}, {self.bounded(0)})", f"(np.ones({shape}) * {self.bounded(0)})"]
        ways += [f"(np.zeros({shape}) + {of.text})", f"np.zeros_like({of.text})"]
        text = self.pick(ways)
        return Array(text, of.sizes, is_new=True, is_c=text.startswith("np.full"))

    def fitted(self, sizes: Sizes, depth: int) -> Array:
        """Return an expression of an array of this shape."""
        found = [fit for one in self.arrays.values() if (fit := self.brought(one, sizes))]
        if not found or self.chance(0.1):
            text = f"np.full({self.tuple(sizes)}, {self.bounded(0)})"
            found = [Array(text, sizes, is_new=True, is_c=True)]
        array = self.random.choice(found)
        if depth <= 0:
            return array
        if self.chance(0.3):
            other = self.fitted(sizes, depth - 1)
            return Array(f"({array.text} * {other.text})", sizes, is_new=True)
        for _ in range(5):
            made = self.brought(self.array(depth), sizes)
            if made:
                return made
        return self.mapped(array)

    def brought(self, of: Array, sizes: Sizes) -> Array | None:
        """Return the numbers of an array in this shape: turned, in another shape, or stretched."""
        if is_alike(of.sizes, sizes):
            return of
        if sorted(map(values, of.sizes)) == sorted(map(values, sizes)):
            return self.in_order(of, sizes)
        if values(product(of.sizes)) == values(product(sizes)):
            return self.in_shape(of, sizes)
        if stretches(of.sizes, sizes):
            return Array(f"np.broadcast_to({of.text}, {self.tuple(sizes)})", sizes)
        return None

    def in_order(self, of: Array, sizes: Sizes) -> Array:
        """The array with its axes turned to this shape."""
        left = list(range(of.rank))
        order = []
        for size in sizes:
            axis = next(one for one in left if values(of.sizes[one]) == values(size))
            left.remove(axis)
            order.append(str(axis))
        axes = ", ".join(order) + ("," if len(order) == 1 else "")
        return Array(f"np.transpose({of.text}, ({axes}))", sizes, of.is_new)

    # -- choices

    def count(self) -> int:
        """Return a number for a name."""
        self.used += 1
        return self.used

    def pick(self, choices: Sequence[str]) -> str:
        """Return one of some."""
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        """Tell whether something with this share happens."""
        return self.random.random() < share
