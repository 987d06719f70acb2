"""The questions that are asked of one kernel, and what its answers come to.

The primal against Numba's own; reverse mode against forward mode and both against central differences;
second derivatives, forward over reverse against reverse over reverse and against differences of
gradients; two directions at once against one; a second call against the first; constants untouched.
A refusal that is explained is an answer too. So is "inconclusive", where differences of two step
widths disagree with each other: a kink is near, or numbers are too large.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py import BatchDuplicated, Const, Duplicated, Forward
from enzyme_py.errors import EnzymeError, HostCrashed
from tests.fuzz.grammar import HELPERS

SIZE = 4
STEP = 2e-4
ROUNDING = 1e-9  # relative, forward against reverse: some thousand operations, some cancellation
TRUNCATION = 1e-6  # relative, of differences that agree with those of twice the step
LARGEST = 1e8  # what comes out larger is not looked at

_numbers = itertools.count()


@dataclass(frozen=True)
class Outcome:
    """What came of one question: right, refused, inconclusive, wrong, crashed."""

    question: str
    verdict: str
    reason: str = ""


class Wrong(Exception):
    """Two answers to one question differ."""


class Inconclusive(Exception):
    """There is nothing to compare with."""


def compiled(source: str) -> Any:
    """Return the jitted kernel of a source text, whose lines error messages can show."""
    name = f"<fuzz {next(_numbers)}>"
    text = HELPERS + "\n\n" + source
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {}
    exec(compile(text, name, "exec"), scope)
    return numba.njit(scope["kernel"])


def outcomes(source: str, seed: int, *, is_second: bool) -> list[Outcome]:
    """Ask all questions of a kernel."""
    subject = Subject(source, seed)
    questions: list[tuple[str, Callable[[], None]]] = [
        ("reverse", subject.reverse),
        ("forward", subject.forward),
        ("again", subject.again),
    ]
    if is_second:
        questions += [
            ("forward over reverse", subject.forward_over_reverse),
            ("reverse over reverse", subject.reverse_over_reverse),
            ("reverse over forward", subject.reverse_over_forward),
            ("batch", subject.batch),
        ]
    return [_asked(name, question) for name, question in questions]


def _asked(name: str, question: Callable[[], None]) -> Outcome:
    try:
        question()
    except HostCrashed as refusal:
        return Outcome(name, "pass crashed", str(refusal).split("\n")[0])
    except EnzymeError as refusal:
        explained = bool(refusal.remedy) and "defect of enzyme_py" not in refusal.remedy
        return Outcome(name, "refused" if explained else "unexplained", str(refusal).split("\n")[0])
    except Inconclusive as error:
        return Outcome(name, "inconclusive", str(error))
    except Wrong as error:
        return Outcome(name, "wrong", str(error))
    except Exception as error:  # the kernel ran with Numba: nothing else may come
        return Outcome(name, "wrong", f"{type(error).__name__}: {error}"[:300])
    return Outcome(name, "right")


class Subject:
    """One kernel at one point, along two directions."""

    def __init__(self, source: str, seed: int) -> None:
        self.kernel = compiled(source)
        random = np.random.default_rng(seed)
        self.active = self._drawn(random)
        self.first, self.second = self._drawn(random), self._drawn(random)
        self.constant = random.uniform(-1.0, 1.0, SIZE)
        self.value = self.plain(*self.active)
        if not np.isfinite(self.value) or abs(self.value) > LARGEST:
            raise Inconclusive("the value is too large")
        self._slopes: Any = None

    @staticmethod
    def _drawn(random: np.random.Generator) -> tuple[Any, ...]:
        x, a = random.uniform(-1, 1, SIZE), random.uniform(-1, 1, (SIZE, SIZE))
        return x, a, float(random.uniform(-1, 1))

    def plain(self, x: Any, a: Any, s: Any) -> float:
        return float(self.kernel(x, a, s, self.constant, SIZE))

    def moved(self, way: tuple[Any, ...], step: float) -> tuple[Any, ...]:
        return tuple(one + step * other for one, other in zip(self.active, way, strict=True))

    def difference(self, f: Callable[..., float], way: tuple[Any, ...]) -> float:
        """Return the derivative of f by central differences; raises if two steps disagree."""

        def at(step: float) -> float:
            near = f(*self.moved(way, step)) - f(*self.moved(way, -step))
            far = f(*self.moved(way, 2 * step)) - f(*self.moved(way, -2 * step))
            return (8 * near - far) / (12 * step)

        one, other = at(STEP), at(2 * STEP)
        scale = abs(one) + abs(self.value) + 1.0
        if not np.isfinite(one) or abs(one - other) > TRUNCATION * scale:
            raise Inconclusive(f"differences disagree: {one:.9g}, {other:.9g}")
        return one

    def agree(self, got: float, want: float, tolerance: float, scale: float, what: str) -> None:
        if not abs(got - want) <= tolerance * (abs(want) + scale):
            raise Wrong(f"{what}: {got!r} and {want!r}")

    # -- first order

    def slopes(self) -> tuple[Any, ...]:
        """Return the gradient by reverse mode, taken once."""
        if self._slopes is None:
            before = [np.copy(one) for one in (*self.active, self.constant)]
            taken = enzyme.value_and_grad(self.kernel, argnums=(0, 1, 2))
            value, self._slopes = taken(*self.active, self.constant, SIZE)
            self.agree(value, self.value, 1e-12, 1.0, "primal")
            for was, one in zip(before, (*self.active, self.constant), strict=True):
                if np.any(was != one):
                    raise Wrong("an argument was written")
        return self._slopes

    def scale(self) -> float:
        return 1.0 + sum(float(np.sum(np.abs(one))) for one in self.slopes())

    def reverse(self) -> None:
        along = inner(self.slopes(), self.first)
        want = self.difference(self.plain, self.first)
        self.agree(along, want, TRUNCATION, self.scale(), "reverse mode and differences")

    def forward(self) -> None:
        kernel, constant = self.kernel, self.constant
        given = [Duplicated(one, way) for one, way in zip(self.active, self.first, strict=True)]
        (tangent,) = enzyme.autodiff(Forward, kernel, Duplicated, *given, Const(constant), SIZE)
        along = inner(self.slopes(), self.first)
        self.agree(tangent, along, ROUNDING, self.scale(), "forward and reverse mode")

    def again(self) -> None:
        first = self.slopes()
        self._slopes = None
        for one, other in zip(first, self.slopes(), strict=True):
            if np.any(np.not_equal(one, other)):
                raise Wrong("a second call says something else")

    # -- second order

    def _along_second(self) -> Any:
        kernel = self.kernel
        gradient = enzyme.grad(kernel, argnums=(0, 1, 2))

        def along(x, a, s, vx, va, vs, c, n):
            dx, da, ds = gradient(x, a, s, c, n)
            return np.sum(dx * vx) + np.sum(da * va) + ds * vs

        return numba.njit(along)

    def _curvature(self) -> float:
        gradient = enzyme.grad(self.kernel, argnums=(0, 1, 2))

        def along(*active: Any) -> float:
            return inner(gradient(*active, self.constant, SIZE), self.second)

        return self.difference(along, self.first)

    def forward_over_reverse(self) -> None:
        kept = [Const(one) for one in (*self.second, self.constant)]
        given = [Duplicated(one, way) for one, way in zip(self.active, self.first, strict=True)]
        along = self._along_second()
        (got,) = enzyme.autodiff(Forward, along, Duplicated, *given, *kept, SIZE)
        self.agree(got, self._curvature(), 10 * TRUNCATION, self.scale(), "forward over reverse")

    def reverse_over_reverse(self) -> None:
        kept = (*self.second, self.constant)
        taken = enzyme.grad(self._along_second(), argnums=(0, 1, 2))
        got = inner(taken(*self.active, *kept, SIZE), self.first)
        self.agree(got, self._curvature(), 10 * TRUNCATION, self.scale(), "reverse over reverse")

    def reverse_over_forward(self) -> None:
        kernel = self.kernel

        def slope(x, a, s, vx, va, vs, c, n):
            return enzyme.autodiff(
                Forward,
                kernel,
                Duplicated,
                Duplicated(x, vx),
                Duplicated(a, va),
                Duplicated(s, vs),
                Const(c),
                n,
            )[0]

        kept = (*self.second, self.constant)
        taken = enzyme.grad(numba.njit(slope), argnums=(0, 1, 2))
        got = inner(taken(*self.active, *kept, SIZE), self.first)
        self.agree(got, self._curvature(), 10 * TRUNCATION, self.scale(), "reverse over forward")

    def batch(self) -> None:
        ways = list(zip(self.first, self.second, strict=True))
        given = [BatchDuplicated(one, two) for one, two in zip(self.active, ways, strict=True)]
        ((first, second),) = enzyme.autodiff(
            Forward, self.kernel, BatchDuplicated, *given, Const(self.constant), SIZE
        )
        for got, way in ((first, self.first), (second, self.second)):
            want = inner(self.slopes(), way)
            self.agree(got, want, ROUNDING, self.scale(), "a batch and reverse mode")


def inner(left: tuple[Any, ...], right: tuple[Any, ...]) -> float:
    """Return the sum of the products of all numbers."""
    return float(sum(np.sum(one * other) for one, other in zip(left, right, strict=True)))
