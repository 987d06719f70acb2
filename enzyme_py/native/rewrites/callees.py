"""What a call does with a pointer that it is given, from the attributes that LLVM wrote down.

A callee is harmless if it neither captures the pointer nor frees it. Nothing is taken for granted but
LLVM's own block operations: the routines of the runtime and of BLAS say it in their declarations.
"""

from __future__ import annotations

from enum import Enum

from enzyme_py.llvm import Call, Function, Value
from enzyme_py.llvm.analyses.call_effects import KNOWN, CallEffects, Known
from enzyme_py.symbols import RAISE

_KNOWN = {**KNOWN, "llvm.masked.gather.": Known()}
# The first operand is a value that is put into memory.
_BLOCK_STORES = ("llvm.masked.store.", "llvm.masked.scatter.", "llvm.masked.compressstore.")
# Arithmetic, as vectorised loops do it with differences of addresses.
_ARITHMETIC = tuple(
    f"llvm.{name}." for name in ("umin", "umax", "smin", "smax", "abs", "usub.sat", "uadd.sat")
)
_ASSUME = "llvm.assume"  # what it assumes stands behind its arguments


class Effect(Enum):
    """What an instruction does with a pointer into a block."""

    HARMLESS = "harmless"
    DERIVES = "its result may point into the block too"
    FREES = "it is the end of the block"
    ESCAPES = "somebody else may know the block, or free it, from here on"


class Callees:
    """What was found out about the functions of a module so far."""

    def __init__(self) -> None:
        self._frees_nothing: dict[Function, bool] = {}

    def effect(self, call: Call, value: Value) -> Effect:
        """Tell what a call does with a value among its operands."""
        name, behind = call.callee, call.operands[len(call.arguments) + 1 :]
        if name == "free":
            return Effect.FREES
        if not name or (name != _ASSUME and any(one is value for one in behind)):
            return Effect.ESCAPES
        if name.startswith(_BLOCK_STORES):
            return Effect.ESCAPES if call.arguments[0] is value else Effect.HARMLESS
        if name.startswith(_ARITHMETIC):
            return Effect.DERIVES
        effects = CallEffects(call, _KNOWN)
        slots = [slot for slot, one in enumerate(call.arguments) if one is value]
        if any(map(effects.may_capture, slots)):
            return Effect.ESCAPES
        is_kept = not any(map(effects.may_free, slots)) or self._is_free_of_frees(call.target)
        return Effect.HARMLESS if is_kept else Effect.ESCAPES

    def _is_free_of_frees(self, callee: Value) -> bool:
        """Tell whether a function, with all that it calls, frees nothing."""
        if not isinstance(callee, Function):
            return False
        known = self._frees_nothing.get(callee)
        if known is None:
            self._frees_nothing[callee] = True  # for recursion
            known = self._frees_nothing[callee] = self._look_for_frees(callee)
        return known

    def _look_for_frees(self, callee: Function) -> bool:
        # What a raise releases, nobody looks at any more: it never returns.
        if (
            callee.name.startswith("llvm.")
            or callee.name == RAISE
            or callee.has_attribute("nofree")
        ):
            return True
        return not callee.is_declaration and all(
            call.has_attribute("nofree") or self._is_free_of_frees(call.target)
            for call in callee.calls
        )
