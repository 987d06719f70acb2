"""The places of our targets in Numba's hierarchy of targets: all overloads of the CPU serve them."""

from __future__ import annotations

from numba.core.target_extension import CPU


class EnzymeTarget(CPU):
    """The target's place in Numba's hierarchy: all CPU overloads serve it."""


class EnzymeCatchingTarget(EnzymeTarget):
    """The same for kernels that catch exceptions."""


class EnzymeShadowingTarget(EnzymeTarget):
    """The same where constants of inner derivatives have shadows."""


class EnzymeShadowingCatchingTarget(EnzymeTarget):
    """The same with both."""


class EnzymeThreadedTarget(EnzymeTarget):
    """The same for kernels with loops that may run on threads."""
