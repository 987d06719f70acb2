"""What Numba must know of us it is taught when it first has to know: before that, nothing of it is imported.

    teach()             imports all that registers something with Numba, once
    watch_numba()       lets Numba call it where compiled code names something of ours

Typing and lowering of derivatives, rules and linear algebra take half a second to import. A process that runs
finished machine code needs none of that, and neither does one that compiles functions which have nothing to do with us.

Numba asks `typeof_impl` for the type of each value that compiled code names, and of each argument. Two of its entries are
wrapped, that for classes and that for what has no entry: the first value of ours that comes by ends the wrapping of classes,
and what was taught then is put into Numba's contexts while it types. Functions of scipy.special and objects of mpi4py are
watched for as long as they have not come by (`_OF_OTHERS`). What must be there before a value is named registers with the
import of this package: the closures of functions/captures.py.

`teach` takes Numba's lock before it imports anything, in this order always: imports wait for each other too, and two threads
that took both in turn would wait for ever. So whoever imports these modules late calls it first.
"""

from __future__ import annotations

import functools
import importlib
import sys
import threading
import types as pytypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import typeof
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.typing import ctypes_utils
from numba.extending import typeof_impl

from enzyme_py.foundations.scipy_bindings import bindings
from enzyme_py.foundations.stages import stage
from enzyme_py.frontend.target.interrupts import uninterrupted

# By name: they are rooms of later than this one.
_LESSONS = ("enzyme_py.linalg", "enzyme_py.calls.compiled")
# What is not ours, and is taught nevertheless: the overloads of calls/compiled/ and of transforms/values/functions.py.
_OTHERS = (functools.partial, np.tile)
_WATCHED = (object, type)


class _State:
    is_taught = False
    known: tuple[str, ...] = ()  # the modules of _OF_OTHERS that have been taught
    teacher: int | None = None  # the thread that imports now
    usual: dict[type, Callable[..., Any]]  # Numba's own entries, while ours stand in their place


def teach() -> None:
    """Let Numba know everything: see above."""
    if _State.is_taught:
        return
    with global_compiler_lock, uninterrupted():
        if _State.is_taught or _State.teacher is not None:  # by this thread: it has the lock
            return
        _State.teacher = threading.get_ident()
        try:
            with stage("imports"):
                bindings()  # or Numba imports all of scipy.linalg for them
                for name in _LESSONS:
                    importlib.import_module(name)
            _State.is_taught = True
        finally:
            _State.teacher = None
        usual = getattr(_State, "usual", {})
        if usual:
            typeof_impl.register(type, usual[type])
            typeof_impl.register(object, functools.partial(_typeof_of_others, usual[object]))


def watch_numba() -> None:
    """Have Numba teach itself where it first meets something of ours."""
    _State.usual = {kind: typeof_impl.dispatch(kind) for kind in _WATCHED}
    for kind in _WATCHED:
        typeof_impl.register(kind, functools.partial(_typeof, _State.usual[kind]))


def _typeof_of_others(usual: Callable[..., Any], value: Any, context: Any) -> Any:
    """Return the type of a value that Numba itself has no type for; the first one of another package is taught before."""
    return typeof_impl(value, context) if _teach_others(value) else usual(value, context)


def _teach_others(value: Any) -> bool:
    """Teach what has to do with a value of another package; tells whether anything was taught."""
    found = [module for module, is_its in _OF_OTHERS.items() if module not in _State.known and is_its(value)]
    if not found:
        return False
    teach()
    with global_compiler_lock, uninterrupted():
        for module in found:
            if module in _State.known:
                continue
            importlib.import_module(module).register()
            _State.known = (*_State.known, module)
        for one in (cpu_target.typing_context, cpu_target.target_context):
            one.refresh()
        for target in importlib.import_module("enzyme_py.frontend.target.target").TARGETS:
            target.typing_context.refresh()
            target.target_context.refresh()
    return True


def is_special(value: Any) -> bool:
    """Tell whether a value is a function of scipy.special, which whoever has one has imported."""
    module = sys.modules.get("scipy.special")
    if module is None or not isinstance(value, np.ufunc | pytypes.FunctionType):
        return False
    return getattr(module, value.__name__, None) is value


def standing_for(value: Any) -> Any:
    """Return the function of scipy.special whose C function a value calls by its address; the value itself for all else."""
    if "scipy.special.cython_special" not in sys.modules:
        return value
    is_value = isinstance(value, types.WrapperAddressProtocol)
    if is_value:
        address, signature = value.__wrapper_address__(), value.signature()
    elif ctypes_utils.is_ctypes_funcptr(value):
        kind = typeof(value)
        address, signature = kind.get_pointer(value), kind.sig
    else:
        return value
    known = importlib.import_module("enzyme_py.special.by_address")
    found = known.function_at(address, signature, with_derivatives=not is_value)
    return value if found is None else found


def is_of_mpi4py(value: Any) -> bool:
    """Tell whether a value is an object of mpi4py's."""
    return type(value).__module__ == "mpi4py.MPI"


# The module to register, and what tells whether a value has to do with it.
_OF_OTHERS: dict[str, Callable[[Any], bool]] = {
    "enzyme_py.special.overloads": is_special,
    "enzyme_py.mpi.methods": is_of_mpi4py,
}


def _typeof(usual: Callable[..., Any], value: Any, context: Any) -> Any:
    """Return the type of a value that Numba itself has no type for, or of a class."""
    if _teach_others(value):
        return typeof_impl(value, context)
    is_settled = _State.is_taught or _State.teacher == threading.get_ident()
    if is_settled or not is_ours(value):
        return usual(value, context)
    teach()  # or wait for who does
    with global_compiler_lock, uninterrupted():  # other threads may be typing
        for one in (cpu_target.typing_context, cpu_target.target_context):
            one.refresh()
    return typeof_impl(value, context)


def is_ours(value: Any) -> bool:
    """Tell whether a value is a function, a class or an object of this package, or one that it teaches Numba."""
    owner = value if isinstance(value, type | pytypes.FunctionType) else type(value)
    module = getattr(owner, "__module__", None)
    is_own = isinstance(module, str) and module.partition(".")[0] == "enzyme_py"
    return is_own or any(value is one for one in _OTHERS)
