"""Second orders of one call: forward over reverse against differences of gradients, reverse over reverse against it.

They are asked of functions of real numbers of 64 bits, whose result is a number or an array. An array becomes a number by
weights, in a function around the one of the test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from tests.fuzz.subject import STEPS, TRUNCATION, Inconclusive, central
from tests.numba_suite.recording import copied, has_floats
from tests.numba_suite.trees import floats_of, inner, magnitude

SMALLEST, LARGEST = 1e-50, 1e50


def is_fit(arguments: tuple[Any, ...], result: Any, written: tuple[int, ...], outputs: tuple[int, ...]) -> bool:
    """Tell whether second orders are asked of a call that writes some of its arguments, or has them for its outputs."""
    numbers = floats_of((arguments, result))
    parts = result if outputs and isinstance(result, tuple) else (result,)
    sizes = [np.abs(one[(one != 0) & np.isfinite(one)]) for one in numbers]
    if any(np.any((one < SMALLEST) | (one > LARGEST)) for one in sizes):
        return False  # products of four of them leave the range of floats
    is_plain = not any(isinstance(one, (tuple, list)) for one in parts)
    return is_plain and all(one.dtype == np.float64 for one in numbers) and all(isinstance(arguments[n], np.ndarray) for n in written)


def number_of(function: Any, weights: Any, count: int, written: tuple[int, ...], outputs: tuple[int, ...]) -> Any:
    """Return a compiled function of so many arguments whose result is a number: the function's numbers by weights.

    Some arguments are written, which are copied; where the function returns nothing, they are the outputs.
    """
    names = [f"x{n}" for n in range(count)]
    given = ", ".join(names)
    space: dict[str, Any] = {"function": function, "np": np}
    lines = [f"def number({given}):", *(f"    x{n} = x{n}.copy()" for n in written), f"    y = function({given})"]
    results = [f"x{n}" for n in outputs] or ["y"]
    for n, (name, one) in enumerate(zip(results, weights, strict=True)):
        space[f"w{n}"] = np.array(one)
        lines.append(f"    s{n} = np.sum({name} * w{n})" if np.ndim(one) else f"    s{n} = {name}")
    lines.append(f"    return {' + '.join(f's{n}' for n in range(len(results)))}")
    exec("\n".join(lines), space)
    return numba.njit(space["number"])


class Second:
    """The gradient of a call, as a function, and its derivatives along a direction."""

    def __init__(self, number: Any, arguments: tuple[Any, ...], way: tuple[Any, ...], moved: Callable[[float], Any]) -> None:
        self.arguments, self.way, self._moved = arguments, way, moved
        self.places = tuple(n for n, one in enumerate(arguments) if has_floats(one))
        self.slope = enzyme.grad(number, argnums=self.places)

    def _placed(self, found: Any) -> list[Any]:
        return list(found) if isinstance(found, tuple) else [found]

    @property
    def ways(self) -> list[Any]:
        """The direction of what has one."""
        return [self.way[n] for n in self.places]

    def product(self) -> float:
        """Forward over reverse, times the direction once more."""
        given = tuple(map(copied, self.arguments))
        _, found = enzyme.jvp(self.slope, given, tuple(map(copied, self.way)))
        return inner(self._placed(found), self.ways)

    def twice(self) -> float:
        """Reverse over reverse, times the direction once more."""
        value, pull = enzyme.vjp(self.slope, *map(copied, self.arguments))
        cotangent = tuple(self.ways) if isinstance(value, tuple) else self.ways[0]
        found = pull(cotangent)
        return inner([found[n] for n in self.places], self.ways)

    def scale(self) -> float:
        """How large the numbers are that the products are sums of."""
        return magnitude(self._placed(self.slope(*map(copied, self.arguments))), self.ways)

    def difference(self) -> float:
        """Differences of gradients along the direction, times the direction."""
        scale = self.scale() + 1e-300
        for step in STEPS:
            one, other = self._central(step), self._central(2 * step)
            if abs(one - other) <= TRUNCATION * (abs(one) + scale):
                return one
        raise Inconclusive("differences of gradients disagree")

    def _central(self, step: float) -> float:
        def value(at: float) -> float:
            try:
                return inner(self._placed(self.slope(*self._moved(at))), self.ways)
            except Exception as error:
                raise Inconclusive(f"raises nearby: {type(error).__name__}") from error

        found = central(value, step)
        if not math.isfinite(found):
            raise Inconclusive("differences of gradients are not finite")
        return found
