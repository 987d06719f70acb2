"""Values that have the derivative of something else, or none: calls of `pick` (rules/slopes.py) and of barriers."""

from __future__ import annotations

from enzyme_py.llvm import Builder, Call, Value
from enzyme_py.rules.inactive import again_declaration, barrier_declaration
from enzyme_py.rules.slopes import PICK, pick_declaration
from enzyme_py.symbols import BARRIER, BARRIER_OF_CONSTANTS


def pick(at: Builder, product: Value, value: Value, name: str) -> Call:
    """Return a value whose derivative is that of `product`."""
    return _called(at, f"{PICK}{value.type}", pick_declaration(value.type), [product, value], name)


def as_constant(at: Builder, value: Value, name: str) -> Call:
    """Return a float as a constant to derivatives."""
    return _called(at, f"{BARRIER}.{value.type}", barrier_declaration(value.type), [value], name)


def as_constant_again(at: Builder, value: Value, name: str) -> Call:
    """Return a constant float as one that also derivatives know for a constant that read it from a cache."""
    symbol = f"{BARRIER_OF_CONSTANTS}{value.type}"
    return _called(at, symbol, again_declaration(value.type), [value], name)


def _called(at: Builder, symbol: str, declaration: str, given: list[Value], name: str) -> Call:
    """Call a function, which the module may not have yet."""
    code = at.function.module
    if code.get(symbol) is None:
        code.add_text(f"{declaration}\n")
    return at.call(code.function(symbol), given, name)


def is_pick(one: Value) -> bool:
    """Tell whether a value is such a call."""
    return isinstance(one, Call) and one.callee.startswith(PICK)
