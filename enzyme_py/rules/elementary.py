"""Functions of numbers whose rule in Enzyme is wrong at an edge, as IR that is right there.

A row is a symbol, the name that it is called by up to the pass, and a body under that name, which may
call the symbol itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.rules.inactive import CONSTANT_PREFIX

_PREFIX = "enzyme_py_math"


@dataclass(frozen=True)
class Body:
    """What stands for a symbol up to the pass."""

    symbol: str
    own_name: str
    ir: str
    at: tuple[tuple[float, ...], ...]  # where the table is checked


# The slope of the root at zero is infinite, and Enzyme says 0. There it is (x H) H: zero, with an
# infinite slope. No branch, so loops still become vector code.
_SQRT = """
declare {f} @{symbol}({f})
define linkonce_odr {f} @{own}({f} %x) alwaysinline {{
  %root = call {f} @{symbol}({f} %x)
  %is.zero = fcmp oeq {f} %x, 0.0
  %once = fmul {f} %x, {huge}
  %steep = fmul {f} %once, {huge}
  %value = select i1 %is.zero, {f} %steep, {f} %root
  ret {f} %value
}}
"""
_HUGE = {"double": "0x7FE1CCF385EBC8A0", "float": "0x47E0000000000000"}  # 1e308, 2^127


def _sqrt(symbol: str, kind: str) -> Body:
    own = f"{_PREFIX}.sqrt.{kind}.{symbol.replace('.', '_')}"
    text = _SQRT.format(f=kind, symbol=symbol, own=own, huge=_HUGE[kind])
    return Body(symbol, own, text, ((0.0,), (0.25,), (4.0,)))


# Numba's own names for functions of the C library that Enzyme knows.
_ALIAS = """
declare {f} @{name}({f}, {other})
define linkonce_odr {f} @{own}({f} %x, {other} %y) alwaysinline {{
  %value = call {f} @{name}({f} %x, {other} %y)
  ret {f} %value
}}
"""


def _alias(symbol: str, name: str, kind: str, other: str) -> Body:
    own = f"{_PREFIX}.{symbol}"
    text = _ALIAS.format(f=kind, name=name, other=other, own=own)
    return Body(symbol, own, text, ())


# The mantissa is x times a constant power of two; two factors, as one could overflow.
_MANTISSA = """
declare {f} @{constant}{frexp}({f}, ptr)
declare {f} @{constant}{ldexp}({f}, i32)
define linkonce_odr {f} @{own}({f} %x, ptr %exponent) alwaysinline {{
  %own = call {f} @enzyme_py_inactive.{f}({f} %x)
  %given = call {f} @{constant}{frexp}({f} %own, ptr %exponent)
  %e = load i32, ptr %exponent
  %minus = sub i32 0, %e
  %half = sdiv i32 %minus, 2
  %rest = sub i32 %minus, %half
  %first = call {f} @{constant}{ldexp}({f} 1.0, i32 %half)
  %second = call {f} @{constant}{ldexp}({f} 1.0, i32 %rest)
  %once = fmul {f} %x, %first
  %value = fmul {f} %once, %second
  ret {f} %value
}}
declare {f} @enzyme_py_inactive.{f}({f})
"""


def _mantissa(symbol: str, frexp: str, ldexp: str, kind: str) -> Body:
    own = f"{_PREFIX}.{symbol}"
    text = _MANTISSA.format(f=kind, frexp=frexp, ldexp=ldexp, own=own, constant=CONSTANT_PREFIX)
    return Body(symbol, own, text, ())


_ROWS = (
    _alias("numba_ldexp", "ldexp", "double", "i32"),
    _alias("numba_ldexpf", "ldexpf", "float", "i32"),
    _mantissa("numba_frexp", "frexp", "ldexp", "double"),
    _mantissa("numba_frexpf", "frexpf", "ldexpf", "float"),
    _sqrt("llvm.sqrt.f64", "double"),
    _sqrt("llvm.sqrt.f32", "float"),
    _sqrt("sqrt", "double"),
    _sqrt("sqrtf", "float"),
)
BODIES = {row.symbol: row for row in _ROWS}
