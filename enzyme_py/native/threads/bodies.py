"""What a part of a loop may call on a thread of the pool.

A part runs while the caller waits for it, often with Python's lock in its hands: whatever asks for that lock would wait
for ever. So a part may call what is known to need neither the lock nor a state of its own: the C runtime, block
operations, the C library's mathematics. A generator of random numbers, a print, BLAS by Numba's wrappers, a rule in
Python keep their loop serial, and so does code that names a variable of the module that can be written.
"""

from __future__ import annotations

from enzyme_py.llvm import Function, GlobalVariable, Module
from enzyme_py.native.symbols import CODE_GENERATION
from enzyme_py.symbols import BARRIER, HINT, PARTS, RAISE

_MEMORY = frozenset(
    (
        *"malloc calloc realloc free aligned_alloc posix_memalign".split(),
        *"enzyme_py_exception_allocate enzyme_py_exception_free".split(),
        PARTS,
        RAISE,
    )
)
_MORE = "lgamma tgamma erf erfc log1p expm1 hypot asinh acosh atanh sqrt fabs copysign nan"
_MATHEMATICS = frozenset((*CODE_GENERATION, *_MORE.split()))
_PREFIXES = (
    "llvm.",
    f"{BARRIER}.",
    f"{HINT}.",
    "enzyme_py_copy",
    "enzyme_py_move_back",
    "enzyme_py_clear",
)
# Functions of Numba's C code that only compute.
_COMPUTES = frozenset(
    "numba_gamma numba_gammaf numba_lgamma numba_cpow numba_cpowf numba_nextafter".split()
)


def why_not_on_threads(code: Module, name: str) -> str:
    """Return why what a function calls, directly or not, has to stay on the caller's thread; nothing if it has not."""
    seen, pending = {name}, [name]
    while pending:
        current = code.get(pending.pop())
        if not isinstance(current, Function):
            return "it calls what is no function"
        if current.is_declaration:
            if not _is_known(current.name):
                return f"it calls {current.name}"
            continue
        if reason := _of_calls(current):
            return reason
        for other in sorted(current.global_names()):
            found = code.get(other)
            if isinstance(found, GlobalVariable) and found.kind != "constant":
                return f"it uses the variable {found.name}"
            if isinstance(found, Function) and found.name not in seen:
                seen.add(found.name)
                pending.append(found.name)
    return ""


def _is_known(name: str) -> bool:
    if name.startswith(_PREFIXES) or name in _MEMORY or name in _COMPUTES:
        return True
    plain = name.removesuffix("f") if name.removesuffix("f") in _MATHEMATICS else name
    return plain in _MATHEMATICS


def _of_calls(function: Function) -> str:
    for call in function.calls:
        if call.is_assembly:
            return "it holds assembly"
        if not call.callee:
            return "it calls a function that is chosen while running"
    return ""
