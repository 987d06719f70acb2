"""Functions of C's mathematical library that Enzyme does not know, by those that it knows."""

from __future__ import annotations

import math

from enzyme_py.rules.bodies import Body, alias_of_two, both, filled, written
from enzyme_py.rules.slopes import pick, pick_declaration

_ALIAS = """
declare {f} @{name}({f})
define linkonce_odr {f} @{own}({f} %x) alwaysinline {{
  %value = call {f} @{name}({f} %x)
  ret {f} %value
}}
"""
# Of NaN and a number the number.
OF_NUMBERS = """
declare {f} @{name}({f}, {f})
define linkonce_odr {f} @{own}({f} %x, {f} %y) alwaysinline {{
  %no.x = fcmp uno {f} %x, %x
  %no.y = fcmp uno {f} %y, %y
  %first = select i1 %no.x, {f} %y, {f} %x
  %second = select i1 %no.y, {f} %first, {f} %y
  %value = call {f} @{name}({f} %first, {f} %second)
  ret {f} %value
}}
"""
_SINE_AND_COSINE = """
declare {f} @llvm.sin.{bits}({f})
declare {f} @llvm.cos.{bits}({f})
define linkonce_odr void @{own}({f} %x, ptr %sine, ptr %cosine) alwaysinline {{
  %s = call {f} @llvm.sin.{bits}({f} %x)
  %c = call {f} @llvm.cos.{bits}({f} %x)
  store {f} %s, ptr %sine
  store {f} %c, ptr %cosine
  ret void
}}
"""
_VALUE_AND_SLOPES = """
declare {f} @enzyme_py_inactive.{f}({f})
{pick}
{declared}
define linkonce_odr {f} @{own}({f} %x{taken}) alwaysinline {{
  %own.x = call {f} @enzyme_py_inactive.{f}({f} %x)
{lines}
  %result = {picked}
  ret {f} %result
}}
"""
# The slopes are those of x - n y. Of the quotient n, a constant, C gives the last bits.
_WHOLE_MULTIPLE = """  %own.y = call {f} @enzyme_py_inactive.{f}({f} %y)
  %value = call {f} @{constant}{symbol}({f} %own.x, {f} %own.y{given})
  %taken = fsub {f} %own.x, %value
  %quotient = fdiv {f} %taken, %own.y
  %whole = call {f} @llvm.rint.{bits}({f} %quotient)
  %multiple = fmul {f} %whole, %y
  %smooth = fsub {f} %x, %multiple"""
_POWER_OF_TEN = """  %value = call {f} @{constant}{symbol}({f} %own.x)
  %exponent = fmul {f} %x, {ln10}
  %smooth = call {f} @llvm.exp.{bits}({f} %exponent)"""
_LOG_GAMMA = """
declare {f} @lgamma{letter}({f})
declare {f} @{constant}lgamma{letter}_r({f}, ptr)
declare {f} @enzyme_py_inactive.{f}({f})
define linkonce_odr {f} @{own}({f} %x, ptr %sign) alwaysinline {{
  %own = call {f} @enzyme_py_inactive.{f}({f} %x)
  %known = call {f} @{constant}lgamma{letter}_r({f} %own, ptr %sign)
  %value = call {f} @lgamma{letter}({f} %x)
  ret {f} %value
}}
"""
# Beyond these powers of two everything is zero or infinite.
_SCALED = """
declare {f} @ldexp{letter}({f}, i32)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define linkonce_odr {f} @{own}({f} %x, i64 %power) alwaysinline {{
  %not.below = call i64 @llvm.smax.i64(i64 %power, i64 -5000)
  %near = call i64 @llvm.smin.i64(i64 %not.below, i64 5000)
  %small = trunc i64 %near to i32
  %value = call {f} @ldexp{letter}({f} %x, i32 %small)
  ret {f} %value
}}
"""


def _rows(text: str, symbol: str, name: str = "") -> list[Body]:
    text = filled(text, name=name)
    return both(lambda own, kind: written(own, kind, text), symbol)


def _sloped(symbol: str, kind: str, lines: str, declared: str, taken: str = "", **numbers: float) -> Body:
    """Return the row of a function whose value is the library's, and whose slopes are those of other code."""
    picked, pick_declared = pick(kind, "%smooth", "%value"), pick_declaration(kind)
    text = filled(_VALUE_AND_SLOPES, declared=declared, taken=taken, lines=lines, picked=picked, pick=pick_declared)
    return written(symbol, kind, text, (), **numbers)


def _remainder(symbol: str, kind: str) -> Body:
    types, given = ("{f}, {f}, ptr", ", ptr %last.bits") if symbol.startswith("remquo") else ("{f}, {f}", "")
    declared = filled("declare {f} @{constant}{symbol}({types})\ndeclare {f} @llvm.rint.{bits}({f})", types=types)
    return _sloped(symbol, kind, filled(_WHOLE_MULTIPLE, given=given), declared, f", {{f}} %y{given}")


def _power_of_ten(symbol: str, kind: str) -> Body:
    declared = "declare {f} @{constant}{symbol}({f})\ndeclare {f} @llvm.exp.{bits}({f})"
    return _sloped(symbol, kind, _POWER_OF_TEN, declared, ln10=math.log(10.0))


ROWS = (
    *_rows(_SINE_AND_COSINE, "sincos"),
    *both(_remainder, "remainder", "drem", "remquo"),
    *both(_power_of_ten, "exp10"),
    *_rows(_SCALED, "scalbln"),
    *_rows(_ALIAS, "gamma", "lgamma{letter}"),
    *_rows(_ALIAS, "roundeven", "llvm.roundeven.{bits}"),
    *alias_of_two("fmaximum", "llvm.maximum.{bits}"),
    *alias_of_two("fminimum", "llvm.minimum.{bits}"),
    *_rows(OF_NUMBERS, "fmaximum_num", "llvm.maximum.{bits}"),
    *_rows(OF_NUMBERS, "fminimum_num", "llvm.minimum.{bits}"),
    written("lgamma_r", "double", filled(_LOG_GAMMA)),
    written("lgammaf_r", "float", filled(_LOG_GAMMA)),
)
