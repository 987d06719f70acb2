"""Where the outside functions that a derivative calls are found.

Addresses are bound to one derivative at a time, under the very names its code uses, so nothing is
shadowed for other users of LLVM in the process. Asked in this order: the C runtime, which also
stands in for the C library's allocator; SciPy's BLAS and LAPACK (blas.py); what Numba and others gave to
LLVM; the C libraries. An allocator that the runtime does not stand in for is refused, because its
blocks would be freed by the wrong one.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar

import llvmlite.binding as llvm
from numba import _helperlib
from numba.core.runtime import _nrt_python

from enzyme_py.errors import UnresolvedSymbolError, Where
from enzyme_py.foundations.scipy_bindings import bindings
from enzyme_py.mpi.library import mpi_address
from enzyme_py.native.blas import blas_address, on_one_thread
from enzyme_py.native.faults.layouts import allocator_of
from enzyme_py.native.runtime import runtime_addresses
from enzyme_py.native.vector_library import vector_address
from enzyme_py.rules.inactive import CONSTANT_PREFIX
from enzyme_py.rules.orders import SCAN, is_order
from enzyme_py.special.addresses import OF_COMPLEX, missing_slope, special_address

_OF_NUMBAS_THREADS = ("get_num_threads", "get_parallel_chunksize", "set_parallel_chunksize")
STAND_INS = ("malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign")
REFUSED = frozenset(
    ("memalign", "valloc", "pvalloc", "reallocarray", "strdup", "cfree", "_Znwm", "_ZdlPv")
)

_CALLS_BLAS = ("numba_xx", "numba_ez_", "numba_raw_")  # functions of Numba's C code
# What code generation may call although the IR never names it: block operations, what the math
# intrinsics become, and the compiler's own helpers for wide integers, halves and complex numbers.
_MATH = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 exp10 log log2 log10 pow fmod cbrt "
    "floor ceil trunc rint nearbyint round roundeven fma fmin fmax ldexp frexp modf sincos "
    "fminimum_num fmaximum_num lrint llrint lround llround"
).split()
CODE_GENERATION = (
    *"memcpy memmove memset memcmp bcmp bzero __memset_chk".split(),
    *_MATH,
    *(f"{name}f" for name in _MATH),
    *"__powisf2 __powidf2 __multi3 __divti3 __modti3 __udivti3 __umodti3 __muloti4".split(),
    *"__fixsfti __fixdfti __fixunssfti __fixunsdfti".split(),
    *"__floattisf __floattidf __floatuntisf __floatuntidf".split(),
    *"__extendhfsf2 __truncsfhf2 __truncdfhf2 __extendhfdf2 __gnu_h2f_ieee __gnu_f2h_ieee".split(),
    *"__mulsc3 __muldc3 __divsc3 __divdc3".split(),
)


# What outlives the region: the run-time arguments of an exception, which Numba's caller frees.
EXCEPTION_MEMORY = {
    "enzyme_py_exception_allocate": "NRT_Allocate",
    "enzyme_py_exception_free": "NRT_Free",
}

# glibc's are slow for some addresses (csrc/moves.h).
MOVES = dict.fromkeys(("memcpy", "memmove"), "enzyme_py_memmove")

is_traced: ContextVar[bool] = ContextVar("is_traced", default=False)  # code is linked to be traced (csrc/trace.h)
is_sampled: ContextVar[bool] = ContextVar("is_sampled", default=False)  # or to be sampled (csrc/sampling.h)


def stand_ins() -> dict[str, int]:
    """The C library's allocator names, with the region allocator's addresses."""
    addresses = runtime_addresses()
    is_watched = is_traced.get() or is_sampled.get()
    way = "enzyme_py_traced" if is_watched else "enzyme_py"
    own = {name: addresses[f"{way}_{name}"] for name in STAND_INS}
    if is_watched:
        turn = "enzyme_py_sampled_turn" if is_sampled.get() else "enzyme_py_traced_turn"
        own["enzyme_py_hint_turn"] = addresses[turn]
    return own


@functools.cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    found = [ctypes.CDLL(None)]
    for name in ("libm.so.6", "libgcc_s.so.1"):
        try:
            found.append(ctypes.CDLL(name))
        except OSError:  # another system: there, the process itself has them
            continue
    return tuple(found)


def _library_address(name: str) -> int | None:
    for library in _libraries():
        try:
            return ctypes.cast(library[name], ctypes.c_void_p).value
        except AttributeError:
            continue
    return None


def address_of(name: str) -> int | None:
    """The address behind a name, or None if nobody has it."""
    if name in REFUSED:
        return None
    name = allocator_of(name)
    name = EXCEPTION_MEMORY.get(name, name).removeprefix(CONSTANT_PREFIX)
    name = MOVES.get(name, name)
    runtime = {**runtime_addresses(), **stand_ins()}
    return (
        runtime.get(name)
        or blas_address(name)
        or _order_address(name)
        or special_address(name)
        or mpi_address(name)
        or vector_address(name)
        or _shared_address(name)
    )


def _shared_address(name: str) -> int | None:
    found = shared_address(name)
    return on_one_thread(name, found) if found and name.startswith(_CALLS_BLAS) else found


def _order_address(name: str) -> int | None:
    if not is_order(name):
        return None
    family, _, kind = name.partition(".")
    if family == SCAN:  # in C
        return runtime_addresses()[f"enzyme_py_{kind.replace('.', '_')}"]
    from enzyme_py.native.orders import order_address  # which Numba compiles

    return order_address(name)


def shared_address(name: str) -> int | None:
    """The address that all compiled code in this process finds behind a name."""
    if name.startswith(_CALLS_BLAS):
        bindings()  # which it imports at its first call
    if name in _OF_NUMBAS_THREADS and not llvm.address_of_symbol(name):
        from numba.np.ufunc.parallel import _launch_threads

        _launch_threads()  # starts none, but lets LLVM know the names
    return llvm.address_of_symbol(name) or _numba_address(name) or _library_address(name)


def _numba_address(name: str) -> int | None:
    """The address of a function of Numba's own C code; LLVM learns of them when Numba first compiles something."""
    for prefix, known in (("NRT_", _nrt_python.c_helpers), ("numba_", _helperlib.c_helpers)):
        short = name.removeprefix(prefix)
        if short != name and short in known:
            return int(known[short])
    own = _nrt_python.c_helpers.get(name)
    return int(own) if own else None


