"""Whether parallel loops only read the arrays of which each part has a copy.

Symptom: what a part writes into its copy is lost, with its derivative.

Cause: the copies of frontend/parallel/drivers.py are made for arrays that the loop's own code only reads, as far as Numba's IR
tells; a function that it calls may write to them nevertheless.

Cure: LLVM must have found the parameter read-only, in the code as its O2 leaves it. Else all loops of the kernel are
lowered serially (compiling.py).
"""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.symbols import CHUNK, COPIED

_HARMLESS = ("readonly", "readnone")


def written_copies(optimised: Module) -> list[str]:
    """Return the functions that may write to an array of which they have a copy."""
    return [
        function.name
        for function in optimised.functions
        if CHUNK in function.name
        for parameter in function.arguments
        if parameter.name.startswith(COPIED) and not any(map(parameter.has_attribute, _HARMLESS))
    ]
