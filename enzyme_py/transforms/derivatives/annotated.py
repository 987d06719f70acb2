"""The plan behind autodiff: a mode, and the activities as written.

In @njit code an annotation is a small struct, which calls/compiled/overloads.py takes apart; from Python
annotations are taken apart by operators.py. The same plan runs on their parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from enzyme_py.frontend.functions.bound_types import with_held
from enzyme_py.modes import Mode
from enzyme_py.request import Activity
from enzyme_py.transforms.plans.plans import Plan

if TYPE_CHECKING:
    from enzyme_py.transforms.derivatives.bound_annotated import BoundAnnotated


@dataclass(frozen=True)
class Annotated(Plan):
    """One autodiff: the activities as written, the arguments in parts (primal, shadows...)."""

    kernel: Any
    mode: Mode
    activities: tuple[Activity, ...]
    width: int = 1
    is_batch: bool = False  # results come in tuples, one part per lane, also for one lane
    result: Activity | None = None  # None: guessed from the type of the kernel's result
    skipped: int = 0  # leading arguments, constant ones, without a place in the result
    constants_are_said: bool = False  # see `Request`

    def bind(self, argument_types: Sequence[Any]) -> BoundAnnotated:
        """See `Plan`."""
        from enzyme_py.transforms.derivatives.bound_annotated import BoundAnnotated

        return BoundAnnotated(self, with_held(argument_types, self.skipped))

    def argument_label(self, number: int) -> str:
        """See `Plan`; a shadow goes by the name of its primal."""
        parts = [
            place
            for place, activity in enumerate(self.activities)
            for _ in range(1 + self.lanes(activity))
        ]
        return super().argument_label(parts[number])

    def lanes(self, activity: Activity) -> int:
        """Return the number of shadows that come with an argument."""
        return self.width if activity.has_shadow else 0
