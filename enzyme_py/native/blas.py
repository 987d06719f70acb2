"""Addresses of Fortran BLAS and LAPACK, from the capsules that SciPy exports.

A Fortran name is the routine's name with an underscore: `dgemm_`. Enzyme's derivatives of BLAS
calls need more routines than the kernel itself called, so any routine may be asked for.
Arguments are pointers throughout, integers are 32 bits wide with few exceptions; SciPy's entries take no hidden string
lengths and leave out what follows the declared arguments, so a caller may pass them or not.
"""

from __future__ import annotations

import ctypes
import functools

from enzyme_py.foundations.scipy_bindings import capsules
from enzyme_py.native.runtime import library_path

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype = ctypes.c_char_p
_name_of.argtypes = [ctypes.py_object]


_capsules = functools.cache(capsules)


def blas_address(symbol: str) -> int | None:
    """The address of a Fortran symbol such as `dgemm_`, or None if SciPy has no such routine."""
    if not symbol.endswith("_") or symbol.startswith("_"):
        return None
    capsule = _capsules().get(symbol[:-1])
    if capsule is None:
        return None
    address: int | None = _pointer_of(capsule, _name_of(capsule))
    return address


@functools.cache
def integer_bits() -> int:
    """The width of the integers that SciPy's routines take."""
    from scipy import __config__ as build

    found = getattr(build, "CONFIG", {}).get("Build Dependencies", {}).get("blas", {})
    return 64 if found.get("cython blas ilp64") else 32


def product_address(symbol: str) -> int | None:
    """The address of what stands in for `dgemm_` and `sgemm_`: csrc/products.h; None for other symbols."""
    return _products().get(symbol)


@functools.cache
def _products() -> dict[str, int]:
    """The addresses of the products of csrc/products.h, which have been told of SciPy's."""
    of_scipy = [blas_address(name) for name in ("dgemm_", "sgemm_")]
    if integer_bits() != 32 or None in of_scipy:
        return {}
    loaded = ctypes.CDLL(str(library_path("libenzyme_py_runtime.so")))
    loaded.enzyme_py_products.argtypes, loaded.enzyme_py_products.restype = [ctypes.c_void_p] * 2, None
    loaded.enzyme_py_products(*of_scipy)
    own = {"dgemm_": loaded.enzyme_py_dgemm, "sgemm_": loaded.enzyme_py_sgemm}
    return {name: ctypes.cast(routine, ctypes.c_void_p).value or 0 for name, routine in own.items()}
