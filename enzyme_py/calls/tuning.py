"""autotune: which options of Enzyme make a derivative fastest, on the user's own data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from enzyme_py.calls.operators import copied
from enzyme_py.errors import AnnotationError, EnzymeError
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.stages import Counted, counted
from enzyme_py.foundations.trees import as_tuples
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.native.stored import tuned
from enzyme_py.transforms.plans.dispatcher import DerivativeDispatcher
from enzyme_py.transforms.plans.runners import fresh_runner

_LEAST_GAIN = 0.95  # what is hardly faster is not worth another way
_ROUNDING = 2.0**-36  # relative to the largest number of a result, see `agree`


@dataclass(frozen=True)
class Tuned:
    """What autotune found: `choice`, and by choice the seconds of a call; None where there was nothing to time."""

    choice: str
    seconds: dict[str, float | None]

    @property
    def gain(self) -> float:
        """The time of a call as usual, over that of the choice."""
        usual, chosen = self.seconds["as usual"], self.seconds[self.choice]
        return usual / chosen if usual and chosen else 1.0

    def __str__(self) -> str:
        lines = [f"{self.choice}: {self.gain:.2f} times as fast as usual"]
        for name, seconds in self.seconds.items():
            said = "the same code, or left out" if seconds is None else f"{1e6 * seconds:.1f} us"
            lines.append(f"  {name:28} {said}")
        return "\n".join(lines)


def autotune(f: Callable[..., Any], *args: Any, seconds: float = 0.5) -> Tuned:
    """Find the options of Enzyme that make a transform fastest for such arguments, and remember them.

    `f` is what `grad`, `value_and_grad` or another transform returned. Each choice is compiled, run on
    copies of the arguments, and left out unless its results agree with the usual ones to rounding; the
    others are timed in turn, about `seconds` each; what makes the same code as usual is not. The fastest is kept in the cache folder, and taken wherever that derivative is
    compiled from now on: in new processes, and by transforms made anew. `f` itself stays as it was
    compiled.

    Examples:
        >>> tuned = enzyme.autotune(enzyme.grad(lambda x: x**3), 2.0, seconds=0.001)
    """
    dispatcher, held = opened(f)
    if not isinstance(dispatcher, DerivativeDispatcher) or dispatcher.plan is None:
        message = f"autotune is for transforms of one kernel, not for {f!r}"
        raise AnnotationError(message, remedy="pass what grad or value_and_grad returned")
    given = [*held, *map(as_tuples, args)]
    with counted(f"autotune of {where_is(dispatcher).kernel}", 2 * len(tuned.CHOICES)) as count:
        runners, keys = _compiled(dispatcher, given, count)
        count(len(tuned.CHOICES), f"timing {len(runners)} of them, each for {seconds:g} s")
        times = _in_turn(runners, given, seconds)
    best = min(times, key=times.__getitem__)
    if times[best] > _LEAST_GAIN * times["as usual"]:
        best = "as usual"
    for key in keys:
        tuned.remember(key, best)
    return Tuned(best, {name: times.get(name) for name in tuned.CHOICES})


def _compiled(dispatcher: Any, given: list[Any], count: Counted) -> tuple[dict[str, Any], dict[str, None]]:
    """Return a runner of each choice that is worth timing, and the keys of what was compiled."""
    runners: dict[str, Any] = {}
    keys: dict[str, None] = {}
    codes: list[list[str]] = []
    usual: Any = None
    for number, name in enumerate(tuned.CHOICES):
        count(number, name)
        runner = fresh_runner(dispatcher)
        try:
            with tuned.trying(name) as trial:
                result = runner(*map(copied, given))
        except EnzymeError:
            if name == "as usual":
                raise
            continue
        if name == "as usual":
            usual = result
        elif trial.codes in codes or not agree(usual, result):
            continue
        runners[name] = runner
        codes.append(trial.codes)
        keys |= dict.fromkeys(trial.keys)
    return runners, keys


def _in_turn(runners: dict[str, Any], given: list[Any], seconds: float) -> dict[str, float]:
    """Return the least seconds of a call of each, called in turn: what else runs makes them longer, never shorter."""
    times: dict[str, list[float]] = {name: [] for name in runners}
    end = time.perf_counter() + seconds * len(runners)
    while time.perf_counter() < end or len(times["as usual"]) < 5:
        for name, runner in runners.items():
            own = list(map(copied, given))
            begun = time.perf_counter()
            runner(*own)
            times[name].append(time.perf_counter() - begun)
    return {name: min(one) for name, one in times.items()}


def agree(one: Any, other: Any) -> bool:
    """Tell whether two results are equal to rounding, NaN and infinity included."""
    pairs = list(zip(_leaves(one), _leaves(other), strict=True))
    for left, right in pairs:
        if left.shape != right.shape:
            return False
        is_finite = np.isfinite(left)
        largest = np.max(np.abs(left[is_finite]), initial=0.0)
        tolerance = largest * _ROUNDING * (np.finfo(left.dtype).eps / np.finfo(float).eps)
        if not np.allclose(left, right, rtol=0.0, atol=tolerance, equal_nan=True):
            return False
    return True


def _leaves(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, tuple):
        for part in value:
            yield from _leaves(part)
    elif value is not None:
        array = np.asarray(value)
        yield array if array.dtype.kind in "fc" else array.astype(float)


__all__ = ["Tuned", "autotune"]
