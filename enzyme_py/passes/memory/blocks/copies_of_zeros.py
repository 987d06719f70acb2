"""A copy of memory that `calloc` has made, and in which nobody has written anything but zeros, becomes a fill with zeros.

Symptom: the copy is gone, in the code as in the shadow: what it should have filled holds what it held before (tests/traps/copied_zeros.ll).
LLVM makes such a fill by itself, unless a hint (frontend/codegen/type_hints.py) might have written there.

Cause: Enzyme leaves a copy out between whose source's allocation and itself nothing writes to the source. It takes such memory
for undefined; that is true of `malloc`, and not of `calloc`. Zeros that are written there LLVM takes out before.

Cure: `memset`. Where Enzyme reads it, all memory begins as zeros (allocations.py).
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Call, Function, Instruction, Store
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.points_to import UNKNOWN, PointsTo
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.states.states_in_place import known_calls

_MOVES = ("llvm.memcpy.", "llvm.memmove.")
_ZEROED = "calloc"
_FILL = "llvm.memset.p0.i64"


class CopiesOfZeros(Pass):
    """Fills in place of copies of what is still zero."""

    name = "copies of zeros"

    def applies(self, draft: Draft) -> bool:
        """Tell whether blocks are copied, and memory begins as zeros."""
        copies = any(one.name.startswith(_MOVES) for one in draft.code.declarations)
        return copies and draft.code.get(_ZEROED) is not None

    def run(self, draft: Draft) -> None:
        """Exchange the copies of all functions."""
        for function in draft.code.functions:
            if any(one.callee == _ZEROED for one in function.calls):
                while (copy := _copy_of_zeros(function)) is not None:
                    _fill(copy)


def _copy_of_zeros(function: Function) -> Call | None:
    """Return a copy of zeros. Once it is a fill, what it has filled may be zero as well."""
    copies = [one for one in function.calls if one.callee.startswith(_MOVES)]
    if not copies:
        return None
    points = PointsTo(function, known_calls(function))
    return next((one for one in copies if _is_zero(one, function, points)), None)


def _is_zero(copy: Call, function: Function, points: PointsTo) -> bool:
    """Tell whether all that the source of a copy can be is zeroed memory that nothing has written before."""
    made = points.targets(copy.arguments[1])
    if not made or UNKNOWN in made or copy.arguments[3].ref != "false":
        return False
    flow = function.analysis(ControlFlow)
    for one in made:
        if not (isinstance(one, Call) and one.callee == _ZEROED and points.is_private(one)):
            return False
        if any(_comes_before(write, copy, flow) for write, _ in points.writes(one) if not _leaves_zeros(write)):
            return False
    return True


def _leaves_zeros(write: Instruction) -> bool:
    """Tell whether an instruction writes zeros, which LLVM takes out where there are some, or frees."""
    if isinstance(write, Store):
        return write.value.ref in ("0", "0.0", "0.000000e+00", "null")
    return isinstance(write, Call) and (
        write.callee == "free" or (write.callee.startswith("llvm.memset.") and write.arguments[1].ref == "0")
    )


def _comes_before(write: Instruction, copy: Call, flow: ControlFlow) -> bool:
    is_above = write.home is copy.home and write.comes_before(copy)
    return is_above or copy.home in flow.reached_again(write.home)


def _fill(copy: Call) -> None:
    to, _, size, volatile = copy.arguments
    fill = copy.module.declare(_FILL, "void", ["ptr", "i8", "i64", "i1 immarg"])
    Builder(copy, keeps_location=True).call(fill, [to, copy.module.constant("i8", "0"), size, volatile])
    copy.erase()