@functools.cache
def code_generation_addresses() -> Mapping[str, int]:
    """Those of CODE_GENERATION that this process has."""
    found = {name: address_of(name) for name in CODE_GENERATION}
    return {name: address for name, address in found.items() if address}


def resolve(
    names: Iterable[str],
    where: Where | None,
    address: Callable[[str], int | None] = address_of,
) -> dict[str, int]:
    """An address for every name; raises `UnresolvedSymbolError` for those that have none."""
    found = {name: address(name) for name in names}
    missing = sorted(name for name, known in found.items() if not known)
    if missing:
        raise unresolved(missing, where)
    return {name: known for name, known in found.items() if known}


def unresolved(names: list[str], where: Where | None) -> UnresolvedSymbolError:
    """The exception that names what has no address."""
    for name in names:
        if slope := missing_slope(name):
            return _without_slope(*slope, where)
    what = f"the derivative calls {_listed(names)}, which no library in this process has"
    return UnresolvedSymbolError(what, where=where, remedy=_remedy(names))


def _without_slope(function: str, argument: str, where: Where | None) -> UnresolvedSymbolError:
    """The exception that names an argument by which a special function has no derivative."""
    name = argument.removesuffix(OF_COMPLEX)
    kind = "" if name == argument else ", of complex numbers,"
    what = f"the derivative of `scipy.special.{function}` by `{name}`{kind} has no closed form"
    remedy = (
        f"if it is not wanted, pass {name} through enzyme.stop_gradient"
        f"{'' if kind else ', or as an integer'}; else give it a rule, by differences: enzyme.rules.partials"
    )
    return UnresolvedSymbolError(what, where=where, remedy=remedy)


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def _remedy(names: list[str]) -> str:
    if any("__enzyme" in name for name in names):
        return "the pass left a request of its own undone; please report this kernel"
    if any(name in REFUSED for name in names):
        return "allocate with NumPy: memory of another allocator would be freed by the wrong one"
    return "load the library that has it, or compute what it gives outside of the kernel"
