"""Small modules in LLVM IR for the tests of the host."""

from __future__ import annotations

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import Where

OPTIONS = ("--enzyme-fast-math=0",)
WHERE = Where("square", "/somewhere/model.py", 3)

HEAD = """
@enzyme_const = external global i32
@enzyme_dup = external global i32
declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
declare double @_ZN7mystery4zetaB2v1B3abcEd(double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
SQUARE = """
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define double @entry(double %x) {
  %r = call double (ptr, ...) @__enzyme_MODE(ptr @square, double %x ONE)
  ret double %r
}
"""
REVERSE = HEAD + SQUARE.replace("MODE", "autodiff").replace("ONE", "")
FORWARD = HEAD + SQUARE.replace("MODE", "fwddiff").replace("ONE", ", double 1.0")
FORWARD = FORWARD.replace("declare double @__enzyme_autodiff(ptr, ...)\n", "")


def a_module(ir: str, *options: str) -> DiffModule:
    """One with the usual entry."""
    return DiffModule(ir, ("entry",), (*OPTIONS, *options), WHERE)
