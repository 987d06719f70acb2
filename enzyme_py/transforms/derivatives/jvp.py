"""The plan behind jvp: forward mode, from primals and tangents to the result and its tangent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from enzyme_py.frontend.functions.bound_types import with_held
from enzyme_py.transforms.plans.plans import Plan

if TYPE_CHECKING:
    from enzyme_py.transforms.derivatives.bound_jvp import BoundJvp


@dataclass(frozen=True)
class Jvp(Plan):
    """The result and its tangent; the arguments are the primals, then as many tangents.

    In front of them stand `skipped` constant ones.
    """

    kernel: Any
    skipped: int = 0
    runtime_activity: bool = False
    strong_zero: bool = True

    def bind(self, argument_types: Sequence[Any]) -> BoundJvp:
        """See `Plan`."""
        from enzyme_py.transforms.derivatives.bound_jvp import BoundJvp

        return BoundJvp(self, with_held(argument_types, self.skipped))
