"""Error functions, the normal distribution, logistic functions, and what information theory uses."""

from __future__ import annotations

import math

from enzyme_py.special.row import Row, computed, row

_TWO_OVER_ROOT_PI = repr(2.0 / math.sqrt(math.pi))
_HALF_ROOT_PI = repr(0.5 * math.sqrt(math.pi))
_ROOT_TWO_PI = repr(math.sqrt(2.0 * math.pi))
_ROOT_TWO_OVER_PI = repr(math.sqrt(2.0 / math.pi))
_ROOT_HALF = repr(math.sqrt(0.5))
_TERMS = 13  # to the last digit from 10 on


def _series(sign: str) -> str:
    """Return 1 -+ 3 y (1 -+ 5 y (...)) with y = 1 / (2 z z): the asymptotic series of these functions, differentiated."""
    text = "1.0"
    for k in range(_TERMS, 0, -1):
        text = f"1.0 {sign} {2 * k + 1}.0 * (0.5 / (z * z)) * ({text})"
    return text


# Where 2 z f(z) and its limit are equal to many digits, the series of their difference.
_ERFCX = f"-{0.5 * 2.0 / math.sqrt(math.pi)!r} / (z * z) * ({_series('-')}) if z.real > 10.0 else 2.0 * z * erfcx(z) - {_TWO_OVER_ROOT_PI}"
_DAWSN = f"-0.5 / (z * z) * ({_series('+')}) if abs(z.real) > 10.0 + 2.0 * abs(z.imag) else 1.0 - 2.0 * z * dawsn(z)"
_FAR = "z.imag > 10.0 or abs(z.real) > 10.0 + 2.0 * abs(z.imag)"
_FAR = f"({_FAR}) or (z.imag > 0.0 and abs(z.real) > 10.0)"
_WOFZ = f"-{1.0 / math.sqrt(math.pi)!r} * 1j / (z * z) * ({_series('+')}) if {_FAR} else {_TWO_OVER_ROOT_PI} * 1j - 2.0 * z * wofz(z)"

_LOG_NDTR = f"{_ROOT_TWO_OVER_PI} / erfcx(-{_ROOT_HALF} * x) if x.real < 0.0 else exp(-0.5 * x * x) / ({_ROOT_TWO_PI} * ndtr(x))"


def _unit(name: str, slope: str) -> Row:
    """Return the row of a function of numbers between zero and one."""
    return row(name, "p", "d", f"{slope} if p >= 0.0 and p <= 1.0 else nan")


def _box_cox(log: str, inner: str) -> tuple[str, str]:
    """Return the slopes of (exp(lmbda l) - 1) / lmbda with l = log(x); the second without a quotient at lmbda = 0.

    It is -1 / lmbda at x = 0, where l is infinite, if lmbda is positive.
    """
    grown = f"0.5 * {log} * {log} * hyp1f1(2.0, 3.0, lmbda * {log})"
    grown = f"1.0 / (lmbda * lmbda) if {inner} == 0.0 and lmbda > 0.0 else {grown}"
    return f"_power({inner}, lmbda - 1.0)", grown


def _inverse_box_cox(value: str) -> tuple[str, str]:
    """Return the slopes of (1 + lmbda y)^(1 / lmbda), which has that value; likewise."""
    grown = f"-0.5 * y * y * {value} * hyp2f1(2.0, 2.0, 3.0, -lmbda * y)"
    return f"{value} / (1.0 + lmbda * y)", grown


# x / y at y = 0: the function is zero for all y if x is zero.
def _quotient(over: str) -> str:
    return f"x / {over} if {over} > 0.0 or ({over} == 0.0 and x != 0.0) else (0.0 * x if x == 0.0 else nan)"


# log(x / y) without the digits that a quotient near one has lost.
_LOG_RATIO = "log1p((x - y) / y) if abs(x - y) < 0.5 * y else log(x / y)"

