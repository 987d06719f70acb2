"""The classes of instructions: plain ones, and those that passes ask about."""

from __future__ import annotations

from enzyme_py.llvm.instructions.base import DebugRecord, Instruction
from enzyme_py.llvm.instructions.calls import Call, Invoke
from enzyme_py.llvm.instructions.control import Branch, Return, Switch
from enzyme_py.llvm.instructions.memory import Alloca, GetElementPtr, Load, Store
from enzyme_py.llvm.instructions.numbers import Arithmetic, Cast, Compare, Select
from enzyme_py.llvm.instructions.phis import Phi

__all__ = [
    "Alloca", "Arithmetic", "Branch", "Call", "Cast", "Compare", "DebugRecord", "GetElementPtr", "Instruction",
    "Invoke", "Load", "Phi", "Return", "Select", "Store", "Switch",
]  # fmt: skip
