"""Numbers: math, cmath, Python's own functions and operators."""

from __future__ import annotations

import cmath
import math
import operator

import numpy as np

from tests.coverage.row import Draw, Table

row = Table("numbers")
X = Draw(None)
ABOVE = Draw(None, 1.2, 2.5)
WITHIN = Draw(None, -0.8, 0.8)
BELOW = Draw(None, -2.6, -2.2)

for _name in (
    "acos asin atan atanh sin cos tan sinh cosh tanh asinh erf erfc exp exp2 expm1 fabs degrees radians"
).split():
    row(f"math.{_name}", eval(f"lambda x: math.{_name}(x)", {"math": math}), WITHIN)
for _name in "acosh gamma lgamma log log10 log1p log2 sqrt ceil floor trunc".split():
    row(f"math.{_name}", eval(f"lambda x: math.{_name}(x)", {"math": math}), ABOVE)
for _name in "isfinite isinf isnan".split():
    row(f"math.{_name}", eval(f"lambda x: x * math.{_name}(x)", {"math": math}), WITHIN)
row("math.gamma of a negative number", lambda x: math.gamma(x), BELOW)
row("math.lgamma of a negative number", lambda x: math.lgamma(x), BELOW)
row("math.lgamma of a small number", lambda x: math.lgamma(x), Draw(None, 1e-3, 2e-3))
row("math.lgamma of a large number", lambda x: math.lgamma(x), Draw(None, 40.0, 50.0))
row("math.gamma of a large number", lambda x: math.gamma(x) * 1e-9, Draw(None, 11.0, 12.0))
row("math.atan2", lambda x, y: math.atan2(x, y), X, WITHIN)
row("math.copysign", lambda x, y: math.copysign(x, y), X, BELOW)
row("math.hypot", lambda x, y: math.hypot(x, y), X, WITHIN)
row("math.pow", lambda x, y: math.pow(x, y), X, WITHIN)
row("math.nextafter", lambda x: math.nextafter(x, 10.0) * x, X)
row("math.ldexp", lambda x: math.ldexp(x, 3), X)
row("math.frexp", lambda x: math.frexp(x)[0] * x, Draw(None, 1.1, 1.9))
row("math.modf", lambda x: math.modf(x)[0] * x + math.modf(x)[1], Draw(None, 3.2, 3.8))
row("math.fmod", lambda x, y: math.fmod(x, y), Draw(None, 5.1, 5.4), Draw(None, 1.0, 1.2))
row("math.gcd", lambda x, n: x * math.gcd(n, 6), X, 4)

for (
    _name
) in "acos asin atan acosh asinh atanh sin cos tan sinh cosh tanh exp log log10 sqrt phase".split():
    row(
        f"cmath.{_name}",
        eval(f"lambda z: cmath.{_name}(z)", {"cmath": cmath}),
        Draw(None, 0.2, 0.9, "complex128"),
    )
    row(
        f"cmath.{_name} of complex64",
        eval(f"lambda z: cmath.{_name}(z)", {"cmath": cmath}),
        Draw(None, 0.2, 0.9, "complex64"),
    )
row("cmath.polar", lambda z: cmath.polar(z)[0] * cmath.polar(z)[1], Draw(None, dtype="complex128"))
row("cmath.rect", lambda r, phi: cmath.rect(r, phi), X, X)
row("cmath.isfinite", lambda z: cmath.isfinite(z) * z, Draw(None, dtype="complex128"))
row("cmath.isinf", lambda z: cmath.isinf(z) * z, Draw(None, dtype="complex128"))
row("cmath.isnan", lambda z: cmath.isnan(z) * z, Draw(None, dtype="complex128"))

for _name in "add sub mul truediv".split():
    row(
        f"operator.{_name}",
        eval(f"lambda x, y: operator.{_name}(x, y)", {"operator": operator}),
        X,
        X,
    )
