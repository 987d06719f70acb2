"""Functions of numbers far out: where the squares of Enzyme's rules leave the range of floats, and where values themselves do."""

from __future__ import annotations

import math

import numpy as np

from enzyme_py.rules.bodies import Body, both, written
from enzyme_py.rules.slopes import pick, pick_declaration

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


# Beyond a limit the value is infinite, and so is the slope: times zero it makes NaN of the derivatives of 1 / (1 + exp(x)), which
# are zero. There it is (h + h h) H H, of an h that is zero and has the slope one: zero times that is zero. Where exp(x) is zero it is a
# constant: its slope multiplies what may be the infinite tangent of an exponent. In first reverse order strong zero sees to both.
# LLVM may move the call in front of the branch, so the number is chosen as well; by other words, or LLVM would know the choice, and
# between numbers that it does not know, or it would choose between values.
_OVERFLOWING = """
declare {f} @{symbol}({f})
declare {f} @llvm.fabs.{bits}({f})
declare {f} @llvm.copysign.{bits}({f}, {f})
declare {f} @enzyme_py_inactive.{f}({f})
PICK
define linkonce_odr {f} @{own}({f} %x) alwaysinline {{
  %size = call {f} @llvm.fabs.{bits}({f} %x)
  %is.beyond = fcmp ugt {f} TESTED, {over}
  br i1 %is.beyond, label %beyond, label %inside
inside:
  %highest = call {f} @enzyme_py_inactive.{f}({f} {over})
  %is.high = fcmp oge {f} %x, {infinite}
  %high = select i1 %is.high, {f} %highest, {f} %x
  %lowest = call {f} @enzyme_py_inactive.{f}({f} {lowest})
  %is.low = fcmp ole {f} %x, {under}
  %finite = select i1 %is.low, {f} %lowest, {f} %high
  %value = call {f} @{symbol}({f} %finite)
  ret {f} %value
beyond:
  %given = call {f} @enzyme_py_inactive.{f}({f} %x)
  %is.nan = fcmp uno {f} %given, 0.0
  %steepness = select i1 %is.nan, {f} {nan}, {f} {huge}
  %sign = call {f} @llvm.copysign.{bits}({f} 1.0, {f} %given)
  %h = HERE
  %outward = fmul {f} %h, OUTWARD
  %more = fadd {f} %outward, 1.0
  %sum = fmul {f} %outward, %more
  %slope = fmul {f} %sum, SLOPE
  %once = fmul {f} %slope, %steepness
  %steep = fmul {f} %once, {huge}
  %infinite = fmul {f} %steepness, {huge}
  %signed = fmul {f} %infinite, SLOPE
  %result = PICKED
  ret {f} %result
}}
"""
# The largest number whose value is finite, and one whose exp(x), or 2^x, is zero.
_LIMITS: dict[str, dict[str, tuple[float, float | None]]] = {
    "exp": {"double": (709.782712893384, -746.0), "float": (88.72283172607422, -104.0)},
    "exp2": {"double": (1024.0 - 2.0**-43, -1076.0), "float": (128.0 - 2.0**-17, -150.0)},
    "cosh": {"double": (710.4758600739439, None), "float": (89.41598510742188, None)},
}
_LIMITS |= {"expm1": _LIMITS["exp"], "sinh": _LIMITS["cosh"]}


def _overflowing(symbol: str, kind: str) -> Body:
    name = symbol.removeprefix("llvm.").split(".")[0]
    name = name if name in _LIMITS else name.removesuffix("f")
    over, zero = _LIMITS[name][kind]
    infinite = math.nextafter(over, math.inf)
    if kind == "float":
        infinite = float(np.nextafter(np.float32(over), np.float32(math.inf)))
    text = _OVERFLOWING.replace("TESTED", "%x" if zero else "%size")
    text = text.replace("OUTWARD", "1.0" if zero else "%sign").replace("SLOPE", "%sign" if name == "sinh" else "1.0")
    text = text.replace("HERE", pick(kind, "%x", "0.0"))
    text = text.replace("PICKED", pick(kind, "%steep", "%signed")).replace("PICK", pick_declaration(kind))
    low, lowest = (zero, zero) if zero else (-infinite, -over)
    return written(symbol, kind, text, ((0.5,), (-2.0,)), over=over, infinite=infinite, under=low, lowest=lowest, nan=math.nan)


FAR = both(lambda s, f: _far(s, f, _AS_LOGARITHM), "asinh", "acosh")
FAR_IN_NESTS = both(lambda s, f: _far(s, f, _AS_INVERSE), "atan")
OVERFLOWING = both(_overflowing, *(name for one in _LIMITS for name in (one, f"llvm.{one}") if name != "llvm.expm1"))
