"""Derivatives of derivatives in steps: the innermost first, the others in a run of the pass of their own.

In one run the pass differentiates what it has just made, as it made it. There its own caches are loads of
unknown type: an index that it kept (`while`, the minimum of an array in Fortran's order) could be a float's bits,
and it refuses arithmetic with them. Between two runs the text is ours: what is loaded and then multiplied or
added as an integer gets a tag that says so.

    call void @__enzyme_fwddiff(ptr @along, ...)      ->   call void @enzyme_py_later.fwddiff(ptr @along, ...)

Used where a module is refused in one run. `postponed` gives the module for the first run, `resumed` the one for
the next.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.control_flow import Body, rewritten
from enzyme_py.assembly.counted_loads import LOAD
from enzyme_py.assembly.flat_parameters import with_flat_parameters
from enzyme_py.assembly.ir_text import values_in
from enzyme_py.assembly.kept import KEPT
from enzyme_py.assembly.requests import Requests
from enzyme_py.assembly.typed_accesses import INTEGER_TAG
from enzyme_py.assembly.written_through import WRITTEN

_LATER = "enzyme_py_later."
_REQUEST = re.compile(r"@__enzyme_(?=\w+[\w.]*\(ptr[^@,]*@(?P<target>[^,\s)]+))")
_DECLARED = re.compile(r"^declare [^@\n]*@__enzyme_(?P<name>[\w.]+)\(.*\n?", re.MULTILINE)
# The marks of the first run (kept.py, written_through.py): the next one sets its own.
_MARK = rf"(?:{re.escape(KEPT)}|{re.escape(WRITTEN)})"
_MARKS = re.compile(
    rf"^(?:define [^\n]*@\w*{_MARK}\w*\((?:(?!^\}}).*\n)*\}}\n"
    rf"|(?:declare |  (?:tail )?call void )[^\n]*@\w*{_MARK}\w*\([^\n]*\n"
    rf"|!\d+ = !\{{ptr @{_MARK}\w*\}}\n)",
    re.MULTILINE,
)
# Only a count or an index is multiplied or indexes memory: what is added may be an address.
_COUNTED = ("mul", "shl", "sdiv", "srem", "getelementptr")
_MOVED = ("phi", "select", "freeze", "sext", "zext", "trunc", "add", "sub")
# Allocations that were variables: the next run cannot make variables of what it kept itself.
_NOTES = re.compile(r", !enzyme_(?:from|zero|cast)stack !\d+")


def postponed(ir: str) -> str | None:
    """Return the text that asks for the innermost derivatives only; None if there are no others."""
    requests = Requests(ir)
    outer = {one.target for one in requests.all() if requests.inside(one)}
    if not outer:
        return None

    def later(found: re.Match[str]) -> str:
        return f"@{_LATER}" if found["target"].strip('"') in outer else found[0]

    copies = "".join(
        found[0].rstrip().replace("@__enzyme_", f"@{_LATER}") + "\n"
        for found in _DECLARED.finditer(ir)
    )
    return f"{_REQUEST.sub(later, ir)}\n{copies}"


def resumed(ir: str) -> str:
    """Return the text that asks for what was postponed, and says which loads are integers."""
    there = {found["name"] for found in _DECLARED.finditer(ir)}
    lines = [
        line
        for line in _NOTES.sub("", _MARKS.sub("", ir)).split("\n")
        if line[:7] != "declare" or not any(f"@{_LATER}{name}(" in line for name in there)
    ]
    text = with_flat_parameters("\n".join(lines).replace(f"@{_LATER}", "@__enzyme_"))
    return rewritten(text, _tagged)


def _tagged(head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, lines)
    if body is None:
        return text
    pending = [
        value
        for number, opcode in body.opcodes.items()
        if opcode in _COUNTED
        for value in values_in(lines[number].split(" = ", 1)[1])
    ]
    seen = set[str]()
    while pending:
        value = pending.pop()
        place = body.definitions.get(value)
        if value in seen or place is None:
            continue
        seen.add(value)
        if body.opcodes[place] in _MOVED:
            pending += values_in(lines[place].split(" = ", 1)[1])
    return "\n".join(
        f"{line}, !tbaa {INTEGER_TAG}"
        if LOAD.match(line) and line[2:].split(" = ", 1)[0] in seen
        else line
        for line in lines
    )
