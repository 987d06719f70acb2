"""What is asked of a rewritten kernel: the derivatives of the kernel that it came from."""

from __future__ import annotations

import functools
import os
import random
import traceback
import warnings
from collections.abc import Callable, Collection
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError

import enzyme_py as enzyme
from enzyme_py.errors import ConstWrittenWarning, EnzymeError, HostCrashed
from tests.fuzz.checks import Outcome
from tests.fuzz.subject import ROUNDING, SINGLE, Inconclusive, Wrong
from tests.metamorphic.arguments import ARGUMENT_REWRITES
from tests.metamorphic.forms import Arguments, Form, Origin, origins
from tests.metamorphic.loops import LOOP_REWRITES
from tests.metamorphic.statements import STATEMENT_REWRITES
from tests.metamorphic.values import VALUE_REWRITES
from tests.numba_suite.recording import copied, has_floats
from tests.numba_suite.trees import drawn, floats_of, inner, like, mapped

REWRITES = {**LOOP_REWRITES, **VALUE_REWRITES, **STATEMENT_REWRITES, **ARGUMENT_REWRITES}
FAST = "fast"
MOST = 5  # rewrites of one kernel
SHARE = 0.15  # of the kernels, for each question that is drawn
GROSS = 1e-2  # relative: what float32 may lose where numbers cancel, and is not called wrong


class Changed(Exception):
    """The rewritten kernel has another value."""


def rewritten(seed: int, names: Collection[str] = (), kernel: str = "") -> tuple[Form, list[str]]:
    """Return the kernel of a seed, or one of this name, as it was rewritten, and what was done to it."""
    drawn_kernel = random.Random(f"kernel {seed}").choice(origins())
    named = [one for one in origins() if one.name == kernel]
    random_ = random.Random(f"metamorphic {seed}")
    form = Form(named[0] if kernel else drawn_kernel)
    done: list[str] = []
    wanted = random_.randint(1, MOST)
    choice = sorted({*(names or REWRITES)} - {FAST})
    for _ in range(40 if choice else 0):
        if len(done) == wanted or (len(choice) == 1 and done):
            break
        name = random_.choice(choice)
        if REWRITES[name](form, random_):
            done.append(name)
    # By a draw of its own, which changes no other one.
    if FAST in (names or REWRITES) and (not choice or random.Random(f"fast {seed}").random() < SHARE):
        REWRITES[FAST](form, random_)
        done.append(FAST)
    return form, done


def outcomes(seed: int, names: Collection[str] = (), kernel: str = "", *, second: bool = False) -> list[Outcome]:
    """Ask all of a seed."""
    form, done = rewritten(seed, names, kernel)
    if not done:
        return [Outcome("all", "not asked", "no place for a rewrite")]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            asked = Questions(form, seed, second=second)
        except Changed as error:
            return [Outcome("value", "changed", f"{done}: {error}"[:300])]
        except Inconclusive as error:
            return [Outcome("value", "inconclusive", str(error)[:300])]
        except (NumbaError, NotImplementedError, NameError) as error:
            return [Outcome("numba", "invalid", type(error).__name__)]
        except AssertionError as error:  # in the middle of Numba's typing
            last = traceback.extract_tb(error.__traceback__)[-1]
            if not last.filename.startswith(os.path.dirname(numba.__file__)):
                raise
            return [Outcome("numba", "invalid", type(error).__name__)]
        except EnzymeError as error:
            return [Outcome("origin", "refused", str(error).splitlines()[0])]
        return [_asked(name, getattr(asked, name.replace(" ", "_"))) for name in asked.names]


def _asked(name: str, question: Callable[[], None]) -> Outcome:
    try:
        question()
    except HostCrashed as refusal:
        return Outcome(name, "pass crashed", str(refusal).split("\n")[0])
    except EnzymeError as refusal:
        explained = bool(refusal.remedy) and "defect of enzyme_py" not in refusal.remedy
        verdict = "refused" if explained else "unexplained"
        return Outcome(name, verdict, f"{type(refusal).__name__}: {str(refusal).splitlines()[0]}")
    except Inconclusive as error:
        return Outcome(name, "inconclusive", str(error)[:300])
    except Wrong as error:
        return Outcome(name, "wrong", str(error)[:400])
    except Exception as error:  # the kernel ran with Numba: nothing else may come
        return Outcome(name, "wrong", f"{type(error).__name__}: {error}"[:300])
    return Outcome(name, "right")


