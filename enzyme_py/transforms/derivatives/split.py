"""The plans behind autodiff_thunk: the two halves of a split reverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from enzyme_py.frontend.functions.bound_types import with_held
from enzyme_py.request import Direction
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.plans.plans import Plan

if TYPE_CHECKING:
    from enzyme_py.transforms.derivatives.bound_split import BoundHalf


@dataclass(frozen=True)
class Half(Plan):
    """One half of the split form of an annotated autodiff; its first argument is the tape."""

    annotated: Annotated
    direction: Direction

    @property
    def kernel(self) -> Any:  # type: ignore[override]
        """The kernel of the whole."""
        return self.annotated.kernel

    def bind(self, argument_types: Sequence[Any]) -> BoundHalf:
        """See `Plan`."""
        from enzyme_py.transforms.derivatives.bound_split import BoundHalf

        tape, *kinds = argument_types
        return BoundHalf(self, [tape, *with_held(kinds, self.annotated.skipped)])
