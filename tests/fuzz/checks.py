"""The questions that are asked of one kernel, and what its answers come to.

Of every kernel: the primal, bit for bit Numba's own; reverse mode against differences; forward mode against
reverse mode; a second call, bit for bit the first; constants untouched, and what the kernel writes written.
Of some, drawn by the kernel's number: second orders against differences of gradients, two directions at
once, a part of the arguments constant, a split derivative, the question asked by compiled code, and the
derivative from the disk, and array expressions on threads. Of kernels that can raise: that the derivative raises the same. Of kernels with `prange`: that any
number of threads gives the gradient of plain loops.

A refusal that is explained is an answer too. So is "inconclusive", where differences of several step widths
disagree at several points: a kink is near, or numbers are too large.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError, NumbaPerformanceWarning

import enzyme_py as enzyme
from enzyme_py import Active, BatchDuplicated, Const, Duplicated, Forward, ReverseWithPrimal
from enzyme_py.calls.operators import copied
from enzyme_py.errors import EnzymeError, HostCrashed
from enzyme_py.finished.comparing import KeyMismatchError
from enzyme_py.finished.search import KEPT, looks
from enzyme_py.frontend.parallel import sharing
from enzyme_py.native.threads.counts import fork_count
from tests.fuzz.subject import (
    POINTS,
    TRUNCATION,
    Inconclusive,
    Point,
    Subject,
    Wrong,
    compiled,
    inner,
    leaves,
    same,
)
from tests.threads.watching import small_parts

ALWAYS = ("reverse", "forward", "again")
RAISES = "raising"
THREADS = "threads"  # of kernels with `prange`
ON_THREADS = "on threads"
DRAWN = (
    "forward over reverse",
    "reverse over reverse",
    "reverse over forward",
    "batch",
    "constants",
    "split",
    "compiled",
    "disk",
    "array loops",
    "three orders",
    "fast math",
)
SHARE = 0.08  # of the kernels, for each question that is drawn
SHARE_OF_SECOND = 0.05  # that compile for seconds
SHARE_OF_THIRD = 0.015
BAD = ("wrong", "crashed", "unexplained", "hung")


@dataclass(frozen=True)
class Outcome:
    """What came of one question: right, refused, inconclusive, wrong, crashed."""

    question: str
    verdict: str
    reason: str = ""


def questions(source: str, seed: int) -> list[str]:
    """Return the names of the questions that are asked of a kernel in a run."""
    drawn = random.Random(f"questions {seed}")
    names = [*ALWAYS, *(name for name in DRAWN if drawn.random() < _share(name))]
    if "prange" in source:  # of what Numba itself raises there, this one asks
        return [*names, THREADS]
    return [*names, RAISES] if "raise " in source else names


def _share(question: str) -> float:
    if question == "three orders":
        return SHARE_OF_THIRD
    return SHARE_OF_SECOND if " over " in question else SHARE


def outcomes(source: str, seed: int, names: Collection[str] | None = None) -> list[Outcome]:
    """Ask the questions of a kernel: those that its number draws, or those that are named."""
    names = questions(source, seed) if names is None else names
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaPerformanceWarning)
        try:
            asked = Questions(Subject(source, seed))
        except Inconclusive as error:
            return [Outcome("value", "inconclusive", str(error))]
        except (
            NumbaError,
            ArithmeticError,
            IndexError,
            NotImplementedError,
            RecursionError,
            TypeError,
            ValueError,
        ) as error:
            return [Outcome("numba", "invalid", f"{type(error).__name__}: {error}".split("\n")[0])]
        return [_asked(name, getattr(asked, name.replace(" ", "_"))) for name in names]


def _asked(name: str, question: Callable[[], str | None]) -> Outcome:
    try:
        told = question()
    except KeyMismatchError as error:
        return Outcome(name, "wrong", str(error))
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
    return Outcome(name, "right", told or "")


class Questions:
    """What is asked of a subject; each raises where the answer is wrong."""

    def __init__(self, subject: Subject) -> None:
        self.at = subject
        self._gradient: Any = None
        if subject.is_number:
            self._gradient = enzyme.value_and_grad(subject.kernel, argnums=(0, 1, 2))
        self._slopes: Any = None
        self._refusal: EnzymeError | None = None

    # -- first order

    def slopes(self) -> Point:
        """Return the gradient by reverse mode, taken once for each point; what refuses it is asked once."""
        if self._refusal is not None:
            raise self._refusal
        if self._slopes is None:
            try:
                self._slopes = self._taken()
            except EnzymeError as refusal:
                self._refusal = refusal
                raise
        return self._slopes

    def _taken(self) -> Point:
        at = self.at
        given = at.given(*at.active)
        kept = at.constant.tobytes()
        wanted = None
        if at.is_number:
            value, slopes = self._gradient(*given)
            self._check_written(given)
        else:
            # It works on copies, which have no steps: Numba lays out an expression as its operands, and sums are taken in that order.
            wanted = at.kernel(*map(copied, given))
            value, pull = enzyme.vjp(at.kernel, *given)
            slopes = pull(at.weights)[:3]
        self._check_value(value, wanted)
        if at.constant.tobytes() != kept:
            raise Wrong("a constant argument was written")
        return slopes

    def _check_value(self, value: Any, wanted: Any = None) -> None:
        wanted = self.at.result if wanted is None else wanted
        if not self.at.is_alike(value, wanted):
            raise Wrong(f"primal: {value!r} and {wanted!r}")

    def _check_written(self, given: Point) -> None:
        if not self.at.is_alike(given[:2], self.at.after):
            raise Wrong("arguments hold something else than behind the primal")

    def agree(self, got: float, want: float, tolerance: float, what: str) -> None:
        """Raise where two numbers differ by more than the numbers of the gradient allow."""
        scale = 1.0 + sum(float(np.sum(np.abs(one))) for one in self.slopes())
        if self.at.is_single:
            tolerance = max(tolerance, self.at.tolerance)
        if not abs(got - want) <= tolerance * (abs(want) + scale):
            raise Wrong(f"{what}: {got!r} and {want!r}")

    def reverse(self) -> None:
        """Compare reverse mode with differences, at the first of some points where these agree."""
        for left in reversed(range(POINTS)):
            along = inner(self.slopes(), self.at.first)
            try:
                want = self.at.difference(self.at.plain, self.at.first)
            except Inconclusive:
                if not left:
                    raise
                self._slopes = None
                self.at.redraw()
                continue
            self.agree(along, want, TRUNCATION, "reverse mode and differences")
            return

    def forward(self) -> None:
        """Compare forward mode with reverse mode."""
        at = self.at
        given = at.given(*at.active)
        if at.is_number:
            both = [
                Duplicated(one, at_way) for one, at_way in zip(given, self._along(), strict=False)
            ]
            (tangent,) = enzyme.autodiff(Forward, at.kernel, Duplicated, *both, *self._fixed())
            self._check_written(given)
        else:
            tangents = (*self._along(), np.zeros_like(at.constant), at.no_size)
            value, tangent = enzyme.jvp(at.kernel, given, tangents)
            self._check_value(value)
        got = inner(leaves(tangent), leaves(at.weights))
        self.agree(got, self._sum(at.first), at.tolerance, "forward and reverse mode")

    def again(self) -> None:
        """Compare a second call with the first, bit for bit."""
        first = self.slopes()
        if not same(first, self._taken()):
            raise Wrong("a second call says something else")

    def _along(self, way: Point | None = None) -> Point:
        return self.at.given(*(way or self.at.first))[:3]

    def _zeros(self) -> Point:
        x, a, _ = self.at.active
        return self.at.given(np.zeros_like(x), np.zeros_like(a), 0.0)[:2]

    def _fixed(self) -> tuple[Any, ...]:
        return Const(self.at.constant), Const(self.at.size)

    def _sum(self, way: Point) -> float:
        return inner(self.slopes(), way)

    def batch(self) -> None:
        """Compare two directions at once with reverse mode."""
        at = self.at
        self._only_numbers()
        given = at.given(*at.active)
        ways = zip(self._along(at.first), self._along(at.second), strict=True)
        both = [BatchDuplicated(one, two) for one, two in zip(given, ways, strict=False)]
        ((first, second),) = enzyme.autodiff(
            Forward, at.kernel, BatchDuplicated, *both, *self._fixed()
        )
        for got, way in ((first, at.first), (second, at.second)):
            self.agree(got, self._sum(way), at.tolerance, "a batch and reverse mode")

    def constants(self) -> None:
        """Compare with the gradient by some of the arguments only."""
        at = self.at
        self._only_numbers()
        choice = random.Random(at.value).choice(["caa", "aca", "aac", "cca", "cac", "acc"])
        given = at.given(*at.active)
        shadows = self._zeros()
        annotated: list[Any] = [Duplicated(*pair) for pair in zip(given, shadows, strict=False)]
        annotated.append(Active(given[2]))
        annotated = [
            Const(one) if letter == "c" else active
            for letter, active, one in zip(choice, annotated, given, strict=False)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", enzyme.errors.ConstWrittenWarning)
            slopes, value = enzyme.autodiff(
                ReverseWithPrimal, at.kernel, *annotated, *self._fixed()
            )
        self._check_value(value)
        if self._loses(choice):
            return
        pairs = zip(choice, (*shadows, slopes[2]), self.slopes(), at.first, strict=True)
        for letter, got, want, way in pairs:
            if letter == "a":
                along = (inner((one,), (way,)) for one in (got, want))
                self.agree(*along, at.tolerance, f"constants {choice}")

    def _loses(self, choice: str) -> bool:
        """Tell whether the kernel writes to what the choice makes constant: its slope is lost."""
        before = self.at.given(*self.at.active)[:2]
        pairs = zip(choice, before, self.at.after, strict=False)
        return any(letter == "c" and not same(was, one) for letter, was, one in pairs)

    def split(self) -> None:
        """Compare the two halves of a split derivative with the whole."""
        at = self.at
        self._only_numbers()
        given = at.given(*at.active)
        shadows = self._zeros()
        annotated = [Duplicated(*pair) for pair in zip(given, shadows, strict=False)]
        annotated = [*annotated, Active(given[2]), *self._fixed()]
        forward, reverse = enzyme.autodiff_thunk(
            enzyme.ReverseSplitWithPrimal, at.kernel, Active, *annotated
        )
        tape, value, _ = forward(*annotated)
        slopes = reverse(*annotated, 1.0, tape)
        self._check_value(value)
        got = inner((*shadows, slopes[0][2]), at.first)
        self.agree(got, self._sum(at.first), at.tolerance, "split and combined reverse mode")

    def compiled(self) -> None:
        """Compare with what compiled code gets, which calls the derivative itself."""
        at = self.at
        self._only_numbers()
        gradient = enzyme.grad(at.kernel, argnums=(0, 1, 2))

        @numba.njit
        def ask(x, a, s, c, n):  # type: ignore[no-untyped-def]
            return gradient(x, a, s, c, n)

        if not same(ask(*at.given(*at.active)), self.slopes()):
            raise Wrong("compiled code gets another gradient")

    def disk(self) -> None:
        """Compare with the derivative of the same kernel made again: its code comes from the disk.

        Once it is found by its source, which says less than the module that is compiled, and once by that module: then
        what the source would have found is compared (`config(compare_keys=True)`, as for all other questions).
        """
        at = self.at
        self._only_numbers()
        known = self.slopes()
        for compares, source in ((False, at.source), (True, f"# lines move\n{at.source}")):
            with enzyme.config(compare_keys=compares):
                again = enzyme.value_and_grad(compiled(source), argnums=(0, 1, 2))
                _, slopes = again(*at.given(*at.active))
            if not same(slopes, known):
                raise Wrong("the derivative from the disk says something else")
            outcome = looks()[-1].outcome
            if not compares and outcome == KEPT:
                raise Wrong("the derivative on the disk was not found by its source")

    def raising(self) -> None:
        """Compare what is raised, and the call behind it with the one before."""
        at = self.at
        self._only_numbers()
        before = self.slopes()
        want, got = self._raised(at.kernel), self._raised(self._gradient)
        if want != got:
            raise Wrong(f"raised: {got} and {want}")
        if not same(before, self._taken()):
            raise Wrong("after a raise the gradient is another one")

    def _raised(self, function: Any) -> str:
        """Return what a call raises if numbers of c are above 5."""
        x, a, s, c, n = self.at.given(*self.at.active)
        try:
            function(x, a, s, c + 10.0, n)
        except Exception as error:
            return f"{type(error).__name__}{error.args}"
        return "nothing"

    def threads(self) -> str:
        """Compare four threads and two, in as many parts or in five, with plain loops; what is raised, too.

        Returns whether loops ran on threads.
        """
        at = self.at
        self._only_numbers()
        plain = enzyme.value_and_grad(compiled(at.source), argnums=(0, 1, 2))
        with enzyme.config(threads=1):
            _, want = plain(*at.given(*at.active))
            raised = self._raised(plain)
        self._check_slopes(self.slopes(), want, "two threads and one")
        before, in_parts = fork_count(), []
        for threads, parts in ((4, None), (2, 5), (4, 5)):
            with enzyme.config(threads=threads, parts=parts):
                found = self._taken()
                self._check_slopes(found, want, f"{threads} threads, {parts or threads} parts, and one")
                in_parts += [found] * bool(parts)
                if (got := self._raised(self._gradient)) != raised:
                    raise Wrong(f"raised on {threads} threads: {got} and {raised}")
                self.forward()
        if not same(in_parts[0], in_parts[1]):
            raise Wrong("the same parts on two threads and on four have other bits")
        return ON_THREADS if fork_count() > before else "plain loops"

    def array_loops(self) -> str:
        """Compare array expressions on threads, in parts of two numbers and more, with those of plain loops. Returns whether any ran on threads."""
        at = self.at
        self._only_numbers()
        if "prange" in at.source:
            raise Inconclusive("asked of kernels without prange")
        want, before = self.slopes(), fork_count()
        gradient = enzyme.value_and_grad(compiled(at.source, is_parallel=True), argnums=(0, 1, 2))
        try:
            for threads, parts in ((2, None), (4, 3)):
                with small_parts(2, sharing.VIEWS), enzyme.config(threads=threads, parts=parts):
                    _, found = gradient(*at.given(*at.active))
                self._check_slopes(found, want, f"array expressions on {threads} threads and one")
        except AssertionError as error:  # Numba's own, where arrays of one number are broadcast
            if "do not match" not in str(error):
                raise
            raise Inconclusive(str(error)) from None
        return ON_THREADS if fork_count() > before else "plain loops"

    def fast_math(self) -> None:
        """Compare the gradient of the kernel as `fastmath=True` compiles it."""
        at = self.at
        self._only_numbers()
        want = self.slopes()
        if not all(np.all(np.isfinite(one)) for one in want):
            raise Inconclusive("fast math promises nothing of what is not finite")
        _, found = enzyme.value_and_grad(compiled(at.source, is_fast=True), argnums=(0, 1, 2))(*at.given(*at.active))
        self._check_slopes(found, want, "fast math and none")

    def _check_slopes(self, got: Point, want: Point, what: str) -> None:
        scale = 1.0 + max(float(np.max(np.abs(one), initial=0.0)) for one in want)
        for one, other in zip(got, want, strict=True):
            distance = float(np.max(np.abs(np.subtract(one, other)), initial=0.0))
            if not distance <= self.at.tolerance * scale:
                raise Wrong(f"{what}: {one!r} and {other!r}")

    def _only_numbers(self) -> None:
        if not self.at.is_number:
            raise Inconclusive("asked of kernels that return a number")

    # -- second order

    def _along_second(self) -> Any:
        """Return the derivative along a direction, as a kernel."""
        self._only_numbers()
        gradient = enzyme.grad(self.at.kernel, argnums=(0, 1, 2))

        def along(x, a, s, vx, va, vs, c, n):  # type: ignore[no-untyped-def]
            dx, da, ds = gradient(x, a, s, c, n)
            return np.sum(dx * vx) + np.sum(da * va) + ds * vs

        def along_complex(x, a, s, vx, va, vs, c, n):  # type: ignore[no-untyped-def]
            dx, da, ds = gradient(x, a, s, c, n)
            return np.sum((np.conj(dx) * vx).real) + np.sum(da * va) + ds * vs

        return numba.njit(along_complex if self.at.is_complex else along)

    def _check_curvature(self, got: float, what: str) -> None:
        def along(*active: Any) -> float:
            _, slopes = self._gradient(*self.at.given(*active))
            return inner(slopes, self.at.second)

        want = self.at.difference(along, self.at.first)
        self.agree(got, want, 10 * TRUNCATION, what)

    def _second_fixed(self) -> tuple[Any, ...]:
        return (*self._along(self.at.second), self.at.constant, self.at.size)

    def forward_over_reverse(self) -> None:
        """Compare with differences of gradients."""
        along, given = self._along_second(), self.at.given(*self.at.active)
        both = [Duplicated(one, way) for one, way in zip(given, self._along(), strict=False)]
        fixed = [Const(one) for one in self._second_fixed()]
        (got,) = enzyme.autodiff(Forward, along, Duplicated, *both, *fixed)
        self._check_curvature(got, "forward over reverse")

    def reverse_over_reverse(self) -> None:
        """Compare with differences of gradients."""
        taken = enzyme.grad(self._along_second(), argnums=(0, 1, 2))
        slopes = taken(*self.at.given(*self.at.active)[:3], *self._second_fixed())
        self._check_curvature(inner(slopes, self.at.first), "reverse over reverse")

    def reverse_over_forward(self) -> None:
        """Compare with differences of gradients."""
        self._only_numbers()
        kernel = self.at.kernel

        @numba.njit
        def slope(x, a, s, vx, va, vs, c, n):  # type: ignore[no-untyped-def]
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

        # By the directions, too: a kernel that writes its arguments writes their tangents there.
        taken = enzyme.grad(slope, argnums=(0, 1, 2, 3, 4))
        slopes = taken(*self.at.given(*self.at.active)[:3], *self._second_fixed())[:3]
        self._check_curvature(inner(slopes, self.at.first), "reverse over forward")

    # -- third order

    def three_orders(self) -> None:
        """Compare forward over forward over reverse with differences of forward over reverse."""
        along, at = self._along_second(), self.at

        @numba.njit
        def bent(x, a, s, wx, wa, ws, vx, va, vs, c, n):  # type: ignore[no-untyped-def]
            both = Duplicated(x, wx), Duplicated(a, wa), Duplicated(s, ws)
            fixed = Const(vx), Const(va), Const(vs), Const(c), Const(n)
            return enzyme.autodiff(Forward, along, Duplicated, *both, *fixed)[0]

        def of_two_orders(*active: Any) -> float:
            pairs = zip(at.given(*active)[:3], self._along(at.second), strict=True)
            fixed = [Const(one) for one in self._second_fixed()]
            (found,) = enzyme.autodiff(
                Forward, along, Duplicated, *(Duplicated(*pair) for pair in pairs), *fixed
            )
            return float(found)

        pairs = zip(at.given(*at.active)[:3], self._along(), strict=True)
        fixed = [Const(one) for one in (*self._along(at.second), *self._second_fixed())]
        (got,) = enzyme.autodiff(
            Forward, bent, Duplicated, *(Duplicated(*pair) for pair in pairs), *fixed
        )
        want = at.difference(of_two_orders, at.first)
        self.agree(got, want, 100 * TRUNCATION, "three orders")
