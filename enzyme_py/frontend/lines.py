"""What kernels carry of debug information: files, functions and lines, for messages. No types.

No debugger reads what goes to the pass. Describing the type of every argument takes a twentieth of a first
call (MEASURED), and the pass and LLVM carry the descriptions along.
"""

from __future__ import annotations

from typing import Any

from numba.core import debuginfo


class LineInfo(debuginfo.DIBuilder):  # type: ignore[misc]
    """Numba's debug information, without types."""

    def _di_subroutine_type(self, line: Any, function: Any, argmap: Any) -> Any:
        """Describe every function as one without arguments."""
        types = self.module.add_metadata([])
        return self.module.add_debug_info("DISubroutineType", {"types": types})
