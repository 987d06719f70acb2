"""hello: the square of a number, and its derivative."""

from __future__ import annotations

from typing import Any

import numba

import enzyme_py as enzyme

from .evaluation import Evaluation, warmed


@numba.njit
def square(x):
    return x * x


_double = enzyme.grad(square)


def _squared(x: Any) -> Evaluation:
    return Evaluation(lambda: square(float(x)))


def _doubled(x: Any) -> Evaluation:
    return Evaluation(lambda: _double(float(x)))


FUNCTIONS = {"square": _squared, "double": _doubled}


def warm_up() -> None:
    """Compile."""
    warmed(FUNCTIONS, 1.0)
