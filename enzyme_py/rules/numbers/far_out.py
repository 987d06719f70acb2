"""Functions of numbers far out: where the squares of Enzyme's rules leave the range of floats, and where values themselves do."""

from __future__ import annotations

import math

from enzyme_py.rules.bodies import FLOATS, PREFIX, Body, as_constant, both, rounded, written
from enzyme_py.rules.slopes import FUNCTIONS, kept, pick, pick_declaration

# The square of Enzyme's rules is infinite. Of a large number these functions are plus or minus a logarithm, or a constant and an inverse, to
# the last digit, and so are their derivatives (slopes.py tells of `pick`).
_FAR = """
declare {f} @{symbol}({f})
declare {f} @llvm.log.{bits}({f})
declare {f} @llvm.copysign.{bits}({f}, {f})
declare {f} @llvm.maxnum.{bits}({f}, {f})
declare {f} @llvm.fabs.{bits}({f})
declare {f} @enzyme_py_inactive.{f}({f})
PICK
define linkonce_odr {f} @{own}({f} %x) alwaysinline {{
  %size = call {f} @llvm.fabs.{bits}({f} %x)
  %is.far = fcmp ogt {f} %size, {far}
  br i1 %is.far, label %far, label %near
near:
  %usual = call {f} @{symbol}({f} %x)
  ret {f} %usual
far:
  %given = call {f} @enzyme_py_inactive.{f}({f} %x)
  %value = call {f} @{symbol}({f} %given)
  %sign = call {f} @llvm.copysign.{bits}({f} 1.0, {f} %given)
  %positive = fmul {f} %x, %sign
  %own = call {f} @llvm.maxnum.{bits}({f} %positive, {f} {far})
FAR
  %result = PICKED
  ret {f} %result
}}
"""
_AS_LOGARITHM = """  %log = call {f} @llvm.log.{bits}({f} %own)
  %smooth = fmul {f} %log, %sign"""
_AS_INVERSE = """  %opposite = fneg {f} %sign
  %smooth = fdiv {f} %opposite, %own"""


def _far(symbol: str, kind: str, end: str) -> Body:
    text = _FAR.replace("FAR", end).replace("PICKED", pick(kind, "%smooth", "%value"))
    text = text.replace("PICK", pick_declaration(kind))
    return written(symbol, kind, text, ((1.5,), (3.0,)), far={"double": 2.0**100, "float": 2.0**30}[kind])


# What overflows has an infinite slope: times zero it makes NaN of the derivatives of 1 / (1 + exp(x)), which are zero. In first reverse order
# strong zero sees to that. In forward mode and in nests such a function is its value and Taylor's polynomial in an h that is zero and has the slope
# one, as tanh (elementary.py); where a factor is infinite it is two large ones: zero times these is zero. Where exp(x) is
# zero, h is a constant: the factor zero multiplies what may be the infinite tangent of an exponent.
INFINITE = {"double": (1e150, 1e250), "float": (2.0**60, 2.0**100)}  # neither times a tangent, nor times an adjoint, soon infinite
_ZERO_BELOW = {"exp": -746.0, "expm1": -746.0, "exp2": -1076.0}
_OTHER = {"expm1": "exp", "sinh": "cosh", "cosh": "sinh"}  # whose value the first slope is, if it is not the function's own


def _overflowing(symbol: str, kind: str, order: int) -> Body:
    f, bits = kind, FLOATS[kind]
    function = FUNCTIONS[symbol]
    name = function.name
    lines = [f"  %t = call {f} @{kept(symbol)}({f} %x)", *_finite("%t", f)]
    slope = "%t"
    if name in _OTHER:
        slope = "%slope"
        lines += [f"  %slope = call {f} @{kept(function.other)}({f} %x)", *_finite("%slope", f)]
    own = "%x"
    if name in _ZERO_BELOW:
        own = "%own"
        lines.append(f"  %own = call {f} @llvm.maxnum.{bits}({f} %x, {f} {as_constant(_ZERO_BELOW[name])})")
    lines.append(f"  %h = {pick(f, own, '0.0')}")
    values = ["%t"]  # of the function and its derivatives
    for degree in range(1, order + 1):
        is_own = name in ("sinh", "cosh") and degree % 2 == 0
        lines.append(f"  %d.{degree} = fmul {f} {'%t' if is_own else slope}.finite, {as_constant(rounded(_rate(name, degree), kind))}")
        values.append(f"%d.{degree}")
    taylor, total = taylors_polynomial(kind, values, again=f"{slope}.again")
    lines += taylor
    head = [*function.declarations(), *(f"declare {f} @llvm.{one}.{bits}({f}{f', {f}' * (one != 'fabs')})" for one in ("fabs", "copysign", "maxnum"))]
    text = "\n".join([*head, f"define linkonce_odr {f} @{PREFIX}.{symbol.removeprefix('llvm.')}({f} %x) alwaysinline {{", *lines, f"  ret {f} {total}", "}", ""])
    return Body(symbol, f"{PREFIX}.{symbol.removeprefix('llvm.')}", text, ((0.5,), (-2.0,)))


def taylors_polynomial(kind: str, values: list[str], *, again: str = "") -> tuple[list[str], str]:
    """Return instructions that add it up in %h, and its name: values of a function and of its derivatives, all times `again` but the first."""
    *values, total = values
    lines = []
    for degree in range(len(values), 0, -1):
        lines.append(f"  %part.{degree} = fmul {kind} {total}, {as_constant(rounded(1.0 / degree, kind))}")
        lines.append(f"  %moved.{degree} = fmul {kind} %h, %part.{degree}")
        moved, total = f"%moved.{degree}", f"%sum.{degree}"
        if degree == 1 and again:
            lines.append(f"  %moved = fmul {kind} %moved.1, {again}")
            moved = "%moved"
        lines.append(f"  {total} = {pick(kind, moved, values[degree - 1])}")
    return lines, total


def _rate(name: str, degree: int) -> float:
    return math.log(2.0) ** degree if name == "exp2" else 1.0


def _finite(value: str, kind: str) -> list[str]:
    """Return instructions that take an infinite value apart into two factors."""
    bits, infinite = FLOATS[kind], as_constant(math.inf)
    finite, again = map(as_constant, INFINITE[kind])
    return [
        f"  {value}.size = call {kind} @llvm.fabs.{bits}({kind} {value})",
        f"  {value}.is.infinite = fcmp oeq {kind} {value}.size, {infinite}",
        f"  {value}.largest = call {kind} @llvm.copysign.{bits}({kind} {finite}, {kind} {value})",
        f"  {value}.finite = select i1 {value}.is.infinite, {kind} {value}.largest, {kind} {value}",
        f"  {value}.again = select i1 {value}.is.infinite, {kind} {again}, {kind} 1.0",
    ]


def overflowing(order: int) -> list[Body]:
    """Return the bodies of what overflows, for so many derivatives within each other."""
    names = (name for one in ("exp", "exp2", "expm1", "sinh", "cosh") for name in (one, f"llvm.{one}") if name != "llvm.expm1")
    return both(lambda symbol, kind: _overflowing(symbol, kind, order), *names)


FAR = both(lambda s, f: _far(s, f, _AS_LOGARITHM), "asinh", "acosh")
FAR_IN_NESTS = both(lambda s, f: _far(s, f, _AS_INVERSE), "atan")
