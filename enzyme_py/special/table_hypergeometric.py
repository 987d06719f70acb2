"""Hypergeometric functions, orthogonal polynomials, Lambert's W and its kin."""

from __future__ import annotations

from enzyme_py.special.row import Row, row


def _polynomial(name: str, parameters: str, slope: str, signatures: str) -> Row:
    """Return the row of a polynomial of degree n, constant for n = 0."""
    given = f"n {parameters} x".split()
    slopes: list[str | None] = [None] * (len(given) - 1)
    return row(name, " ".join(given), signatures, *slopes, f"{slope} if n != 0 else 0.0 * x")


# Of a negative degree n these are what they are of -n - 1 (Legendre) and, with the other sign, of -n - 2 (Chebyshev's second kind): the
# polynomials of a degree below zero that the plain formulas speak of are taken for zero, or for no number, by SciPy.
def _legendre(factor: str, x: str) -> str:
    plain = f"{factor} * (n + 1) * eval_jacobi(n - 1, 1.0, 1.0, {x})"
    return f"({plain} if n > -0.5 else -{factor} * n * eval_jacobi(-n - 2, 1.0, 1.0, {x}) if n != -1 else 0.0 * x)"


def _second_kind(factor: str, x: str) -> str:
    plain = f"{factor} * eval_gegenbauer(n - 1, 2.0, {x})"
    return f"({plain} if n > -1 else -{factor} * eval_gegenbauer(-n - 3, 2.0, {x}) if n < -1 and n != -2 else 0.0 * x)"


ROWS = (
    row("hyp0f1", "v z", "dd dD", None, "hyp0f1(v + 1.0, z) / v"),
    row("hyp1f1", "a b z", "ddd ddD", None, None, "a / b * hyp1f1(a + 1.0, b + 1.0, z)"),
    row(
        "hyp2f1",
        "a b c z",
        "dddd dddD",
        None,
        None,
        None,
        "a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)",
    ),
    row("hyperu", "a b x", "ddd", None, None, "-a * hyperu(a + 1.0, b + 1.0, x)"),
    _polynomial("eval_legendre", "", _legendre("0.5", "x"), "ld dd dD"),
    _polynomial("eval_chebyt", "", "n * eval_chebyu(n - 1, x)", "ld dd dD"),
    _polynomial("eval_chebyu", "", _second_kind("2.0", "x"), "ld dd dD"),
    _polynomial(
        "eval_gegenbauer",
        "alpha",
        "2.0 * alpha * eval_gegenbauer(n - 1, alpha + 1.0, x)",
        "ldd ddd ddD",
    ),
    _polynomial(
        "eval_jacobi",
        "alpha beta",
        "0.5 * (n + alpha + beta + 1.0) * eval_jacobi(n - 1, alpha + 1.0, beta + 1.0, x)",
        "lddd dddd dddD",
    ),
    _polynomial("eval_laguerre", "", "-eval_genlaguerre(n - 1, 1.0, x)", "ld dd dD"),
    _polynomial(
        "eval_genlaguerre", "alpha", "-eval_genlaguerre(n - 1, alpha + 1.0, x)", "ldd ddd ddD"
    ),
    _polynomial("eval_hermite", "", "2.0 * n * eval_hermite(n - 1, x)", "ld"),
    _polynomial("eval_hermitenorm", "", "n * eval_hermitenorm(n - 1, x)", "ld"),
    _polynomial("eval_sh_legendre", "", _legendre("1.0", "(2.0 * x - 1.0)"), "ld dd dD"),
    _polynomial("eval_sh_chebyt", "", "2.0 * n * eval_chebyu(n - 1, 2.0 * x - 1.0)", "ld dd dD"),
    _polynomial("eval_sh_chebyu", "", _second_kind("4.0", "(2.0 * x - 1.0)"), "ld dd dD"),
    row(
        "_lambertw",
        "z k tol",
        "Dld",
        "exp(-_lambertw(z, k, tol)) / (1.0 + _lambertw(z, k, tol))",
        None,
        None,
        is_loop=True,
    ),
    row("wrightomega", "z", "d D", "wrightomega(z) / (1.0 + wrightomega(z))"),
)
