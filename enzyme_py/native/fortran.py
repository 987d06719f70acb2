"""From the BLAS names that Enzyme knows, with 64-bit integers, to the routines that SciPy has.

Enzyme's names end in `_64_`. Each that a module declares is defined here: its integers are narrowed
to SciPy's and the Fortran routine is called. A size that does not fit would wrap, so it raises
OverflowError instead. Scaling by zero stores zeros: whether a BLAS turns NaN to zero there differs.
"""

from __future__ import annotations

from collections.abc import Iterable

import llvmlite.binding as llvm

from enzyme_py.native.blas import integer_bits
from enzyme_py.rules.blas import FLOATS, ROUTINES, Routine

TOO_LARGE = -18  # ENZYME_PY_TOO_LARGE of csrc/runtime.h
NARROW = 32

_RAISE = "declare void @enzyme_py_raise(i32, ptr)\n"


def link_fortran(module: llvm.ModuleRef, context: llvm.ContextRef) -> None:
    """Define the BLAS routines that a module of this context declares."""
    declared = {one.name for one in module.functions if one.is_declaration}
    parts = [
        _definition(routine, letter, real)
        for routine in ROUTINES.values()
        for letter, real in FLOATS.items()
        if routine.symbol(letter) in declared
    ]
    if parts:
        module.link_in(llvm.parse_assembly(_RAISE + "".join(parts), context))


def _definition(routine: Routine, letter: str, real: str) -> str:
    """Return the definition of one routine in terms of SciPy's, and the latter's declaration."""
    places = range(len(routine.parameters))
    result, callee = routine.result(real), f"{letter}{routine.name}_"
    clear = _CLEAR.format(f=real) if routine.name == "scal" else ""
    narrowed, given = _narrowed(routine) if integer_bits() == NARROW else ("", _as_given(places))
    taken = _as_given(places) + ["i64"] * len(routine.lengths)
    assign, returned = ("%result = ", f"{real} %result") if routine.returns else ("", "void")
    return (
        f"declare {result} @{callee}({', '.join('ptr' for _ in places)})\n"
        f"define {result} @{routine.symbol(letter)}({', '.join(taken)}) noinline {{\n"
        f"{clear}{narrowed}  {assign}call {result} @{callee}({', '.join(given)})\n"
        f"  ret {returned}\n}}\n"
    )


def _as_given(places: Iterable[int]) -> list[str]:
    return [f"ptr %p{place}" for place in places]


def _narrowed(routine: Routine) -> tuple[str, list[str]]:
    """Return instructions that narrow every integer, and the arguments for SciPy's routine."""
    given = _as_given(range(len(routine.parameters)))
    lines, fits = "", "true"
    for place, kind in enumerate(routine.parameters):
        if kind == "i":
            lines += _NARROW.format(i=place, fits=fits)
            fits, given[place] = f"%fits{place}", f"ptr %slot{place}"
    return f"{lines}  br i1 {fits}, label %small, label %large\n{_LARGE}small:\n", given


_NARROW = """\
  %slot{i} = alloca i32
  %wide{i} = load i64, ptr %p{i}
  %narrow{i} = trunc i64 %wide{i} to i32
  store i32 %narrow{i}, ptr %slot{i}
  %back{i} = sext i32 %narrow{i} to i64
  %same{i} = icmp eq i64 %wide{i}, %back{i}
  %fits{i} = and i1 {fits}, %same{i}
"""

_LARGE = f"""\
large:
  call void @enzyme_py_raise(i32 {TOO_LARGE}, ptr null)
  unreachable
"""

# Of scal: n, alpha, x, incx.
_CLEAR = """\
  %alpha = load {f}, ptr %p1
  %is.zero = fcmp oeq {f} %alpha, 0.0
  br i1 %is.zero, label %clear, label %scale
clear:
  %n = load i64, ptr %p0
  %inc = load i64, ptr %p3
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %one, label %cleared
one:
  %i = phi i64 [ 0, %clear ], [ %next, %one ]
  %index = mul nsw i64 %i, %inc
  %at = getelementptr inbounds {f}, ptr %p2, i64 %index
  store {f} 0.0, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %one, label %cleared
cleared:
  ret void
scale:
"""
