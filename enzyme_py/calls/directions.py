"""Tangents and cotangents given from Python: checked against the values that they belong to.

A tangent has the structure, shape and kind of its primal, a cotangent those of the result. A real
number has no imaginary direction: a complex one given for it would be dropped without a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from enzyme_py.errors import AnnotationError, ShadowError, Where
from enzyme_py.foundations.trees import structure_of

_REAL = (float, np.floating)
_NUMBER = (int, float, complex, np.number, np.bool_)


def check_tangents(primals: Any, tangents: Any, names: Sequence[str], where: Where) -> None:
    """Raise unless `tangents` fit `primals`, both a tuple or list with one entry per argument."""
    for given in (primals, tangents):
        if not isinstance(given, (tuple, list)):
            message = f"jvp takes primals and tangents in tuples: one is {_say(given)}"
            raise AnnotationError(message, where=where, remedy="write jvp(f, (x,), (dx,))")
    if len(primals) != len(tangents):
        message = f"{len(primals)} primals need as many tangents, not {len(tangents)}"
        raise ShadowError(message, where=where, remedy="integers get the tangent 0")
    for number, (primal, tangent) in enumerate(zip(primals, tangents, strict=True)):
        name = names[number] if number < len(names) else str(number)
        problem = _misfit(primal, tangent)
        if problem:
            message = f"the tangent of `{name}` {problem}"
            remedy = "a tangent has the structure, shape and kind of its primal"
            if tangent is None:
                remedy = f"for no change in `{name}` give zeros: enzyme.make_zero({name})"
            raise ShadowError(message, where=where, remedy=remedy)


def check_cotangent(result: Any, cotangent: Any, where: Where) -> None:
    """Raise unless `cotangent` fits the result."""
    problem = _misfit(result, cotangent)
    if problem:
        message = f"the cotangent {problem}"
        remedy = "a cotangent has the structure, shape and kind of the result"
        raise ShadowError(message, where=where, remedy=remedy)


def _misfit(own: Any, given: Any) -> str:
    """Say what is wrong with a direction, or nothing."""
    if isinstance(own, tuple):
        return _misfit_of_tuple(own, given)
    if isinstance(own, np.ndarray):
        return _misfit_of_array(own, given)
    if not isinstance(own, (*_REAL, complex, np.complexfloating)):
        return ""
    if not isinstance(given, _NUMBER):
        return f"is {_say(given)}, where a number belongs"
    if isinstance(own, _REAL) and isinstance(given, (complex, np.complexfloating)):
        return f"is complex, {given!r}, where a real number belongs"
    return ""


def _misfit_of_tuple(own: tuple[Any, ...], given: Any) -> str:
    structure = structure_of(type(own))
    if structure is not None and structure_of(type(given)) != structure:
        return f"is {_say(given)}, where {structure} belongs"
    if not isinstance(given, tuple) or len(given) != len(own):
        return f"is {_say(given)}, where a tuple of {len(own)} belongs"
    parts = map(_misfit, own, given)
    return next((part for part in parts if part), "")


def _misfit_of_array(own: np.ndarray, given: Any) -> str:
    if own.dtype.kind not in "fc":
        return ""
    if not isinstance(given, np.ndarray):
        return f"is {_say(given)}, where an array of shape {own.shape} belongs"
    if given.shape != own.shape:
        return f"has shape {given.shape}, where {own.shape} belongs"
    if given.dtype.kind not in ("fc" if own.dtype.kind == "c" else "f") + "iub":
        return f"has dtype {given.dtype}, where {own.dtype} belongs"
    return ""


def _say(value: Any) -> str:
    structure = structure_of(type(value))
    if structure is not None:
        return str(structure)
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return f"of type {type(value).__name__}"
