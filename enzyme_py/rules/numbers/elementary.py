"""Functions of numbers whose derivative by Enzyme's rule is wrong at an edge: bodies that are right there.

A row is a symbol, the name that it is called by up to Enzyme, and a body under that name, which may
call the symbol itself. Rims of domains have theirs in rules/numbers/rims.py.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import numpy as np

from enzyme_py.rules.bodies import (
    PREFIX,
    Body,
    alias_of_two,
    as_constant,
    both,
    filled,
    written,
)
from enzyme_py.rules.numbers import c_library
from enzyme_py.rules.numbers.far_out import (
    FAR,
    FAR_IN_NESTS,
    INFINITE,
    overflowing,
    taylors_polynomial,
)
from enzyme_py.rules.numbers.rims import rims, rims_in_nests
from enzyme_py.rules.numbers.roots import root, root_declarations
from enzyme_py.rules.slopes import FUNCTIONS, kept, pick

# The slope of Enzyme's rule is x / hypot(x, y), which zero divides at zero. The norm of zero has the
# gradient zero here. The tangent is x * dx / hypot(x, y): a product that leaves the range of floats where the
# tangent is as large, or as small, as the number. A power of two takes both numbers back, but not those so small
# that the result has fewer digits: it would be rounded twice.
_HYPOT = """
declare {f} @{symbol}({f}, {f})
declare {f} @llvm.fabs.{bits}({f})
define linkonce_odr {f} @{own}({f} %x, {f} %y) alwaysinline {{
  %no.x = fcmp oeq {f} %x, 0.0
  %no.y = fcmp oeq {f} %y, 0.0
  %none = and i1 %no.x, %no.y
  %inside = select i1 %none, {f} 1.0, {f} %x
  %size.x = call {f} @llvm.fabs.{bits}({f} %inside)
  %size.y = call {f} @llvm.fabs.{bits}({f} %y)
  %is.wide = fcmp ogt {f} %size.x, %size.y
  %size = select i1 %is.wide, {f} %size.x, {f} %size.y
  %is.large = fcmp ogt {f} %size, {large}
  %is.below = fcmp olt {f} %size, {small}
  %is.normal = fcmp ogt {f} %size, {normal}
  %is.small = and i1 %is.below, %is.normal
  %scale.small = select i1 %is.small, {f} {up}, {f} 1.0
  %scale = select i1 %is.large, {f} {down}, {f} %scale.small
  %back.small = select i1 %is.small, {f} {back_down}, {f} 1.0
  %back = select i1 %is.large, {f} {back_up}, {f} %back.small
  %own.x = fmul {f} %inside, %scale
  %own.y = fmul {f} %y, %scale
  %own = call {f} @{symbol}({f} %own.x, {f} %own.y)
  %usual = fmul {f} %own, %back
  %result = select i1 %none, {f} 0.0, {f} %usual
END}}
"""
_PLAIN_HYPOT = "  ret {f} %result\n"
# A zero with infinite second derivatives at zero, where a zero tangent must be no NaN: see rules/numbers/roots.py.
_NESTED_HYPOT = """  %square.x = fmul {f} %x, %x
  %square.y = fmul {f} %y, %y
  %square = fadd {f} %square.x, %square.y
  %zero.x = select i1 %none, {f} %x, {f} 0.0
  %zero.y = select i1 %none, {f} %y, {f} 0.0
  %large.x = fmul {f} %zero.x, {finite}
  %large.y = fmul {f} %zero.y, {finite}
  %bend.x = fmul {f} %zero.x, %large.x
  %bend.y = fmul {f} %zero.y, %large.y
  %bend = fadd {f} %bend.x, %bend.y
  %steep = fmul {f} %bend, {again}
  %marked = ROOT
  ret {f} %marked
