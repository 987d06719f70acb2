"""Our tool: the kernels of benchmarks/gradbench/, as the suite's runner calls them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

import enzyme_py  # noqa: F401  # what importing takes is told apart from the first call

Run = Callable[[], Any]
FUNCTIONS = {"lse": "primal gradient", "llsq": "primal gradient", "ode": "primal gradient"}


def prepared(
    problem: str, function: str, given: dict[str, Any]
) -> tuple[Run, Callable[[Any], Any]]:
    """Return what is timed, and what makes a flat answer of its result."""
    names = FUNCTIONS.get(problem, "objective jacobian").split()
    name = names[0 if function == "primal" else 1]
    functions = importlib.import_module(f"gradbench.{problem}").FUNCTIONS
    return functions[name](given).run, flat_of(problem, function)


def flat_of(problem: str, function: str) -> Callable[[Any], Any]:
    """Return how a result becomes a flat answer."""
    if problem == "ba":
        return _values if function == "gradient" else _flat
    return _flat


def _values(found: Any) -> Any:
    return np.asarray(found[2])


def _flat(found: Any) -> Any:
    if isinstance(found, tuple):
        return np.concatenate([np.ravel(part) for part in found])
    return np.ravel(np.asarray(found))
