"""Small modules of IR, and their callers, for the tests of the native stage."""

from __future__ import annotations

import ctypes

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import Where
from enzyme_py.host.module import DifferentiatedModule

WHERE = Where(kernel="score", file="model.py", line=41)

TRIPLE = """
define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
  %y = call double @helper(double %x)
  store double %y, ptr %ret
  ret i32 0
}
define double @helper(double %x) #0 {
  %y = fmul double %x, 3.0
  ret double %y
}
attributes #0 = { mustprogress noinline nounwind }
"""


def differentiated(ir: str, *entries: str) -> DifferentiatedModule:
    return DifferentiatedModule(ir, entries or ("entry",), WHERE, 0.25, "")


def before_the_pass(ir: str = TRIPLE, *entries: str, options: tuple[str, ...] = ()) -> DiffModule:
    return DiffModule(ir, entries or ("entry",), options, WHERE)


def call_scalar(address: int, x: float) -> float:
    """Call `i32 entry(ptr ret, ptr excinfo, double x)`; its status must be 0."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double)
    result = ctypes.c_double()
    assert kind(address)(ctypes.byref(result), None, x) == 0
    return result.value


class CountingHost:
    """Stands for the pass where what it does is of no matter: gives back what it got."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, module: DiffModule) -> DifferentiatedModule:
        self.calls += 1
        return DifferentiatedModule(module.ir, module.entries, module.where, 0.25, "")


def refuse(module: DiffModule) -> DifferentiatedModule:
    raise AssertionError("the host was asked although the cache has the answer")
