"""Inlining functions that return arrays which their callers write to.

Where LLVM leaves a function alone (a dict's lookup, called twice), its result comes back in a variable of the caller, and the
pointer to the numbers is loaded from there. If only constants are written through that pointer (`d[0][1] = 1.0`), the pass
takes the variable for constant: the adjoint of what was there is not cleared, and the gradient keeps it without a
word (MEASURED). Inlined, the pointer is the array's own. What calls itself cannot be, and is refused.
Functions that return arrays of their own making are left alone: what is in such an array goes through the same
variable as what is written to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from enzyme_py.assembly.control_flow import Body, rewritten
from enzyme_py.assembly.inlining import reached
from enzyme_py.assembly.ir_text import Function, call_in, functions_in, split_operands, values_in
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.names import readable
from enzyme_py.assembly.pointer_origins import origins
from enzyme_py.errors import DerivativeError

_CALLED = re.compile(
    r"\bcall\b[^@\n]*@(?P<name>\"[^\"]*\"|[-\w$.]+)\(ptr (?:[a-z_]+(?:\([^()]*\))? )*(?P<place>%[-\w$.\"]+)"
)
_DEFINED = re.compile(r"^(define internal [^@\n]*@(\"[^\"]*\"|[-\w$.]+)\(.*) \{$", re.MULTILINE)
_NOINLINE = re.compile(r"^attributes (#\d+) = \{[^\n]*\b(?:noinline|optnone)\b", re.MULTILINE)
_HEAD = re.compile(r"^(?:define|declare) [^@\n]*@(\"[^\"]*\"|[-\w$.]+)\((.*)\)[^()]*")
_STORED = re.compile(r"^ *store ptr ([^,]+), ptr ([^,\s]+)")
_KEEPS_NOTHING = ("llvm.", "enzyme_py_copy", "enzyme_py_clear", "enzyme_py_walk")
_SILENT = ("enzyme_py_hint", "llvm.lifetime")
_MOVED = ("getelementptr", "phi", "select", "freeze")


def with_written_results(module: DiffModule) -> DiffModule:
    """Return the module in which such functions ask to be inlined; itself if there are none."""
    names = _names(module.ir)
    if names:
        named = (one for one in functions_in(module.ir) if one.name in names)
        names -= {one.name for one in named if _returns_its_own(one)}
    if not names:
        return module
    for name in sorted(names & _calling_themselves(module.ir)):
        message = f"writing to an array that `{readable(name.split('.', 1)[-1])}` returns, which calls itself"
        remedy = (
            "Enzyme would differentiate this wrongly: write to a copy of what it returns, or write the "
            "function as a loop"
        )
        raise DerivativeError(message, where=module.where, remedy=remedy)
    kept = set(_NOINLINE.findall(module.ir))

    def asked(define: re.Match[str]) -> str:
        is_kept = not kept.isdisjoint(re.findall(r"#\d+", define[1])) or "inline" in define[1]
        head, line, rest = define[1].partition(" !dbg ")
        wanted = define[2].strip('"') in names and not is_kept
        return f"{head} alwaysinline{line}{rest} {{" if wanted else define[0]

    text = _DEFINED.sub(asked, module.ir)
    return module if text == module.ir else replace(module, ir=text)


def _names(ir: str) -> set[str]:
    found = set[str]()
    heads = (_HEAD.match(line) for line in ir.split("\n") if line[:2] == "de")
    readers = {one[1].strip('"'): _read_only(one[2]) for one in heads if one is not None}

    def look(head: str, text: str) -> str:
        body = Body.of(head, text.split("\n"))
        found.update(_written(body, readers) if body is not None else ())
        return text

    rewritten(ir, look)
    return found


def _read_only(parameters: str) -> set[int]:
    """Return the places of the parameters through which a function only reads."""
    return {i for i, one in enumerate(split_operands(parameters)) if " readonly " in f" {one} "}


def _written(body: Body, readers: Mapping[str, set[int]]) -> Iterator[str]:
    """Yield what leaves a result in a variable of this function, through whose pointers it writes."""
    for number, opcode in body.opcodes.items():
        call = _CALLED.search(body.lines[number]) if opcode == "call" else None
        place = body.definitions.get(call["place"]) if call else None
        if call is None or place is None or body.opcodes[place] != "alloca":
            continue
        loaded = {
            value
            for address in _derived(body, {call["place"]})
            for use in body.uses.get(address, ())
            if (value := _result(body, use)) and " = load ptr, " in body.lines[use]
        }
        if any(_writes(body, pointer, readers) for pointer in _derived(body, loaded)):
            yield call["name"].strip('"')


def _returns_its_own(function: Function) -> bool:
    """Tell whether all pointers in a function's result lead to memory that it made and told nobody else of."""
    own = {
        value
        for value, line in function.definitions.items()
        if (call := call_in(line)) is not None and call.callee in ("malloc", "calloc")
    }
    result = function.parameters[0]
    for line in function.lines:
        stored = _STORED.match(line)
        if stored is not None:
            made = set(origins(function, stored[1])) - {"null"}
            into = set(origins(function, stored[2]))
            if (result in into and not made <= own) or (made & own and not into <= own | {result}):
                return False
        call = call_in(line)
        if call is None or call.callee.startswith(_SILENT):
            continue
        given = {start for one in call.values if one[:1] == "%" for start in origins(function, one)}
        if result in given or (given & own and not call.callee.startswith(_KEEPS_NOTHING)):
            return False
    return True


def _derived(body: Body, values: set[str]) -> set[str]:
    """Return the values and all that is computed from them by moving a pointer."""
    found, pending = set[str](), list(values)
    while pending:
        value = pending.pop()
        if value in found:
            continue
        found.add(value)
        uses = (use for use in body.uses.get(value, ()) if body.opcodes.get(use) in _MOVED)
        pending.extend(filter(None, (_result(body, use) for use in uses)))
    return found


def _writes(body: Body, pointer: str, readers: Mapping[str, set[int]]) -> bool:
    for use in body.uses.get(pointer, ()):
        line, opcode = body.lines[use], body.opcodes.get(use)
        if opcode == "store" and values_in(line.split(", ptr ")[-1])[:1] == [pointer]:
            return True
        call = call_in(line) if opcode == "call" else None
        if opcode == "call" and (call is None or not call.callee.startswith(_SILENT)):
            given = [] if call is None else call.values
            only_read = set() if call is None else readers.get(call.callee, set())
            if call is None or any(
                i not in only_read for i, one in enumerate(given) if one == pointer
            ):
                return True
    return False


def _result(body: Body, number: int) -> str:
    line = body.lines[number]
    return line[2:].split(" = ", 1)[0] if " = " in line else ""


def _calling_themselves(ir: str) -> set[str]:
    calls = {one.name: {call.callee for _, call in one.calls} for one in functions_in(ir)}
    return {name for name in calls if name in reached(name, calls)}
