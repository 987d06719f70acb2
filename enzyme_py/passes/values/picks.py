"""Values that have the derivative of something else: calls of `pick` (rules/slopes.py)."""

from __future__ import annotations

from enzyme_py.llvm import Builder, Call, Value
from enzyme_py.rules.slopes import PICK, pick_declaration


def pick(at: Builder, product: Value, value: Value, name: str) -> Call:
    """Return a value whose derivative is that of `product`."""
    code, symbol = at.function.module, f"{PICK}{value.type}"
    if code.get(symbol) is None:
        code.add_text(f"{pick_declaration(value.type)}\n")
    return at.call(code.function(symbol), [product, value], name)


def is_pick(one: Value) -> bool:
    """Tell whether a value is such a call."""
    return isinstance(one, Call) and one.callee.startswith(PICK)
