"""The plan behind gradient, grad and value_and_grad: reverse mode with shadows of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from enzyme_py.frontend.functions.bound_types import with_held
from enzyme_py.transforms.plans.plans import Plan

if TYPE_CHECKING:
    from enzyme_py.transforms.derivatives.bound_gradient import BoundGradient


@dataclass(frozen=True)
class Gradient(Plan):
    """Gradients of the arguments `argnums`; of all that have one, if that is None."""

    kernel: Any
    argnums: tuple[int, ...] | None = None
    is_single: bool = False  # argnums was one number: one gradient, not a tuple
    with_value: bool = False
    has_aux: bool = False
    skipped: int = 0  # leading arguments, constant ones, without a place in the result nor a number
    runtime_activity: bool = False
    strong_zero: bool = True

    def bind(self, argument_types: Sequence[Any]) -> BoundGradient:
        """See `Plan`."""
        from enzyme_py.transforms.derivatives.bound_gradient import BoundGradient

        return BoundGradient(self, with_held(argument_types, self.skipped))
