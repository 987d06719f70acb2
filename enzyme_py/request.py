"""What is to be differentiated, as one immutable value: the noun that annotating produces.

A request names a kernel, a mode, and one activity per argument. Its compiled form takes, for each
argument of the kernel in order, the primal and, where the activity has one, `width` shadows; a
reverse request of an Active result takes `width` seeds at the end. It returns one flat tuple:

    forward:  `width` derivatives, then the primal if it is needed
    reverse:  for each argument with a returned gradient, `width` gradients; then the primal

The gradient of an Active argument has the argument's type; that of a Mixed one is a flat tuple of
its numbers, since its arrays' gradients are in its shadows. With `has_aux` the kernel returns
(value, aux) and only the value, a scalar, is differentiated.

A split reverse has two halves, both with the address of a tape (an enzyme_py_region) in front of
their arguments. The forward half returns, for each array result and lane, where its shadow lies as
(address, shape, strides), then the primal; the reverse half takes the seeds of a scalar result and
returns gradients as `reverse` does.

`primal` requests run the kernel alone, through the same pipeline.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class Direction(enum.Enum):
    """Which derivative a request asks for."""

    PRIMAL = "primal"
    FORWARD = "forward"
    REVERSE = "reverse"
    SPLIT_FORWARD = "split forward"  # the first half of a split reverse: runs, and keeps a tape
    SPLIT_REVERSE = "split reverse"  # its second half: consumes the tape


class Activity(enum.Enum):
    """What happens to one argument."""

    CONST = "Const"
    ACTIVE = "Active"  # by value; its gradient is returned
    DUPLICATED = "Duplicated"  # with a shadow per lane
    NO_NEED = "DuplicatedNoNeed"
    MIXED = "MixedDuplicated"  # arrays have shadows, numbers beside them return gradients

    @property
    def has_shadow(self) -> bool:
        return self in (Activity.DUPLICATED, Activity.NO_NEED, Activity.MIXED)

    @property
    def returns_gradient(self) -> bool:
        return self in (Activity.ACTIVE, Activity.MIXED)


@dataclass(frozen=True)
class Request:
    """One derivative of one kernel; equal requests share their compiled code."""

    kernel: Any  # a Numba CPU dispatcher; compared by identity
    direction: Direction
    activities: tuple[Activity, ...]
    result: Activity = Activity.ACTIVE  # CONST: nothing of the result is differentiated
    width: int = 1
    need_primal: bool = False
    has_aux: bool = False
    runtime_activity: bool = False
    shadows_constants: bool = False  # constant arrays get shadows of zeros that nobody sees
    shadows_inner_constants: bool = False  # and so do those of requests inside of the kernel
    constants_are_said: bool = False  # by users; else both are done, too, where the kernel writes constants (relaxing.py)
    inlines: bool = False  # all that the kernel calls stands in it (assembly/inlining.py)
    strong_zero: bool = True

    @property
    def is_split(self) -> bool:
        """Whether this is one half of a split reverse, whose arguments begin with the tape."""
        return self.direction in (Direction.SPLIT_FORWARD, Direction.SPLIT_REVERSE)

    @property
    def name(self) -> str:
        """A readable name for tracebacks, profiles and symbols."""
        return f"{self.direction.value} of {self.kernel.py_func.__name__}".replace(" ", "_")