"""

# Squares in Enzyme's rule leave the range of floats; a power of two takes both numbers back, and
# changes nothing else.
_ATAN2 = """
declare {f} @{symbol}({f}, {f})
declare {f} @llvm.fabs.{bits}({f})
define linkonce_odr {f} @{own}({f} %y, {f} %x) alwaysinline {{
  %size.x = call {f} @llvm.fabs.{bits}({f} %x)
  %size.y = call {f} @llvm.fabs.{bits}({f} %y)
  %is.wide = fcmp ogt {f} %size.x, %size.y
  %size = select i1 %is.wide, {f} %size.x, {f} %size.y
  %is.large = fcmp ogt {f} %size, {large}
  %is.small = fcmp olt {f} %size, {small}
  %scale.small = select i1 %is.small, {f} {up}, {f} 1.0
  %scale = select i1 %is.large, {f} {down}, {f} %scale.small
  %own.y = fmul {f} %y, %scale
  %own.x = fmul {f} %x, %scale
  %result = call {f} @{symbol}({f} %own.y, {f} %own.x)
  ret {f} %result
}}
"""
_SCALES = {
    "double": {"large": 2.0**500, "small": 2.0**-500, "up": 2.0**550, "down": 2.0**-550},
    "float": {"large": 2.0**60, "small": 2.0**-60, "up": 2.0**62, "down": 2.0**-62},
}

# Of two numbers so scaled neither the squares nor their sum leave the range of floats, nor does the power back.
_SCALES_OF_HYPOT = {
    "double": {"large": 2.0**500, "small": 2.0**-500, "normal": 2.0**-1000}
    | {"down": 2.0**-550, "back_up": 2.0**550, "up": 2.0**550, "back_down": 2.0**-550},
    "float": {"large": 2.0**40, "small": 2.0**-40, "normal": 2.0**-120}
    | {"down": 2.0**-70, "back_up": 2.0**70, "up": 2.0**75, "back_down": 2.0**-75},
}

# The slope of Enzyme's rule is 1 / cosh(x)^2: of that another derivative calls sinh and cosh, and is infinity over infinity where the
# square leaves the range of floats. So in nested derivatives a tanh is Taylor's polynomial about x, as far as they nest; its
# factors are polynomials of the value t (special/generated.py tells of `pick`, and of h, which is zero and has the slope one):
#     t = tanh(x); pick(h * pick(h / 2 * (-2 t (1 - t t)), 1 - t t), t)
def _tanh(symbol: str, kind: str, order: int) -> Body:
    f, own = kind, f"{PREFIX}.{symbol}"
    values = ["%t"]  # of tanh and its derivatives
    lines = [f"  %t = call {f} @{kept(symbol)}({f} %x)", f"  %h = {pick(f, '%x', '0.0')}"]
    for degree, factors in enumerate(_slopes_of_tanh(order), 1):
        *lower, value = map(as_constant, factors)
        for step, number in enumerate(reversed(lower)):
            lines.append(f"  %times.{degree}.{step} = fmul {f} {value}, %t")
            value = f"%slope.{degree}.{step}"
            lines.append(f"  {value} = fadd {f} %times.{degree}.{step}, {number}")
        values.append(value)
    taylor, total = taylors_polynomial(kind, values)
    lines += taylor
    text = "\n".join(
        [
            *FUNCTIONS[symbol].declarations(),
            f"define linkonce_odr {f} @{own}({f} %x) alwaysinline {{",
            *lines,
            f"  ret {f} {total}",
            "}",
            "",
        ]
    )
    return Body(symbol, own, text, ((0.5,), (-2.0,)))


def _slopes_of_tanh(order: int) -> Iterator[list[float]]:
    """Yield the derivatives of tanh as polynomials of its value: d/dx p(t) = p'(t) (1 - t t)."""
    polynomial = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(order):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([1.0, 0.0, -1.0])
        yield [float(one) for one in polynomial.coef]


# Powers of zero: the exponent has no derivative there, unless it is zero too, where it is minus
# infinity; and 0 ** 0 has none by the base. A constant exponent needs none of this, and LLVM knows better
# code for many, but a root must be the one above: its row is linked in. (0 is added as the root of -0 is -0.) Where derivatives are
# nested, the first three powers of zero are products: else their higher derivatives are zero times an infinite power of zero.
_POW = """
declare {f} @enzyme_py_math.sqrt{letter}({f})
declare {f} @{symbol}({f}, {f})
declare i1 @llvm.is.constant.{bits}({f})
define linkonce_odr {f} @{own}({f} %x, {f} %y) alwaysinline {{
entry:
  %is.constant = call i1 @llvm.is.constant.{bits}({f} %y)
  br i1 %is.constant, label %constant, label %variable
constant:
  %is.half = fcmp oeq {f} %y, 0.5
  br i1 %is.half, label %root, label %plain
root:
  %is.positive = fcmp ogt {f} %x, 0.0
  %is.infinite = fcmp oeq {f} %x, {minus}
  %is.inside = or i1 %is.positive, %is.infinite
  br i1 %is.inside, label %plain, label %edge
edge:
  %own.x = fadd {f} %x, 0.0
  %outside = call {f} @enzyme_py_math.sqrt{letter}({f} %own.x)
  ret {f} %outside
plain:
  %power = call {f} @{symbol}({f} %x, {f} %y)
  ret {f} %power
variable:
  %no.x = fcmp oeq {f} %x, 0.0
  %no.y = fcmp oeq {f} %y, 0.0
  %none = and i1 %no.x, %no.y
  %own.y = call {f} @enzyme_py_inactive.{f}({f} %y)
  %exponent = select i1 %no.x, {f} %own.y, {f} %y
POWER
  %twice = fmul {f} %y, {huge}
  %falls = fmul {f} %twice, {huge}
  %falling = select i1 %none, {f} %falls, {f} 0.0
  %result = fsub {f} %usual, %falling
  ret {f} %result
}}
declare {f} @enzyme_py_inactive.{f}({f})
"""
_PLAIN_POW = """
  %base = select i1 %none, {f} 1.0, {f} %x
  %usual = call {f} @{symbol}({f} %base, {f} %exponent)
""".strip("\n")
_NESTED_POW = """
  %is.1 = fcmp oeq {f} %y, 1.0
  %is.2 = fcmp oeq {f} %y, 2.0
  %is.3 = fcmp oeq {f} %y, 3.0
  %is.1.or.2 = or i1 %is.1, %is.2
  %is.low = or i1 %is.1.or.2, %is.3
  %is.product = and i1 %no.x, %is.low
  %is.known = or i1 %none, %is.product
  %base = select i1 %is.known, {f} 1.0, {f} %x
  %power.of.base = call {f} @{symbol}({f} %base, {f} %exponent)
  %zero = select i1 %is.product, {f} %x, {f} 0.0
  %square = fmul {f} %zero, %zero
  %cube = fmul {f} %square, %zero
  %from.2 = select i1 %is.2, {f} %square, {f} %cube
  %product = select i1 %is.1, {f} %zero, {f} %from.2
  %usual = select i1 %is.product, {f} %product, {f} %power.of.base
""".strip("\n")


