"""Captured lists, dicts, dataclasses and objects, as the tuples that a kernel can hold.

    model = Model(...)                                  # of any class
    enzyme.grad(lambda x: np.sum(d["w"] @ x) * model.k)(x)

`held(value, code)` gives what is handed over for such a value at a call:

* a list, a dict or a dataclass: the named tuple of its structure (foundations/trees.py), whatever its parts are;
* an object, or a class: the named tuple of those of its attributes that the code names. Properties and class attributes are
  asked of the object, methods become functions that hold the object; an object of which none is named is a function, if
  its class has `__call__`;
* a communicator of mpi4py: itself, since its handle is another one in each process;
* a tuple: a tuple of what stands for its parts.

All of it is constant to the derivative and looked at in every call. Other types of parts mean another compilation.
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import types as pytypes
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numba.core.typing.typeof import typeof_impl

from enzyme_py.errors import UnsupportedTypeError, Where
from enzyme_py.foundations.arrays.foreign_arrays import is_plain, needs_taking, taken
from enzyme_py.foundations.trees import (
    Structure,
    check_read_as_usual,
    structure_of_dataclass,
    tuple_of_parts,
)
from enzyme_py.foundations.versions import is_library
from enzyme_py.frontend.functions.kernels import as_kernel, numba_knows
from enzyme_py.frontend.functions.library_functions import is_library_function

_PLAIN = (float, complex, int, str, np.ndarray, np.generic, type(None))
# At once, as it is asked of every global that a function names, at each call.
NEVER_HELD = frozenset({*_PLAIN, pytypes.ModuleType, pytypes.FunctionType, pytypes.BuiltinFunctionType})
_NAMESPACES = (("types", "SimpleNamespace"), ("argparse", "Namespace"))  # of Python's own, and open
_READING = ("LOAD_ATTR", "LOAD_METHOD")
_STORING = ("STORE_ATTR", "DELETE_ATTR")


class Attributes:
    """Stands for a user's object in a structure: what is read of it, and no way back to it."""

    def __init__(self, **_parts: Any) -> None:
        message = "a kernel returns an object that it captured"
        raise UnsupportedTypeError(message, remedy="return the numbers and arrays that it holds")


def is_held_object(value: Any) -> bool:
    """Tell whether a value is a list, a dict, a dataclass, a method, a class, or an object of one that Numba does not know."""
    if type(value) in NEVER_HELD or isinstance(value, _PLAIN):
        return False
    if isinstance(value, pytypes.MethodType):
        return not is_library(type(value.__self__).__module__)
    if isinstance(value, type):
        return _is_namespace(value)
    kind: Any = type(value)
    return isinstance(value, (list, dict)) or _is_communicator(kind) or _is_open(kind)


@functools.lru_cache(maxsize=1024)
def _is_namespace(kind: type) -> bool:
    """Tell whether a class is one of a user's that kernels know nothing of but its attributes: `Constants.g`."""
    if type(kind) is not type or is_library(kind.__module__) or dataclasses.is_dataclass(kind):
        return False
    if issubclass(kind, (enum.Enum, BaseException, tuple, list, dict, np.ndarray)) or hasattr(kind, "_numba_type_"):
        return False
    return not numba_knows(kind)  # as the proxy of a structref, which kernels call


@functools.lru_cache(maxsize=1024)
def _is_communicator(kind: type) -> bool:
    return any((one.__module__, one.__name__) == ("mpi4py.MPI", "Comm") for one in kind.__mro__)


@functools.lru_cache(maxsize=1024)
def _is_open(kind: type) -> bool:
    """Tell whether objects of a class are taken apart: those of users' classes that Numba has no type for."""
    if (kind.__module__, kind.__name__) in _NAMESPACES:
        return True
    if is_library(kind.__module__) or kind.__module__.startswith(("_cffi", "cffi", "ctypes")):
        return False
    if issubclass(kind, (enum.Enum, tuple, type, pytypes.ModuleType, BaseException, np.ndarray)):
        return False
    if hasattr(kind, "_numba_type_"):
        return False
    return typeof_impl.dispatch(kind) is typeof_impl.dispatch(object)


def held(value: Any, code: pytypes.CodeType | None, path: tuple[Any, ...] = ()) -> Any:
    """Return what a kernel of this code holds for a captured value."""
    if is_plain(value):
        return value
    if isinstance(value, _PLAIN):
        return taken(value)
    kind: Any = type(value)
    if _is_communicator(kind):
        return value
    if isinstance(value, tuple):
        parts = [held(one, code, path) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, pytypes.MethodType):
        return method_as_partial(value)
    if is_library_function(value):  # Numba has no type for them as arguments
        return as_kernel(value)
    if needs_taking(value) or not is_held_object(value):
        return taken(value)
    if any(value is one for one in path):
        message = f"an object of type {type(value).__name__} that a function captures holds itself"
        raise UnsupportedTypeError(message, remedy="let the function capture its numbers and arrays")
    call = call_of(value)
    if call is not None and _is_called_only(value, code):
        return method_as_partial(call)
    structure, found = _opened_up(value, code)
    return tuple_of_parts(structure, [held(one, code, (*path, value)) for one in found])