ROWS = (
    row("erf", "z", "d D", f"{_TWO_OVER_ROOT_PI} * exp(-z * z)"),
    row("erfc", "z", "d D", f"-{_TWO_OVER_ROOT_PI} * exp(-z * z)"),
    row("erfcx", "z", "d D", _ERFCX),
    row("erfi", "z", "d D", f"{_TWO_OVER_ROOT_PI} * exp(z * z)"),
    row("dawsn", "z", "d D", _DAWSN),
    row("wofz", "z", "D", _WOFZ),
    row("erfinv", "y", "d", f"{_HALF_ROOT_PI} * exp(erfinv(y) * erfinv(y))"),
    row("erfcinv", "y", "d", f"-{_HALF_ROOT_PI} * exp(erfcinv(y) * erfcinv(y))"),
    row("ndtr", "x", "d D", f"exp(-0.5 * x * x) / {_ROOT_TWO_PI}"),
    row("log_ndtr", "x", "d D", _LOG_NDTR),
    _unit("ndtri", f"{_ROOT_TWO_PI} * exp(0.5 * ndtri(p) * ndtri(p))"),
    row("ndtri_exp", "y", "d", "1.0 / log_ndtr__0(ndtri_exp(y))"),
    row(
        "owens_t",
        "h a",
        "dd",
        f"-exp(-0.5 * h * h) * erf({_ROOT_HALF} * a * h) / {2.0 * math.sqrt(2.0 * math.pi)!r}",
        f"exp(-0.5 * h * h * (1.0 + a * a)) / ({2.0 * math.pi!r} * (1.0 + a * a))",
    ),
    row("expit", "x", "d", "expit(x) * expit(-x)"),
    row("log_expit", "x", "d", "expit(-x)"),
    _unit("logit", "1.0 / (p * (1.0 - p))"),
    row(
        "log1p",
        "z",
        "d D",
        "1.0 / (1.0 + z) if z >= -1.0 else nan",
        of_complex={"z": "1.0 / (1.0 + z)"},
    ),
    row("expm1", "z", "d D", "exp(z)"),
    row("exp2", "x", "d", f"{math.log(2.0)!r} * exp2(x)"),
    row("exp10", "x", "d", f"{math.log(10.0)!r} * exp10(x)"),
    row("cbrt", "x", "d", "1.0 / (3.0 * cbrt(x) * cbrt(x))"),
    row("cosm1", "x", "d", "-sin(x)"),
    # hyp1f1(1, 2, x), without a quotient at zero.
    row(
        "exprel",
        "x",
        "d",
        "0.5 * hyp1f1(2.0, 3.0, x) if abs(x) < 1.0 else (exp(x) - exprel(x)) / x",
    ),
    row("sindg", "x", "d", f"{math.pi / 180.0!r} * cosdg(x)"),
    row("cosdg", "x", "d", f"-{math.pi / 180.0!r} * sindg(x)"),
    row("tandg", "x", "d", f"{math.pi / 180.0!r} * (1.0 + tandg(x) * tandg(x))"),
    row("cotdg", "x", "d", f"-{math.pi / 180.0!r} * (1.0 + cotdg(x) * cotdg(x))"),
    row(
        "xlogy", "x y", "dd DD", "log(y)", _quotient("y"), of_complex={"x": "log(y)", "y": "x / y"}
    ),
    row(
        "xlog1py",
        "x y",
        "dd DD",
        "log1p(y)",
        _quotient("(1.0 + y)"),
        of_complex={"x": "log1p(y)", "y": "x / (1.0 + y)"},
    ),
    # x^p with all slopes at zero: those of `**` have a quotient there.
    computed(
        "_power",
        "x p",
        "dd",
        "exp(xlogy(p, x))",
        "p * _power(x, p - 1.0) if p != 0.0 else 0.0",
        "log(x) * _power(x, p) if x != 0.0 or p <= 0.0 else 0.0",
    ),
    row("boxcox", "x lmbda", "dd", *_box_cox("log(x)", "x")),
    row("boxcox1p", "x lmbda", "dd", *_box_cox("log1p(x)", "(1.0 + x)")),
    row("inv_boxcox", "y lmbda", "dd", *_inverse_box_cox("inv_boxcox(y, lmbda)")),
    row("inv_boxcox1p", "y lmbda", "dd", *_inverse_box_cox("(1.0 + inv_boxcox1p(y, lmbda))")),
    row("entr", "x", "d", "-log(x) - 1.0"),
    row(
        "rel_entr",
        "x y",
        "dd",
        f"1.0 + ({_LOG_RATIO}) if x >= 0.0 and y > 0.0 else nan",
        "-x / y if x >= 0.0 and y > 0.0 else (0.0 * x if x == 0.0 and y == 0.0 else nan)",
    ),
    row(
        "kl_div",
        "x y",
        "dd",
        f"({_LOG_RATIO}) if x >= 0.0 and y > 0.0 else nan",
        "(y - x) / y if x >= 0.0 and y > 0.0 else (1.0 + 0.0 * x if x == 0.0 and y == 0.0 else nan)",
    ),
    row(
        "huber",
        "delta r",
        "dd",
        "(0.0 * r if abs(r) <= delta else abs(r) - delta) if delta >= 0.0 else nan",
        "(r if abs(r) <= delta else delta * sign(r)) if delta >= 0.0 else nan",
    ),
    computed("_root_of_square", "u", "d", "sqrt(1.0 + u * u)"),
    row(
        "pseudo_huber",
        "delta r",
        "dd",
        # delta u^4 / (s (1 + s)^2) with u = r / delta, s = sqrt(1 + u^2): 2 delta (s - 1) - r u / s without its cancellation
        "delta * (r / delta) ** 4 / (_root_of_square(r / delta) * (1.0 + _root_of_square(r / delta)) ** 2)"
        " if delta >= 0.0 else nan",
        "r / _root_of_square(r / delta) if delta >= 0.0 else nan",
    ),
)
