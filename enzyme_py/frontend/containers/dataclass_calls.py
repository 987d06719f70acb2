"""Dataclasses in kernels: calling one makes the named tuple that stands for it (foundations/trees.py).

    state = State(position=x, speed=v)        ->        the tuple, whose parts are read by name

    dataclasses.replace(state, time=t)        ->        another such tuple; also `point._replace(x=1.0)` of a named tuple

Numba has no type for them. Whatever a dataclass does beyond holding its fields is left out: one with a `__post_init__`, or an
`__init__` of its own, stays what Numba refuses; so does writing to a field.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from numba.core import ir, types
from numba.core.ir_utils import mk_unique_var
from numba.extending import overload

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.trees import Structure, tuple_class


def class_of_tuples(kind: type) -> Any:
    """Return the Numba type of what stands for a dataclass in kernels; None for all else, and where its code decides."""
    is_known = dataclasses.is_dataclass(kind) and not code_of_its_own(kind)
    return types.NamedTupleClass(_tuples_of(kind)) if is_known else None


def code_of_its_own(kind: Any) -> str:
    """Return what a dataclass does with its arguments beyond holding them, in words; empty if nothing."""
    if hasattr(kind, "__post_init__"):
        return "a __post_init__"
    if not kind.__dataclass_params__.init:
        return "an __init__ of its own"
    return "" if all(one.init for one in dataclasses.fields(kind)) else "fields that its __init__ does not take"


def _tuples_of(kind: type) -> Any:
    return tuple_class(Structure(kind, tuple(one.name for one in dataclasses.fields(kind))))


def name_tuples(func_ir: Any) -> bool:
    """Write the classes of named tuples in the place of dataclasses, for a target that knows no dataclasses."""
    named = [
        statement.value
        for block in func_ir.blocks.values()
        for statement in block.find_insts(ir.Assign)
        if isinstance(statement.value, (ir.Global, ir.FreeVar)) and is_made(statement.value.value)
    ]
    for one in named:
        one.value = _tuples_of(one.value)
    return bool(named)


def is_made(value: Any) -> bool:
    """Tell whether a value is a dataclass that kernels make."""
    return isinstance(value, type) and class_of_tuples(value) is not None


def write_replacements(func_ir: Any) -> bool:
    """Write calls without keywords for replacements, `replaced(state, "time", (t,))`: Numba's overloads know no `**changes`."""
    is_changed = False
    for block in func_ir.blocks.values():
        for statement in list(block.find_insts(ir.Assign)):
            whole = _of_which_parts_change(func_ir, statement.value)
            if whole is None:
                continue
            loc, scope, changes = statement.loc, statement.target.scope, dict(statement.value.kws)
            _define(func_ir, statement.value.func, ir.Global("replaced", replaced, loc))
            given = [ir.Const(",".join(changes), loc), ir.Expr.build_tuple([*changes.values()], loc)]
            made = [ir.Var(scope, mk_unique_var("$replaced"), loc) for _ in given]
            place = block.body.index(statement)
            block.body[place:place] = [ir.Assign(value, one, loc) for value, one in zip(given, made, strict=True)]
            func_ir._definitions.update({one.name: [value] for value, one in zip(given, made, strict=True)})
            statement.value = ir.Expr.call(statement.value.func, [whole, *made], (), loc)
            func_ir._definitions[statement.target.name] = [statement.value]
            is_changed = True
    return is_changed


def _define(func_ir: Any, variable: ir.Var, value: Any) -> None:
    """Write another value where a variable gets its only one."""
    for block in func_ir.blocks.values():
        for statement in block.find_insts(ir.Assign):
            if statement.target.name == variable.name:
                statement.value = value
    func_ir._definitions[variable.name] = [value]


def _of_which_parts_change(func_ir: Any, value: Any) -> ir.Var | None:
    """Return the variable of which a call makes another one with other parts, None for other calls."""
    if not isinstance(value, ir.Expr) or value.op != "call" or value.vararg is not None or not value.kws:
        return None
    if constant(func_ir, value.func) is dataclasses.replace or _attribute(func_ir, value.func) == (dataclasses, "replace"):
        return value.args[0] if len(value.args) == 1 else None
    whole, name = _attribute(func_ir, value.func)
    return whole if name == "_replace" and isinstance(whole, ir.Var) and not value.args else None


def _attribute(func_ir: Any, variable: ir.Var) -> tuple[Any, str]:
    """Return of what a variable is an attribute, a module if that is known, and its name."""
    try:
        found = func_ir.get_definition(variable)
    except KeyError:
        return None, ""
    if not isinstance(found, ir.Expr) or found.op != "getattr":
        return None, ""
    return constant(func_ir, found.value) or found.value, found.attr


def replaced(whole: Any, names: str, parts: Any) -> Any:
    """Stand for a named tuple with some parts replaced, in compiled code."""


@overload(replaced, strict=False, prefer_literal=True)
def _replaced(whole: Any, names: Any, parts: Any) -> Any:
    if not isinstance(whole, types.BaseNamedTuple):
        return None
    changed = names.literal_value.split(",")
    unknown = [one for one in changed if one not in whole.fields]
    if unknown:
        message = f"a kernel replaces `{unknown[0]}`, and there is {', '.join(whole.fields)}"
        raise UnsupportedTypeError(message, remedy="name the fields that are there")
    given = ", ".join(f"parts[{changed.index(one)}]" if one in changed else f"whole.{one}" for one in whole.fields)
    scope = {"kind": whole.instance_class, "__name__": __name__}
    return eval(f"lambda whole, names, parts: kind({given})", scope)  # noqa: S307  (made of the names of fields)


def write_defaults(func_ir: Any) -> bool:
    """Write the defaults of dataclasses where these are called: Numba gives a part left out a type of its own."""
    is_changed = False
    for block in func_ir.blocks.values():
        for statement in list(block.find_insts(ir.Assign)):
            for field in _missing_fields(func_ir, statement.value):
                loc, value = statement.loc, ir.Const(field.default, statement.loc)
                default = ir.Var(statement.target.scope, mk_unique_var("$default"), loc)
                block.body.insert(block.body.index(statement), ir.Assign(value, default, loc))
                func_ir._definitions[default.name] = [value]
                statement.value.kws = (*statement.value.kws, (field.name, default))
                is_changed = True
    return is_changed


def _missing_fields(func_ir: Any, value: Any) -> list[dataclasses.Field[Any]]:
    if not isinstance(value, ir.Expr) or value.op != "call" or value.vararg is not None:
        return []
    kind = constant(func_ir, value.func)
    if not is_made(kind):
        return []
    given = {name for name, _ in value.kws}
    rest = dataclasses.fields(kind)[len(value.args) :]
    missing = [one for one in rest if one.name not in given]
    return [one for one in missing if one.default is not dataclasses.MISSING]


def constant(func_ir: Any, variable: ir.Var) -> Any:
    """Return the value of Python that a variable has in all calls, or None."""
    try:
        found = func_ir.get_definition(variable)
    except KeyError:  # by several assignments
        return None
    return found.value if isinstance(found, (ir.Const, ir.Global, ir.FreeVar)) else None
