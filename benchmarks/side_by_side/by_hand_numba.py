"""Adjoints written by hand in Numba, as benchmarks/by_hand/ has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from by_hand import in_numba
from gradbench import gmm, lstm

from .ours import _flat

Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]

ARGUMENTS: dict[str, Callable[[dict[str, Any]], tuple[Any, ...]]] = {
    "lse": lambda given: (given["x"],),
    "llsq": lambda given: (given["x"], given["n"]),
    "ode": lambda given: (given["x"], given["s"]),
    "gmm": gmm._arguments,
    "lstm": lstm._arguments,
}


def prepared(problem: str, function: str, given: dict[str, Any]) -> Prepared:
    """Return what is timed, and what makes a flat answer of its result."""
    assert function == "gradient"
    arguments = ARGUMENTS[problem](given)
    adjoint = getattr(in_numba, problem)
    return lambda: adjoint(*arguments), _flat
