"""Steps in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import lax

UNROLL = 8


def repeated(step: Callable[[Any], Any], start: Any, steps: int) -> Any:
    """Return what is left after steps without input."""
    return lax.scan(lambda state, _: (step(state), None), start, None, length=steps)[0]