# --- derivatives of any kernel --------------------------------------------------------------------------------------------


class Derivatives:
    """The derivatives of one compiled kernel at one point; weights make one number of its result."""

    def __init__(self, kernel: Any, arguments: Arguments, written: tuple[int, ...]) -> None:
        self.arguments = arguments
        self.plain = kernel
        result = kernel(*map(copied, arguments))
        if result is None and written:
            kernel = enzyme.output_of(kernel, written)
            result = kernel(*map(copied, arguments))
        self.kernel, self.result = kernel, result
        if not floats_of(result):
            raise Inconclusive("no float results")
        self.weights = mapped(
            lambda one: like(one, _weights(np.asarray(one))), result, enzyme.make_zero
        )
        self.is_number = isinstance(result, (float, np.floating))
        self.floats = tuple(n for n, one in enumerate(arguments) if has_floats(one))

    def reverse(self) -> Arguments:
        """Return the gradients; None for what has none."""
        if not self.is_number:
            _, pull = enzyme.vjp(self.kernel, *map(copied, self.arguments))
            return tuple(pull(self.weights))
        given = map(copied, self.arguments)
        slopes, _ = enzyme.gradient(enzyme.ReverseWithPrimal, self.kernel, *given)
        return tuple(slopes)

    def forward(self, way: Arguments) -> float:
        """Return the derivative along a way."""
        given = tuple(map(copied, self.arguments))
        _, tangent = enzyme.jvp(self.kernel, given, tuple(map(copied, way)))
        return inner(tangent, self.weights)

    def some(self, places: tuple[int, ...]) -> Arguments:
        """Return the gradients by some arguments, with the others constant."""
        return self._placed(places, self._slope(places)(*map(copied, self.arguments)))

    def product(self, way: Arguments) -> Arguments:
        """Return the derivatives of all gradients along a way."""
        given = tuple(map(copied, self.arguments))
        slope = self._slope(self.floats)
        _, tangents = enzyme.jvp(slope, given, tuple(map(copied, way)))
        return self._placed(self.floats, tangents)

    def product_by_reverse(self, way: Arguments) -> Arguments:
        """Return the same by reverse mode of the gradients."""
        _, pull = enzyme.vjp(self._slope(self.floats), *map(copied, self.arguments))
        ways = tuple(copied(way[place]) for place in self.floats)
        return tuple(pull(ways))

    def _slope(self, places: tuple[int, ...]) -> Any:
        if not self.is_number:
            raise Inconclusive("asked of kernels that return a number")
        return enzyme.grad(self.kernel, argnums=places)

    def _placed(self, places: tuple[int, ...], found: Any) -> Arguments:
        whole: list[Any] = [None] * len(self.arguments)
        for place, one in zip(places, found, strict=True):
            whole[place] = one
        return tuple(whole)


def _weights(array: np.ndarray) -> Any:
    if array.ndim == 0:
        return np.asarray(1.0)
    return (0.5 + np.arange(array.size) % 3 * 0.25).reshape(array.shape)


@functools.lru_cache(maxsize=64)
def _of_origin(origin: Origin) -> tuple[Derivatives, Arguments]:
    form = Form(origin)
    at = Derivatives(numba.njit(origin.kernel), origin.arguments, form.written())
    return at, at.reverse()


# --- the questions ---------------------------------------------------------------------------------------------------------


