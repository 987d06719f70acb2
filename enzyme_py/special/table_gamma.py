"""Gamma, beta, digamma, zeta, and the distributions whose density is made of them."""

from __future__ import annotations

from enzyme_py.special.row import computed, row

# digamma(a + b) - digamma(a): by its series where b is so small that nothing would be left of the difference.
_STEP = " - b * (".join(f"_zeta({k}.0, a)" for k in (2, 3, 4, 5, 6))
_STEP = f"b * ({_STEP}{')' * 5} if abs(b) < 1e-3 * abs(a) else psi(a + b) - psi(a)"

# Left of 0.5 quotients of gamma functions are taken as products with 1 / gamma(c), which has a slope where gamma has poles, and keeps
# its digits beside them; digamma has poles there, too. Not where 1 / gamma(c) is too large for a number.
_IS_LEFT = "{0} <= 0.5 and {0} > -150.0"

# psi(c + n) - psi(c) of negative numbers and a whole n, reflected: both have poles at whole c. What comes behind `else` is
# zero for a whole n, but has a slope by n; of a whole c there is none.
_REFLECTED = (
    "psi(1.0 - {c} - {n}) - psi(1.0 - {c}) + "
    "(0.0 if {c} == floor({c}) else pi * sindg(180.0 * {n}) / sindg(180.0 * ({c} + {n})) / sindg(180.0 * {c}))"
)

_SUM_IS_LEFT = f"{_IS_LEFT.format('(a + b)')} and abs(a) < 150.0 and abs(b) < 150.0"


def _beta(by: str, other: str) -> str:
    """Return the slope of beta(a, b) by one of them."""
    return (
        f"gamma(a) * gamma(b) * (psi({by}) * rgamma(a + b) + rgamma__0(a + b)) if {_SUM_IS_LEFT} "
        f"else -beta(a, b) * _digamma_step({by}, {other})"
    )


_POCH_Z = (
    f"poch(z, m) * ({_REFLECTED.format(c='z', n='m')}) if z <= 0.0 and z + m <= 0.0 and m == floor(m) else ("
    f"gamma(z + m) * (psi(z + m) * rgamma(z) + rgamma__0(z)) if {_IS_LEFT.format('z')} and abs(z + m) < 150.0 "
    "else poch(z, m) * _digamma_step(z, m))"
)
# gamma(x + 1) / gamma(y + 1) / gamma(x - y + 1)
_BINOM_X = (
    f"-binom(x, y) * ({_REFLECTED.format(c='(x + 1.0)', n='(-y)')}) if x < 0.0 and y == floor(y) else ("
    "poch(y + 1.0, x - y) * (psi(x + 1.0) * rgamma(x - y + 1.0) + rgamma__0(x - y + 1.0)) "
    f"if {_IS_LEFT.format('(x - y + 1.0)')} else binom(x, y) * (psi(x + 1.0) - psi(x - y + 1.0)))"
)
_BINOM_Y = (
    "-poch(y + 1.0, x - y) * (psi(y + 1.0) * rgamma(x - y + 1.0) + rgamma__0(x - y + 1.0)) "
    f"if {_IS_LEFT.format('(x - y + 1.0)')} and y > -0.5 else ("
    "poch(x - y + 1.0, y) * (psi(x - y + 1.0) * rgamma(y + 1.0) + rgamma__0(y + 1.0)) "
    f"if {_IS_LEFT.format('(y + 1.0)')} and x - y > -0.5 else binom(x, y) * (psi(x - y + 1.0) - psi(y + 1.0)))"
)

_GAMMA_DENSITY = "exp(xlogy(a - 1.0, x) - x - gammaln(a)) if x >= 0.0 else nan"
_GAMMA_DENSITY_X = (
    "_gamma_density(a - 1.0, x) - _gamma_density(a, x) if a > 1.0 "
    "else (-_gamma_density(a, x) if a == 1.0 else _gamma_density(a, x) * ((a - 1.0) / x - 1.0))"
)
_BETA_DENSITY = (
    "exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - betaln(a, b)) if x >= 0.0 and x <= 1.0 else nan"
)
_BETA_DENSITY_X = (
    "((a + b - 1.0) * _beta_density(a - 1.0, b, x) if a > 1.0 "
    "else (0.0 * x if a == 1.0 else (a - 1.0) / x * _beta_density(a, b, x))) - "
    "((a + b - 1.0) * _beta_density(a, b - 1.0, x) if b > 1.0 "
    "else (0.0 * x if b == 1.0 else (b - 1.0) / (1.0 - x) * _beta_density(a, b, x)))"
)
# Of Student's t: the logarithm of its density at t.
_T_DENSITY = "exp(-0.5 * (df + 1.0) * log1p(t * t / df) - betaln(0.5, 0.5 * df)) / sqrt(df)"
_F_DENSITY = (
    "_beta_density(0.5 * dfn, 0.5 * dfd, dfn * x / (dfd + dfn * x)) "
    "* (dfn / (dfd + dfn * x)) * (dfd / (dfd + dfn * x)) if x >= 0.0 else nan"
)

