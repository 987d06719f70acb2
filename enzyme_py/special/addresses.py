"""Where SciPy's compiled functions are, by the symbols that generated code calls them under.

A symbol says the function and the letters of its arguments, not an address nor the name that Cython made up. So a derivative
that another process compiled finds them again, of another version of SciPy too. They are those of
`scipy.special.cython_special`; a few that it lacks (zeta of two arguments, lambertw) are the inner loops of ufuncs.
SciPy is imported at the first question.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator

import numpy as np

from enzyme_py.symbols import SPECIAL_NONE, SPECIAL_OUTSIDE

C, LOOP, DATA = SPECIAL_OUTSIDE
OF_COMPLEX = "_complex"  # behind an argument by which there is a derivative for real numbers only

_LETTERS = {"double": "d", "__pyx_t_double_complex": "D", "long": "l", "Py_ssize_t": "l"}
_LEFT_OUT = ("int", "struct", "double *", "__pyx_t_double_complex *")


def special_address(name: str) -> int | None:
    """Return the address of one of SciPy's functions; None if the name is none of them, or SciPy lacks it."""
    for prefix, table in ((C, _functions), (LOOP, _loops), (DATA, _loops)):
        if name.startswith(prefix):
            function, _, letters = name.removeprefix(prefix).rpartition(".")
            if table is _functions:
                return _functions().get((function, letters))
            found = _loops(function).get(letters)
            return found[prefix == DATA] if found else None
    return None


def special_name(symbol: str) -> str | None:
    """Return the name in Python of the function that a symbol stands for; None if that is none of SciPy's."""
    for prefix in SPECIAL_OUTSIDE:
        if symbol.startswith(prefix):
            return (
                f"scipy.special.{symbol.removeprefix(prefix).rpartition('.')[0].removeprefix('_')}"
            )
    return None


def missing_slope(name: str) -> tuple[str, str] | None:
    """Return the function and the argument whose derivative a symbol stands for, if it is one that has no closed form."""
    if not name.startswith(SPECIAL_NONE):
        return None
    function, _, argument = name.removeprefix(SPECIAL_NONE).rpartition(".")
    return function, argument


def functions_of_doubles() -> Iterator[tuple[str, int, int]]:
    """Yield the name of each function in cython_special that takes doubles only, how many, and its address."""
    for (name, letters), address in _functions().items():
        if letters and not letters.strip("d"):
            yield name, len(letters), address


@functools.cache
def _functions() -> dict[tuple[str, str], int]:
    """Return the addresses in cython_special, by name and letters."""
    from scipy.special import cython_special

    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found = {}
    for name, capsule in cython_special.__pyx_capi__.items():
        text = name_of(capsule)
        letters = _letters(text.decode())
        if letters is not None:
            found[_plain(name), letters] = int(pointer_of(capsule, text))
    return found


def _plain(name: str) -> str:
    """Return the name without what Cython puts in front of those with several types: `__pyx_fuse_0_1`."""
    rest = name.removeprefix("__pyx_fuse_")
    return name if rest == name else rest.lstrip("0123456789_")


def _letters(text: str) -> str | None:
    """Return the letters of the arguments of a C function; None if it has arguments of other types."""
    result, _, inside = text.partition(" (")
    if result.startswith(("float", "long double")):
        return None
    found = ""
    for one in inside.rstrip(")").split(", "):
        if one in _LETTERS:
            found += _LETTERS[one]
        elif not one.startswith(_LEFT_OUT):
            return None
    return found


class _Ufunc(ctypes.Structure):
    """The beginning of NumPy's PyUFuncObject, which is part of its C interface."""

    _fields_ = (
        ("refcount", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("numbers", ctypes.c_int * 4),  # of inputs, outputs, arguments, and the identity
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("count", ctypes.c_int),
    )


@functools.cache
def _loops(name: str) -> dict[str, tuple[int, int]]:
    """Return the loops of a ufunc and their data, by the letters of the inputs."""
    from scipy.special import _ufuncs

    ufunc = getattr(_ufuncs, name, None)
    if not isinstance(ufunc, np.ufunc):
        return {}
    inside = _Ufunc.from_address(id(ufunc))
    if inside.count != len(ufunc.types) or list(inside.numbers[:2]) != [ufunc.nin, ufunc.nout]:
        return {}
    found = {}
    for place, kinds in enumerate(ufunc.types):
        loop, data = inside.functions[place], inside.data[place]
        if loop and data:
            found[kinds.partition("->")[0]] = (int(loop), int(data))
    return found
