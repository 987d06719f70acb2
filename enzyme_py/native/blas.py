"""Addresses of Fortran BLAS and LAPACK, from the capsules that SciPy exports.

A Fortran name is the routine's name with an underscore: `dgemm_`. Enzyme's derivatives of BLAS
calls need more routines than the kernel itself called, so any routine may be asked for.
Arguments are pointers throughout, integers are 32 bits wide with few exceptions; SciPy's entries take no hidden string
lengths and leave out what follows the declared arguments, so a caller may pass them or not.

What is called is often not SciPy's: products of few rows are made by csrc/products.h, and calls that are not large run on one
thread (csrc/blas.h), Numba's own calls of LAPACK too.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from enzyme_py.foundations.scipy_bindings import bindings, capsules, integer_bits
from enzyme_py.native.runtime import library_path
from enzyme_py.settings import settings, when_changed

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype = ctypes.c_char_p
_name_of.argtypes = [ctypes.py_object]


_capsules = functools.cache(capsules)

# From so many multiplications on, a call runs on as many threads as the library would take: with one thread for derivatives, which is the
# default, a call of some milliseconds; where several are asked for, what they make faster on a machine that does nothing
# else. `python benchmarks/blas_threads.py` measures both.
MANY, MANY_ON_THREADS = 1e8, 4e6


def blas_address(symbol: str) -> int | None:
    """The address that code calls for a Fortran symbol such as `dgemm_`, or None if SciPy has no such routine."""
    address = _of_one_thread(symbol)  # of most names it knows at once that they are none of Fortran's
    return None if address is None else _products().get(symbol, address)


def on_one_thread(name: str, address: int) -> int:
    """The address of what stands in for a routine, of the library or of Numba's, so that small calls run on one thread."""
    _tell_threads()
    found: int = _runtime().enzyme_py_blas_routine(name.encode(), address)
    return found


def _of_one_thread(symbol: str) -> int | None:
    address = _of_scipy(symbol)
    return address if address is None or integer_bits() != 32 else on_one_thread(symbol, address)


def _of_scipy(symbol: str) -> int | None:
    if not symbol.endswith("_") or symbol.startswith("_"):
        return None
    capsule = _capsules().get(symbol[:-1])
    if capsule is None:
        return None
    address: int | None = _pointer_of(capsule, _name_of(capsule))
    return address


@functools.cache
def _products() -> dict[str, int]:
    """The addresses of the products of csrc/products.h, which have been told of the library's."""
    others = [_of_one_thread(name) for name in ("dgemm_", "sgemm_")]
    if integer_bits() != 32 or None in others:
        return {}
    loaded = _runtime()
    loaded.enzyme_py_products(*others)
    own = {"dgemm_": loaded.enzyme_py_dgemm, "sgemm_": loaded.enzyme_py_sgemm}
    return {name: ctypes.cast(routine, ctypes.c_void_p).value or 0 for name, routine in own.items()}


@functools.cache
def _runtime() -> ctypes.CDLL:
    loaded = ctypes.CDLL(str(library_path("libenzyme_py_runtime.so")))
    loaded.enzyme_py_blas_many.argtypes, loaded.enzyme_py_blas_many.restype = [ctypes.c_double], None
    for tell in (loaded.enzyme_py_products, loaded.enzyme_py_blas_threads):
        tell.argtypes, tell.restype = [ctypes.c_void_p] * 2, None
    routine = loaded.enzyme_py_blas_routine
    routine.argtypes, routine.restype = [ctypes.c_char_p, ctypes.c_void_p], ctypes.c_void_p
    return loaded


@functools.cache
def _tell_threads() -> None:
    """Tell csrc/blas.h how OpenBLAS's number of threads is asked for and set; of another library it is not told."""
    found = openblas()
    if found is not None:
        addresses = [ctypes.cast(found[part], ctypes.c_void_p) for part in ("get_num_threads", "set_num_threads")]
        _tell_many()
        when_changed.append(_tell_many)
        _runtime().enzyme_py_blas_threads(*addresses)


def _tell_many() -> None:
    _runtime().enzyme_py_blas_many(MANY if settings.threads == 1 else MANY_ON_THREADS)


@functools.cache
def openblas() -> dict[str, Any] | None:
    """The functions of SciPy's OpenBLAS that count its threads; None if it is another library, or has OpenMP's threads.

    Those of OpenMP belong to the thread that asks, and their buffers are given back whenever the number changes.
    """
    with_threads_of_its_own = 1
    for library in bindings():
        loaded = ctypes.CDLL(library.__file__)  # and what it needs
        for way in ("scipy_openblas_{}", "scipy_openblas_{}64_", "openblas_{}", "openblas_{}64_"):
            try:
                found = {name: loaded[way.format(name)] for name in ("get_parallel", "get_num_threads", "set_num_threads")}
            except AttributeError:
                continue
            if found["get_parallel"]() == with_threads_of_its_own:
                return found
    return None
