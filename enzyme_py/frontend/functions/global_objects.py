"""Globals that are lists, dicts, dataclasses or objects, as captured variables.

Numba freezes globals, and knows no such kinds. `as_captured(code, names)` is the code with these globals as free
variables, so that they go the way of what a function captured (lifting.py): looked at in every call.

    LOAD_GLOBAL name        ->        LOAD_DEREF name

The code is only read by Numba, never run. An instruction keeps its place: what is left of it becomes NOP, so no jump and
no line changes.
"""

from __future__ import annotations

import dis
import functools
import sys
import types as pytypes
from typing import Any

from enzyme_py.foundations.keeping import handed_globals, made_of
from enzyme_py.frontend.functions.held_objects import NEVER_HELD, is_held_object

_NULL_COMES_LAST = sys.version_info >= (3, 13)


def global_objects(function: pytypes.FunctionType) -> dict[str, Any]:
    """Return the globals that a function names and that are handed over at each call.

    Of numbers and arrays these are the ones that changed since the function was first seen.
    """
    known = made_of(function, "globals")  # the hash of code takes longer than all else here
    code, names = known.get("names", (None, ()))
    if code is not function.__code__:  # a notebook that reloads puts other code into a function
        code, names = known["names"] = function.__code__, _globals_of(function.__code__)
    scope, found, handed = function.__globals__, {}, handed_globals(function)
    for name in names:
        value = scope.get(name)
        if name in handed or (type(value) not in NEVER_HELD and is_held_object(value)):
            found[name] = value
    return found


@functools.lru_cache(maxsize=4096)  # a lambda in a loop is a new function of one code
def _globals_of(code: pytypes.CodeType) -> tuple[str, ...]:
    names = {one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"}
    return tuple(sorted(names))


@functools.lru_cache(maxsize=512)
def as_captured(code: pytypes.CodeType, names: tuple[str, ...]) -> pytypes.CodeType:
    """Return the code with these globals among its free variables."""
    if not names:
        return code
    free = tuple(sorted({*code.co_freevars, *names}))
    start = len(code.co_varnames) + len(set(code.co_cellvars) - set(code.co_varnames))
    places = {name: start + number for number, name in enumerate(free)}
    if start + len(free) > 255:  # would take two instructions
        return code
    made = bytearray(code.co_code)
    instructions = list(dis.get_instructions(code))
    ends = [one.offset for one in instructions[1:]] + [len(made)]
    for number, (one, end) in enumerate(zip(instructions, ends, strict=True)):
        if one.opname == "LOAD_GLOBAL" and one.argval in names:
            load = bytes([dis.opmap["LOAD_DEREF"], places[one.argval]])
            if one.arg is not None and one.arg & 1:  # a call follows
                null = bytes([dis.opmap["PUSH_NULL"], 0])
                load = load + null if _NULL_COMES_LAST else null + load
            rest = (end - one.offset - len(load)) // 2
            made[one.offset : end] = load + bytes([dis.opmap["NOP"], 0]) * rest
            _forget_prefixes(made, instructions, number)
        elif one.opcode in dis.hasfree and one.argval in code.co_freevars:
            made[one.offset + 1] = places[one.argval]
            _forget_prefixes(made, instructions, number)
    return code.replace(co_code=bytes(made), co_freevars=free)


def _forget_prefixes(made: bytearray, instructions: list[dis.Instruction], number: int) -> None:
    """Put NOP in the place of EXTENDED_ARG before an instruction that needs it no more."""
    while number and instructions[number - 1].opname == "EXTENDED_ARG":
        number -= 1
        place = instructions[number].offset
        made[place : place + 2] = bytes([dis.opmap["NOP"], 0])
