"""Inlining functions that return arrays which their callers write to.

Where LLVM leaves a function alone (a dict's lookup, called twice), its result comes back in a variable of the caller, and the
pointer to the numbers is loaded from there. If only constants are written through that pointer (`d[0][1] = 1.0`), the pass
takes the variable for constant: the adjoint of what was there is not cleared, and the gradient keeps it without a
word (MEASURED). Inlined, the pointer is the array's own. What calls itself cannot be, and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from enzyme_py.assembly.control_flow import Body, rewritten
from enzyme_py.assembly.inlining import reached
from enzyme_py.assembly.ir_text import functions_in, values_in
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.names import readable
from enzyme_py.errors import DerivativeError

_CALLED = re.compile(
    r"\bcall\b[^@\n]*@(?P<name>\"[^\"]*\"|[-\w$.]+)\(ptr (?:[a-z_]+(?:\([^()]*\))? )*(?P<place>%[-\w$.\"]+)"
)
_DEFINED = re.compile(r"^(define internal [^@\n]*@(\"[^\"]*\"|[-\w$.]+)\(.*) \{$", re.MULTILINE)
_NOINLINE = re.compile(r"^attributes (#\d+) = \{[^\n]*\b(?:noinline|optnone)\b", re.MULTILINE)
_MOVED = ("getelementptr", "phi", "select", "freeze")


def with_written_results(module: DiffModule) -> DiffModule:
    """Return the module in which such functions ask to be inlined; itself if there are none."""
    names = _names(module.ir)
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

    def look(head: str, text: str) -> str:
        body = Body.of(head, text.split("\n"))
        found.update(_written(body) if body is not None else ())
        return text

    rewritten(ir, look)
    return found


def _written(body: Body) -> Iterator[str]:
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
        if any(_writes(body, pointer) for pointer in _derived(body, loaded)):
            yield call["name"].strip('"')


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


def _writes(body: Body, pointer: str) -> bool:
    for use in body.uses.get(pointer, ()):
        line, opcode = body.lines[use], body.opcodes.get(use)
        if opcode == "store" and values_in(line.split(", ptr ")[-1])[:1] == [pointer]:
            return True
        if opcode == "call" and "enzyme_py_hint" not in line and "@llvm.lifetime" not in line:
            return True
    return False


def _result(body: Body, number: int) -> str:
    line = body.lines[number]
    return line[2:].split(" = ", 1)[0] if " = " in line else ""


def _calling_themselves(ir: str) -> set[str]:
    calls = {one.name: {call.callee for _, call in one.calls} for one in functions_in(ir)}
    return {name for name in calls if name in reached(name, calls)}
