"""What is lowered by this package in place of Numba: the one list of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from enzyme_py.frontend.arrays import ranges
from enzyme_py.frontend.arrays.assignments import block_assignment
from enzyme_py.frontend.arrays.reshaping import reshaped
from enzyme_py.frontend.arrays.transposing import transposition
from enzyme_py.frontend.codegen.outlining import text_hash
from enzyme_py.frontend.containers import typed_dicts, typed_lists
from enzyme_py.frontend.numpy_functions import remainders, scans, smooth

_CHOICES = (
    block_assignment,
    transposition,
    reshaped,
    typed_lists.identity,
    ranges.iteration,
    scans.method,
    smooth.method,
    remainders.remainder,
    typed_dicts.iteration,
    text_hash,
)


def replacement(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers a call of a function of Numba's, None where its own way stays."""
    return next((found for one in _CHOICES if (found := one(function, sig)) is not None), None)


def own_intrinsic(value: Any) -> Any:
    """Return the intrinsic that stands for one of Numba's, or that itself."""
    return typed_lists.OWN.get(value) or typed_dicts.OWN.get(value, value)
