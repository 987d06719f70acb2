"""Bessel functions, modified and spherical ones, Hankel, Struve, Airy and Kelvin functions."""

from __future__ import annotations

import math

from enzyme_py.special.row import Row, computed, row

_TERMS = 9


def _hankel_series(sign: float, order: str) -> str:
    """Return the derivative of the sum of (-+1)^k a_k(v) / x^(k + 1/2), Hankel's expansion of scaled functions, without its root.

    a_k = (4 v^2 - 1) (4 v^2 - 9) ... / (k! 8^k); Horner's form from the last term inwards.
    """
    text = f"{_TERMS + 0.5}"
    for k in range(_TERMS, 0, -1):
        factor = f"{sign / (8.0 * k)!r} * (4.0 * {order} * {order} - {(2.0 * k - 1.0) ** 2}) / x"
        text = f"{k - 0.5} + {factor} * ({text})"
    return f"({text}) / (x * sqrt(x))"


# Behind this, of orders that are small beside the root of x, exp(-x) I(x) is flat: its slope is not a difference.
_FAR_AWAY = "x.real > 60.0 + 4.0 * v * v"
_IVE_FAR = f"-{1.0 / math.sqrt(2.0 * math.pi)!r} * {_hankel_series(-1.0, 'v')}"
_KVE_FAR = f"-{math.sqrt(0.5 * math.pi)!r} * {_hankel_series(1.0, 'v')}"
_IVE = "0.5 * (ive(v - 1, x) + ive(v + 1, x))"
_IVE = (
    "_ive_far(v, x) if x > 60.0 + 4.0 * v * v else "
    "(-cosdg(180.0 * v) * _ive_far(v, -x) if x < -60.0 - 4.0 * v * v and floor(v) == v "
    f"else {_IVE} - sign(x) * ive(v, x))"
)
_KVE = f"_kve_far(v, x) if {_FAR_AWAY} else kve(v, x) - 0.5 * (kve(v - 1, x) + kve(v + 1, x))"


def _cylinder(
    name: str, signatures: str, first: str, sign: str, *, extra: str = "", c: str = ""
) -> Row:
    of = c or name
    slope = f"{first}0.5 * ({of}(v - 1, z) {sign} {of}(v + 1, z)){extra}"
    return row(name, "v z", signatures, None, slope)


_EVEN_OR_ODD = ("spherical_jn", "spherical_in")


def _spherical(name: str, sign: str) -> Row:
    """Return the row of a spherical function: n f(n-1) +- (n+1) f(n+1) over 2n + 1; of n = 0, the second alone."""
    minus = "-" if name == "spherical_kn" else ""
    above = f"{sign} (n + 1) * {name}(n + 1, z)"
    none = f"{'' if sign == '+' else '-'}{name}(n + 1, z)"
    slope = f"{minus}({none} if n == 0 else (n * {name}(n - 1, z) {above}) / (2 * n + 1))"
    if name not in _EVEN_OR_ODD:
        return row(name, "n z", "ld lD", None, slope)
    # SciPy's compiled function is for numbers right of zero.
    return computed(
        name,
        "n z",
        "ld lD",
        f"_{name}(n, z) if z.real >= 0.0 or z.imag != 0.0 else (1.0 - 2.0 * (n % 2)) * _{name}(n, -z)",
        None,
        slope,
    )


def _airy(name: str, output: int, slope: str) -> Row:
    return row(name, "z", "d D", slope, c="airy", output=output, outputs=4)


def _struve(name: str, sign: str) -> str:
    """Return the derivative of Struve functions by x: near zero, where the quotient has no digits for higher orders, their series.

    It is the sum of (-+1)^k (x / 2)^(v + 2 k) (v + 2 k + 1) / 2 / (gamma(k + 3/2) gamma(k + v + 3/2)).
    """
    text = "0.0"
    for k in range(_TERMS, -1, -1):
        of_whole = repr(0.5 / math.gamma(k + 1.5))
        text = f"(v + {2 * k + 1}.0) * {of_whole} * rgamma(v + {k + 1.5}) {sign} 0.25 * x * x * ({text})"
    turned = "cosdg(180.0 * v) * _power(-0.5 * x, v) if v == floor(v) else nan * x"
    power = f"(_power(0.5 * x, v) if x >= 0.0 else ({turned}))"
    return f"{name}(v - 1.0, x) - v / x * {name}(v, x) if abs(x) > 1.0 else {power} * ({text})"


