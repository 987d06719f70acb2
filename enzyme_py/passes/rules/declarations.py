"""What Enzyme must know of functions that a module only declares, from the tables of rules.

Symptom: without these words a hint or a barrier is refused as an unknown function, an order of numbers takes a derivative, and
what a helper of Numba's runtime returns counts as active memory.

Cause: Enzyme knows a function without a body by its attributes only.

Cure: each declaration gets the attributes of its table: hints, barriers, ruled functions, block copies, orders, and the
functions of Numba's runtime that carry no derivative (rules/). A barrier of floats says that it passes floats: reverse over
forward takes a constant of unknown type for a pointer, and stores it as its own shadow (measured: the second derivative of a sum
of squares by a rule was wrong by the primal result, without a word).
"""

from __future__ import annotations

from enzyme_py.llvm import Function
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.rules import copies, orders, ruled_symbols, special_symbols
from enzyme_py.rules.inactive import AGAIN, INACTIVE, Inactive, typed_barrier
from enzyme_py.rules.slopes import PICK, pick_declaration
from enzyme_py.symbols import (
    BARRIER,
    BARRIER_ATTRIBUTES,
    BARRIER_OF_CONSTANTS,
    HINT,
    HINT_ATTRIBUTES,
    RULE_CODE,
    RULED,
)

_INTEGERS = '"enzyme_type"="{[-1]:Pointer, [-1,-1]:Integer}"'
_FLOATS = ("double", "float")


class Declarations(Pass):
    """The tables' attributes on declarations."""

    name = "declarations"

    def run(self, draft: Draft) -> None:
        """Write what the tables say on all declarations."""
        for one in draft.code.declarations:
            text = _declared(one)
            if text is not None:
                one.declare_as(text)


def _declared(one: Function) -> str | None:
    """Return what to declare a function as; None if no table has it."""
    name = one.name
    if name.startswith(HINT):
        return f"{one.head} {HINT_ATTRIBUTES}"
    if name.startswith(BARRIER):
        again = AGAIN * name.startswith(BARRIER_OF_CONSTANTS)
        return f"{_barrier(one)} {BARRIER_ATTRIBUTES}{again}"
    if name.startswith(PICK):
        return pick_declaration(one.return_type)
    if name.startswith(RULED):
        return ruled_symbols.declaration(name)
    if name.startswith(RULE_CODE):
        return ruled_symbols.code_declaration(name, len(one.arguments))
    if copies.is_declared(name):
        return copies.declaration(name)
    if orders.is_order(name):
        return orders.declaration(name)
    if (special := special_symbols.declaration(one.head, name)) is not None:
        return special
    row = INACTIVE.get(name)
    return None if row is None else _inactive(one, row)


def _barrier(one: Function) -> str:
    type_ = one.return_type
    if type_ not in _FLOATS or [given.type for given in one.arguments] != [type_]:
        return one.head
    return typed_barrier(one.ref, type_)


def _inactive(one: Function, row: Inactive) -> str:
    pointers = [given for given in one.arguments if given.type == "ptr"]
    for given in pointers if row.is_integral else ():
        given.add_attribute(_INTEGERS)
    for given in pointers[: row.reads]:
        given.add_attribute("readonly")
        given.add_attribute("nocapture")
    return f"{one.head} {row.attributes}"
