"""From the BLAS names that Enzyme knows, with 64-bit integers, to the routines that SciPy has.

Enzyme calls the C interface, whose numbers come by value; names end in `_64_`. SciPy has Fortran's,
which takes addresses, and integers of 32 bits mostly. Each name that a module declares is defined
here: its numbers are put into memory and the Fortran routine is called. A size that does not fit
would wrap, so it raises OverflowError. Scaling by zero stores zeros: whether a BLAS turns NaN to zero
there differs. The layout is always columns first (rules/blas.py).
"""

from __future__ import annotations

import llvmlite.binding as llvm

from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.foundations.scipy_bindings import integer_bits
from enzyme_py.rules.blas import FLOATS, NOT_TRANSPOSED, ROUTINES, Routine

TOO_LARGE = -18  # ENZYME_PY_TOO_LARGE of csrc/runtime.h


def link_fortran(module: llvm.ModuleRef, modules: Modules) -> None:
    """Define the BLAS routines that a module, one of the given, declares."""
    declared = {one.name for one in module.functions if one.is_declaration}
    parts = [
        _definition(routine, letter, real)
        for routine in ROUTINES.values()
        for letter, real in FLOATS.items()
        if routine.symbol(letter) in declared
    ]
    if parts:
        text = "declare void @enzyme_py_raise(i32, ptr)\n" + "".join(parts)
        module.link_in(modules.parsed(text))


def _definition(routine: Routine, letter: str, real: str) -> str:
    """Return the definition of one routine in terms of SciPy's, and the latter's declaration."""
    taken = [f"{kind} %p{place}" for place, kind in enumerate(routine.types(real))]
    lines, given, fits = "", [], "true"
    for place, kind in enumerate(routine.parameters):
        if kind != "l":  # Fortran knows one layout
            lines += _INTO_MEMORY[kind].format(i=place, f=real, fits=fits, w=f"i{integer_bits()}")
            given.append(f"ptr %p{place}" if kind == "v" else f"ptr %slot{place}")
        if kind == "i":
            fits = f"%fits{place}"
    result, callee = routine.result(real), f"{letter}{routine.name}_"
    assign, returned = ("%result = ", f"{real} %result") if routine.returns else ("", "void")
    return (
        f"declare {result} @{callee}({', '.join('ptr' for _ in given)})\n"
        f"define {result} @{routine.symbol(letter)}({', '.join(taken)}) noinline {{\n"
        f"{_CLEAR.format(f=real) if routine.name == 'scal' else ''}{lines}"
        f"  br i1 {fits}, label %small, label %large\n{_LARGE}small:\n"
        f"  {assign}call {result} @{callee}({', '.join(given)})\n"
        f"  ret {returned}\n}}\n"
    )


# Truncating and extending tells whether an integer fits; where integers have 64 bits, each does.
_INTO_MEMORY = {
    "t": f"""\
  %no{{i}} = icmp eq i32 %p{{i}}, {NOT_TRANSPOSED}
  %letter{{i}} = select i1 %no{{i}}, i8 {ord("N")}, i8 {ord("T")}
  %slot{{i}} = alloca i8
  store i8 %letter{{i}}, ptr %slot{{i}}
""",
    "i": """\
  %wide{i} = sext i64 %p{i} to i128
  %narrow{i} = trunc i128 %wide{i} to {w}
  %slot{i} = alloca {w}
  store {w} %narrow{i}, ptr %slot{i}
  %back{i} = sext {w} %narrow{i} to i128
  %same{i} = icmp eq i128 %wide{i}, %back{i}
  %fits{i} = and i1 {fits}, %same{i}
""",
    "s": """\
  %slot{i} = alloca {f}
  store {f} %p{i}, ptr %slot{i}
""",
    "v": "",
}

_LARGE = f"""\
large:
  call void @enzyme_py_raise(i32 {TOO_LARGE}, ptr null)
  unreachable
"""

# Of scal: n, alpha, x, incx.
_CLEAR = """\
  %is.zero = fcmp oeq {f} %p1, 0.0
  br i1 %is.zero, label %clear, label %scale
clear:
  %some = icmp sgt i64 %p0, 0
  br i1 %some, label %one, label %cleared
one:
  %i = phi i64 [ 0, %clear ], [ %next, %one ]
  %index = mul nsw i64 %i, %p3
  %at = getelementptr inbounds {f}, ptr %p2, i64 %index
  store {f} 0.0, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %p0
  br i1 %more, label %one, label %cleared
cleared:
  ret void
scale:
"""