ROWS = (
    row("gamma", "z", "d D", "gamma(z) * psi(z)"),
    row("gammaln", "x", "d", "psi(x)"),
    row("loggamma", "z", "d D", "psi(z) if z >= 0.0 else nan", of_complex={"z": "psi(z)"}),
    row("gammasgn", "x", "d", "0.0"),
    row(
        "rgamma",
        "z",
        "d D",
        # By reflection on the left, where rgamma has zeros and digamma poles.
        "-rgamma(z) * psi(z) if z > 0.5 else cosdg(180.0 * z) * gamma(1.0 - z)"
        " - sindg(180.0 * z) / pi * gamma(1.0 - z) * psi(1.0 - z)",
        of_complex={"z": "-rgamma(z) * psi(z)"},
    ),
    row("psi", "z", "d D", "_zeta(2.0, z)", of_complex={"z": None}),
    row("_zeta", "x q", "dd", None, "-x * _zeta(x + 1.0, q)", is_loop=True),
    row("_riemann_zeta", "x", "d", None, is_loop=True),
    row("zetac", "x", "d", None),
    computed("_digamma_step", "a b", "dd", _STEP),
    row("beta", "a b", "dd", _beta("a", "b"), _beta("b", "a")),
    row("betaln", "a b", "dd", "-_digamma_step(a, b)", "-_digamma_step(b, a)"),
    row("poch", "z m", "dd", _POCH_Z, "poch(z, m) * psi(z + m)"),
    row("binom", "x y", "dd", _BINOM_X, _BINOM_Y),
    computed("_gamma_density", "a x", "dd", _GAMMA_DENSITY, None, _GAMMA_DENSITY_X),
    row("gammainc", "a x", "dd", None, "_gamma_density(a, x)"),
    row("gammaincc", "a x", "dd", None, "-_gamma_density(a, x)"),
    row("gammaincinv", "a y", "dd", None, "1.0 / _gamma_density(a, gammaincinv(a, y))"),
    row("gammainccinv", "a y", "dd", None, "-1.0 / _gamma_density(a, gammainccinv(a, y))"),
    computed("_beta_density", "a b x", "ddd", _BETA_DENSITY, None, None, _BETA_DENSITY_X),
    row("betainc", "a b x", "ddd", None, None, "_beta_density(a, b, x)"),
    row("betaincc", "a b x", "ddd", None, None, "-_beta_density(a, b, x)"),
    row("betaincinv", "a b y", "ddd", None, None, "1.0 / _beta_density(a, b, betaincinv(a, b, y))"),
    row(
        "betainccinv",
        "a b y",
        "ddd",
        None,
        None,
        "-1.0 / _beta_density(a, b, betainccinv(a, b, y))",
    ),
    row("chdtr", "v x", "dd", None, "0.5 * _gamma_density(0.5 * v, 0.5 * x)"),
    row("chdtrc", "v x", "dd", None, "-0.5 * _gamma_density(0.5 * v, 0.5 * x)"),
    row("chdtri", "v p", "dd", None, "-2.0 / _gamma_density(0.5 * v, 0.5 * chdtri(v, p))"),
    row(
        "gdtr", "a b x", "ddd", "x * _gamma_density(b, a * x)", None, "a * _gamma_density(b, a * x)"
    ),
    row(
        "gdtrc",
        "a b x",
        "ddd",
        "-x * _gamma_density(b, a * x)",
        None,
        "-a * _gamma_density(b, a * x)",
    ),
    row("pdtr", "k m", "dd", "0.0", "-_gamma_density(floor(k) + 1.0, m)"),
    row("pdtrc", "k m", "dd", "0.0", "_gamma_density(floor(k) + 1.0, m)"),
    computed("_t_density", "df t", "dd", _T_DENSITY),
    row("stdtr", "df t", "dd", None, "_t_density(df, t)"),
    row("stdtrit", "df p", "dd", None, "1.0 / _t_density(df, stdtrit(df, p))"),
    computed("_f_density", "dfn dfd x", "ddd", _F_DENSITY),
    row("fdtr", "dfn dfd x", "ddd", None, None, "_f_density(dfn, dfd, x)"),
    row("fdtrc", "dfn dfd x", "ddd", None, None, "-_f_density(dfn, dfd, x)"),
)
