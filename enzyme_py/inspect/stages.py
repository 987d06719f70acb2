"""The IR of a derivative at each stage of its trip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import typeof

from enzyme_py import native
from enzyme_py.assembly.entry import assemble
from enzyme_py.assembly.recurrences import with_records
from enzyme_py.autodiff import passed, protected
from enzyme_py.errors import EnzymeError
from enzyme_py.frontend.kernels import as_kernel
from enzyme_py.njit.gradient import Gradient

STAGES = ("assembled", "simplified", "differentiated", "optimised", "assembly")


def ir(f: Callable[..., Any], *arguments: Any, stage: str = "differentiated") -> str:
    """Return the text of the gradient of `f`, for arguments like the given ones, at a stage.

    "assembled" is what Numba lowered with our wrapper around it, "simplified" what the pass reads,
    "differentiated" what it made, "optimised" what code is generated from, "assembly" that code.
    """
    if stage not in STAGES:
        message = f"unknown stage {stage!r}"
        raise EnzymeError(message, remedy=f"choose from {', '.join(STAGES)}")
    bound = Gradient(as_kernel(f)).bind([typeof(argument) for argument in arguments])
    module = assemble(bound.request, tuple(bound.request_types))
    if stage == "assembled":
        return module.ir
    given, module = module, protected(module)
    if stage == "simplified":
        return with_records(module).ir
    differentiated = passed(module, is_simplified=module is not given)
    if stage == "differentiated":
        return differentiated.ir
    if stage == "optimised":
        return native.optimised_ir(differentiated)
    return native.assembly(differentiated)
