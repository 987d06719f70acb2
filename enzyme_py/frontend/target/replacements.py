"""What is lowered by this package in place of Numba: the one list of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.extending import _Intrinsic

from enzyme_py.frontend.arrays import ranges
from enzyme_py.frontend.arrays.assignments import block_assignment
from enzyme_py.frontend.arrays.reshaping import reshaped
from enzyme_py.frontend.arrays.transposing import transposition
from enzyme_py.frontend.codegen.named_integers import bit_view
from enzyme_py.frontend.codegen.outlining import text_hash
from enzyme_py.frontend.codegen.printing import printed_array
from enzyme_py.frontend.codegen.stencils import StencilFunc, own_stencil
from enzyme_py.frontend.codegen.wrapping_integers import wrapping
from enzyme_py.frontend.containers import typed_dicts, typed_lists
from enzyme_py.frontend.numpy_functions import complex_powers, remainders, scans, smooth
from enzyme_py.frontend.target.teaching import standing_for

_CHOICES = (
    block_assignment,
    transposition,
    reshaped,
    typed_lists.identity,
    ranges.iteration,
    scans.method,
    smooth.method,
    remainders.remainder,
    wrapping,
    complex_powers.power,
    typed_dicts.iteration,
    text_hash,
    printed_array,
    bit_view,
)


def replacement(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers a call of a function of Numba's, None where its own way stays."""
    return next((found for one in _CHOICES if (found := one(function, sig)) is not None), None)


def own_value(target: Any, value: Any) -> Any:
    """Return what stands for a value in kernels of a target: for some of Numba's, one of our own.

    For a C function of SciPy's, the function of scipy.special.
    """
    if isinstance(value, StencilFunc):
        return own_stencil(target, value)
    if isinstance(value, _Intrinsic):
        return typed_lists.OWN.get(value) or typed_dicts.OWN.get(value, value)
    return standing_for(value)
