"""One kernel at one point along two directions: its arguments, its value, its finite differences.

Arguments have the layouts that its number draws. What a kernel returns is made one number by fixed weights, so
that all questions are about a gradient; a kernel may write to its arguments, so each call gets copies.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from tests.fuzz import helpers, sizes
from tests.metamorphic.texts import executed

STEPS = (2e-4, 1e-3, 5e-5)
POINTS = 4  # that are tried, where differences disagree
ROUNDING = 1e-9  # relative, one mode against another: some thousand operations, some cancellation
TRUNCATION = 1e-6  # relative, of differences that agree with those of twice the step
SINGLE = 2.0**10 * 2.0**-23  # relative, where float32 is in the middle
LARGEST = 1e8  # what comes out larger is not looked at
LARGE = 0.15  # of the kernels get arrays long enough for code in vectors and repeated turns, which differs

# Sums of products are loops in a derivative (rules/blas_loops.py) and a BLAS routine's in Numba's own code,
# whose order is another one, and Numba adds up loops on threads in parts of its own: such primals may differ in the last places.
REORDERED = ("prange", "@", "np.dot", "np.linalg.", "np.vdot")

_SHAPES = re.compile(
    r"\b(\w): '([nkmuz\d, ]+)'"
)  # of x, a and c, if they are no vectors and matrices of n
_X = re.compile(r"def kernel\(x: ['\"]([a-z]\w+)['\"]")  # the type of x, if it is no float64

_SINGLE = re.compile(r"float32|\b(RECORD|PACKED)\b(?=[\s\S]*(\.w\b|\['w'\]))")  # records have a field of it

_numbers = itertools.count()
# Asked of each kernel at each point, before Numba sees it, and of what Numba makes of it: see guided/.
look: Callable[[Subject], Callable[[Any], None] | None] | None = None

Point = tuple[Any, ...]


class Wrong(Exception):
    """Two answers to one question differ."""


class Inconclusive(Exception):
    """There is nothing to compare with."""


def compiled(source: str, *, is_parallel: bool = False, is_fast: bool = False) -> Any:
    """Return the jitted kernel of a source text, whose lines error messages can show."""
    name = f"<fuzz {next(_numbers)}>"
    scope = executed(source, name, {"np": np, **{one: getattr(helpers, one) for one in helpers.__all__}})
    return numba.njit(parallel=is_parallel or "prange" in source, fastmath=is_fast)(scope["kernel"])


def in_double(source: str) -> str:
    """Return a kernel with float64 where it has float32."""
    return re.sub(r"\b(RECORD|PACKED)\b", r"\1_OF_DOUBLES", source.replace("float32", "float64"))


class Subject:
    """A kernel, a point, and what Numba says of it."""

    def __init__(self, source: str, seed: int) -> None:
        self.source, self.is_single = source, _SINGLE.search(source) is not None
        self._is_reordered = any(word in source for word in REORDERED)
        self.kernel = compiled(source)
        named = _X.search(source)
        self.dtype = np.dtype(named[1] if named else "float64")
        self.reference = compiled(in_double(source)) if self.is_single else None
        self._random = np.random.default_rng(seed)
        self.size: Any = int(self._random.choice([4, 4, 3, 5, 2]))
        if random.Random(f"large {seed}").random() < LARGE:
            self.size = helpers.MOST - 3
        self._layouts = self._random.uniform(size=3)
        self._shapes = {"x": (self.size,), "a": (self.size,) * 2, "c": (self.size,)}
        named_shapes = dict(_SHAPES.findall(source.partition("\n")[0]))
        if named_shapes:
            self._draw_shapes(named_shapes)
        self.redraw()

    def _draw_shapes(self, named: dict[str, str]) -> None:
        """Draw the sizes that the shapes of the arguments name: the last argument is a tuple of them."""
        drawn = [int(one) for one in self._random.integers(1, sizes.LARGEST, 3)]
        if self.size == helpers.MOST - 3:
            drawn[int(self._random.integers(3))] = 9
        self.size = (*drawn, 1, 0)
        known = dict(zip(sizes.NAMES, self.size, strict=True))
        for name, text in named.items():
            self._shapes[name] = tuple(int(known.get(one, one)) for one in text.split(", "))

    # -- the point

    def redraw(self) -> None:
        """Go to another point, in other directions; where nothing is to be seen there, stay."""
        before = vars(self).copy()
        try:
            self._draw_point()
        except Inconclusive:
            vars(self).update(before)
            raise

    def _draw_point(self) -> None:
        self.active = self.drawn()
        self.first, self.second = self.drawn(), self.drawn()
        numbers = self._random.uniform(-1.0, 1.0, self._shapes["c"])
        self.constant = laid_out(numbers, self._layouts[2])
        check = look(self) if look is not None else None
        self.result, self.after = self.run(self.kernel, *self.active)
        if check is not None:
            check(self.result)
        self.weights = weights_like(self.result)
        if not abs(self.value) < LARGEST:
            raise Inconclusive("the value is too large")

    def drawn(self) -> Point:
        """Return three arguments at random, in the layouts of this subject."""
        uniform = self._random.uniform
        x, a = uniform(-1, 1, self._shapes["x"]), uniform(-1, 1, self._shapes["a"])
        x = x + 1j * uniform(-1, 1, x.shape) if self.is_complex else x.astype(self.dtype)
        return laid_out(x, self._layouts[0]), laid_out(a, self._layouts[1]), float(uniform(-1, 1))

    def given(self, x: Any, a: Any, s: Any) -> Point:
        """Return all arguments of a call, of which it may write the first two."""
        return self._given(x.astype(self.dtype), a, s)

    def _given(self, x: Any, a: Any, s: Any) -> Point:
        kept = self._layouts
        return laid_out(x, kept[0]), laid_out(a, kept[1]), s, self.constant, self.size

    def run(self, f: Any, x: Any, a: Any, s: Any) -> tuple[Any, Point]:
        """Return the result of a call, and the arguments behind it."""
        given = self.given(x, a, s)
        return f(*given), given[:2]

    @property
    def is_complex(self) -> bool:
        """Whether x is a vector of complex numbers."""
        return self.dtype.kind == "c"

    @property
    def no_size(self) -> Any:
        """The tangent of the last argument: a number, or a tuple of sizes."""
        return (0,) * len(self.size) if isinstance(self.size, tuple) else 0

    @property
    def is_number(self) -> bool:
        """Whether the kernel returns a number."""
        return isinstance(self.result, float)

    @property
    def value(self) -> float:
        """The result, as one number."""
        return inner(leaves(self.result), leaves(self.weights))

    @property
    def tolerance(self) -> float:
        """How far one mode may be from another."""
        return SINGLE if self.is_single else ROUNDING

    def is_alike(self, got: Any, want: Any) -> bool:
        """Tell whether a primal inside a derivative is Numba's own: bit for bit, if no sum is in another order."""
        if same(got, want):
            return True
        if not self._is_reordered:
            return False
        pairs = list(zip(map(np.asarray, leaves(got)), map(np.asarray, leaves(want)), strict=True))
        if any(one.shape != other.shape or one.dtype != other.dtype for one, other in pairs):
            return False
        scale = 1.0 + max(float(np.max(np.abs(other), initial=0.0)) for _, other in pairs)
        bound = self.tolerance * scale
        return all(np.allclose(one, other, rtol=0.0, atol=bound) for one, other in pairs)

    # -- differences

    def plain(self, x: Any, a: Any, s: Any) -> float:
        """Return the value somewhere else, in float64 throughout."""
        if self.reference is None:
            result, _ = self.run(self.kernel, x, a, s)
        else:
            x = x if self.is_complex else x.astype(np.float64)
            result = self.reference(*self._given(x, a, s))
        return inner(leaves(result), leaves(self.weights))

    def difference(self, f: Callable[..., float], way: Point) -> float:
        """Return the derivative of f by central differences; raises if those of all steps disagree."""
        if self.is_single and f != self.plain:
            raise Inconclusive("differences of gradients in float32 have no digits")
        tried = []
        for step in STEPS:
            one, other = self._central(f, way, step), self._central(f, way, 2 * step)
            tried += [one, other]
            scale = abs(one) + abs(self.value) + 1.0
            if abs(one - other) <= TRUNCATION * scale:
                return one
        raise Inconclusive(f"differences disagree: {', '.join(f'{one:.9g}' for one in tried[:4])}")

    def _central(self, f: Callable[..., float], way: Point, step: float) -> float:
        return central(lambda at: f(*self.moved(way, at)), step)

    def moved(self, way: Point, step: float) -> Point:
        """Return the point a step away."""
        x, a, s = zip(self.active, way, strict=True)
        exact = np.result_type(self.dtype, np.float64)  # a step would be lost in float32
        moved = x[0].astype(exact) + step * x[1].astype(exact)
        return moved, a[0] + step * a[1], s[0] + step * s[1]


