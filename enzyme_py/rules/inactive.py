"""Functions of Numba's runtime that carry no derivative: a row each.

A row is a promise that no float passes through the function by memory or by value. No pattern
stands here: blanket marks on `numba_*` made derivatives zero without a word (COVERAGE.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.rules.complex_symbols import COMPUTES
from enzyme_py.symbols import BARRIER, BARRIER_ATTRIBUTES, BARRIER_OF_CONSTANTS

AGAIN = ' "enzyme_shouldrecompute"'  # else the pass keeps what such a call in a loop returns, for each iteration


@dataclass(frozen=True)
class Inactive:
    """One inactive function and the reason why it is one."""

    symbol: str
    why: str
    is_integral: bool = False  # all memory that it is given holds integers
    is_allocation: bool = False
    memory: str = ""  # what it reads and writes, in LLVM's words, if that is little
    reads: int = 0  # so many of its pointers, the first, are not written through nor kept

    @property
    def attributes(self) -> str:
        """The function attributes that tell Enzyme."""
        escape = "" if self.is_allocation else ' "enzyme_no_escaping_allocation"'
        touched = f" willreturn nosync memory({self.memory})" if self.memory else ""
        if self.is_allocation:
            # Without these words a value that is stored and loaded counts as active all the same.
            touched += ' "enzyme_inactive_val" "enzyme_no_escaping_allocation"'
        return f'"enzyme_inactive" nofree nounwind{touched}{escape}'


INACTIVE_CLASSES: set[type] = set()  # of named tuples, by the user's word: see custom/simple.py

# What is called under such a name gets constants only, whatever the routine behind it does.
CONSTANT_PREFIX = "enzyme_py_constant_"

# Memory without floats (frontend/codegen/tables.py).
TABLE_MEMORY = "enzyme_py_table_memory"

_ROWS = (
    Inactive(
        TABLE_MEMORY,
        why="memory for integers and text",
        is_allocation=True,
        memory="inaccessiblemem: readwrite",
    ),
    Inactive(
        # The sizes that it reads lie beside the pointer to the array's numbers. As long as it might have written
        # that, the pointer of the result was one from memory, and writing constants through it (`b.reshape(9)[2] = 1`)
        # cleared no adjoint: a wrong gradient without a word (measured).
        "numba_attempt_nocopy_reshape",
        why="computes strides",
        is_integral=True,
        memory="argmem: readwrite",
        reads=3,
    ),
    Inactive(
        "enzyme_py_parts",
        why="counts the parts of a parallel loop",
        # As if it wrote: it must not be asked again in the reverse sweep, where the answer may be another one.
        memory="inaccessiblemem: readwrite",
    ),
    *(
        Inactive(f"enzyme_py_mpi_{name}", why="a number of the process", memory="inaccessiblemem: read")
        for name in ("rank", "size", "is_nobody")
    ),
    # As if it wrote: what is sent before stays before.
    Inactive("enzyme_py_mpi_barrier", why="waits for other processes", memory="inaccessiblemem: readwrite"),
    # In kernels that stay on one thread.
    Inactive("get_thread_id", why="the number of one of Numba's threads"),
    Inactive("get_num_threads", why="the number of Numba's threads"),
    Inactive("get_parallel_chunksize", why="how Numba's own loops go about their range"),
    Inactive("set_parallel_chunksize", why="how Numba's own loops go about their range"),
    Inactive("numba_gil_ensure", why="interpreter lock"),
    Inactive("numba_gil_release", why="interpreter lock"),
    Inactive("PyGILState_Ensure", why="interpreter lock"),
    Inactive("PyGILState_Release", why="interpreter lock"),
    Inactive(f"{CONSTANT_PREFIX}dgesv_", why="gets copies of stopped values (transforms/values/inverse.py)"),
    Inactive(f"{CONSTANT_PREFIX}sgesv_", why="gets copies of stopped values (transforms/values/inverse.py)"),
    *(
        Inactive(f"{CONSTANT_PREFIX}{name}", why="gets constants (rules/numbers/elementary.py)")
        for name in ("frexp", "frexpf", "ldexp", "ldexpf")
    ),
    *(
        Inactive(f"{CONSTANT_PREFIX}{name}", why="gets constants (rules/numbers/c_library.py)")
        for name in "remainder remainderf drem dremf remquo remquof exp10 exp10f lgamma_r lgammaf_r".split()
    ),
    Inactive(f"{CONSTANT_PREFIX}cbrt", why="gets constants (frontend/numpy_functions/smooth.py)"),
    *(
        Inactive(f"{CONSTANT_PREFIX}{name}", why="gets constants (frontend/numpy_functions/special.py)")
        for name in "numba_gamma numba_gammaf tgamma tgammaf lgamma lgammaf numba_nextafter numba_nextafterf".split()
    ),
    *(
        Inactive(f"{CONSTANT_PREFIX}{name}", why="gets constants (frontend/external/complex_numbers.py)")
        for name in COMPUTES
    ),
    Inactive("numba_get_np_random_state", why="the address of a generator's state"),
    Inactive("numba_get_py_random_state", why="the address of a generator's state"),
    Inactive("numba_poisson_ptrs", why="a draw of integers"),
    Inactive("numba_rnd_init", why="seeds a generator"),
    Inactive("numba_rnd_shuffle", why="steps a generator"),
    Inactive("enzyme_py_exception_allocate", why="memory of an exception's arguments"),
    *(
        Inactive(name, why="what a character is", is_integral=True, memory="argmem: write")
        for name in ("numba_gettyperecord", "numba_get_PyUnicode_ExtendedCase")
    ),
    *(Inactive(name, why="reads text", memory="argmem: read") for name in ("nan", "nanf", "nanl")),
    Inactive("puts", why="printing"),
    Inactive("printf", why="printing"),
    Inactive("PySys_FormatStdout", why="printing"),
    Inactive("PyObject_Print", why="printing"),
    Inactive("PyLong_FromLongLong", why="printing"),
    Inactive("PyLong_FromUnsignedLongLong", why="printing"),
    Inactive("PyFloat_FromDouble", why="printing"),
    Inactive("PyComplex_FromDoubles", why="printing"),
    Inactive("PyTuple_New", why="printing"),
    Inactive("PyTuple_SetItem", why="printing"),
    Inactive("PyObject_Call", why="printing a named tuple"),
    Inactive("PyBool_FromLong", why="printing"),
    Inactive("PyObject_Str", why="printing"),
    Inactive("PyObject_Hash", why="printing a string"),
    Inactive("PyUnicode_AsUTF8", why="printing"),
    Inactive("PyUnicode_FromKindAndData", why="printing"),
    Inactive("PyUnicode_FromString", why="printing"),
    Inactive("PyUnicode_FromStringAndSize", why="printing"),
    Inactive("PyErr_WriteUnraisable", why="printing"),
    Inactive("NRT_adapt_ndarray_to_python_acqref", why="printing an array"),
    Inactive("Py_DecRef", why="printing"),
    Inactive("Py_IncRef", why="printing"),
    Inactive("PyErr_Clear", why="printing"),
    Inactive("numba_unpickle", why="printing"),
)

INACTIVE = {row.symbol: row for row in _ROWS}


def typed_barrier(ref: str, kind: str) -> str:
    """Return the head of a declaration that passes a float, and says so."""
    tree = f'"enzyme_type"="{{[-1]:Float@{kind}}}"'
    return f"declare {tree} {kind} {ref}({kind} {tree})"


def barrier_declaration(kind: str) -> str:
    """Return what Enzyme reads of the barrier of a float's type."""
    return f"{typed_barrier(f'@{BARRIER}.{kind}', kind)} {BARRIER_ATTRIBUTES}"


def again_declaration(kind: str) -> str:
    """Return what Enzyme reads of the barrier that is called again wherever its result is needed."""
    return f"{typed_barrier(f'@{BARRIER_OF_CONSTANTS}{kind}', kind)} {BARRIER_ATTRIBUTES}{AGAIN}"
