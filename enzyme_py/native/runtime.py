"""The C runtime (csrc/runtime.h, and beside it arrays.h, copies.h, progress.h, sampling.h, scans.h, sharing.h, trace.h), seen from Python.

`library` calls it, `runtime_addresses` gives the addresses of its functions, and `register` tells
LLVM of them, so that code compiled by Numba can enter, leave and raise.
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils

from enzyme_py.errors import EnzymeError
from enzyme_py.foundations import progress
from enzyme_py.foundations.libraries import library_file
from enzyme_py.settings import when_changed

if TYPE_CHECKING:
    import cffi

OK = 0
NO_MEMORY = -16
BUSY = -17
NO_SUCH_SIZE = -19

DECLARATIONS = """
typedef struct enzyme_py_region enzyme_py_region;
typedef struct {
    size_t held; size_t live; size_t peak; size_t allocations; size_t regions_open;
    size_t turn;
} enzyme_py_stats;
typedef struct {
    size_t count, size; const void *caller; void (*body)(void *);
} enzyme_py_failure;
int32_t enzyme_py_enter(void (*body)(void *), void *pack, void **excinfo, int32_t keep);
void enzyme_py_leave(void);
void enzyme_py_raise(int32_t status, void *excinfo);
void *enzyme_py_malloc(size_t size);
void *enzyme_py_calloc(size_t count, size_t size);
void *enzyme_py_realloc(void *payload, size_t size);
void enzyme_py_free(void *payload);
void *enzyme_py_aligned_alloc(size_t alignment, size_t size);
int enzyme_py_posix_memalign(void **payload, size_t alignment, size_t size);
enzyme_py_region *enzyme_py_tape_new(void);
int32_t enzyme_py_enter_tape(enzyme_py_region *tape, void (*body)(void *), void *pack,
                             void **excinfo);
void *enzyme_py_tape_root(enzyme_py_region *tape);
void enzyme_py_tape_set_root(enzyme_py_region *tape, void *root);
size_t enzyme_py_tape_bytes(enzyme_py_region *tape);
void enzyme_py_tape_free(enzyme_py_region *tape);
void enzyme_py_region_stats(enzyme_py_stats *stats);
void enzyme_py_reset_stats(void);
void enzyme_py_last_failure(enzyme_py_failure *failure);
void enzyme_py_hint_turn(void);
void enzyme_py_trim(void);
void enzyme_py_keep_limit(size_t bytes);
void enzyme_py_idle_after(size_t milliseconds);
void enzyme_py_large(void *start, size_t bytes);
void enzyme_py_zeros(void *start, size_t bytes);
void enzyme_py_scribble(int32_t on);
void enzyme_py_fail_after(size_t count);
void enzyme_py_fork(void (*task)(void *, int64_t), void *pack, int64_t count);
int64_t enzyme_py_parts(void);
void enzyme_py_threads(int64_t (*asked)(void), int64_t usual, int64_t threads, int64_t parts);
int64_t enzyme_py_fork_count(void);
"""

SCANS = """
int64_t enzyme_py_max_float64(const double *values, int64_t n);
int64_t enzyme_py_min_float64(const double *values, int64_t n);
int64_t enzyme_py_max_float32(const float *values, int64_t n);
int64_t enzyme_py_min_float32(const float *values, int64_t n);
int64_t enzyme_py_any_bool(const uint8_t *values, int64_t n);
int64_t enzyme_py_all_bool(const uint8_t *values, int64_t n);
"""  # what csrc/scans.h declares

ARRAYS = """
int32_t enzyme_py_is_usual(const void *object);
void enzyme_py_usual_arrays(const void *type, int64_t head);
"""  # what csrc/arrays.h declares

MOVES = """
void *enzyme_py_memmove(void *to, const void *from, size_t size);
"""  # what csrc/moves.h declares

TRACE = """
void enzyme_py_trace(int32_t on);
size_t enzyme_py_traced(size_t number, const void **caller, size_t *bytes);
size_t enzyme_py_traced_past(size_t number, int64_t *nanoseconds, size_t *bytes);
void enzyme_py_trace_mark(void);
void *enzyme_py_traced_malloc(size_t size);
void *enzyme_py_traced_calloc(size_t count, size_t size);
void *enzyme_py_traced_realloc(void *payload, size_t size);
void enzyme_py_traced_free(void *payload);
void *enzyme_py_traced_aligned_alloc(size_t alignment, size_t size);
int enzyme_py_traced_posix_memalign(void **payload, size_t alignment, size_t size);
void enzyme_py_traced_turn(void);
"""  # what csrc/trace.h declares

SAMPLING = """
int32_t enzyme_py_sampling_begin(uint32_t *counts, const uint8_t *has_line, const void *code, size_t bytes, size_t microseconds);
void enzyme_py_sampling_phase(int32_t phase);
void enzyme_py_sampled_turn(void);
size_t enzyme_py_sampling_end(void);
"""  # what csrc/sampling.h declares

SHARING = """
void *enzyme_py_shared_before(const int64_t *arrays, int64_t count);
int32_t enzyme_py_shared_after(void *shared);
void enzyme_py_shared_pair(int64_t *first, int64_t *second);
"""  # what csrc/sharing.h declares

PROGRESS = """
void enzyme_py_show_counts(int32_t how, int64_t patience, int64_t every);
int64_t enzyme_py_count_begin(void);
void enzyme_py_count(int64_t begun, int64_t kind, int64_t done, int64_t total);
void enzyme_py_count_end(int64_t begun);
void enzyme_py_count_clear(void);
"""  # what csrc/progress.h declares

COPY_RANKS = (1, 2, 3, 4)
COPY_PAIRS = ("dd", "ss", "ds", "sd")  # the element types of dst and src


def copy_declarations() -> str:
    """What csrc/copies.h declares by macros: a name for each rank and pair of element types."""
    lines = []
    for rank in COPY_RANKS:
        axis = ", ".join(["int64_t"] * rank)
        for pair in COPY_PAIRS:
            ends = f"{rank}_{pair}(char *dst, %s src, {axis}, {axis}, {axis});"
            lines.append("void enzyme_py_copy" + ends % "const char *")
            lines.append("void enzyme_py_move_back" + ends % "char *")
        lines += [f"void enzyme_py_clear{rank}_{t}(char *dst, {axis}, {axis});" for t in "ds"]
    return "\n".join(lines)


@functools.cache
def interface() -> cffi.FFI:
    """The parsed declarations; parsing takes longer than the rest of the import, so at first use."""
    ffi = _new_interface()
    ffi.cdef(DECLARATIONS)
    return ffi


def _new_interface() -> cffi.FFI:
    import cffi  # who only loads code does without

    return cffi.FFI()


def library_path(name: str) -> Path:
    """Where a library that was built with the package lies."""
    path = library_file(name)
    if not path.is_file():
        what = f"enzyme_py's own library {name} is missing"
        remedy = "reinstall enzyme_py: its C part was not built"
        raise EnzymeError(what, remedy=remedy, detail=str(path))
    return path


def _file() -> str:
    return str(library_path("libenzyme_py_runtime.so"))


@functools.cache
def library() -> Any:
    """The loaded runtime; its functions are attributes, named as in runtime.h."""
    return interface().dlopen(_file())


@functools.cache
def _declared(declarations: str) -> Any:
    """The loaded runtime by other declarations than runtime.h's: apart, since few need them."""
    ffi = _new_interface()
    ffi.cdef(declarations)
    return ffi.dlopen(_file())


