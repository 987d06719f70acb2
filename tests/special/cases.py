"""Each function of the table by each argument that has a derivative, with the same function in mpmath.

A case is a call in x as a kernel makes it, what mpmath says of it, and points. `z` in place of `x` is a complex number.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A call, its truth, and where."""

    call: str
    truth: str
    points: tuple[complex, ...]

    @property
    def is_complex(self) -> bool:
        """Whether it is one of complex numbers."""
        return any(isinstance(one, complex) for one in self.points)


def _case(call: str, truth: str, *points: complex) -> Case:
    return Case(call, truth, points)


GAMMA = (
    _case("gamma(x)", "gamma(x)", 0.3, 4.2, -1.4, 20.0),
    _case("gammaln(x)", "log(abs(gamma(x)))", 0.02, 1.0, -2.6, 1e5),
    _case("loggamma(x)", "loggamma(x)", 0.3, 2.0, 50.0),
    _case("gammasgn(x)", "sign(gamma(x))", 0.3, -1.4),
    _case("rgamma(x)", "rgamma(x)", 0.3, 2.0, -1.0, -2.0, -3.7, 0.0),
    _case("psi(x)", "psi(0, x)", 0.1, 3.0, -0.6, 100.0),
    _case("digamma(x)", "psi(0, x)", 1.5),
    _case("polygamma(2, x)", "psi(2, x)", 0.4, 3.0, 40.0),
    _case("zeta(2.7, x)", "zeta(2.7, x)", 0.3, 2.0, 15.0),
    _case("beta(x, 2.3)", "beta(x, 2.3)", 0.2, 3.0, 30.0),
    _case("beta(1.7, x)", "beta(1.7, x)", 1e-6, 0.2, 3.0),
    _case("betaln(x, 2.3)", "log(beta(x, 2.3))", 0.2, 3.0, 1e5),
    _case("betaln(1.7, x)", "log(beta(1.7, x))", 1e-6, 0.2, 3.0),
    _case("poch(x, 2.3)", "rf(x, 2.3)", 0.4, 5.0),
    _case("poch(1.7, x)", "rf(1.7, x)", 0.4, 5.0),
    _case("binom(x, 1.3)", "binomial(x, 1.3)", 2.4, 7.0),
    _case("binom(6.5, x)", "binomial(6.5, x)", 0.4, 3.0),
)
INCOMPLETE = (
    _case("gammainc(2.5, x)", "gammainc(2.5, 0, x, regularized=True)", 0.01, 2.0, 15.0),
    _case("gammainc(0.4, x)", "gammainc(0.4, 0, x, regularized=True)", 1e-4, 2.0),
    _case("gammaincc(2.5, x)", "gammainc(2.5, x, regularized=True)", 0.01, 2.0, 15.0),
    _case(
        "gammaincinv(2.5, x)",
        "inverse(lambda y: gammainc(2.5, 0, y, regularized=True), x, sp.gammaincinv(2.5, float(x)))",
        0.1,
        0.7,
    ),
    _case(
        "gammainccinv(2.5, x)",
        "inverse(lambda y: gammainc(2.5, y, regularized=True), x, sp.gammainccinv(2.5, float(x)))",
        0.1,
        0.7,
    ),
    _case("betainc(2.5, 1.3, x)", "betainc(2.5, 1.3, 0, x, regularized=True)", 0.01, 0.4, 0.98),
    _case(
        "betaincc(0.5, 1.0, x)", "1 - betainc(0.5, 1.0, 0, x, regularized=True)", 0.01, 0.4, 0.98
    ),
    _case(
        "betaincinv(2.5, 1.3, x)",
        "inverse(lambda y: betainc(2.5, 1.3, 0, y, regularized=True), x, sp.betaincinv(2.5, 1.3, float(x)))",
        0.1,
        0.7,
    ),
    _case(
        "betainccinv(2.5, 1.3, x)",
        "inverse(lambda y: 1 - betainc(2.5, 1.3, 0, y, regularized=True), x, sp.betainccinv(2.5, 1.3, float(x)))",
        0.1,
        0.7,
    ),
    _case("chdtr(3.0, x)", "gammainc(1.5, 0, x / 2, regularized=True)", 0.4, 5.0),
    _case("chdtrc(3.0, x)", "gammainc(1.5, x / 2, regularized=True)", 0.4, 5.0),
    _case(
        "chdtri(3.0, x)",
        "inverse(lambda y: gammainc(1.5, y / 2, regularized=True), x, sp.chdtri(3.0, float(x)))",
        0.4,
        0.9,
    ),
    _case("gdtr(x, 2.5, 1.3)", "gammainc(2.5, 0, x * 1.3, regularized=True)", 0.4, 2.0),
    _case("gdtr(1.3, 2.5, x)", "gammainc(2.5, 0, x * 1.3, regularized=True)", 0.4, 2.0),
    _case("gdtrc(1.3, 2.5, x)", "gammainc(2.5, x * 1.3, regularized=True)", 0.4, 2.0),
    _case("pdtr(3.0, x)", "gammainc(4, x, regularized=True)", 0.4, 5.0),
    _case("pdtrc(3.0, x)", "gammainc(4, 0, x, regularized=True)", 0.4, 5.0),
    _case("stdtr(3.5, x)", "student(3.5, x)", -2.0, 0.3, 4.0),
    _case(
        "stdtrit(3.5, x)",
        "inverse(lambda y: student(3.5, y), x, sp.stdtrit(3.5, float(x)))",
        0.1,
        0.7,
    ),
    _case(
        "fdtr(3.0, 5.0, x)", "betainc(1.5, 2.5, 0, 3 * x / (5 + 3 * x), regularized=True)", 0.4, 3.0
    ),
    _case(
        "fdtrc(3.0, 5.0, x)",
        "1 - betainc(1.5, 2.5, 0, 3 * x / (5 + 3 * x), regularized=True)",
        0.4,
        3.0,
    ),
)
ERRORS = (
    _case("erf(x)", "erf(x)", -1.3, 0.0, 4.0),
    _case("erfc(x)", "erfc(x)", -1.3, 0.0, 8.0),
    _case("erfcx(x)", "exp(x * x) * erfc(x)", -1.3, 0.0, 9.9, 10.1, 1e3, 1e6),
    _case("erfi(x)", "erfi(x)", -1.3, 0.0, 3.0),
    _case("dawsn(x)", "sqrt(pi) / 2 * exp(-x * x) * erfi(x)", -20.0, 0.0, 0.9, 9.9, 10.1),
    _case("erfinv(x)", "erfinv(x)", -0.9, 0.0, 0.99),
    _case("erfcinv(x)", "erfinv(1 - x)", 1e-3, 1.0, 1.9),
    _case("ndtr(x)", "ncdf(x)", -3.0, 0.0, 2.0),
    _case("log_ndtr(x)", "log(erfc(-x / sqrt(mpf(2))) / 2)", -1e3, -8.0, -0.1, 0.0, 3.0),
    _case("ndtri(x)", "sqrt(mpf(2)) * erfinv(2 * x - 1)", 1e-3, 0.5, 0.9),
    _case(
        "ndtri_exp(x)",
        "inverse(lambda y: log(erfc(-y / sqrt(mpf(2))) / 2), x, sp.ndtri_exp(float(x)))",
        -500.0,
        -1.0,
        -0.1,
    ),
    _case("owens_t(x, 0.7)", "owens(x, 0.7)", -1.0, 0.3, 2.0),
    _case("owens_t(0.7, x)", "owens(0.7, x)", -1.0, 0.3, 2.0),
)
LOGISTIC = (
    _case("expit(x)", "1 / (1 + exp(-x))", -40.0, 0.0, 30.0),
    _case("log_expit(x)", "-log(1 + exp(-x))", -40.0, 0.0, 30.0),
    _case("logit(x)", "log(x / (1 - x))", 1e-9, 0.5, 0.99),
    _case("log1p(x)", "log(1 + x)", -0.9, 0.0, 1e3),
    _case("expm1(x)", "exp(x) - 1", -3.0, 0.0, 2.0),
    _case("exp2(x)", "2 ** x", -3.0, 2.0),
    _case("exp10(x)", "10 ** x", -3.0, 2.0),
    _case("cbrt(x)", "cbrt(x)", 0.1, 8.0),
    _case("cosm1(x)", "cos(x) - 1", 0.0, 2.0),
    _case("exprel(x)", "expm1(x) / x if x else 1 + x / 2", -700.0, -0.5, 1e-8, 0.99, 3.0),
    _case("sindg(x)", "sin(x * pi / 180)", 30.0, 720.0),
    _case("cosdg(x)", "cos(x * pi / 180)", 30.0, 720.0),
    _case("tandg(x)", "tan(x * pi / 180)", 30.0, 720.0),
    _case("cotdg(x)", "cot(x * pi / 180)", 30.0, 120.0),
    _case("xlogy(x, 2.3)", "x * log(mpf(2.3))", 0.0, 2.0),
    _case("xlogy(1.7, x)", "1.7 * log(x)", 1e-9, 2.0),
    _case("xlog1py(x, 2.3)", "x * log(1 + mpf(2.3))", 0.0, 2.0),
    _case("xlog1py(1.7, x)", "1.7 * log(1 + x)", -0.9, 0.0, 2.0),
    _case("boxcox(x, 0.7)", "(x ** mpf(0.7) - 1) / mpf(0.7)", 0.2, 1.0, 30.0),
    _case("boxcox(x, 0.0)", "log(x)", 0.2, 30.0),
    _case("boxcox(2.3, x)", "expm1(x * log(mpf(2.3))) / x if x else log(mpf(2.3))", -2.0, 1e-9, 0.5, 3.0),
    _case("boxcox1p(x, 0.7)", "((1 + x) ** mpf(0.7) - 1) / mpf(0.7)", -0.5, 1e-9, 30.0),
    _case("boxcox1p(1.3, x)", "expm1(x * log(mpf(2.3))) / x", -2.0, 1e-9, 0.5, 3.0),
    _case("inv_boxcox(x, 0.7)", "(1 + x * mpf(0.7)) ** (1 / mpf(0.7))", -1.0, 0.0, 5.0),
    _case("inv_boxcox(1.3, x)", "exp(log1p(x * mpf(1.3)) / x)", -0.5, 1e-9, 0.5, 3.0),
    _case("inv_boxcox1p(x, 0.7)", "(1 + x * mpf(0.7)) ** (1 / mpf(0.7)) - 1", -1.0, 1e-9, 5.0),
    _case("inv_boxcox1p(1.3, x)", "expm1(log1p(x * mpf(1.3)) / x)", -0.5, 1e-9, 0.5, 3.0),
    _case("entr(x)", "-x * log(x)", 1e-9, 2.0),
    _case("rel_entr(x, 2.3)", "x * log(x / 2.3)", 1e-9, 2.0),
    _case("rel_entr(1.7, x)", "1.7 * log(1.7 / x)", 1e-9, 2.0),
    _case("kl_div(x, 2.0)", "x * log(x / 2) - x + 2", 1e-9, 2.0 + 1e-9, 1.0, 5.0),
    _case("kl_div(2.0, x)", "2 * log(2 / x) - 2 + x", 1e-9, 2.0 + 1e-9, 1.0, 5.0),
    _case(
        "huber(1.5, x)", "x * x / 2 if abs(x) < 1.5 else mpf(1.5) * (abs(x) - 0.75)", -3.0, 1.0, 2.0
    ),
    _case("huber(x, 1.5)", "mpf(1.5) ** 2 / 2 if x > 1.5 else x * (1.5 - x / 2)", 0.5, 3.0),
    _case(
        "pseudo_huber(1.5, x)", "mpf(1.5) ** 2 * (sqrt(1 + (x / 1.5) ** 2) - 1)", -3.0, 0.0, 1e-5
    ),
    _case("pseudo_huber(x, 1.5)", "x * x * (sqrt(1 + (1.5 / x) ** 2) - 1)", 0.5, 30.0, 3000.0),
)
BESSEL = (
    _case("jv(1.5, x)", "besselj(1.5, x)", 0.3, 7.0, 60.0),
    _case("jv(0, x)", "besselj(0, x)", 0.0, 2.0),
    _case("jn(3, x)", "besselj(3, x)", 0.3, 7.0),
    _case("yv(1.5, x)", "bessely(1.5, x)", 0.3, 7.0),
    _case("yn(2, x)", "bessely(2, x)", 0.3, 7.0),
    _case("iv(1.5, x)", "besseli(1.5, x)", 0.3, 7.0),
    _case("kv(1.5, x)", "besselk(1.5, x)", 0.3, 7.0),
    _case("kn(2, x)", "besselk(2, x)", 0.3, 7.0),
    _case("jve(1.5, x)", "besselj(1.5, x)", 0.3, 7.0),
    _case("yve(1.5, x)", "bessely(1.5, x)", 0.3, 7.0),
    _case("ive(1.5, x)", "exp(-x) * besseli(1.5, x)", 0.3, 50.0, 80.0, 1e5),
    _case("ive(2.0, x)", "exp(-abs(x)) * besseli(2, x)", -1e5, -3.0),
    _case("kve(1.5, x)", "exp(x) * besselk(1.5, x)", 0.3, 50.0, 80.0, 1e5),
    _case("j0(x)", "besselj(0, x)", 0.0, 3.0),
    _case("j1(x)", "besselj(1, x)", 0.0, 3.0),
    _case("y0(x)", "bessely(0, x)", 0.1, 3.0),
    _case("y1(x)", "bessely(1, x)", 0.1, 3.0),
    _case("i0(x)", "besseli(0, x)", 0.0, 3.0),
    _case("i1(x)", "besseli(1, x)", 0.0, 3.0),
    _case("k0(x)", "besselk(0, x)", 0.1, 3.0),
    _case("k1(x)", "besselk(1, x)", 0.1, 3.0),
    _case("i0e(x)", "exp(-abs(x)) * besseli(0, x)", -1e5, -2.0, 0.1, 80.0),
    _case("i1e(x)", "exp(-abs(x)) * besseli(1, x)", -1e5, -2.0, 0.1, 80.0),
    _case("k0e(x)", "exp(x) * besselk(0, x)", 0.1, 50.0, 1e5),
    _case("k1e(x)", "exp(x) * besselk(1, x)", 0.1, 50.0, 1e5),
)
MORE_BESSEL = (
    _case("spherical_jn(0, x)", "sqrt(pi / 2 / x) * besselj(0.5, x)", 0.1, 3.0),
    _case("spherical_jn(2, x)", "sqrt(pi / 2 / x) * besselj(2.5, x)", 0.1, 3.0),
    _case("spherical_yn(2, x)", "sqrt(pi / 2 / x) * bessely(2.5, x)", 0.1, 3.0),
    _case("spherical_in(2, x)", "sqrt(pi / 2 / x) * besseli(2.5, x)", 0.1, 3.0),
    _case("spherical_kn(2, x)", "sqrt(pi / 2 / x) * besselk(2.5, x)", 0.1, 3.0),
    _case(
        "spherical_jn(2, x, True)",
        "diff(lambda y: sqrt(pi / 2 / y) * besselj(2.5, y), x)",
        0.3,
        3.0,
    ),
    _case("struve(1.5, x)", "struveh(1.5, x)", 0.3, 7.0),
    _case("struve(0.0, x)", "struveh(0, x)", 0.1, 7.0),
    _case("modstruve(1.5, x)", "struvel(1.5, x)", 0.3, 7.0),
    _case("airy(x)[0]", "airyai(x)", -3.0, 0.0, 2.0),
    _case("airy(x)[1]", "airyai(x, 1)", -3.0, 0.0, 2.0),
    _case("airy(x)[2]", "airybi(x)", -3.0, 0.0, 2.0),
    _case("airy(x)[3]", "airybi(x, 1)", -3.0, 0.0, 2.0),
    _case("ber(x)", "ber(0, x)", 0.2, 3.0),
    _case("bei(x)", "bei(0, x)", 0.2, 3.0),
    _case("ker(x)", "ker(0, x)", 0.2, 3.0),
    _case("kei(x)", "kei(0, x)", 0.2, 3.0),
    _case("berp(x)", "diff(lambda y: ber(0, y), x)", 0.2, 3.0),
    _case("beip(x)", "diff(lambda y: bei(0, y), x)", 0.2, 3.0),
    _case("kerp(x)", "diff(lambda y: ker(0, y), x)", 0.2, 3.0),
    _case("keip(x)", "diff(lambda y: kei(0, y), x)", 0.2, 3.0),
)
INTEGRALS = (
    _case("exp1(x)", "e1(x)", 0.1, 3.0),
    _case("expi(x)", "ei(x)", -2.0, 3.0),
    _case("expn(2, x)", "expint(2, x)", 0.1, 3.0),
    _case("expn(0, x)", "exp(-x) / x", 0.1, 3.0),
    _case("ellipk(x)", "ellipk(x)", -5.0, 0.0, 1e-9, 0.6, 0.99),
    _case("ellipkm1(x)", "ellipk(1 - x)", 1e-5, 0.5, 1.0),
    _case("ellipe(x)", "ellipe(x)", -5.0, 0.0, 1e-9, 0.6, 0.99),
    _case("ellipkinc(x, 0.6)", "ellipf(x, 0.6)", -1.0, 0.4, 5.0),
    _case("ellipkinc(0.8, x)", "ellipf(0.8, x)", -2.0, 0.4),
    _case("ellipkinc(5.0, x)", "ellipf(5, x)", 0.4),
    _case("ellipeinc(x, 0.6)", "ellipe(x, 0.6)", -1.0, 0.4, 5.0),
    _case("ellipeinc(-0.8, x)", "ellipe(-0.8, x)", -2.0, 0.4),
    _case("ellipeinc(5.0, x)", "ellipe(5, x)", 0.4),
    _case("elliprf(x, 0.7, 1.9)", "elliprf(x, 0.7, 1.9)", 0.4, 3.0),
    _case("elliprf(0.7, 1.9, x)", "elliprf(x, 0.7, 1.9)", 0.4, 3.0),
    _case("elliprd(x, 0.7, 1.9)", "elliprd(x, 0.7, 1.9)", 0.4, 3.0),
    _case("elliprd(0.7, x, 1.9)", "elliprd(0.7, x, 1.9)", 0.4, 3.0),
    _case("elliprd(0.7, 1.9, x)", "elliprd(0.7, 1.9, x)", 0.4, 3.0),
    _case("fresnel(x)[0]", "fresnels(x)", 0.0, 2.0),
    _case("fresnel(x)[1]", "fresnelc(x)", 0.0, 2.0),
    _case("sici(x)[0]", "si(x)", 0.0, 2.0),
    _case("sici(x)[1]", "ci(x)", 0.1, 2.0),
    _case("shichi(x)[0]", "shi(x)", 0.0, 2.0),
    _case("shichi(x)[1]", "chi(x)", 0.1, 2.0),
    _case("spence(x)", "polylog(2, 1 - x)", 0.1, 0.9, 1.0, 1.2),
)
POLYNOMIALS = (
    _case("hyp0f1(1.5, x)", "hyp0f1(1.5, x)", -2.0, 0.0, 3.0),
    _case("hyp1f1(1.5, 2.3, x)", "hyp1f1(1.5, 2.3, x)", -2.0, 0.0, 3.0),
    _case("hyp2f1(1.5, 0.7, 2.3, x)", "hyp2f1(1.5, 0.7, 2.3, x)", -2.0, 0.0, 0.6),
    _case("hyperu(1.5, 2.3, x)", "hyperu(1.5, 2.3, x)", 0.5, 3.0),
    _case("eval_legendre(5, x)", "legendre(5, x)", -1.0, 0.0, 0.3, 1.0),
    _case("eval_legendre(0, x)", "1 + 0 * x", 0.3),
    _case("eval_legendre(2.5, x)", "legendre(2.5, x)", 0.0, 0.3),
    _case("eval_chebyt(5, x)", "chebyt(5, x)", -1.0, 0.3, 1.0),
    _case("eval_chebyu(5, x)", "chebyu(5, x)", -1.0, 0.3, 1.0),
    _case("eval_gegenbauer(5, 1.3, x)", "gegenbauer(5, 1.3, x)", 0.3, 1.0),
    _case("eval_jacobi(5, 1.3, 0.2, x)", "jacobi(5, 1.3, 0.2, x)", 0.3, 1.0),
    _case("eval_laguerre(5, x)", "laguerre(5, 0, x)", 0.0, 2.0),
    _case("eval_genlaguerre(5, 1.3, x)", "laguerre(5, 1.3, x)", 0.0, 2.0),
    _case("eval_hermite(5, x)", "hermite(5, x)", 0.0, 2.0),
    _case("eval_hermite(0, x)", "1 + 0 * x", 2.0),
    _case("eval_hermitenorm(5, x)", "2 ** mpf(-2.5) * hermite(5, x / sqrt(mpf(2)))", 0.0, 2.0),
    _case("eval_sh_legendre(4, x)", "legendre(4, 2 * x - 1)", 0.0, 0.3),
    _case("eval_sh_chebyt(4, x)", "chebyt(4, 2 * x - 1)", 0.0, 0.3),
    _case("eval_sh_chebyu(4, x)", "chebyu(4, 2 * x - 1)", 0.0, 0.3),
    _case("lambertw(x).real", "lambertw(x).real", 0.0, 0.3, 5.0),
    _case("wrightomega(x)", "lambertw(exp(x)).real", -3.0, 0.0, 2.0),
)
# Of these SciPy has no second derivative: that of digamma of a complex number.
COMPLEX_GAMMA = (
    _case("gamma(z)", "gamma(z)", 0.3 + 0.7j, -1.4 - 0.2j),
    _case("loggamma(z)", "loggamma(z)", 0.3 + 0.7j, -1.4 - 0.2j),
    _case("rgamma(z)", "rgamma(z)", 0.3 + 0.7j, -1.4 - 0.2j),
)
COMPLEX = (
    _case("erf(z)", "erf(z)", 0.3 + 0.7j, -1.4 - 0.2j),
    _case("erfc(z)", "erfc(z)", 0.3 + 0.7j, -1.4 - 0.2j),
    _case("erfcx(z)", "exp(z * z) * erfc(z)", 0.3 + 0.7j, 20.0 - 5.0j),
    _case("erfi(z)", "erfi(z)", 0.3 + 0.7j, -1.4 - 0.2j),
    _case("dawsn(z)", "sqrt(pi) / 2 * exp(-z * z) * erfi(z)", 0.3 + 0.7j, 40.0 + 3.0j),
    _case(
        "wofz(z)", "exp(-z * z) * erfc(-1j * z)", 0.3 + 0.7j, 40.0 + 3.0j, 2.0 + 30.0j, -1.0 - 0.5j
    ),
    _case("ndtr(z)", "erfc(-z / sqrt(mpf(2))) / 2", 0.3 + 0.7j, -1.4 - 0.2j),
    _case("log_ndtr(z)", "log(erfc(-z / sqrt(mpf(2))) / 2)", 0.3 + 0.7j, -1.4 - 0.2j),
    _case("log1p(z)", "log(1 + z)", 0.3 + 0.7j),
    _case("expm1(z)", "exp(z) - 1", 0.3 + 0.7j),
    _case("xlogy(z, 2.0 * z)", "z * log(2 * z)", 0.3 + 0.7j),
    _case("xlog1py(z, 2.0 * z)", "z * log(1 + 2 * z)", 0.3 + 0.7j),
    _case("jv(1.5, z)", "besselj(1.5, z)", 2.3 + 0.7j),
    _case("yv(1.5, z)", "bessely(1.5, z)", 2.3 + 0.7j),
    _case("iv(1.5, z)", "besseli(1.5, z)", 2.3 + 0.7j),
    _case("kv(1.5, z)", "besselk(1.5, z)", 2.3 + 0.7j),
    _case("kve(1.5, z)", "exp(z) * besselk(1.5, z)", 2.3 + 0.7j, 90.0 + 9.0j),
)
MORE_COMPLEX = (
    _case("hankel1(1.5, z)", "hankel1(1.5, z)", 2.3 + 0.7j),
    _case("hankel2(1.5, z)", "hankel2(1.5, z)", 2.3 + 0.7j),
    _case("hankel1e(1.5, z)", "exp(-1j * z) * hankel1(1.5, z)", 2.3 + 0.7j),
    _case("hankel2e(1.5, z)", "exp(1j * z) * hankel2(1.5, z)", 2.3 + 0.7j),
    _case("spherical_jn(2, z)", "sqrt(pi / 2 / z) * besselj(2.5, z)", 2.3 + 0.7j),
    _case("spherical_in(2, z)", "sqrt(pi / 2 / z) * besseli(2.5, z)", 2.3 + 0.7j),
    _case("airy(z)[0]", "airyai(z)", 0.3 + 0.7j),
    _case("airy(z)[3]", "airybi(z, 1)", 0.3 + 0.7j),
    _case("exp1(z)", "e1(z)", 0.3 + 0.7j),
    _case("expi(z)", "ei(z)", 0.3 + 0.7j),
    _case("fresnel(z)[0]", "fresnels(z)", 0.3 + 0.7j),
    _case("sici(z)[0]", "si(z)", 0.3 + 0.7j),
    _case("shichi(z)[1]", "chi(z)", 0.3 + 0.7j),
    _case("spence(z)", "polylog(2, 1 - z)", 0.3 + 0.7j, 1.1 + 0.1j),
    _case("hyp0f1(1.5, z)", "hyp0f1(1.5, z)", 0.3 + 0.7j),
    _case("hyp1f1(1.5, 2.3, z)", "hyp1f1(1.5, 2.3, z)", 0.3 + 0.7j),
    _case("hyp2f1(1.5, 0.7, 2.3, z)", "hyp2f1(1.5, 0.7, 2.3, z)", 0.3 + 0.2j),
    _case("eval_legendre(5, z)", "legendre(5, z)", 0.3 + 0.7j),
    _case("eval_jacobi(2.5, 1.3, 0.2, z)", "jacobi(2.5, 1.3, 0.2, z)", 0.3 + 0.2j),
    _case("lambertw(z)", "lambertw(z)", 0.3 + 0.7j),
    _case("wrightomega(z)", "lambertw(exp(z))", 0.3 + 0.7j),
)
ONCE = ("complex gamma",)  # families of which SciPy has no second derivatives
FAMILIES = {
    "gamma": GAMMA,
    "incomplete": INCOMPLETE,
    "errors": ERRORS,
    "logistic": LOGISTIC,
    "bessel": BESSEL,
    "more bessel": MORE_BESSEL,
    "integrals": INTEGRALS,
    "polynomials": POLYNOMIALS,
    "complex gamma": COMPLEX_GAMMA,
    "complex": COMPLEX,
    "more complex": MORE_COMPLEX,
}
