"""What a call does with a pointer that it is given, from the attributes that LLVM wrote down.

A callee is harmless if it neither keeps the pointer nor frees it. Nothing is taken for granted but
LLVM's own block operations: the routines of the runtime and of BLAS say it in their declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from enzyme_py.assembly.ir_text import Call, call_in, value_of

_GROUP = re.compile(r"^attributes (#\d+) = \{(.*)\}", re.MULTILINE)
_SIGNATURE = re.compile(r'^(?:define|declare) [^@\n]*@("[^"]*"|[-a-zA-Z$._0-9]+)\(.*', re.MULTILINE)
_GROUPS_NAMED = re.compile(r"#\d+")
# The address may be looked at, but whoever has it cannot reach the memory through it.
_NOT_KEPT = re.compile(r"\bnocapture\b|\bcaptures\((?:none|address|address_is_null)\)")
_CALLS = re.compile(r"^  (?:\S+ = )?(?:(?:tail|musttail|notail) )?(?:call|invoke|callbr) ")
_RAISE = "enzyme_py_raise"  # never returns: what it releases, nobody looks at any more
_NOT_FREED = re.compile(r"\bnofree\b")

# Operands of these are read and written, and forgotten.
_BLOCK_OPERATIONS = (
    "llvm.memcpy.",
    "llvm.memmove.",
    "llvm.memset.",
    "llvm.lifetime.",
    "llvm.prefetch.",
    "llvm.assume",
    "llvm.masked.load.",
    "llvm.masked.gather.",
    "llvm.masked.expandload.",
)
# The same, but the first operand is a value that is put into memory.
_BLOCK_STORES = ("llvm.masked.store.", "llvm.masked.scatter.", "llvm.masked.compressstore.")
# Arithmetic, as vectorised loops do it with differences of addresses.
_ARITHMETIC = tuple(
    f"llvm.{name}." for name in ("umin", "umax", "smin", "smax", "abs", "usub.sat", "uadd.sat")
)


class Effect(Enum):
    """What an instruction does with a pointer into a block."""

    HARMLESS = "harmless"
    DERIVES = "its result may point into the block too"
    FREES = "it is the end of the block"
    ESCAPES = "somebody else may know the block, or free it, from here on"


@dataclass(frozen=True)
class Callees:
    """The functions of a module, with their attributes."""

    ir: str

    @cached_property
    def _signatures(self) -> dict[str, str]:
        return {found.group(1).strip('"'): found.group(0) for found in _SIGNATURE.finditer(self.ir)}

    @cached_property
    def _known(self) -> dict[str, bool]:
        """Whether functions, by name, free nothing."""
        return {}

    @cached_property
    def _nofree_groups(self) -> set[str]:
        """The attribute groups that say so."""
        found = _GROUP.finditer(self.ir)
        return {group.group(1) for group in found if _NOT_FREED.search(group.group(2))}

    def effect(self, instruction: str, value: str) -> Effect:
        """Tell what a call does with a value among its operands."""
        call = call_in(instruction)
        if call is None:
            return Effect.ESCAPES
        if call.callee == "free":
            return Effect.FREES
        if call.callee.startswith(_BLOCK_OPERATIONS):
            return Effect.HARMLESS
        if call.callee.startswith(_BLOCK_STORES):
            return Effect.ESCAPES if value in call.operands[0] else Effect.HARMLESS
        if call.callee.startswith(_ARITHMETIC):
            return Effect.DERIVES
        return self._effect_of_attributes(instruction, call, value)

    def _effect_of_attributes(self, instruction: str, call: Call, value: str) -> Effect:
        declared = call_in(f"call {self._signatures.get(call.callee, '')}")
        if declared is None or len(declared.operands) != len(call.operands):
            return Effect.ESCAPES
        frees_nothing = self._is_free_of_frees(call.callee, instruction)
        for operand, parameter in zip(call.operands, declared.operands, strict=True):
            attributes = f"{operand} {parameter}"
            is_meant = value in operand
            if is_meant and not (
                value_of(operand) == value
                and _NOT_KEPT.search(attributes)
                and (frees_nothing or _NOT_FREED.search(attributes))
            ):
                return Effect.ESCAPES
        return Effect.HARMLESS

    def _is_free_of_frees(self, callee: str, instruction: str) -> bool:
        return self._says_nofree(instruction) or self._frees_nothing(callee)

    def _says_nofree(self, text: str) -> bool:
        behind = behind_operands(text)
        groups = _GROUPS_NAMED.findall(behind)
        return bool(_NOT_FREED.search(behind) or self._nofree_groups.intersection(groups))

    def _frees_nothing(self, name: str) -> bool:
        """Tell whether a function, with all that it calls, frees nothing."""
        known = self._known.get(name)
        if known is None:
            self._known[name] = True  # for recursion
            known = self._known[name] = self._look_for_frees(name)
        return known

    def _look_for_frees(self, name: str) -> bool:
        signature = self._signatures.get(name)
        if name.startswith("llvm.") or name == _RAISE:
            return True
        if signature is None or self._says_nofree(signature):
            return signature is not None
        return signature.startswith("define") and all(
            (call := call_in(line)) is not None
            and (self._says_nofree(line) or self._frees_nothing(call.callee))
            for line in self._calls(signature)
        )

    def _calls(self, signature: str) -> Iterator[str]:
        if signature.endswith("}"):  # a function of one line returns what it is given (optimise.py)
            return
        start = self.ir.index(signature)
        for line in self.ir[start : self.ir.index("\n}\n", start)].split("\n")[1:]:
            if _CALLS.match(line):
                yield line


def behind_operands(text: str) -> str:
    """Return what stands behind the list of operands of a call, or of parameters of a function."""
    depth, start = 0, text.index("@")
    for place, letter in enumerate(text[start:], start):
        if letter in "()":
            depth += 1 if letter == "(" else -1
            if depth == 0:
                return text[place + 1 :]
    return ""
