"""One part of what a kernel returns, as a kernel of its own."""

from __future__ import annotations

from typing import Any

import numba

from enzyme_py.foundations.keeping import kept_with_kernel, released


@kept_with_kernel
def part_kernel(kernel: Any, place: int) -> Any:
    """Return the kernel that returns one part of another's tuple."""
    from enzyme_py.assembly.none_results import there_with_aux  # loads much of Numba

    def part(*arguments):  # type: ignore[no-untyped-def]  # compiled by Numba
        return there_with_aux(kernel(*arguments))[place]

    part.__name__ = part.__qualname__ = kernel.py_func.__name__
    return released(numba.njit(part))
