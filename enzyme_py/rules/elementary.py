"""Functions of numbers whose rule in Enzyme is wrong at an edge, as IR that is right there.

A row is a symbol, the name that it is called by up to the pass, and a body under that name, which may
call the symbol itself.
"""

from __future__ import annotations

from dataclasses import dataclass

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


_ROWS = (
    _sqrt("llvm.sqrt.f64", "double"),
    _sqrt("llvm.sqrt.f32", "float"),
    _sqrt("sqrt", "double"),
    _sqrt("sqrtf", "float"),
)
BODIES = {row.symbol: row for row in _ROWS}