class Questions:
    """A rewritten kernel, beside the one it came from."""

    def __init__(self, form: Form, seed: int, *, second: bool = False) -> None:
        self.form = form
        self.origin, self.wanted = _of_origin(form.origin)
        arguments = form.arguments(form.origin.arguments)
        self.at = Derivatives(form.compiled(), arguments, form.written())
        self._slopes: Arguments | None = None
        self._refusal: EnzymeError | None = None
        self._check_value()
        if not all(np.all(np.isfinite(one)) for one in floats_of(self.wanted)):
            raise Inconclusive("not finite")
        random_ = np.random.default_rng(seed)
        self.way = tuple(
            mapped(lambda one: like(one, drawn(random_, one)), one, enzyme.make_zero)
            for one in form.origin.arguments
        )
        asked = random.Random(f"questions {seed}")
        optional = [name for name in ("constants", "product", "product by reverse") if second or asked.random() < SHARE]
        self.names = ["reverse", "again", "forward", *optional]

    @property
    def tolerance(self) -> float:
        return SINGLE if self.form.is_single else ROUNDING

    def _check_value(self) -> None:
        pairs = list(zip(floats_of(self.at.result), floats_of(self.origin.result), strict=False))
        if len(pairs) != len(floats_of(self.origin.result)):
            raise Changed("another number of results")
        for got, want in pairs:
            if not self.form.back and got.shape != want.shape:
                raise Changed(f"shapes {got.shape} and {want.shape}")
            if got.shape == want.shape:
                self._compare(got, want, Changed, "values")

    def _compare(self, got: Any, want: Any, error: type[Exception], what: str) -> None:
        got, want = np.asarray(got), np.asarray(want)
        if got.shape != want.shape:
            raise error(f"{what}: shapes {got.shape} and {want.shape}")
        scale = 1.0 + float(np.max(np.abs(want), initial=0.0))
        apart = float(np.max(np.abs(got - want), initial=0.0))
        if apart <= self.tolerance * scale:
            return
        if self.form.is_single and apart <= GROSS * scale:
            raise Inconclusive(f"{what} of float32 are {apart / scale:.1e} apart")
        raise error(f"{what}: {got.tolist()!r} and {want.tolist()!r}"[:400])

    def _compare_all(self, got: Arguments, want: Arguments, what: str) -> None:
        for one, other in zip(self.form.gradients(got), want, strict=True):
            if other is not None:
                for two in zip(floats_of(one), floats_of(other), strict=True):
                    self._compare(*two, Wrong, what)

    def _gradients(self) -> Arguments:
        if self._refusal is not None:
            raise self._refusal
        if self._slopes is None:
            try:
                self._slopes = self.at.reverse()
            except EnzymeError as refusal:
                self._refusal = refusal
                raise
        return self._slopes

    def reverse(self) -> None:
        """Compare the gradients by reverse mode."""
        self._compare_all(self._gradients(), self.wanted, "gradients")

    def again(self) -> None:
        """Compare a second call."""
        self._gradients()
        self._compare_all(self.at.reverse(), self.wanted, "gradients of a second call")

    def forward(self) -> None:
        """Compare a tangent with the gradients of the origin."""
        pairs = zip(self.wanted, self.way, strict=True)
        want = sum(inner(one, way) for one, way in pairs if one is not None)
        got = self.at.forward(self.form.arguments(self.way))
        scale = sum(float(np.sum(np.abs(one))) for one in floats_of(self.wanted))
        self._compare(got / (1.0 + scale), want / (1.0 + scale), Wrong, "tangents")

    def constants(self) -> None:
        """Compare the gradients by every other argument."""
        places = self.at.floats[::2]
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConstWrittenWarning)
            try:
                found = self.at.some(places)
            except ConstWrittenWarning as warning:
                message = "a derivative passes through an argument that is written and was not asked"
                raise Inconclusive(message) from warning
        slopes = self._gradients()
        for place in places:
            pairs = zip(floats_of(found[place]), floats_of(slopes[place]), strict=True)
            for one, other in pairs:
                self._compare(one, other, Wrong, f"gradients by {places} alone")

    def product(self) -> None:
        """Compare a product with the Hessian."""
        self._compare_products(self.at.product)

    def product_by_reverse(self) -> None:
        """Compare it by the other mode."""
        self._compare_products(self.at.product_by_reverse)

    def _compare_products(self, asked: Callable[[Arguments], Arguments]) -> None:
        try:
            want = self.origin.product(self.way)
        except EnzymeError as error:
            raise Inconclusive("the origin's is refused") from error
        got = asked(self.form.arguments(self.way))
        self._compare_all(got, want, "products with the Hessian")
