"""Exponential integrals, elliptic integrals, sine and cosine integrals, Fresnel's, the dilogarithm."""

from __future__ import annotations

import math

from enzyme_py.special.row import Row, computed, row

# dK/dm and dE/dm are integrals of Carlson's, without the quotient by m of their usual form. Their own slopes are those of
# hypergeometric functions where m is small, and by the differential equation elsewhere.
_NEAR = "abs(1.0 - p) < 0.5"
_K_SECOND = (
    f"-{9.0 * math.pi / 64.0!r} * hyp2f1(2.5, 2.5, 3.0, 1.0 - p) if {_NEAR} else "
    "-(0.25 * ellipkm1(p) - (2.0 * p - 1.0) * _ellipk_slope(p)) / ((1.0 - p) * p)"
)
_E_SECOND = (
    f"{3.0 * math.pi / 64.0!r} * hyp2f1(1.5, 2.5, 3.0, 1.0 - p) if {_NEAR} else "
    "(0.25 * ellipe(1.0 - p) + p * _ellipe_slope(p)) / ((1.0 - p) * p)"
)

# Of angles beyond a right one: those of the rest, and of whole halves of a turn.
_HALVES = "floor(phi / pi + 0.5)"
_SIN = f"sin(phi - pi * {_HALVES})"
_KINC_M = (
    f"{_SIN} ** 3 / 6.0 * elliprd(cos(phi) ** 2, 1.0, 1.0 - m * sin(phi) ** 2)"
    f" + (2.0 * {_HALVES} * _ellipk_slope(1.0 - m) if {_HALVES} != 0.0 else 0.0)"
)
_EINC_M = (
    f"-{_SIN} ** 3 / 6.0 * elliprd(cos(phi) ** 2, 1.0 - m * sin(phi) ** 2, 1.0)"
    f" + (2.0 * {_HALVES} * _ellipe_slope(1.0 - m) if {_HALVES} != 0.0 else 0.0)"
)


def _rd_first(x: str, y: str, z: str) -> str:
    """Return the derivative of elliprd by its first argument, the second of three after a change of names.

    Where that is the third, nothing is left of the difference.
    """
    return (
        f"((elliprd({x}, {y}, {z}) - elliprd({y}, {z}, {x})) / (2.0 * ({z} - {x}))"
        f" if abs({z} - {x}) > 1e-6 * {z} else nan)"
    )


# What is left by homogeneity: x d/dx + y d/dy + z d/dz = -3/2.
_RD_LAST = f"-(1.5 * elliprd(x, y, z) + x * ({_rd_first('x', 'y', 'z')}) + y * ({_rd_first('y', 'x', 'z')})) / z"


def _pair(names: tuple[str, str], c: str, slopes: tuple[str, str]) -> tuple[Row, Row]:
    first, second = (
        row(name, "z", "d D", slope, c=c, output=i, outputs=2)
        for i, (name, slope) in enumerate(zip(names, slopes, strict=True))
    )
    return first, second


ROWS = (
    row("exp1", "z", "d D", "-exp(-z) / z", of_complex={"z": "-exp(-z) / z"}),
    row("expi", "z", "d D", "exp(z) / z"),
    row(
        "expn",
        "n x",
        "ld dd",
        None,
        "-expn(n - 1, x) if n != 0 else -exp(-x) * (x + 1.0) / (x * x)",
    ),
    computed("_ellipk_slope", "p", "d", "elliprd(0.0, 1.0, p) / 6.0", _K_SECOND),
    computed("_ellipe_slope", "p", "d", "-elliprd(0.0, p, 1.0) / 6.0", _E_SECOND),
    row("ellipk", "m", "d", "_ellipk_slope(1.0 - m)"),
    row("ellipkm1", "p", "d", "-_ellipk_slope(p)"),
    row("ellipe", "m", "d", "_ellipe_slope(1.0 - m)"),
    row("ellipkinc", "phi m", "dd", "1.0 / sqrt(1.0 - m * sin(phi) ** 2)", _KINC_M),
    row("ellipeinc", "phi m", "dd", "sqrt(1.0 - m * sin(phi) ** 2)", _EINC_M),
    row(
        "elliprf",
        "x y z",
        "ddd",
        "-elliprd(y, z, x) / 6.0",
        "-elliprd(x, z, y) / 6.0",
        "-elliprd(x, y, z) / 6.0",
    ),
    row("elliprd", "x y z", "ddd", _rd_first("x", "y", "z"), _rd_first("y", "x", "z"), _RD_LAST),
    *_pair(
        ("_fresnel_s", "_fresnel_c"), "fresnel", ("sin(0.5 * pi * z * z)", "cos(0.5 * pi * z * z)")
    ),
    # sin(z) / z, without a quotient at zero
    *_pair(("_si", "_ci"), "sici", ("spherical_jn(0, z)", "cos(z) / z")),
    *_pair(("_shi", "_chi"), "shichi", ("spherical_in(0, z)", "cosh(z) / z")),
    computed(
        "_log_over",
        "t",
        "d D",
        "hyp2f1(1.0, 1.0, 2.0, -t) if abs(t) < 0.3 else log1p(t) / t",
    ),
    row("spence", "z", "d D", "-_log_over(z - 1.0)"),
)
