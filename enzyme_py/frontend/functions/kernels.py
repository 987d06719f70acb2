"""From whatever a user calls a function to the one object that stands for a kernel.

A kernel is a Numba CPU dispatcher, compared by identity: equal requests share their code. Plain
functions get one on first use. Two functions made from the same `def` or `lambda` with the same
captured values are the same kernel, so a lambda written in a loop compiles once.
"""

from __future__ import annotations

import dataclasses
import functools
import types as pytypes
import warnings
from typing import Any

import numba
import numpy as np
from numba.core import entrypoints
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typing.templates import builtin_registry

import enzyme_py.frontend.functions.content  # noqa: F401  # so that what a kernel does can be told
from enzyme_py.errors import CompiledAgainWarning, UnsupportedTypeError
from enzyme_py.foundations.content.reached import Itself, values_of_globals
from enzyme_py.foundations.keeping import (
    Recent,
    changes_of,
    handed_globals,
    made_of,
    reached_by,
    released,
)
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.quick.made import value_at
from enzyme_py.frontend.functions.library_functions import (
    is_library_function,
    kernel_of_library_function,
)
from enzyme_py.frontend.functions.parameters import with_plain_parameters
from enzyme_py.frontend.target.defaults import tell_defaults_apart
from enzyme_py.symbols import DOOR

_KERNEL = "kernel"
_OPTIONS = ("fastmath", "error_model", "boundscheck", "nogil", "parallel")
_MANY = 8
_by_content = Recent(512)  # for functions that are made anew in each iteration of a loop, as a lambda


def is_kernel(value: Any) -> bool:
    """Tell whether a value is a kernel already."""
    return isinstance(value, CPUDispatcher)


def as_kernel(function: Any) -> Any:
    """Return the CPU dispatcher for a jitted or plain Python function."""
    function = getattr(function, "origin", function)
    if isinstance(function, CPUDispatcher):
        return _called(function)
    if isinstance(function, pytypes.FunctionType):
        return _kernel_of(function)
    if isinstance(function, functools.partial):
        return _kernel_of_partial(function)
    if is_library_function(function):
        return kernel_of_library_function(function)
    from enzyme_py.frontend.functions.bound import check_callable

    check_callable(function)
    message = f"cannot differentiate {function!r}: it is no Python function"
    raise UnsupportedTypeError(message, remedy="wrap the call in a function: lambda x: f(x)")


def _called(kernel: Any) -> Any:
    """Return a dispatcher that Numba calls, where it would put the Python code of this one in the place of each call.

    `njit(inline="always")`: transforms hand on all arguments at once, and "calling a closure with *args is unsupported".
    What a kernel itself calls is inlined as before: by that no argument is converted, as the signature says.
    """
    if kernel.targetoptions.get("inline", "never") == "never" or hasattr(kernel, DOOR):
        return kernel
    known = made_of(kernel, "called")
    if "kernel" not in known:
        options = {name: value for name, value in kernel.targetoptions.items() if name != "inline"}
        copy = released(type(kernel)(kernel.py_func, kernel.locals, options, kernel._compiler.pipeline_class))
        for overload in kernel.overloads.values():
            copy.add_overload(overload)
        copy._can_compile = kernel._can_compile
        known["kernel"] = copy
    return known["kernel"]


def _kernel_of(function: pytypes.FunctionType) -> Any:
    own, fixed = made_of(function, _KERNEL), _fixed(function)
    found = own.get("kernel")
    if found is None or own.get("fixed", fixed) != fixed:
        own.pop("fixed", None)  # whoever asks while it is made gets the new one: it may call itself
        key = _content(function, fixed)
        found = _by_content.get(key) if key is not None else None
        if found is None:
            _tell_changes(function)
            found = jitted(function, {})
            if key is not None:
                found = _by_content.put(key, found)
        own["kernel"], own["fixed"] = found, fixed
    return found


def _fixed(function: pytypes.FunctionType) -> tuple[Any, ...]:
    """Return what a kernel has compiled in, and what others than this module look at where it is handed over at each call."""
    handed = values_of_globals(function.__globals__, handed_globals(function))
    return (*map(Itself, contents_of(function)), *map(distinct, handed))


def _tell_changes(function: pytypes.FunctionType) -> None:
    """Warn if a function is compiled again and again, at the 8th change of what it names, the 16th, and so on."""
    count, name = changes_of(function)
    if count < _MANY or count & (count - 1):
        return
    where = where_is(function)
    what = f"`{function.__name__}` is compiled again for each value of `{name}`, which has changed {count} times"
    remedy = f"pass `{name}` as an argument, also to helpers and inner functions"
    text = str(UnsupportedTypeError(what, where=where, remedy=remedy))
    warnings.warn_explicit(text, CompiledAgainWarning, where.file or "<unknown>", where.line or 1)


