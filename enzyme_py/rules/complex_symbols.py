"""The names of C's functions of complex numbers, and of the helpers that compilers call for * and /."""

from __future__ import annotations

_HELPERS = {"__muldc3": "product", "__divdc3": "quotient"}
_SINGLE_HELPERS = {"__mulsc3": "product", "__divsc3": "quotient"}
_FUNCTIONS = (
    "creal cimag cabs carg conj cexp clog csqrt cpow csin ccos ctan csinh ccosh ctanh "
    "casin cacos catan casinh cacosh catanh"
).split()

# What a symbol computes, of numbers of 64 bits and of 32.
DOUBLE = _HELPERS | {name: name for name in _FUNCTIONS}
SINGLE = _SINGLE_HELPERS | {f"{name}f": name for name in _FUNCTIONS}
COMPUTES = DOUBLE | SINGLE

# The helpers for `long double`, which no code is there for.
WIDE = frozenset("__mulxc3 __divxc3 __multc3 __divtc3".split())
