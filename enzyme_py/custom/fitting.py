"""Whether what a rule returns fits the function: checked by type, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import types

from enzyme_py.errors import EnzymeError, RuleError
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.trees import structure_behind
from enzyme_py.frontend.numpy_functions.draws import draws
from enzyme_py.frontend.target.lower import compile_kernel


def returned_by(kernel: Any, kinds: tuple[Any, ...], what: str, target: Any) -> Any:
    """Return the type that a function of a rule returns for arguments of these types."""
    try:
        return types.unliteral(compile_kernel(kernel, kinds, target).return_type)
    except RuleError:
        raise
    except EnzymeError as error:
        given = ", ".join(map(str, kinds))
        message = f"{what} cannot be compiled for ({given}): {error.what}"
        raise RuleError(message, where=error.where, remedy=error.remedy) from error


def check_repeatable(kernel: Any, kinds: tuple[Any, ...], what: str) -> None:
    """Raise `RuleError` if a function cannot be run again with the same result: it draws random numbers."""
    if draws(compile_kernel(kernel, kinds).library, kinds):
        message = f"{what} draws random numbers: run again, it would draw others"
        remedy = "draw before, and pass the draws as an argument"
        raise RuleError(message, where=where_is(kernel), remedy=remedy)


def holds_nothing(kind: Any) -> bool:
    """Tell whether a type has one value only: None, or tuples of such."""
    if isinstance(kind, types.BaseTuple):
        return all(map(holds_nothing, kind))
    return isinstance(kind, types.NoneType)


def check_tuple(kind: Any, count: int, what: str, expected: str) -> None:
    """Raise `RuleError` unless a type is that of a tuple with so many parts."""
    if not isinstance(kind, types.BaseTuple) or len(kind) != count:
        message = f"{what} returns {said(kind)}; {count} values were expected"
        raise RuleError(message, remedy=f"it returns {expected}")


def check_fits(wanted: Any, given: Any, what: str) -> None:
    """Raise `RuleError` unless one type can stand for another: the structure, and what holds what."""
    given = types.unliteral(given)
    if isinstance(wanted, types.BaseTuple):
        is_fit = isinstance(given, types.BaseTuple) and len(given) == len(wanted)
        if not is_fit:
            raise _unfit(wanted, given, what)
        for i, (one, other) in enumerate(zip(wanted, given, strict=True)):
            check_fits(one, other, f"part {i} of {what}")
    elif isinstance(wanted, types.Array):
        is_fit = isinstance(given, types.Array) and given.ndim == wanted.ndim
        if not is_fit or not _holds(wanted.dtype, given.dtype):
            raise _unfit(wanted, given, what)
    elif not _holds(wanted, given):
        raise _unfit(wanted, given, what)


def check_cotangents(wanted: Sequence[Any], given: Any, what: str) -> None:
    """Raise `RuleError` unless a type is that of a tuple of cotangents, one for each argument."""
    expected = "one cotangent for each argument, None where there is none"
    if not isinstance(given, types.BaseTuple) and len(wanted) == 1:
        message = f"{what} returns {said(given)}; a tuple with one cotangent was expected"
        raise RuleError(message, remedy="write `return (cotangent,)`")
    check_tuple(given, len(wanted), what, expected)
    for i, (kind, cotangent) in enumerate(zip(wanted, given, strict=True)):
        _check_cotangent(kind, cotangent, f"the cotangent of argument {i} that {what} returns")


def _check_cotangent(wanted: Any, given: Any, what: str) -> None:
    given = types.unliteral(given)
    if isinstance(given, types.NoneType) or not _has_floats(wanted):
        return
    if isinstance(wanted, types.BaseTuple):
        _check_keys(wanted, given, what)
        if not isinstance(given, types.BaseTuple) or len(given) != len(wanted):
            raise _unfit(wanted, given, what)
        for i, (one, other) in enumerate(zip(wanted, given, strict=True)):
            _check_cotangent(one, other, f"part {i} of {what}")
        return
    check_fits(wanted, given, what)


def _check_keys(wanted: Any, given: Any, what: str) -> None:
    """Raise `RuleError` unless the cotangent of a dict is one with its keys, in its order: parts go by their places."""
    own = structure_behind(wanted)
    if own is None or not issubclass(own.kind, dict) or len(own.keys) < 2:
        return
    found = structure_behind(given)
    if found != own:
        message = f"{what} is {found or said(given)}, and the argument is {own}"
        parts = ", ".join(f"{key!r}: ..." for key in own.keys)
        raise RuleError(message, remedy=f"write the dict where it is returned, in the order of the argument's keys: return ({{{parts}}},)")


def _has_floats(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return any(map(_has_floats, kind))
    return isinstance(getattr(kind, "dtype", kind), types.Float | types.Complex)


def _holds(wanted: Any, given: Any) -> bool:
    """Tell whether numbers of one type can be stored as those of another without loss of meaning."""
    if isinstance(wanted, types.Complex):
        return isinstance(given, types.Number)
    if isinstance(wanted, types.Float):
        return isinstance(given, types.Float | types.Integer | types.Boolean)
    if isinstance(wanted, types.Integer | types.Boolean):
        return isinstance(given, types.Integer | types.Boolean)
    return bool(wanted == given) or isinstance(given, types.NoneType)


def said(kind: Any) -> str:
    """Return what a type is called in a message."""
    if isinstance(kind, types.BaseTuple):
        return f"a tuple of {len(kind)} ({', '.join(map(said, kind))})"
    if isinstance(kind, types.Array):
        return f"an array of {kind.dtype} with {kind.ndim} dimensions"
    return "nothing" if isinstance(kind, types.NoneType) else str(kind)


def _unfit(wanted: Any, given: Any, what: str) -> RuleError:
    message = f"{what} is {said(given)}; expected was {said(wanted)}"
    return RuleError(message, remedy="give it the type and structure of what it belongs to")