# Near zero, where the quotient has no digits for higher orders: berp(x) / x and beip(x) / x as their series.
_BERP_BY_X = "-(x**2) / 16.0 + x**6 / 18432.0 - x**10 / 176947200.0"
_BEIP_BY_X = "0.5 - x**4 / 384.0 + x**8 / 1474560.0 - x**12 / 29727129600.0"

ROWS = (
    _cylinder("jv", "dd dD", "", "-"),
    _cylinder("yv", "dd dD", "", "-"),
    _cylinder("iv", "dd dD", "", "+"),
    _cylinder("kv", "dd dD", "-", "+"),
    _cylinder("yn", "ld dd", "", "-", c="yv"),
    _cylinder("kn", "ld dd", "-", "+", c="kv"),
    # Of complex numbers the scale of these is no holomorphic function.
    _cylinder("jve", "dd", "", "-"),
    _cylinder("yve", "dd", "", "-"),
    computed("_ive_far", "v x", "dd", _IVE_FAR),
    computed("_kve_far", "v x", "dd dD", _KVE_FAR),
    row("ive", "v x", "dd", None, _IVE),
    row("kve", "v x", "dd dD", None, _KVE),
    _cylinder("hankel1", "dD", "", "-"),
    _cylinder("hankel2", "dD", "", "-"),
    _cylinder("hankel1e", "dD", "", "-", extra=" - 1j * hankel1e(v, z)"),
    _cylinder("hankel2e", "dD", "", "-", extra=" + 1j * hankel2e(v, z)"),
    row("j0", "x", "d", "-j1(x)"),
    row("j1", "x", "d", "0.5 * (j0(x) - jv(2.0, x))"),
    row("y0", "x", "d", "-y1(x)"),
    row("y1", "x", "d", "y0(x) - y1(x) / x"),
    row("i0", "x", "d", "i1(x)"),
    row("i1", "x", "d", "0.5 * (i0(x) + iv(2.0, x))"),
    row("k0", "x", "d", "-k1(x)"),
    row("k1", "x", "d", "-k0(x) - k1(x) / x"),
    row(
        "i0e",
        "x",
        "d",
        "sign(x) * (_ive_far(0.0, abs(x)) if abs(x) > 60.0 else i1e(abs(x)) - i0e(x))",
    ),
    row(
        "i1e",
        "x",
        "d",
        "_ive_far(1.0, abs(x)) if abs(x) > 60.0 else 0.5 * (i0e(x) + ive(2.0, x)) - sign(x) * i1e(x)",
    ),
    row("k0e", "x", "d", "_kve_far(0.0, x) if x > 60.0 else k0e(x) - k1e(x)"),
    row("k1e", "x", "d", "_kve_far(1.0, x) if x > 60.0 else k1e(x) - k0e(x) - k1e(x) / x"),
    *(row(f"_{name}", "n z", "ld lD", None, None, c=name) for name in _EVEN_OR_ODD),
    _spherical("spherical_jn", "-"),
    _spherical("spherical_yn", "-"),
    _spherical("spherical_in", "+"),
    _spherical("spherical_kn", "+"),
    row("struve", "v x", "dd", None, _struve("struve", "-")),
    row("modstruve", "v x", "dd", None, _struve("modstruve", "+")),
    _airy("_ai", 0, "_aip(z)"),
    _airy("_aip", 1, "z * _ai(z)"),
    _airy("_bi", 2, "_bip(z)"),
    _airy("_bip", 3, "z * _bi(z)"),
    row("ber", "x", "d", "berp(x)"),
    row("bei", "x", "d", "beip(x)"),
    row("ker", "x", "d", "kerp(x)"),
    row("kei", "x", "d", "keip(x)"),
    row("berp", "x", "d", f"-bei(x) - (berp(x) / x if abs(x) > 0.5 else {_BERP_BY_X})"),
    row("beip", "x", "d", f"ber(x) - (beip(x) / x if abs(x) > 0.5 else {_BEIP_BY_X})"),
    row("kerp", "x", "d", "-kei(x) - kerp(x) / x"),
    row("keip", "x", "d", "ker(x) - keip(x) / x"),
)
