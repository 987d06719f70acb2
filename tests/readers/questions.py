"""What is asked of a kernel: four combinations of modes beside each other and beside differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError
from tests.fuzz.subject import central
from tests.readers.grammar import SIZE, kernel

STEP, LARGEST = 1e-6, 1e6

Verdict = tuple[str, str]


def answers(seed: int) -> Iterator[Verdict]:
    """Yield the questions and their verdicts: right, wrong or refused, with the numbers; nothing for what is too large for differences."""
    asked, random = kernel(seed), np.random.default_rng(seed)
    x, c = random.random(SIZE) * 0.6 + 0.2, random.random(SIZE) * 0.6 + 0.2
    way = random.normal(size=SIZE), random.normal(size=SIZE)
    plain = numba.njit(asked)

    def moved(size: float) -> tuple[Any, ...]:
        return x + size * way[0], c + size * way[1], SIZE

    def given() -> tuple[Any, ...]:
        return x.copy(), c.copy(), SIZE

    def ways() -> tuple[Any, ...]:
        return way[0].copy(), way[1].copy()

    def along(found: Any) -> float:
        return float(found[0] @ way[0] + found[1] @ way[1])

    value, slope = plain(*given()), central(lambda size: plain(*moved(size)), STEP)
    if not (math.isfinite(slope) and abs(value) < LARGEST):
        return
    scale = abs(slope) + abs(value) + 1e-2
    try:
        slopes = enzyme.grad(asked, argnums=(0, 1))
        forward = enzyme.jvp(asked, given(), (*ways(), None))[1]
        yield "forward", _verdict(forward, slope, 1e-4 * scale)
        yield "reverse", _verdict(along(slopes(*given())), forward, 1e-8 * scale)
        expected = central(lambda size: along(slopes(*moved(size))), STEP)
        product = along(enzyme.jvp(slopes, given(), (*ways(), None))[1])
        yield "forward over reverse", _verdict(product, expected, 1e-3 * (abs(expected) + scale))
        twice = enzyme.grad(_times_way(slopes), argnums=(0, 1))
        yield "reverse over reverse", _verdict(along(twice(*given(), *ways())), product, 1e-6 * (abs(product) + scale))
    except EnzymeError as refusal:
        yield "refused", f"refused: {str(refusal).splitlines()[0]}"


def _times_way(slopes: Callable[..., Any]) -> Callable[..., Any]:
    def number(x, c, n, v, w):  # type: ignore[no-untyped-def]
        by_x, by_c = slopes(x, c, n)
        return by_x @ v + by_c @ w

    return number


def _verdict(found: float, expected: float, tolerance: float) -> str:
    return "right" if abs(found - expected) <= tolerance else f"wrong: {found!r} and {expected!r}"
