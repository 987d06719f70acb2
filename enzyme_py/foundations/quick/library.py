"""csrc/calls.c, seen from Python: what of a call from Python is done in C.

Four functions. Each tells what is certain, and leaves what is not to the Python beside it:

* `fits(primal, shadow)`: True if both are arrays and the shadow passes every check of `annotations.check_shadow`;
* `alike(primal, tangent)`: True if `directions.check_tangents` passes, and neither is a tree or an array to be taken over;
* `remembered(function, key)`: what lies in `quick` of the function's table (keeping.py) under a key, or None;
* `run(given)`: what the arguments of autodiff give, in a tuple; NotImplemented if no call of their form was remembered.

The C file reads the head of an object and NumPy's array as structures. Both are compared here with what Python says of an
array, word by word, and where they differ (an interpreter without its lock, another NumPy) every call takes the way through
Python, which is right and slower.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from enzyme_py.foundations.libraries import library_file
from enzyme_py.foundations.quick.made import NO_VALUE, Made
from enzyme_py.modes import Mode

_HEAD = 16  # bytes of an object's head: its count of references and its type
_WORD = 8
_NUMBERS = (float, int, np.float64, np.float32, complex, bool, np.int64, np.complex128)
# The first four have derivatives; csrc/calls.c has their sizes, in this order.
_DTYPES = tuple(map(np.dtype, ("f8", "f4", "c16", "c8", "i8", "i4", "?")))


class Functions(NamedTuple):
    """The four functions."""

    run: Any
    remembered: Any
    fits: Any
    alike: Any


def _in_python() -> Functions:
    """Return functions that are certain of nothing."""
    return Functions(lambda *_: NotImplemented, lambda *_: None, lambda *_: False, lambda *_: False)


def _is_laid_out_as_told() -> bool:
    """Tell whether an array lies in memory as csrc/calls.c reads it: a view with steps, of two dimensions."""
    if object.__basicsize__ != _HEAD or np.ndarray.__basicsize__ < _HEAD + 7 * _WORD:
        return False
    one = np.zeros((4, 6))[1::2, ::3]
    words = (ctypes.c_ssize_t * 7).from_address(id(one) + _HEAD)
    rank = ctypes.c_int32.from_address(id(one) + _HEAD + _WORD).value
    data = one.__array_interface__["data"][0]
    kind = ctypes.c_ssize_t.from_address(id(one) + _WORD).value
    if kind != id(np.ndarray) or words[0] != data or rank != one.ndim or words[5] != id(one.dtype):
        return False
    sizes = [(ctypes.c_ssize_t * rank).from_address(words[place]) for place in (2, 3)]
    flags = ctypes.c_int32.from_address(id(one) + _HEAD + 6 * _WORD).value
    is_alike = tuple(sizes[0]) == one.shape and tuple(sizes[1]) == one.strides
    return is_alike and flags == one.flags.num


def _loaded() -> Functions:
    """Return the functions of the library, those of Python where it is not there or does not suit."""
    path = library_file("libenzyme_py_calls.so")
    if not path.is_file() or not _is_laid_out_as_told():
        return _in_python()
    try:
        setup = ctypes.PyDLL(str(path)).enzyme_py_calls_setup
    except OSError:  # an interpreter without these functions
        return _in_python()
    setup.restype, setup.argtypes = ctypes.py_object, [ctypes.py_object]
    own = (np.ndarray, Mode, dict, Made, type, tuple, NO_VALUE, None, NotImplemented)
    return Functions(*setup((*own, _DTYPES, _NUMBERS)))


run, remembered, fits, alike = _loaded()
