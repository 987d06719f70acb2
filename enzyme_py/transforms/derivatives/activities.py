"""Which activity an argument of a gradient has, from its type."""

from __future__ import annotations

from typing import Any

from numba.core import types

from enzyme_py.frontend.leaves import Role, leaves
from enzyme_py.frontend.target.target import KERNEL
from enzyme_py.request import Activity
from enzyme_py.rules.inactive import INACTIVE_CLASSES


def activity_of(kind: Any) -> Activity:
    """Return the activity in which a gradient takes an argument of this type."""
    if getattr(kind, "instance_class", None) in INACTIVE_CLASSES:
        return Activity.CONST
    parts = leaves(KERNEL.target_context, kind)
    roles = {leaf.role for leaf in parts if leaf.is_differentiable}
    if not roles:
        return Activity.CONST
    if roles == {Role.FLOAT}:
        return Activity.ACTIVE
    return Activity.MIXED if Role.FLOAT in roles else Activity.DUPLICATED


def other_than(kind: Any) -> str:
    """Say what to do in place of differentiating by an argument of this type, which has no derivative."""
    if isinstance(kind, types.Record):
        return "choose others by argnums, or pass an array of one record, `records[i : i + 1]`"
    return "choose others by argnums, or convert it to float first"