def scan_library() -> Any:
    """The functions of scans.h."""
    return _declared(SCANS)


def sharing_library() -> Any:
    """Those of sharing.h."""
    return _declared(SHARING)


def trace_library() -> Any:
    """Those of trace.h."""
    return _declared(TRACE)


def sampling_library() -> Any:
    """Those of sampling.h."""
    return _declared(SAMPLING)


def copy_library() -> Any:
    """Those of copies.h."""
    return _declared(copy_declarations())


@functools.cache
def crash_library() -> ctypes.CDLL:
    """The functions of crash.h. Whatever is loaded is told to them, so nothing is parsed for it."""
    loaded = ctypes.CDLL(_file())
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    loaded.enzyme_py_crash_watch.restype = pointer
    loaded.enzyme_py_crash_watch.argtypes = [pointer, size, text, text, text, size, text, text, text]
    loaded.enzyme_py_crash_forget.restype = None
    loaded.enzyme_py_crash_forget.argtypes = [pointer]
    return loaded


@functools.cache
def runtime_addresses() -> dict[str, int]:
    """The address of every function of the runtime."""
    loaded = ctypes.CDLL(_file())
    _tell_usual_arrays(loaded)
    _show_counts(loaded)
    declared = DECLARATIONS + ARRAYS + MOVES + PROGRESS + SAMPLING + SCANS + SHARING + TRACE + copy_declarations()
    names = re.findall(r"\b(enzyme_py_\w+)\(", declared)
    return {name: _address(loaded[name]) for name in names}


def _tell_usual_arrays(loaded: ctypes.CDLL) -> None:
    """Tell arrays.c what NumPy's class of arrays is, if it reads NumPy's objects rightly; else no array is usual to it."""
    tell, is_usual = loaded.enzyme_py_usual_arrays, loaded.enzyme_py_is_usual
    tell.argtypes, is_usual.argtypes = [ctypes.py_object, ctypes.c_int64], [ctypes.py_object]
    tell.restype = None
    tell(np.ndarray, object.__basicsize__)
    plain, swapped = np.zeros(2), np.zeros(2, np.dtype(np.float64).newbyteorder())
    if [is_usual(one) for one in (plain, swapped, plain.view(np.recarray), plain[:0])] != [1, 0, 0, 1]:
        tell(None, 0)


def _show_counts(loaded: ctypes.CDLL) -> None:
    """Tell progress.c what it may show, now and whenever a setting changes."""
    show = loaded.enzyme_py_show_counts
    show.argtypes, show.restype = [ctypes.c_int32, ctypes.c_int64, ctypes.c_int64], None

    def tell() -> None:
        show(*progress.counts_shown())

    tell()
    when_changed.append(tell)


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


@functools.cache
def register() -> None:
    """Make the runtime's functions known to LLVM by their own names, once."""
    for name, address in runtime_addresses().items():
        llvm.add_symbol(name, address)


def runtime_function(module: ir.Module, name: str, result: ir.Type, parameters: Sequence[ir.Type]) -> ir.Function:
    """Return a function of the runtime, declared in a module that Numba compiles, and known to LLVM."""
    register()
    return cgutils.get_or_insert_function(module, ir.FunctionType(result, parameters), name)


@dataclass(frozen=True)
class MemoryStats:
    """This thread's memory in regions, in bytes; see enzyme_py_stats in runtime.h."""

    held: int
    live: int
    peak: int
    allocations: int
    regions_open: int
    turn: int


def memory_stats() -> MemoryStats:
    """What this thread holds now, and its peak since `library().enzyme_py_reset_stats()`."""
    raw = interface().new("enzyme_py_stats *")
    library().enzyme_py_region_stats(raw)
    return MemoryStats(raw.held, raw.live, raw.peak, raw.allocations, raw.regions_open, raw.turn)
