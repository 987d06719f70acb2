"""What kernels carry of debug information: files, functions and lines, for messages. No variables, no types.

No debugger reads what goes to Enzyme. Describing the type of every argument takes a twentieth of a first
call (measured), and Enzyme and LLVM carry the descriptions along; where Enzyme puts a phi in front of the
description of a variable, it fails an assertion ("Inserting PHI after debug-records", the fuzzer's seed 100531).
"""

from __future__ import annotations

from typing import Any

from numba.core import debuginfo


class LineInfo(debuginfo.DIBuilder):  # type: ignore[misc]
    """Numba's debug information, without variables and types."""

    def mark_variable(self, *arguments: Any, **named: Any) -> None:
        """Describe no variable."""

    def _di_subroutine_type(self, line: Any, function: Any, argmap: Any) -> Any:
        """Describe every function as one without arguments."""
        types = self.module.add_metadata([])
        return self.module.add_debug_info("DISubroutineType", {"types": types})
