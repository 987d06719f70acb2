"""`numba.stencil` functions in kernels: Numba's own, typed and compiled for the kernel's target.

Numba makes loops of a stencil's kernel, in its intermediate representation, and compiles these for the target that the stencil
knows: its own. A copy of the stencil that knows another target makes the same loops there.
"""

from __future__ import annotations

import copy
from typing import Any

from numba.stencils.stencil import StencilFunc, StencilFuncLowerer

from enzyme_py.foundations.keeping import made_of

__all__ = ["StencilFunc", "own_stencil"]


def own_stencil(target: Any, stencil: StencilFunc) -> StencilFunc:
    """Return the stencil for a kernel target, which its typing context knows."""
    known = made_of(stencil, "targets")
    if target.name not in known:
        known[target.name] = _copy_for(target, stencil)
    return known[target.name]


def _copy_for(target: Any, stencil: StencilFunc) -> StencilFunc:
    own: Any = copy.copy(stencil)
    own._typingctx = target.typing_context
    own._targetctx = target.target_context
    own._type_cache = {}
    own._lower_me = StencilFuncLowerer(own)
    own._install_type(own._typingctx)
    return own  # type: ignore[no-any-return]
