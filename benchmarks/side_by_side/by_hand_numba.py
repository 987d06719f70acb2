"""Adjoints written by hand in Numba, as benchmarks/by_hand/ has them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gradbench import ba, gmm, ht, lstm

from .ours import flat_of

Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]

ARGUMENTS: dict[str, Callable[[dict[str, Any]], tuple[Any, ...]]] = {
    "lse": lambda given: (given["x"],),
    "llsq": lambda given: (given["x"], given["n"]),
    "ode": lambda given: (given["x"], given["s"]),
    "gmm": gmm._arguments,
    "lstm": lstm._arguments,
    "ht": ht._arguments,
    "ba": ba._arguments,
}


def prepared(problem: str, function: str, given: dict[str, Any]) -> Prepared:
    """Return what is timed, and what makes a flat answer of its result."""
    assert function == "gradient"
    arguments = ARGUMENTS[problem](given)
    adjoint = importlib.import_module(f"by_hand.{problem}").gradient
    return lambda: adjoint(*arguments), flat_of(problem, function)