def _is_called_only(value: Any, code: pytypes.CodeType | None) -> bool:
    """Tell whether all that some code can do with an object that has a call is to call it."""
    kind: Any = type(value)
    if dataclasses.is_dataclass(value) or _is_method_of(kind, code):
        return False
    return not _attributes(value, code)


@functools.lru_cache(maxsize=1024)
def _is_method_of(kind: Any, code: pytypes.CodeType | None) -> bool:
    """Tell whether some code is that of a method of a class: there an object is `self`, and a call leads back to the method."""
    name = "" if code is None else code.co_name
    return any(getattr(vars(one).get(name), "__code__", None) is code for one in kind.__mro__ if name)


def call_of(value: Any) -> pytypes.MethodType | None:
    """Return the method that a call of an object is, if its class says so in Python."""
    call = getattr(type(value), "__call__", None)  # noqa: B004  (its function)
    return pytypes.MethodType(call, value) if isinstance(call, pytypes.FunctionType) else None


def _opened_up(value: Any, code: pytypes.CodeType | None) -> tuple[Structure, Iterable[Any]]:
    """Return what a kernel sees of a dict, a list or an object: its structure, and the parts."""
    check_read_as_usual(value)
    if isinstance(value, list):
        return Structure(list, ("",) * len(value)), value
    if isinstance(value, dict):
        odd = [key for key in value if not isinstance(key, str)]
        if odd:
            message = f"a function captures a dict with the key {odd[0]!r}"
            remedy = "use strings as keys, or capture a list or a tuple"
            raise UnsupportedTypeError(message, remedy=remedy)
        return Structure(dict, tuple(value)), value.values()
    if dataclasses.is_dataclass(value) and call_of(value) is not None:  # what a call of it is stands with its class
        structure = structure_of_dataclass(value)
        return structure, [getattr(value, key) for key in structure.keys]
    keys = _attributes(value, code)
    if isinstance(value, type) and not keys:
        message = f"the class {value.__qualname__}: of a class that is no dataclass a kernel reads attributes, and makes no objects"
        where = None if code is None else Where(code.co_name, code.co_filename, code.co_firstlineno, None)
        remedy = "make it a dataclass or a NamedTuple, or make the object outside and pass it"
        raise UnsupportedTypeError(message, where=where, remedy=remedy)
    return Structure(Attributes, keys), [getattr(value, key) for key in keys]


def method_as_partial(method: pytypes.MethodType) -> functools.partial[Any]:
    """Return a method as a function that holds the object."""
    owner: Any = type(method.__self__)
    if _comes_back(method.__func__, method.__func__, owner, frozenset()):
        message = f"the method `{method.__name__}` calls itself"
        raise UnsupportedTypeError(message, remedy="write it as a function at module level, or as a loop")
    return functools.partial(method.__func__, method.__self__)


@functools.lru_cache(maxsize=1024)
def _comes_back(function: Any, start: Any, owner: Any, seen: frozenset[Any]) -> bool:
    """Tell whether a method leads back to another through the methods of its class that it names."""
    code = getattr(function, "__code__", None)
    if code is None or function in seen:
        return False
    named = [getattr(owner, name, None) for name in names_read(code)]
    called = [one for one in named if isinstance(one, pytypes.FunctionType)]
    return start in called or any(_comes_back(one, start, owner, seen | {function}) for one in called)


def _attributes(value: Any, code: pytypes.CodeType | None) -> tuple[str, ...]:
    """Return the names of what some code may read of an object, in the order of the alphabet."""
    names = set() if code is None else names_read(code)
    if code is not None:
        _check_not_written(value, code)
    if dataclasses.is_dataclass(value):
        names = names | {one.name for one in dataclasses.fields(value)}
    return tuple(sorted(name for name in names if not name.startswith("__") and hasattr(value, name)))


@functools.lru_cache(maxsize=1024)
def names_read(code: pytypes.CodeType) -> frozenset[str]:
    """Return the names of all attributes that some code reads, of whatever it may be."""
    return frozenset(one.argval for one in _instructions(code) if one.opname in _READING)


@functools.lru_cache(maxsize=1024)
def _written(code: pytypes.CodeType) -> tuple[tuple[str, int | None], ...]:
    """Return the attributes that some code writes, with the lines."""
    return tuple(
        (one.argval, one.positions.lineno if one.positions else None)
        for one in _instructions(code)
        if one.opname in _STORING
    )


def _check_not_written(value: Any, code: pytypes.CodeType) -> None:
    for name, line in _written(code):
        if not hasattr(value, name):
            continue
        owner = type(value).__name__
        message = f"`{code.co_name}` writes to `{name}` of an object of type {owner}, which it captured"
        remedy = "return what is to be stored, and store it outside of the function"
        where = Where(code.co_name, code.co_filename, line or code.co_firstlineno, None)
        raise UnsupportedTypeError(message, where=where, remedy=remedy)


def _instructions(code: pytypes.CodeType) -> Iterator[dis.Instruction]:
    yield from dis.get_instructions(code)
    for one in code.co_consts:
        if isinstance(one, pytypes.CodeType):
            yield from _instructions(one)
