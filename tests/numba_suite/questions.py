"""What is asked of one call, and what it comes to.

Reverse mode against differences, forward mode against reverse mode, a second call against the first; the primal of each
is the plain function's, bit for bit, and arguments hold what they held (or, where the function writes, what it writes).
Tests like numbers where a function has a kink, a tie, or no value. So where differences disagree with each other or with
the derivative, the question is put again at points nearby: right there is "kink", which a summary lists, and wrong at
each of them is wrong.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, HostCrashed
from enzyme_py.frontend.target.signatures import chosen, given_signatures
from tests.fuzz.checks import Outcome
from tests.fuzz.subject import (
    REORDERED,
    ROUNDING,
    SINGLE,
    STEPS,
    TRUNCATION,
    Inconclusive,
    Wrong,
    central,
)
from tests.numba_suite.recording import Call, copied, has_floats
from tests.numba_suite.second import Second, is_fit, number_of
from tests.numba_suite.trees import drawn, floats_of, inner, leaves, like, magnitude, mapped, same

POINTS = 4
NEAR = 0.02  # relative, of other points
LARGEST = 1e100
TINY = (1e-10, 1e-11, 1e-12, 1e-13)  # steps within the pieces of a search
ROUGH = 0.02  # what such differences say of a slope


class NotAsked(Exception):
    """The call is no question: its reason."""


class Kink(Exception):
    """Wrong at the very point, right at others."""


def outcomes(call: Call, second: bool | None = None) -> list[Outcome]:
    """Ask all of a call; second orders as told, else by a draw."""
    call.restore()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if call.raises:
                return [_asked("raising", lambda: _raising(call))]
            asked = _Questions(call)
        except NotAsked as reason:
            return [Outcome("all", "not asked", str(reason))]
        except NumbaError as error:
            return [Outcome("numba", "invalid", type(error).__name__)]
        found = [_asked("reverse", asked.reverse)]
        if found[0].verdict not in ("refused", "unexplained"):
            found += [_asked("again", asked.again)]
        found += [_asked("forward", asked.forward)]
        if found[0].verdict == "right" and (is_drawn(call.key) if second is None else second) and asked.has_second():
            found += [_asked("forward over reverse", asked.product), _asked("reverse over reverse", asked.twice)]
        return found


def is_drawn(key: str) -> bool:
    """Tell whether second orders of a call are asked in a run: of one in four."""
    return int(key.rsplit(maxsplit=1)[-1], 16) % 4 == 0


def _asked(name: str, question: Callable[[], None]) -> Outcome:
    try:
        question()
    except NotAsked as reason:
        return Outcome(name, "not asked", str(reason))
    except HostCrashed as refusal:
        return Outcome(name, "pass crashed", str(refusal).split("\n")[0])
    except EnzymeError as refusal:
        explained = bool(refusal.remedy) and "defect of enzyme_py" not in refusal.remedy
        words = f"{type(refusal).__name__}: {str(refusal).splitlines()[0]}"
        return Outcome(name, "refused" if explained else "unexplained", words[:300])
    except Inconclusive as error:
        return Outcome(name, "inconclusive", str(error)[:200])
    except Kink as error:
        return Outcome(name, "kink", str(error)[:300])
    except Wrong as error:
        return Outcome(name, "wrong", str(error)[:400])
    except Exception as error:  # the function ran with Numba: nothing else may come
        return Outcome(name, "wrong", f"{type(error).__name__}: {error}"[:300])
    return Outcome(name, "right")


# --- the questions ----------------------------------------------------------------------------------------------------------


def _raised(function: Callable[..., Any], *arguments: Any) -> str:
    try:
        function(*arguments)
    except EnzymeError:
        raise
    except Exception as error:
        return f"{type(error).__name__}{error.args}"
    return "nothing"


def _raising(call: Call) -> None:
    """Compare what is raised by the function and by its derivatives."""
    want = _raised(call.function, *map(copied, call.arguments))
    if want == "nothing":
        raise NotAsked("raises once only")
    if want.startswith(("TypeError('No matching def", "TypingError")):
        raise NotAsked("Numba does not compile it")
    types = call.function.nopython_signatures
    results = {str(one.return_type) for one in types}
    if not any("float" in one or "complex" in one for one in results):
        raise NotAsked("raises, and has no float result")
    tangents = tuple(
        mapped(lambda one: like(one, np.ones(np.shape(one))), one, enzyme.make_zero)
        for one in call.arguments
    )
    got = _raised(enzyme.jvp, call.function, tuple(map(copied, call.arguments)), tangents)
    if got != want:
        raise Wrong(f"forward mode raised {got}, the function {want}")
    if all(one.return_type in (numba.float64, numba.float32) for one in types):
        got = _raised(enzyme.gradient, call.function, *map(copied, call.arguments))
        if got != want:
            raise Wrong(f"reverse mode raised {got}, the function {want}")


_SINGLE = ("fptrunc double",)
_FAST = ("fadd fast", "fmul fast", "fadd reassoc", "fmul reassoc")


def _has_code(function: Any, words: Sequence[str]) -> bool:
    """Tell whether one of these words is in the code of a function, or of one that it calls: rounding, sums in another order."""
    return any(word in text for text in function.inspect_llvm().values() for word in words)


class _Questions:
    def __init__(self, call: Call) -> None:
        self.function: Any = call.function
        self.plain: Any = call.function
        self.outputs: tuple[int, ...] = ()
        self.random = np.random.default_rng(1)
        self.origin = self.arguments = call.arguments
        given = tuple(map(copied, call.arguments))
        result = self.function(*given)
        self.written = tuple(n for n, one in enumerate(given) if not same(one, call.arguments[n]))
        self._look_at(result)
        singles = (
            one.dtype in (np.float32, np.complex64)
            for one in floats_of((call.arguments, self.result))
        )
        signature = chosen(call.function, map(numba.typeof, call.arguments)) or given_signatures(call.function)
        said = f"{signature} {getattr(call.function, 'locals', '')}"
        self.is_single = any(singles) or "float32" in said or "complex64" in said or _has_code(call.function, _SINGLE)
        self.is_reordered = _differs_in_last_places(call.function) or bool(self.plain.targetoptions.get("fastmath"))
        self.is_reordered |= _has_code(call.function, _FAST)
        self.reference: Any = None
        self.first = self._direction()
        self.slopes: Any = None
        self.refusal: EnzymeError | None = None

    def _look_at(self, result: Any) -> None:
        """Take the result as the output; where there is none, take the arguments that are written."""
        if result is None and self.written:
            wanted = tuple(n for n in self.written if has_floats(self.origin[n]))
            if not wanted:
                raise NotAsked("result: None, and writes no floats")
            if any(isinstance(self.origin[n], list) for n in wanted):
                raise NotAsked("writes a list")
            self.outputs, self.function = wanted, enzyme.output_of(self.function, wanted)
            self.written = ()
        self.result = self.run(self.arguments)
        if any(
            not isinstance(one, (np.ndarray, np.generic, int, float, complex, bool))
            for one in leaves(self.result)
        ):
            kinds = sorted({type(one).__name__ for one in leaves(self.result)})
            raise NotAsked(f"result: {', '.join(kinds)}")
        if isinstance(self.result, list):
            raise NotAsked("result: list")
        if not floats_of(self.result):
            raise NotAsked("no float results")
        if not same(self.result, self.run(self.arguments)):
            raise NotAsked("two calls differ")
        if self.plain.targetoptions.get("fastmath") and not self._is_finite():
            raise NotAsked("fast math of what is not finite")
        self.weights = mapped(
            lambda one: like(one, _weights(np.asarray(one))), self.result, enzyme.make_zero
        )

    def run(self, arguments: Any) -> Any:
        """Return the output of the plain function."""
        return self.function(*map(copied, arguments))

    def _direction(self) -> Any:
        return tuple(
            mapped(lambda one: like(one, drawn(self.random, one)), one, enzyme.make_zero)
            for one in self.arguments
        )

    @property
    def tolerance(self) -> float:
        return SINGLE if self.is_single else ROUNDING

    def _is_finite(self) -> bool:
        parts = floats_of((self.arguments, self.result))
        return all(np.all(np.abs(one) < LARGEST) for one in parts)

    def redraw(self) -> None:
        """Go to another point nearby, and to another direction."""

        def near(one: Any) -> Any:
            array = np.asarray(one)
            array = np.where(np.abs(array) < LARGEST, array, 1.0)
            return like(one, array + NEAR * drawn(self.random, array))

        before = self.arguments, self.result
        for _ in range(5):
            self.arguments = tuple(mapped(near, one, lambda leaf: leaf) for one in self.origin)
            given = tuple(map(copied, self.arguments))
            try:
                self.result = self.function(*given)
            except NumbaError:
                raise
            except Exception:
                continue
            if [np.shape(one) for one in floats_of(self.result)] == [
                np.shape(one) for one in floats_of(self.weights)
            ]:
                self.first = self._direction()
                self.slopes = None
                changed = (n for n, one in enumerate(given) if not same(one, self.arguments[n]))
                self.written = tuple({*self.written, *changed})  # it may have written what was there
                return
        self.arguments, self.result = before
        raise Inconclusive("no other point nearby")

    # -- reverse

    def taken(self) -> Any:
        """Return the gradients by reverse mode, after a look at what else the call left."""
        given = tuple(map(copied, self.arguments))
        if isinstance(self.result, (float, np.floating)) and not isinstance(
            self.result, np.ndarray
        ):
            slopes, value = enzyme.gradient(enzyme.ReverseWithPrimal, self.function, *given)
            self._check_left(given)
        else:
            value, pull = enzyme.vjp(self.function, *given)
            slopes = pull(self.weights)
            if not same(given, self.arguments):
                raise Wrong("vjp wrote its arguments")
        self._check_value(value)
        return tuple(
            slope if slope is not None else enzyme.make_zero(one)
            for slope, one in zip(slopes, self.arguments, strict=True)
        )

    def _check_left(self, given: Any) -> None:
        for n, one in enumerate(given):
            if n not in self.written and not same(one, self.arguments[n]):
                raise Wrong(f"argument {n} was written")

    def _check_value(self, value: Any) -> None:
        if same(value, self.result):
            return
        ones, others = floats_of(value), floats_of(self.result)
        forms = ([(one.shape, one.dtype) for one in parts] for parts in (ones, others))
        if self.is_reordered and len({str(form) for form in forms}) == 1:
            pairs = list(zip(ones, others, strict=True))
            scale = 1.0 + max(float(np.max(np.abs(two), initial=0.0)) for _, two in pairs)
            bound = self.tolerance * scale
            if all(
                np.allclose(one, two, rtol=0.0, atol=bound, equal_nan=True) for one, two in pairs
            ):
                return
        raise Wrong(f"primal: {value!r} and {self.result!r}"[:300])

    def _gradients(self) -> Any:
        if self.refusal is not None:
            raise self.refusal
        if self.slopes is None:
            try:
                self.slopes = self.taken()
            except EnzymeError as refusal:
                self.refusal = refusal
                raise
        return self.slopes

    def reverse(self) -> None:
        """Compare with differences, at the very point, else at points nearby."""
        said: list[str] = []
        unclear = ""
        for _ in range(POINTS):
            slopes = self._gradients()
            try:
                want = self.difference()
            except Inconclusive as error:
                unclear = str(error)
            else:
                along = inner(slopes, self.first)
                scale = (
                    abs(want) + magnitude(self.weights, self.result) + magnitude(slopes, self.first)
                )
                tolerance = max(TRUNCATION, self.tolerance)
                if abs(along - want) <= tolerance * scale:
                    if said:
                        raise Kink(said[0])
                    return
                said.append(f"reverse mode {along!r}, differences {want!r}")
                if self._is_in_small_pieces(along):
                    raise Kink(f"right within pieces that are narrower than steps: {said[-1]}")
            self.redraw()
        if said and all(
            "mode nan" in one or "mode inf" in one or "mode -inf" in one for one in said
        ):
            if self._is_right_forward():
                raise Wrong(f"at each of {len(said)} points, where forward mode is right: {said[0]}")
            raise Kink(f"at each of {len(said)} points: {said[0]}")
        if said:
            raise Wrong("; ".join(said))
        raise Inconclusive(unclear)

    def _is_right_forward(self) -> bool:
        """Tell whether forward mode gives what differences do, at the point drawn last."""
        try:
            _, tangent = enzyme.jvp(self.function, tuple(map(copied, self.arguments)), tuple(map(copied, self.first)))
            want = self.difference()
        except (EnzymeError, Inconclusive):
            return False
        scale = abs(want) + magnitude(self.weights, self.result)
        return abs(inner(tangent, self.weights) - want) <= max(TRUNCATION, self.tolerance) * scale

    def _is_in_small_pieces(self, along: float) -> bool:
        """Tell whether tiny steps give the slope, roughly: a search makes other choices a little further on."""

        def value(at: float) -> float:
            return inner(_at(self.function, self._moved(at)), self.weights)

        for step in TINY if not self.is_single else ():
            try:
                found = (value(step) - value(-step)) / (2 * step)
            except ValueError:  # another shape
                return False
            if abs(found - along) <= ROUGH * abs(along):
                return True
        return False

    def difference(self) -> float:
        if not self._is_finite():
            raise Inconclusive("not finite")
        if self.is_single and self.reference is None:
            self.reference = _in_double(self.plain)
            if self.outputs:
                self.reference = enzyme.output_of(self.reference, self.outputs)
        function = self.reference if self.is_single else self.function
        scale = magnitude(self.weights, self.result) + 1e-300
        tried = []
        if self.is_single:
            there = _at(function, self._moved(0.0))
            if (
                not abs(inner(there, self.weights) - inner(self.result, self.weights))
                <= SINGLE * scale
            ):
                raise Inconclusive("float64 gives another result")
        for step in STEPS:
            one, other = self._central(function, step), self._central(function, 2 * step)
            tried += [one, other]
            if abs(one - other) <= TRUNCATION * (abs(one) + scale):
                return one
        raise Inconclusive(f"differences disagree: {', '.join(f'{one:.9g}' for one in tried[:4])}")

    def _central(self, function: Any, step: float) -> float:
        def value(at: float) -> float:
            there = _at(function, self._moved(at))
            if list(map(np.shape, floats_of(there))) != list(
                map(np.shape, floats_of(self.weights))
            ):
                raise Inconclusive("another shape nearby")
            return inner(there, self.weights)

        found = central(value, step)
        if not math.isfinite(found):
            raise Inconclusive("differences are not finite")
        return found

    def _moved(self, step: float) -> Any:
        def move(one: Any, way: Any) -> Any:
            if isinstance(one, (tuple, list)):
                parts = [move(*pair) for pair in zip(one, way, strict=True)]
                return type(one)(*parts) if hasattr(one, "_fields") else type(one)(parts)
            if not has_floats(one):
                return copied(one)
            if not self.is_single:
                return like(one, np.asarray(one) + step * np.asarray(way))
            array = np.asarray(one)
            wide = np.complex128 if array.dtype.kind == "c" else np.float64
            moved = array.astype(wide) + step * np.asarray(way).astype(wide)
            return np.asarray(moved) if isinstance(one, np.ndarray) else moved[()]

        return tuple(move(*pair) for pair in zip(self.arguments, self.first, strict=True))

    def again(self) -> None:
        """Compare a second call with the first, bit for bit."""
        if not same(self._gradients(), self.taken()):
            raise Wrong("a second call says something else")

    # -- forward

    def forward(self) -> None:
        """Compare forward mode with reverse mode, or with differences where that is refused."""
        given = tuple(map(copied, self.arguments))
        value, tangent = enzyme.jvp(self.function, given, tuple(map(copied, self.first)))
        self._check_value(value)
        self._check_left(given)
        got = inner(tangent, self.weights)
        try:
            slopes = self._gradients()
        except EnzymeError:
            want = self.difference()
            scale = abs(want) + magnitude(self.weights, self.result)
            tolerance = max(TRUNCATION, self.tolerance)
            words = "forward mode and differences"
        else:
            want = inner(slopes, self.first)
            scale = abs(want) + magnitude(self.weights, self.result) + magnitude(slopes, self.first)
            tolerance, words = self.tolerance, "forward and reverse mode"
        if not self._is_finite() or not math.isfinite(want):
            if math.isfinite(want) and not math.isfinite(got):
                raise Kink(f"{words}: {got!r}, {want!r}, not finite")
            raise Inconclusive("not finite")
        if not abs(got - want) <= tolerance * scale:
            if abs(got - want) <= 10 * self._noise(got):
                raise Inconclusive(f"rounding: {words}: {got!r}, {want!r}")
            raise Wrong(f"{words}: {got!r}, {want!r}")

    def _noise(self, got: float) -> float:
        """Return how far a tangent is from that along a longer direction, divided by its length: by nothing but rounding."""

        def along(size: float) -> float:
            way = (mapped(lambda leaf: like(leaf, size * np.asarray(leaf)), one, copied) for one in self.first)
            _, tangent = enzyme.jvp(self.function, tuple(map(copied, self.arguments)), tuple(way))
            return inner(tangent, self.weights) / size

        return max(abs(along(size) - got) for size in (0.7, 1.1, 3.3))


    # -- second orders

    def has_second(self) -> bool:
        """Tell whether second orders are asked of this call."""
        return is_fit(self.arguments, self.result, self.outputs or self.written, self.outputs)

    def _second(self) -> Second:
        number = self.plain
        if not isinstance(self.result, float) or self.written:
            weights = self.weights if isinstance(self.weights, tuple) else (self.weights,)
            number = number_of(self.plain, weights, len(self.arguments), self.written or self.outputs, self.outputs)
        return Second(number, self.arguments, self.first, self._moved)

    def product(self) -> None:
        """Compare forward over reverse with differences, at the very point, else at points nearby."""
        said: list[str] = []
        unclear = ""
        for _ in range(POINTS):
            second = self._second()
            got = second.product()
            try:
                want = second.difference()
            except Inconclusive as error:
                unclear = str(error)
            else:
                if abs(got - want) <= TRUNCATION * (abs(want) + second.scale()):
                    if said:
                        raise Kink(said[0])
                    return
                said.append(f"forward over reverse {got!r}, differences of gradients {want!r}")
            self.redraw()
        if said:
            raise Wrong("; ".join(said))
        raise Inconclusive(unclear)

    def twice(self) -> None:
        """Compare reverse over reverse with forward over reverse."""
        second = self._second()
        got, want = second.twice(), second.product()
        if not math.isfinite(want):
            raise Inconclusive("not finite")
        if not abs(got - want) <= self.tolerance * (abs(want) + second.scale()):
            raise Wrong(f"reverse over reverse and forward over reverse: {got!r}, {want!r}")


def _at(function: Any, arguments: Any) -> Any:
    try:
        return function(*arguments)
    except NumbaError as error:
        raise Inconclusive(f"not in float64: {type(error).__name__}") from error
    except Exception as error:
        raise Inconclusive(f"raises nearby: {type(error).__name__}") from error


def _weights(array: np.ndarray) -> Any:
    if array.ndim == 0:
        return np.asarray(1.0)  # as gradients of numbers have it
    return (0.5 + np.arange(array.size) % 3 * 0.25).reshape(array.shape)


def _in_double(function: Any) -> Any:
    """Return the function for wider numbers: compiled anew where its types are given."""
    if function._can_compile:
        return function
    options = {
        k: v
        for k, v in function.targetoptions.items()
        if k in ("error_model", "fastmath", "boundscheck")
    }
    return numba.njit(**options)(function.py_func)


def _differs_in_last_places(function: Any) -> bool:
    """Tell whether the last places of a primal may differ from those of the plain function, compiled without optimising.

    By BLAS, whose sums are loops in a derivative (tests/fuzz/subject.py), and by powers, which LLVM simplifies: x ** 0.5. The functions
    that it calls are looked at, too.
    """
    seen, pending = set[Any](), [function.py_func]
    while pending:
        one = pending.pop()
        if one not in seen:
            seen.add(one)
            pending += _called(one)
    return any(word in _body(one) for one in seen for word in (*REORDERED, ".dot(", "linalg", "matmul", "**", "pow"))


def _called(function: Any) -> list[Any]:
    """Return the functions that one may call, jitted or not, of those that it names."""
    cells = inspect.getclosurevars(function)
    named = (*cells.globals.values(), *cells.nonlocals.values())
    return [one for one in (getattr(each, "py_func", each) for each in named) if isinstance(one, FunctionType)]


def _body(function: Any) -> str:
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = "np." + " np.".join(function.__code__.co_names)
    return "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("@"))
