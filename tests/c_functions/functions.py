"""Which functions there are, how each is called, and where it is asked."""

from __future__ import annotations

from dataclasses import dataclass

# Numbers that are exact in single precision, so that all types of numbers ask at the same point.
INSIDE, POSITIVE, BEYOND = (0.375, -0.6875), (0.4375, 2.625), (1.625, 3.25)
# The first by the second is no whole number and no half, nor close to one: remainders have kinks there.
TWO, THREE = ((1.40625, -0.625), (-0.6875, 2.125)), ((1.375, -0.5625, 0.8125),)


@dataclass(frozen=True)
class Function:
    """One function of C: statements that set `r` from a, b and c; `@` is the letter of a type of numbers."""

    name: str
    statements: str
    points: tuple[tuple[float, ...], ...]

    @property
    def arity(self) -> int:
        """How many numbers it takes."""
        return len(self.points[0])

    def text(self, letter: str) -> str:
        """Return the statements for a type of numbers."""
        return self.statements.replace("@", letter)


def _of_one(names: str, points: tuple[float, ...]) -> list[Function]:
    return [Function(one, f"r = {one}@(a);", tuple((x,) for x in points)) for one in names.split()]


def _of_two(names: str) -> list[Function]:
    return [Function(one, f"r = {one}@(a, b);", TWO) for one in names.split()]


def _one(name: str, statements: str) -> Function:
    return Function(name, statements, ((1.375,), (-0.6875,)))


_ALL = [
    *_of_one("sin cos tan asin acos atan sinh cosh tanh asinh atanh", INSIDE),
    *_of_one("exp exp2 exp10 expm1 erf erfc cbrt", INSIDE),
    *_of_one("sqrt log log2 log10 log1p j0 j1 y0 y1 lgamma gamma tgamma", POSITIVE),
    *_of_one("acosh", BEYOND),
    *_of_one("ceil floor trunc round rint nearbyint roundeven fabs logb significand", (1.375, -2.6875)),
    *_of_one("ilogb lrint llrint lround llround", (1.375, -2.6875)),
    *_of_two("atan2 hypot copysign fdim fmax fmin fmod remainder drem nextafter"),
    *_of_two("fmaximum fminimum fmaximum_num fminimum_num fmaximum_mag fminimum_mag"),
    Function("pow", "r = pow@(a, b);", ((1.375, -0.5625), (0.6875, 2.125))),
    Function("fma", "r = fma@(a, b, c);", THREE),
    Function("nexttoward", "r = nexttoward@(a, 2.0L);", ((1.375,),)),
    Function("scalb", "r = scalb@(a, 3);", ((1.375,),)),
    Function("jn", "r = jn@(2, a);", ((1.375,), (2.625,))),
    Function("yn", "r = yn@(2, a);", ((1.375,), (2.625,))),
    _one("ldexp", "r = ldexp@(a, 3);"),
    _one("scalbn", "r = scalbn@(a, -2);"),
    _one("scalbln", "r = scalbln@(a, 5L);"),
    _one("frexp", "int n; number m = frexp@(a, &n); r = m * m + n;"),
    _one("modf", "number whole, part = modf@(a, &whole); r = part * part + 3 * whole;"),
    _one("sincos", "number s, t; sincos@(a, &s, &t); r = 2 * s + 3 * t * t;"),
    _one("lgamma_r", "int n; r = lgamma@_r(a, &n); r += n;"),
    Function("remquo", "int n; number m = remquo@(a, b, &n); r = m * m + n;", TWO),
    _one("isnan", "r = isnan(a) ? 0 : a * a;"),
    _one("isinf", "r = isinf(a) || !isfinite(a) ? 0 : a * a;"),
    _one("signbit", "r = signbit(a) ? a * a : a * a * a;"),
    _one("isgreater", "r = isgreater(a, 1) && !islessgreater(a, a) ? a * a : a * a * a;"),
    _one("fpclassify", "r = fpclassify(a) == FP_NORMAL && isnormal(a) ? a * a : a;"),
    _one("nan", 'number other = nan@(""); r = isunordered(a, other) ? a * a : other;'),
    _one("abs", "r = abs((int) (2 * a)) * a + labs(-3L) * a * a;"),
]
FUNCTIONS = {one.name: one for one in _ALL}
