"""The modes of differentiation: immutable values, changed by functions that return new ones."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """How to differentiate. Compare `Forward`, `Reverse` and their variants below.

    Examples:
        >>> enzyme.ReverseWithPrimal.need_primal, enzyme.Forward.is_forward
        (True, True)
    """

    name: str
    is_forward: bool = False
    is_split: bool = False
    is_holomorphic: bool = False
    need_primal: bool = False
    runtime_activity: bool = False
    strong_zero: bool = True

    def __repr__(self) -> str:
        return self.name


Forward = Mode("Forward", is_forward=True)
ForwardWithPrimal = Mode("ForwardWithPrimal", is_forward=True, need_primal=True)
Reverse = Mode("Reverse")
ReverseWithPrimal = Mode("ReverseWithPrimal", need_primal=True)
ReverseHolomorphic = Mode("ReverseHolomorphic", is_holomorphic=True)
ReverseHolomorphicWithPrimal = Mode(
    "ReverseHolomorphicWithPrimal", is_holomorphic=True, need_primal=True
)
ReverseSplitNoPrimal = Mode("ReverseSplitNoPrimal", is_split=True)
ReverseSplitWithPrimal = Mode("ReverseSplitWithPrimal", is_split=True, need_primal=True)


def set_runtime_activity(mode: Mode, value: bool = True) -> Mode:
    """Return the mode with run-time activity on or off.

    With it, whether a value is active may depend on the run: a pointer whose shadow equals its
    primal counts as constant. It costs a comparison at each such place.

    Examples:
        >>> enzyme.set_runtime_activity(enzyme.Reverse).runtime_activity
        True
    """
    return dataclasses.replace(mode, runtime_activity=bool(value))


def set_strong_zero(mode: Mode, value: bool = True) -> Mode:
    """Return the mode with strong zero on (the default) or off.

    With it, zero times infinity or NaN is zero in the derivative: a branch that was not taken
    contributes nothing, whatever its partials are.

    Examples:
        >>> enzyme.set_strong_zero(enzyme.Reverse, False).strong_zero
        False
    """
    return dataclasses.replace(mode, strong_zero=bool(value))
