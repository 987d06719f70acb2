"""The noun that the host produces: the module after Enzyme."""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.assembly.module import WithCode
from enzyme_py.errors import Where
from enzyme_py.passes.checks.lost import Lost


@dataclass(frozen=True)
class DifferentiatedModule(WithCode):
    """Textual IR in which every `__enzyme_` call has been replaced by derivative code."""

    ir: str
    entries: tuple[str, ...]
    where: Where
    seconds: float  # spent in Enzyme, for the profile
    remarks: str  # what Enzyme printed on stderr although it succeeded
    lost: tuple[Lost, ...] = ()  # what Const arguments lose
    doubts: tuple[str, ...] = ()  # why it is not proven that this is the derivative (passes/journal.py)
    fast_math: tuple[str, ...] = ()  # what the user allows, in words of LLVM's; "fast": all of it; and ANY_ORDER
    style: str = ""  # as that of the DiffModule
