"""Derivatives by mpmath, to thirty digits."""

from __future__ import annotations

from typing import Any

import mpmath
import scipy.special as sp
from mpmath import mpf

_DIGITS = 40


def _inverse(function: Any, value: Any, near: float) -> Any:
    return mpmath.findroot(lambda y: function(y) - value, mpf(near))


def _student(df: float, t: Any) -> Any:
    tail = mpmath.betainc(mpf(df) / 2, mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
    return 1 - tail if t > 0 else tail


def _owens(h: Any, a: Any) -> Any:
    def inside(t: Any) -> Any:
        return mpmath.exp(-mpf(h) ** 2 * (1 + t * t) / 2) / (1 + t * t)

    return mpmath.quad(inside, [0, a]) / (2 * mpmath.pi)


def derivative(text: str, point: complex, order: int) -> complex:
    """Return a derivative of an expression in x, or in z, at a point."""
    scope = {name: getattr(mpmath, name) for name in dir(mpmath) if not name.startswith("_")}
    scope |= {"inverse": _inverse, "student": _student, "owens": _owens, "sp": sp}
    name = "z" if isinstance(point, complex) else "x"
    function = eval(f"lambda {name}: {text}", scope)
    with mpmath.workdps(_DIGITS):
        is_complex = isinstance(point, complex)
        at = mpmath.mpc(point) if is_complex else mpf(point)
        found = mpmath.diff(function, at, order)
        return complex(found) if is_complex else float(mpmath.re(found))
