"""Tapes passed to functions: each field by itself, not all in a struct.

A function that is not inlined, as it calls itself, gets what its derivative kept in a struct by value:

    define internal fastcc void @diffef(ptr %"x'", { ptr, ptr, double } %tapeArg)

Differentiated once more, a struct with a pointer among its fields is given with a shadow, and by value: the slope of its
double has nowhere to go. MEASURED: `x[i] * product(x, i + 1)` in reverse over reverse lost half of its mixed second derivatives
without a word. Field by field the double is a number like any other:

    define internal fastcc void @diffef(ptr %"x'", ptr %t.0, ptr %t.1, double %t.2)

The struct is put together again in the function's first lines, and taken apart in front of each call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from enzyme_py.assembly.ir_text import balanced, call_in, split_operands

_GLOBAL = re.compile(r'@(?P<name>"[^"]*"|[-\w$.]+)\(')
_ARRAY = re.compile(r"\[(\d+) x (.*)\]")
_LABEL = re.compile(r'("[^"]*"|[-\w$.]+):')


class _Field(NamedTuple):
    """A scalar in a struct: its type, and the way to it."""

    kind: str
    path: str


def with_flat_parameters(ir: str) -> str:
    """Return the module's text in which no function of its own takes a struct by value."""
    lines = ir.split("\n")
    names = {
        _name(line) for line in lines if line.startswith("define internal ") and _takes_struct(line)
    }
    if not names:
        return ir
    prefix = "flat"
    while f'%"{prefix}.' in ir:  # of an earlier run
        prefix += "_"
    return "\n".join(_flat(lines, names, prefix))


def _flat(lines: list[str], names: set[str], prefix: str) -> Iterator[str]:
    put_together = list[str]()
    for number, line in enumerate(lines):
        if line.startswith("define internal ") and _name(line) in names:
            head, put_together = _flat_head(line, f"{prefix}.{number}")
            yield head
            continue
        if put_together and not _LABEL.match(line):
            yield from put_together
            put_together = []
        call = call_in(line) if " call " in line else None
        if call is not None and call.callee in names:
            yield from _flat_call(line, f"{prefix}.{number}")
        else:
            yield line


def _flat_head(line: str, prefix: str) -> tuple[str, list[str]]:
    """Return the head of a function with each field a parameter, and the lines that make structs of them."""
    before, parameters, behind = _parts(line)
    flat, made = list[str](), list[str]()
    for place, parameter in enumerate(parameters):
        kind = _struct(parameter)
        if not kind:
            flat.append(parameter)
            continue
        whole, fields = "poison", list(_fields(kind))
        for number, field in enumerate(fields):
            given = f'%"{prefix}.{place}.{number}"'
            flat.append(f"{field.kind} {given}")
            is_last = number == len(fields) - 1
            name = _behind(parameter, kind) if is_last else f'%"{prefix}.{place}.{number}.in"'
            made.append(
                f"  {name} = insertvalue {kind} {whole}, {field.kind} {given}, {field.path}"
            )
            whole = name
    return f"{before}{', '.join(flat)}{behind}", made


def _flat_call(line: str, prefix: str) -> Iterator[str]:
    before, operands, behind = _parts(line)
    flat = list[str]()
    for place, operand in enumerate(operands):
        kind = _struct(operand)
        if not kind:
            flat.append(operand)
            continue
        for number, field in enumerate(_fields(kind)):
            taken = f'%"{prefix}.{place}.{number}"'
            yield f"  {taken} = extractvalue {kind} {_behind(operand, kind)}, {field.path}"
            flat.append(f"{field.kind} {taken}")
    yield f"{before}{', '.join(flat)}{behind}"


def _name(line: str) -> str:
    found = _GLOBAL.search(line)
    return found["name"].strip('"') if found else ""


def _takes_struct(line: str) -> bool:
    return any(map(_struct, _parts(line)[1]))


def _parts(line: str) -> tuple[str, list[str], str]:
    """Return a line up to the bracket behind the first global name, what the brackets hold, and the rest."""
    found = _GLOBAL.search(line)
    if found is None:
        return line, [], ""
    inside = balanced(line[found.end() :])
    end = found.end() + len(inside)
    return line[: found.end()], split_operands(inside), line[end:]


def _struct(operand: str) -> str:
    """Return the type of an operand, if that is a struct or an array with fields, else nothing."""
    if operand[:1] not in ("{", "["):
        return ""
    kind = operand[: len(balanced(operand[1:])) + 2]
    return kind if any(_fields(kind)) else ""


def _behind(operand: str, kind: str) -> str:
    """Return an operand without its type; a struct may be written out there."""
    return operand[len(kind) :].strip()


def _fields(kind: str, path: tuple[int, ...] = ()) -> Iterator[_Field]:
    array = _ARRAY.fullmatch(kind)
    if array is None and kind[:1] != "{":
        yield _Field(kind, ", ".join(map(str, path)))
        return
    inner = [array[2]] * int(array[1]) if array is not None else split_operands(kind[1:-1])
    for number, one in enumerate(inner):
        yield from _fields(one, (*path, number))
