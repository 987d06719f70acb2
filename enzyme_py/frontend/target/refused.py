"""Values that no kernel may name, because what is made of them has no derivative."""

from __future__ import annotations

from typing import Any

from numba.core import dispatcher
from numba.stencils.stencil import StencilFunc

from enzyme_py.errors import LoweringError


def refuse_value(value: Any) -> None:
    """Raise if a kernel may not name this value."""
    if isinstance(value, dispatcher.ObjModeLiftedWith):
        message = "the kernel enters object mode, and Python code has no derivative"
        remedy = "take the `with objmode` block out of the kernel, or write it in nopython code"
        raise LoweringError(message, remedy=remedy)
    if isinstance(value, StencilFunc):
        message = "the kernel calls a numba.stencil, which Numba compiles for its own target alone"
        remedy = "write it as a loop: for i in range(1, a.size - 1): out[i] = a[i - 1] + a[i + 1]"
        raise LoweringError(message, remedy=remedy)