def _pow(symbol: str, kind: str, order: int) -> Body:
    text = _POW.replace("POWER", _PLAIN_POW if order == 1 else _NESTED_POW)
    return written(symbol, kind, text, ((2.0, 3.0), (0.3, -1.5)), minus=-math.inf)


# The mantissa is x times a constant power of two; two factors, as one could overflow.
_MANTISSA = """
declare {f} @{constant}frexp{letter}({f}, ptr)
declare {f} @{constant}ldexp{letter}({f}, i32)
declare {f} @enzyme_py_inactive.{f}({f})
define linkonce_odr {f} @{own}({f} %x, ptr %exponent) alwaysinline {{
  %own = call {f} @enzyme_py_inactive.{f}({f} %x)
  %given = call {f} @{constant}frexp{letter}({f} %own, ptr %exponent)
  %e = load i32, ptr %exponent
  %minus = sub i32 0, %e
  %half = sdiv i32 %minus, 2
  %rest = sub i32 %minus, %half
  %first = call {f} @{constant}ldexp{letter}({f} 1.0, i32 %half)
  %second = call {f} @{constant}ldexp{letter}({f} 1.0, i32 %rest)
  %once = fmul {f} %x, %first
  %value = fmul {f} %once, %second
  ret {f} %value
}}
"""


# Enzyme takes C's modf for a function without memory, as all of the mathematical library: its whole part was never written.
_PARTS = """
declare {f} @llvm.trunc.{bits}({f})
declare {f} @llvm.fabs.{bits}({f})
declare {f} @llvm.copysign.{bits}({f}, {f})
define linkonce_odr {f} @{own}({f} %x, ptr %whole) alwaysinline {{
  %trunc = call {f} @llvm.trunc.{bits}({f} %x)
  store {f} %trunc, ptr %whole
  %rest = fsub {f} %x, %trunc
  %size = call {f} @llvm.fabs.{bits}({f} %x)
  %is.infinite = fcmp oeq {f} %size, {infinity}
  %part = select i1 %is.infinite, {f} 0.0, {f} %rest
  %result = call {f} @llvm.copysign.{bits}({f} %part, {f} %x)
  ret {f} %result
}}
"""


def _hypot(symbol: str, kind: str, order: int) -> Body:
    end = _PLAIN_HYPOT if order == 1 else _NESTED_HYPOT.replace("ROOT", root(kind, "%result", "%square", "%steep"))
    finite, again = INFINITE[kind]
    text = root_declarations(kind) * (order > 1) + _HYPOT.replace("END", end)
    return written(symbol, kind, text, ((3.0, 4.0), (0.0, -2.0)), finite=finite, again=again, **_SCALES_OF_HYPOT[kind])


_ROWS = (
    *rims(1),
    *both(lambda s, f: _hypot(s, f, 1), "hypot"),
    *both(lambda s, f: written(s, f, _ATAN2, ((1.0, -2.0), (-3.0, 0.0)), **_SCALES[f]), "atan2"),
    *FAR,
    *both(lambda s, f: _pow(s, f, 1), "llvm.pow", "pow"),
    *both(lambda s, f: written(s, f, _PARTS, infinity=math.inf), "modf"),
    *c_library.ROWS,
    *alias_of_two("numba_ldexp", "ldexp{letter}", "i32"),  # Numba's own name
    *both(lambda s, f: written(s, f, filled(_MANTISSA)), "numba_frexp", "frexp"),
)
BODIES = {row.symbol: row for row in _ROWS}


@functools.cache
def bodies(order: int, *, is_forward: bool = False) -> dict[str, Body]:
    """Return the bodies by their symbols, for so many derivatives within each other."""
    if order == 1:
        return BODIES | {row.symbol: row for row in overflowing(1)} if is_forward else BODIES
    nested = (
        *rims_in_nests(order),
        *both(lambda s, f: _hypot(s, f, order), "hypot"),
        *FAR_IN_NESTS,
        *overflowing(order),
        *both(lambda s, f: _tanh(s, f, order), "tanh"),
        *both(lambda s, f: _pow(s, f, order), "llvm.pow", "pow"),
    )
    return BODIES | {row.symbol: row for row in nested}
