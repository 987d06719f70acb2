"""Arrays of C whose length is not constant are memory of their own, in place of parts of the stack.

    for (i = 0; i < n; i++) { double row[m]; ... }

    %saved = call ptr @llvm.stacksave()
    %row = alloca double, i64 %m              ->      %row = call ptr @malloc(i64 %bytes)
    ...                                               ...
    call void @llvm.stackrestore(%saved)      ->      call void @free(%row)

Symptom: the process ended where a loop has many iterations: the stack was full (tests/custom/test_records_of_c.py).

Cause: in a derivative Enzyme keeps such arrays until the reverse sweep, and takes what gives the stack back out, in forward mode too.

Cure: `malloc` and `free`, as Enzyme knows to handle. Other uses of the stack stay: an array that is not made in the block that saves the stack.
"""

from __future__ import annotations

from enzyme_py.llvm import Alloca, Builder, Call, Constant, Function, types
from enzyme_py.passes.base import Draft, Pass

_SAVE, _RESTORE = "llvm.stacksave", "llvm.stackrestore"


class StackBlocks(Pass):
    """Allocations in place of arrays on the stack whose length is not constant."""

    name = "stack blocks"

    def applies(self, draft: Draft) -> bool:
        """Tell whether any function saves the stack."""
        return any(one.name.startswith(_SAVE) for one in draft.code.declarations)

    def run(self, draft: Draft) -> None:
        """Look at all functions."""
        for function in draft.code.functions:
            for save in [one for one in function.calls if one.callee.startswith(_SAVE)]:
                _replace(function, save)


def _replace(function: Function, save: Call) -> None:
    block = save.home
    behind = block.instructions[block.place_of(save) + 1 :]
    arrays = [one for one in behind if isinstance(one, Alloca) and one.operands and not isinstance(one.operands[0], Constant)]
    others = [one for one in behind if isinstance(one, Call) and one.callee.startswith(_SAVE)]
    if others:  # whose arrays are those behind it
        last = block.place_of(others[0])
        arrays = [one for one in arrays if block.place_of(one) < last]
    ends = [one for one in save.users if isinstance(one, Call) and one.callee.startswith(_RESTORE)]
    if not arrays or not ends or len(ends) < len(save.users):
        return
    code = function.module
    for array in arrays:
        size = types.size_of(array.allocated_type)
        if size is None or array.operands[0].type != "i64":
            continue
        at = Builder(array, keeps_location=True)
        bytes_ = at.arithmetic("mul", array.operands[0], size, "bytes")
        made = at.call(code.declare("malloc", "noalias ptr", ["i64"]), [bytes_], "array")
        array.replace_all_uses_with(made)
        array.erase()
        for end in ends:
            Builder(end, keeps_location=True).call(code.declare("free", "void", ["ptr"]), [made])
