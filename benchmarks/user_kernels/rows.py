"""A row of the table: a kernel, and how its arguments are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    """A kernel of `(x, ...)`, differentiated by `x`; `size` is timed, `tiny` is tested."""

    kernel: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    size: int
    tiny: int
    form: str = "loops"  # or "NumPy"

    @property
    def name(self) -> str:
        return self.kernel.__name__


def kernel_of(row: Row, jit: Callable[[Any], Any]) -> Any:
    """Return a row's kernel compiled; one that calls itself was compiled where it stands."""
    return row.kernel if hasattr(row.kernel, "py_func") else jit(row.kernel)


def numbers(*shape: int) -> np.ndarray:
    """Return numbers between 0 and 1, the same in each run."""
    return np.random.default_rng(sum(shape)).random(shape)
