"""Bodies in place of functions of numbers, up to Enzyme: what the tables of such rows share."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from dataclasses import dataclass

from enzyme_py.rules.inactive import CONSTANT_PREFIX

PREFIX = "enzyme_py_math"
FLOATS = {"double": "f64", "float": "f32"}
HUGE = {"double": 1e308, "float": 2.0**127}
_ALIAS_OF_TWO = """
declare {f} @{name}({f}, {other})
define linkonce_odr {f} @{own}({f} %x, {other} %y) alwaysinline {{
  %value = call {f} @{name}({f} %x, {other} %y)
  ret {f} %value
}}
"""
Points = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Body:
    """What stands for a symbol up to Enzyme."""

    symbol: str
    own_name: str
    ir: str
    at: Points = ()  # where the table is checked


def as_constant(value: float) -> str:
    """Return a constant as LLVM reads it, for either type if it is a float of 32 bits."""
    return "0x" + struct.pack(">d", value).hex().upper()


def rounded(value: float, kind: str) -> float:
    """Return the nearest number of a type; of 32 bits, it is infinite beyond the largest one."""
    return ctypes.c_float(value).value if kind == "float" else value


def written(symbol: str, kind: str, text: str, at: Points = (), **values: float) -> Body:
    """Fill in a text: the type, the names, the numbers."""
    own = f"{PREFIX}.{symbol.removeprefix('llvm.')}"
    numbers = {name: as_constant(rounded(value, kind)) for name, value in values.items()}
    words = {"f": kind, "bits": FLOATS[kind], "letter": "f" * (kind == "float"), "symbol": symbol, "own": own}
    return Body(symbol, own, text.format(**words, huge=as_constant(HUGE[kind]), **numbers), at)


def filled(text: str, **words: str) -> str:
    """Put words in a text that `written` fills in the rest of: they may hold such places themselves."""
    for name, word in (*words.items(), ("constant", CONSTANT_PREFIX)):
        text = text.replace(f"{{{name}}}", word)
    return text


def alias_of_two(symbol: str, name: str, other: str = "{f}") -> list[Body]:
    """Return the rows of a function of two arguments that is another one, which Enzyme knows; the second may be no float."""
    text = filled(_ALIAS_OF_TWO, name=name, other=other)
    return both(lambda own, kind: written(own, kind, text), symbol)


def both(make: Callable[[str, str], Body], *symbols: str) -> list[Body]:
    """Return the rows of a function in both precisions: "llvm.x" or a name of the C library."""
    rows = []
    for symbol in symbols:
        for kind, bits in FLOATS.items():
            is_intrinsic = symbol.startswith("llvm.")
            suffix = f".{bits}" if is_intrinsic else "f" * (kind == "float")
            rows.append(make(symbol + suffix, kind))
    return rows
