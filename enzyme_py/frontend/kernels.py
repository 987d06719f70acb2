"""From whatever a user calls a function to the one object that stands for a kernel.

A kernel is a Numba CPU dispatcher, compared by identity: equal requests share their code. Plain
functions get one on first use. Two functions made from the same `def` or `lambda` with the same
captured values are the same kernel, so a lambda written in a loop compiles once.
"""

from __future__ import annotations

import functools
import types as pytypes
import weakref
from typing import Any, cast

import numba
from numba.core.registry import CPUDispatcher

from enzyme_py.errors import UnsupportedTypeError

_by_identity: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
_by_content: dict[Any, Any] = {}


def is_kernel(value: Any) -> bool:
    """Tell whether a value is a kernel already."""
    return isinstance(value, CPUDispatcher)


def as_kernel(function: Any) -> Any:
    """Return the CPU dispatcher for a jitted or plain Python function."""
    function = getattr(function, "origin", function)
    if isinstance(function, CPUDispatcher):
        return function
    if isinstance(function, pytypes.FunctionType):
        return _kernel_of(function)
    if isinstance(function, functools.partial):
        return _kernel_of_partial(function)
    message = f"cannot differentiate {function!r}: it is no Python function"
    raise UnsupportedTypeError(message, remedy="wrap the call in a function: lambda x: f(x)")


def _kernel_of(function: pytypes.FunctionType) -> Any:
    found = _by_identity.get(function)
    if found is None:
        key = _content(function)
        found = _by_content.get(key) if key is not None else None
        if found is None:
            found = jitted(function, {})
            if key is not None:
                _by_content[key] = found
        _by_identity[function] = found
    return found


def _content(function: pytypes.FunctionType) -> Any:
    """Return a key that equal functions share, or None if something captured has no hash."""
    try:
        captured = tuple(cell.cell_contents for cell in function.__closure__ or ())
        # Also the globals that it names: Numba freezes their values when it compiles.
        scope = function.__globals__
        named = tuple(scope[n] for n in sorted(_global_names(function.__code__)) if n in scope)
        parts = (*captured, *named, *(function.__defaults__ or ()))
        key = (
            function.__code__,
            id(function.__globals__),
            parts,
            tuple(type(part) for part in parts),
        )
        hash(key)
    except (TypeError, ValueError):
        return None
    return key


def _kernel_of_partial(function: functools.partial[Any]) -> Any:
    """Bind the leading arguments of a partial as captured values of a new function."""
    if function.keywords:
        message = "functools.partial with keyword arguments cannot be differentiated"
        raise UnsupportedTypeError(message, remedy="write lambda x: f(x, name=value) instead")
    inner, bound = as_kernel(function.func), function.args

    def partial(*rest):  # type: ignore[no-untyped-def]  # compiled by Numba
        return inner(*bound, *rest)

    return _kernel_of(cast("pytypes.FunctionType", partial))


def jitted(function: Any, options: dict[str, Any]) -> Any:
    """Return an njit dispatcher of the function in which plain Python helpers are jitted too.

    Numba resolves a global when it compiles, so the helpers' places are filled after the
    dispatcher is known: recursion, also mutual, ends there.
    """
    names = [
        name
        for name in sorted(_global_names(function.__code__))
        if _is_helper(function.__globals__.get(name))
    ]
    cells = function.__closure__ or ()
    captured = [_is_helper(_cell_value(cell)) for cell in cells]
    if not names and not any(captured):
        dispatcher = _by_identity[function] = numba.njit(**options)(function)
        return dispatcher
    copy = _with_own_scope(function, captured)
    dispatcher = _by_identity[function] = numba.njit(**options)(copy)
    for name in names:
        copy.__globals__[name] = as_kernel(function.__globals__[name])
    for cell, new, plain in zip(cells, copy.__closure__ or (), captured, strict=True):
        if plain:
            new.cell_contents = as_kernel(cell.cell_contents)
    return dispatcher


def _with_own_scope(function: Any, captured: list[bool]) -> Any:
    """Return a copy of the function whose globals and marked captures can be replaced."""
    cells = function.__closure__ or ()
    closure = tuple(
        pytypes.CellType() if plain else cell for cell, plain in zip(cells, captured, strict=True)
    )
    scope = dict(function.__globals__)
    copy = pytypes.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, closure or None
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return functools.update_wrapper(copy, function)


def _is_helper(value: Any) -> bool:
    """Tell whether a captured value is a function of the user's that Numba has no name for."""
    if not isinstance(value, pytypes.FunctionType):
        return False
    from numba.core.registry import cpu_target

    typing = cpu_target.typing_context
    typing.refresh()
    return typing._lookup_global(value) is None


def _cell_value(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # assigned later than the function was made
        return None


def _global_names(code: pytypes.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, pytypes.CodeType):
            names |= _global_names(constant)
    return names