def contents_of(function: Any) -> tuple[Any, ...]:
    """Return what a function has captured so far."""
    return tuple(value_at(cell, "cell_contents") for cell in getattr(function, "__closure__", None) or ())


def _content(function: pytypes.FunctionType, fixed: tuple[Any, ...]) -> Any:
    """Return a key that equal functions share, or None if something captured has no hash."""
    try:
        known = (one.value if type(one) is Itself else one for one in fixed)
        # Also its defaults, and what it reaches in globals: Numba freezes their values when it compiles.
        key = (id(function.__globals__), tuple(map(distinct, (*known, *reached_by(function)))))
        hash(key)
    except TypeError:
        return None
    return key


def distinct(value: Any) -> Any:
    """Return a key for a value that tells 1 from True and 1.0, and 0.0 from -0.0."""
    if isinstance(value, tuple):
        return type(value), tuple(map(distinct, value))
    if isinstance(value, (float, complex, np.inexact)):
        return type(value), repr(value)
    return type(value), value


def _kernel_of_partial(function: functools.partial[Any]) -> Any:
    """Return the kernel of a partial, with the bound values compiled in."""
    from enzyme_py.frontend.functions.partials import partial_kernel

    given = (*function.args, *function.keywords.values())
    fixed = tuple((value,) for value in given)
    kernel = as_kernel(function.func)
    return partial_kernel(kernel, 0, len(function.args), tuple(function.keywords), fixed)


def jitted(function: Any, options: dict[str, Any]) -> Any:
    """Return an njit dispatcher of the function in which plain Python helpers are jitted too.

    Numba resolves a global when it compiles, so the helpers' places are filled after the
    dispatcher is known: recursion, also mutual, ends there.
    """
    given, function = function, with_plain_parameters(function)
    names = [
        name
        for name in sorted(_global_names(function.__code__))
        if _is_helper(function.__globals__.get(name))
    ]
    cells = function.__closure__ or ()
    captured = list(map(_is_helper, contents_of(function)))
    if not names and not any(captured):
        dispatcher = made_of(given, _KERNEL)["kernel"] = _dispatcher(function, options)
        return dispatcher
    copy = _with_own_scope(function, captured)
    dispatcher = made_of(given, _KERNEL)["kernel"] = _dispatcher(copy, options)
    for name in names:
        copy.__globals__[name] = as_kernel(function.__globals__[name])
    for cell, new, plain in zip(cells, copy.__closure__ or (), captured, strict=True):
        if plain:
            new.cell_contents = as_kernel(cell.cell_contents)
    return dispatcher


def _dispatcher(function: Any, options: dict[str, Any]) -> Any:
    """Return what numba.njit returns, but for the functions that it takes as arguments."""
    from enzyme_py.frontend.functions.function_arguments import FunctionDispatcher

    dispatcher = released(numba.njit(**options)(function))
    dispatcher.__class__ = FunctionDispatcher
    tell_defaults_apart(dispatcher)
    return dispatcher


def dispatcher_like(kernel: Any, function: Any) -> Any:
    """Return a dispatcher of another function, with the options of a kernel that change what its code computes."""
    options = {name: value for name, value in kernel.targetoptions.items() if name in _OPTIONS}
    return _dispatcher(function, options)


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
    if isinstance(value, functools.partial):
        return True
    if value is dataclasses.replace:  # it is rewritten (containers/dataclass_calls.py)
        return False
    return isinstance(value, pytypes.FunctionType) and not numba_knows(value)


def numba_knows(function: Any) -> bool:
    """Tell whether compiled code can call a plain function, or a class, by a name that Numba knows.

    To fill all registries takes a third of a second. Of functions of others than Numba and those that it covers it is
    enough to look at what is registered: their owners, and extensions, register when they are loaded.
    """
    owner = (function.__module__ or "").partition(".")[0]
    if owner == "enzyme_py":  # taught when compiled code names it, see frontend/target/teaching.py
        return True
    typing = cpu_target.typing_context
    entrypoints.init_all()
    if owner in _COVERED:
        typing.refresh()
        cpu_target.target_context.refresh()
    return typing._lookup_global(function) is not None or any(
        one is function for one, _ in builtin_registry.globals
    )


_COVERED = ("numba", "numpy", "scipy")


def _global_names(code: pytypes.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, pytypes.CodeType):
            names |= _global_names(constant)
    return names