def central(value: Callable[[float], float], step: float) -> float:
    """Return the slope of a function of a number at zero, by differences of two widths."""
    near, far = value(step) - value(-step), value(2 * step) - value(-2 * step)
    return float((8 * near - far) / (12 * step))


def laid_out(array: Any, drawn: float) -> Any:
    """Return a new array of these numbers: contiguous in most draws, else strided, reversed or Fortran's."""
    if drawn < 0.8:
        return np.array(array, order="C" if drawn < 0.7 else "F")
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    view = wide[..., ::2] if drawn < 0.9 else wide[..., ::2][..., ::-1]
    view[...] = array
    return view


def leaves(value: Any) -> list[Any]:
    """Return the numbers and arrays of a value, in order."""
    return [leaf for one in value for leaf in leaves(one)] if type(value) is tuple else [value]


def weights_like(value: Any) -> Any:
    """Return what the numbers of a result are multiplied with to make one number of it."""
    if type(value) is tuple:
        return tuple(weights_like(one) for one in value)
    if isinstance(value, np.ndarray):
        return (0.5 + np.arange(value.size) % 3 * 0.25).reshape(value.shape).astype(value.dtype)
    return 1.0


def inner(left: Any, right: Any) -> float:
    """Return the sum of the products of all numbers: of complex ones, of their parts."""
    pairs = zip(left, right, strict=True)
    return float(sum(np.sum(np.real(np.conj(one) * other)) for one, other in pairs))


def same(left: Any, right: Any) -> bool:
    """Tell whether two values are equal bit for bit."""
    pairs = zip(leaves(left), leaves(right), strict=True)
    return all(np.asarray(one).tobytes() == np.asarray(other).tobytes() for one, other in pairs)
