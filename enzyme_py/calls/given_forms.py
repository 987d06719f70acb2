"""Forms of arguments: what of them decides how the two halves of a split derivative read a tape.

    form_of(value)                          # comparable by ==
    differing(label, then, now)             # where two forms differ, in words; None where they do not

The halves are compiled apart, each for the types that it is given, and lengths and integers decide how often a loop
runs. So both must be given the same. The elements of arrays and floats are values, and no part of a form.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numba import typeof, types

from enzyme_py.annotations import is_typed_list
from enzyme_py.foundations.trees import as_tuples
from enzyme_py.frontend.functions.function_arguments import function_type

_CONTIGUOUS = 3  # of `flags.num`: in C's order, in Fortran's order
_LAYOUTS = ("strided", "C-contiguous", "Fortran-contiguous", "contiguous")
_COUNTING = (int, str, bytes, Enum, np.integer, np.bool_)
_OF_PYTHON: dict[type, type] = {np.float64: float, np.complex128: complex, np.int64: int, np.bool_: bool}  # one type to Numba


def form_of(value: Any) -> Any:
    """Return the form of an argument: a list for what has parts, else something that is no list."""
    kind = type(value)
    if kind is float:
        return kind
    if isinstance(value, np.ndarray):
        # Strides are read from the array, but contiguous ones are compiled in.
        return value.dtype, value.shape, value.flags.num & _CONTIGUOUS
    if isinstance(value, tuple):
        return [kind, *map(form_of, value)]
    if isinstance(value, _COUNTING):
        return _OF_PYTHON.get(kind, kind), value
    if isinstance(value, np.generic):
        return _OF_PYTHON.get(kind) or value.dtype
    if is_typed_list(value):
        item = typeof(value).item_type if len(value) else None
        return [f"typed list of {item}", *(map(form_of, value) if isinstance(item, types.Array) else [item] * len(value))]
    parts = as_tuples(value)
    return form_of(parts) if parts is not value else function_type(value) or kind


def differing(label: str, then: Any, now: Any) -> str | None:
    """Say where the second of two forms of an argument differs."""
    if then == now:
        return None
    if isinstance(then, list) and isinstance(now, list) and (then[0], len(then)) == (now[0], len(now)):
        pairs = enumerate(zip(then[1:], now[1:], strict=True))
        found = (differing(f"{label}[{place}]", *pair) for place, pair in pairs)
        return next(filter(None, found))
    return f"`{label}` is {_say(now)}, and was {_say(then)} in the forward half"


def _say(form: Any) -> str:
    if isinstance(form, list):
        kind = form[0] if isinstance(form[0], str) else form[0].__name__
        return f"a {kind} with {len(form) - 1} parts"
    if isinstance(form, tuple) and len(form) == 3:
        dtype, shape, layout = form
        return f"a {_LAYOUTS[layout]} array of {dtype} of shape {shape}"
    if isinstance(form, tuple):
        return f"the {form[0].__name__} {form[1]}"
    return f"of type {form.__name__ if isinstance(form, type) else form}"
