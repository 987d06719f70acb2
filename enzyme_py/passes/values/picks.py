"""Values that have the derivative of something else, or none: calls of `pick` (rules/slopes.py) and of barriers."""

from __future__ import annotations

from enzyme_py.llvm import Builder, Call, Value
from enzyme_py.rules.inactive import barrier_declaration
from enzyme_py.rules.slopes import PICK, pick_declaration
from enzyme_py.symbols import BARRIER


def pick(at: Builder, product: Value, value: Value, name: str) -> Call:
    """Return a value whose derivative is that of `product`."""
    code, symbol = at.function.module, f"{PICK}{value.type}"
    if code.get(symbol) is None:
        code.add_text(f"{pick_declaration(value.type)}\n")
    return at.call(code.function(symbol), [product, value], name)


def as_constant(at: Builder, value: Value, name: str) -> Call:
    """Return a float as a constant to derivatives."""
    code, symbol = at.function.module, f"{BARRIER}.{value.type}"
    if code.get(symbol) is None:
        code.add_text(f"{barrier_declaration(value.type)}\n")
    return at.call(code.function(symbol), [value], name)


def is_pick(one: Value) -> bool:
    """Tell whether a value is such a call."""
    return isinstance(one, Call) and one.callee.startswith(PICK)
