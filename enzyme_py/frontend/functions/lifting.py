"""Closure conversion: a function becomes a kernel whose leading parameters are what it captured.

Numba freezes what a Python function captured, and refuses closures inside compiled code that capture
run-time values and are passed on. A lifted kernel takes such values as arguments, at each call:

    lambda t: x + y * t        ->        def lifted(x, y, t): ...

The new function calls the old code as a closure of its own, which Numba inlines:

    def lifted(x, y, t):
        def inner(t): ...      # the code as given, whose free variables are those above
        return inner(t)

so no bytecode is read or written here. The kernel and the values together are a *bound kernel*.
"""

from __future__ import annotations

import dis
import inspect
import types as pytypes
from collections.abc import Mapping, Sequence
from typing import Any

from enzyme_py.errors import UnsupportedTypeError, Where
from enzyme_py.foundations.content.reached import values_reached
from enzyme_py.foundations.keeping import Recent
from enzyme_py.frontend.functions.kernels import distinct, jitted

_lifted = Recent(512)
_OWN_NAMES = "enzyme_py_lifted", "enzyme_py_inner"  # of no variable that a user's code captures


def lifted(
    code: pytypes.CodeType,
    scope: dict[str, Any],
    bound: Sequence[str],
    fixed: Mapping[str, Any],
    defaults: tuple[Any, ...] = (),
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Return the kernel of some code whose variables `bound` are leading parameters.

    `bound` names free variables, or last parameters with a default. The other free variables, and
    other such parameters, are `fixed` at their values. Equal code with equal fixed values shares its kernel.
    """
    options = dict(options or {})
    # Held as long as the kernel, so that no identity comes twice.
    values = (*fixed.values(), *defaults, *values_reached(code, scope, (*fixed.values(), *defaults), bound))
    key = (
        code,
        id(scope),
        tuple(bound),
        tuple(fixed),
        tuple(map(_key, values)),
        tuple(sorted(options.items())),
    )
    found = _lifted.get(key)
    if found is None:
        made = _made(code, scope, tuple(bound), fixed, defaults, options)
        found = _lifted.put(key, (made, values))
    kernel, _ = found
    return kernel


def _key(value: Any) -> Any:
    """Return what tells a value from others: itself, or its identity if it has no hash."""
    key = distinct(value)
    try:
        hash(key)
    except TypeError:
        return type(value), id(value)
    return key


def _made(
    code: pytypes.CodeType,
    scope: dict[str, Any],
    bound: tuple[str, ...],
    fixed: Mapping[str, Any],
    defaults: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    check_liftable(code)
    parameters = code.co_varnames[: code.co_argcount]
    visible = [name for name in parameters if name not in bound and name not in fixed]
    lifted, inner = _OWN_NAMES
    text = (
        f"def make({', '.join(fixed)}):\n"
        f"    def {lifted}({', '.join((*bound, *visible))}):\n"
        f"        def {inner}({', '.join(parameters)}): return ({''.join(f'{n}, ' for n in code.co_freevars)})\n"
        f"        return {inner}({', '.join(parameters)})\n"
        f"    return {lifted}\n"
    )
    own: dict[str, Any] = {}
    exec(text, scope, own)  # noqa: S102  (names of variables, nothing else)
    function = own["make"](*fixed.values())
    function.__defaults__ = defaults or None
    _put_code(function, code)
    given = {k: set(v) if isinstance(v, frozenset) else v for k, v in options.items()}
    return jitted(function, given)


def _put_code(function: Any, code: pytypes.CodeType) -> None:
    """Put the given code in the place of the closure `inner`."""
    own = function.__code__
    placeholder = next(one for one in own.co_consts if isinstance(one, pytypes.CodeType))
    if placeholder.co_freevars != code.co_freevars:
        message = f"the variables that `{code.co_name}` captures cannot be told apart"
        remedy = "pass them to it as arguments"
        raise UnsupportedTypeError(message, where=_where(code), remedy=remedy)
    name = readable_name(code)
    function.__code__ = own.replace(
        co_consts=tuple(code if one is placeholder else one for one in own.co_consts),
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_name=name,
    )
    function.__name__ = function.__qualname__ = name


def readable_name(code: pytypes.CodeType) -> str:
    """Return the name of a function as an identifier: a lambda has none of its own."""
    return code.co_name.strip("<>")


def check_liftable(code: pytypes.CodeType) -> None:
    """Refuse code that Numba cannot inline, and so cannot take captured values."""
    what = None
    if code.co_flags & inspect.CO_VARARGS or code.co_flags & inspect.CO_VARKEYWORDS:
        what = "takes *args or **kwargs"
    elif code.co_kwonlyargcount:
        what = "has keyword-only parameters"
    elif code.co_flags & inspect.CO_GENERATOR:
        what = "yields"
    elif _assigned_captures(code):
        what = "gives them new values (nonlocal)"
    if what is not None:
        message = f"`{code.co_name}` captures values and {what}"
        remedy = "give it plain parameters, or pass the captured values as arguments"
        raise UnsupportedTypeError(message, where=_where(code), remedy=remedy)


def _assigned_captures(code: pytypes.CodeType) -> set[str]:
    """Return the captured variables that the code, or a function made in it, assigns to."""
    names = {one.argval for one in dis.get_instructions(code) if one.opname in _ASSIGNING}
    for one in code.co_consts:
        if isinstance(one, pytypes.CodeType):
            names |= _assigned_captures(one)
    return names & set(code.co_freevars)


_ASSIGNING = ("STORE_DEREF", "DELETE_DEREF")


def _where(code: pytypes.CodeType) -> Where:
    return Where(code.co_name, code.co_filename, code.co_firstlineno, None)