row("operator.pow", lambda x, y: x**y, X, WITHIN)
row("operator.pow of an integer power", lambda x, n: x**n, WITHIN, 5)
row("operator.pow of a negative integer power", lambda x, n: x**n, ABOVE, -3)
row("operator.pow of a literal power", lambda x: x**3 + x**-2, WITHIN)
row("operator.pow of complex numbers", lambda x, y: x**y, *[Draw(None, dtype="complex128")] * 2)
row("operator.pow of a complex base", lambda x: x**3, Draw(None, dtype="complex128"))
row("operator.mul of complex numbers", lambda x, y: x * y, *[Draw(None, dtype="complex128")] * 2)
row(
    "operator.truediv of complex numbers", lambda x, y: x / y, *[Draw(None, dtype="complex128")] * 2
)
row("operator.mod", lambda x, y: x % y, Draw(None, 5.1, 5.4), Draw(None, 1.0, 1.2))
row("operator.mod of a negative number", lambda x, y: x % y, BELOW, Draw(None, 1.0, 1.1))
row("operator.floordiv", lambda x, y: x // y * x, Draw(None, 5.1, 5.4), Draw(None, 1.0, 1.2))
row("operator.neg", lambda x: -x, X)
row("operator.pos", lambda x: +x, X)
row("operator.lt", lambda x, y: x * (x < y), X, Draw(None, 2.0, 3.0))
row(
    "divmod",
    lambda x, y: divmod(x, y)[0] * x + divmod(x, y)[1] ** 2,
    Draw(None, 5.1, 5.4),
    Draw(None, 1.0, 1.2),
)
row("abs", lambda x: abs(x), BELOW)
row("abs of a complex number", lambda z: abs(z), Draw(None, dtype="complex128"))
row("round", lambda x: round(x) * x, X)
row("round to digits", lambda x: round(x, 2) * x, X)
row("int", lambda x: int(x) * x, ABOVE)
row("float", lambda x, n: float(x) * float(n), X, 3)
row("complex", lambda x, y: complex(x, y), X, X)
row("bool", lambda x: bool(x) * x, X)
row("min", lambda x, y, z: min(x, y, z), X, WITHIN, ABOVE)
row("max", lambda x, y, z: max(x, y, z), X, WITHIN, ABOVE)
row("sum", lambda x, y: sum((x, y, x * y)), X, X)
row("pow", lambda x, y: pow(x, y), X, WITHIN)


def _zipped(x, y):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        total += a * b**i
    return total


def _listed(x):
    parts = [x, x * x]
    parts.append(math.sin(x))
    return parts[0] * parts[1] + parts[2]


def _mapped(x):
    total = 0.0
    for one in map(math.sin, x):
        total += one
    return total


def _filtered(x):
    total = 0.0
    for one in filter(lambda v: v > 0.8, x):
        total += one * one
    return total


def _ranged(x, n):
    total = x
    for i in range(n):
        total = math.sin(total) * (1.0 + i)
    return total


def _sliced(x):
    part = slice(1, 4)
    return x[part] * 2.0


def _reversed(x):
    total = 1.0
    for one in x[::-1]:
        total = total * one + one
    return total


V = Draw((6,))
row("enumerate", _zipped, V, V)
row("zip", lambda x, y: _zipped_plain(x, y), V, V)
row("list", _listed, X)
row("map", _mapped, V)
row("filter", _filtered, V)
row("range", _ranged, X, 4)
row("slice", _sliced, V)
row("len", lambda x: x * len(x), V)
row("tuple", lambda x, y: (x, y)[0] * (x, y)[1], X, X)
row("iter", _reversed, V)
row("isinstance", lambda x: x * x if isinstance(x, float) else x, X)


def _zipped_plain(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b
    return total


row("np.float64", lambda x: np.float64(x) * x, X)
row("np.float32", lambda x: np.float32(x) * x, Draw(None, dtype="float32"))
row("np.complex128", lambda x: np.complex128(x) * 1j, X)
row("np.int64", lambda x: np.int64(x) * x, ABOVE)
