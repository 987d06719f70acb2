"""Zeros whose derivatives are infinite, or none: what is added to a function's value at a pole or at the rim of its domain.

No factor of them is infinite or NaN, so what is masked has no part in a derivative: zero times a number is zero.
The last factor makes infinity of a slope, which would overflow earlier in one mode or the other if it came before.
"""

from __future__ import annotations

from numba.extending import register_jitable

from enzyme_py.rules.numbers.far_out import INFINITE

_LARGE, _AGAIN = INFINITE["double"]
_LESS = 1e149  # another number, so that LLVM does not take both for one


@register_jitable
def steep(zero, turn):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return a zero whose first derivative by `zero` is infinite, and whose further ones turn their sign each time if `turn` is -1, else never.

    As those of -1 / x on the right of zero if `turn` is -1, on its left if it is 1; to the fourth order.
    """
    return _growing(zero, turn, _LARGE) * _AGAIN


@register_jitable
def bent(zero):  # type: ignore[no-untyped-def]
    """Return a zero whose first derivative by `zero` is zero, and whose second one is infinite."""
    return (zero * (_LARGE * zero)) * _AGAIN


@register_jitable
def undefined(zero):  # type: ignore[no-untyped-def]
    """Return a zero whose derivatives by `zero` are NaN: differences of infinities."""
    return _growing(zero, 1.0, _LARGE) * _AGAIN - _growing(zero, 1.0, _LESS) * _AGAIN


@register_jitable
def _growing(zero, turn, large):  # type: ignore[no-untyped-def]
    t = turn * zero
    return zero * (((large * t + large) * t + large) * t + large)
