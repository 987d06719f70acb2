"""The kernels of all grammars, by their seeds, and what they are called with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np

from tests.called import grammar, objects
from tests.called.states import NAMES
from tests.metamorphic.texts import executed

SIZE = 5
GRAMMARS: dict[str, Callable[[int], str]] = {
    "narrow": grammar.source,
    "wide": partial(grammar.source, is_wide=True),
    "objects": objects.source,
}


def source(seed: int, name: str = "narrow") -> str:
    """Return the text of a grammar's kernel, and of the functions that it calls."""
    return GRAMMARS[name](seed)


def kernel(seed: int, name: str = "narrow") -> Callable[..., Any]:
    """Return a kernel, whose lines error messages can show."""
    scope = executed(source(seed, name), f"<called {seed}>", dict(NAMES))
    for one in ("inner", "outer", "kernel"):
        scope[one] = numba.njit(scope[one])
    made: Callable[..., Any] = scope["kernel"]
    return made


def arguments(seed: int) -> tuple[Any, ...]:
    """Return what a kernel is called with."""
    drawn = np.random.default_rng(seed)
    return drawn.uniform(0.2, 1.0, SIZE), drawn.uniform(0.5, 1.5, SIZE)
