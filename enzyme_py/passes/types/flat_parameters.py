"""Tapes are handed to functions field by field, not all in a struct.

    define internal fastcc void @diffef(ptr %"x'", { ptr, ptr, double } %tapeArg)

Symptom: reverse over reverse of `x[i] * product(x, i + 1)` lost half of its mixed second derivatives, without a word (measured).

Cause: a function that is not inlined, nearly always one that calls itself, gets what its derivative cached in a
struct by value. Differentiated once more, a struct with a pointer among its fields is given with a shadow, and that by value:
what is added to the slope of its double goes nowhere.

Cure: a parameter for each field. The double is a number like any other then.

    define internal fastcc void @diffef(ptr %"x'", ptr %t.0, ptr %t.1, double %t.2)

The struct is put together again where the function begins, and taken apart in front of each call. In one run of Enzyme there is
nothing between two derivatives that could be mended, so reverse over reverse of what stays a call is taken in steps
(passes/steps.py), and refused where steps are (checks/recursive_calls.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from enzyme_py.llvm import Argument, Builder, Call, Function, Value
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.analyses.callers import all_calls_of
from enzyme_py.passes.base import Draft, Pass


class _Field(NamedTuple):
    """A scalar in a struct: its type, and the path to it."""

    type: str
    path: str


class FlatParameters(Pass):
    """Parameters that are scalars, for all functions that nobody outside of the module calls."""

    name = "flat parameters"

    def run(self, draft: Draft) -> None:
        """Make all parameters of all such functions scalars."""
        code = draft.code
        for function in code.functions:
            if function.linkage == "internal" and any(map(_is_record, function.arguments)):
                calls = all_calls_of(function)
                if calls is not None:
                    _flatten(function, calls)


def _flatten(function: Function, calls: list[Call]) -> None:
    given = list(function.arguments)
    fields = [list(_fields(one.type)) if _is_record(one) else None for one in given]
    for call in calls:
        _flatten_call(call, fields)
    wanted = list[Argument | tuple[str, str]]()
    for one, inner in zip(given, fields, strict=True):
        names = (f"{one.name}.{number}" for number in range(len(inner or ())))
        wanted += [one] if inner is None else [(field.type, next(names)) for field in inner]
    made = iter(function.set_arguments(wanted))
    at = Builder.at_start(function.entry)
    for one, inner in zip(given, fields, strict=True):
        if inner is None:
            next(made)
        else:
            one.replace_all_uses_with(_put_together(at, one, inner, made))


def _put_together(
    at: Builder, record: Argument, fields: list[_Field], given: Iterator[Argument]
) -> Value:
    """Make a struct of parameters, which has the name of the one that it stands for."""
    whole: Value = at.constant(record.type, "poison")
    for number, field in enumerate(fields):
        last = number == len(fields) - 1
        name = record.name if last and not record.is_numbered else f"{record.name}.in.{number}"
        one = next(given)
        text = f"insertvalue {record.type} {whole.ref}, {one.type} {one.ref}, {field.path}"
        whole = at.parse(f'%"{name}" = {text}')
    return whole


def _flatten_call(call: Call, fields: list[list[_Field] | None]) -> None:
    at = Builder(call)
    flat, said = list[Value](), list[list[str]]()
    for index, (one, inner) in enumerate(zip(call.arguments, fields, strict=True)):
        if inner is None:
            flat.append(one)
            said.append(call.argument_attributes(index))
            continue
        for number, field in enumerate(inner):
            name = f"field.{index}.{number}"
            flat.append(at.parse(f'%"{name}" = extractvalue {one.type} {one.ref}, {field.path}'))
            said.append([])
    call.set_arguments(flat, said)


def _is_record(one: Argument) -> bool:
    """Tell whether a parameter is a struct or an array with fields."""
    return one.type[0] in "{[" and any(True for _ in _fields(one.type))


def _fields(type_: str) -> Iterator[_Field]:
    """Yield the scalars of a type, those of structs and arrays inside of it in their place."""
    for leaf, path in kinds.leaves(type_):
        yield _Field(leaf, ", ".join(map(str, path)))
