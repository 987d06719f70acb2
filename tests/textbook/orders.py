"""One kernel in six orders: what each gives, beside differences of the order below."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError
from tests.textbook import TURNS, Kernel

STEPS = (2e-5, 1e-5)
FIRST, SECOND = 3e-7, 3e-6  # relative, of differences with one extrapolation


def differences(function: Callable[[Any], float], x: Any, way: Any) -> float:
    """Return the derivative along a way, from central differences of two step widths."""
    wide, narrow = (
        (function(x + step * way) - function(x - step * way)) / (2 * step) for step in STEPS
    )
    return (4 * narrow - wide) / 3


def answers(kernel: Kernel, x: Any, c: Any, *, second: bool) -> Iterator[tuple[str, str]]:
    """Yield each order with "right", or with what is wrong or refused."""
    random = np.random.default_rng(5)
    v, w = random.normal(size=x.size), random.normal(size=x.size)
    compiled, slope = numba.njit(kernel), enzyme.grad(kernel, argnums=0)

    def value(x: Any) -> float:
        return compiled(x.copy(), c.copy(), TURNS)

    def gradient(x: Any) -> float:
        return float(slope(x.copy(), c.copy(), TURNS) @ v)

    def push(x):  # type: ignore[no-untyped-def]
        return enzyme.jvp(lambda z: kernel(z, c, TURNS), (x,), (v,))[1]

    def pull(x):  # type: ignore[no-untyped-def]
        return np.sum(slope(x, c, TURNS) * v)

    want = differences(value, x, v)
    reverse = _judged(lambda: gradient(x), want, FIRST)
    yield "reverse", reverse
    yield "forward", _judged(lambda: push(x), want, FIRST)
    if not second or reverse.startswith("refused"):  # of second orders gradients say what is right
        return
    want = differences(gradient, x, w)
    for name, first in (("forward", push), ("reverse", pull)):
        along = _judged(lambda first=first: enzyme.jvp(first, (x,), (w,))[1], want, SECOND)
        yield f"forward over {name}", along
        back = _judged(lambda first=first: float(enzyme.grad(first)(x) @ w), want, SECOND)
        yield f"reverse over {name}", back


def _judged(asked: Callable[[], float], want: float, tolerance: float) -> str:
    try:
        found = asked()
    except EnzymeError as error:
        return f"refused: {str(error).splitlines()[0]}"
    is_right = abs(found - want) <= tolerance * (1 + abs(want))
    return "right" if is_right else f"wrong: {found} for {want}"
