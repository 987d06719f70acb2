"""Writing through pointers that were loaded from memory or chosen among others.

    rows = [x * x, x * s]
    rows[i][0] = 0.5

An array in a list is a pointer in the list's memory. Where it is only written through, by what has no derivative, the pass
finds nothing active in the list: it takes the pointer for constant, and does not clear the adjoint of what
was overwritten. A wrong gradient without a word (MEASURED: lists, dicts, tuples, nested lists, `u if n == 3 else w`;
in first orders where LLVM does not see which array it is, in second orders more often).

So in front of such a write stands a mark, a call that seems to use the address:

    call void @enzyme_py_hint.written(ptr %q)
    store double 5.000000e-01, ptr %q

To the pass that is a function of active memory, so the pointer has a shadow, and what holds it has one. Its rule makes marks of
the shadow, in both sweeps, so that a derivative of the derivative finds those marked too. They stand beside the
write, and not where the pointer is made, since the reverse sweep makes it again for each block that needs it.
A pointer that is only chosen among known ones needs that in derivatives of derivatives alone, where the inner reverse sweep
finds its shadow in a cache; else it has no mark, which would cost the memory of a pointer in each turn.
Rules know one shadow; in modules with requests of several the mark has a body instead, which the pass
differentiates itself. The native stage drops the marks.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.addresses import FILL
from enzyme_py.assembly.control_flow import NAME, rewritten, with_inserted
from enzyme_py.assembly.ir_text import Function
from enzyme_py.assembly.kept import ruled
from enzyme_py.assembly.pointer_origins import origins
from enzyme_py.assembly.requests import Requests
from enzyme_py.frontend.type_hints import HINT, HINT_ATTRIBUTES

WRITTEN = f"{HINT}.written"

_RULED = "\n" + ruled(WRITTEN, in_reverse=f"  call void @{WRITTEN}(ptr %shadow)\n")
_DEFINED = f"""
declare void @{WRITTEN}_to(ptr) {HINT_ATTRIBUTES}
define internal void @{WRITTEN}(ptr %pointer) noinline nounwind willreturn nofree nosync {{
  call void @{WRITTEN}_to(ptr %pointer)
  ret void
}}
"""
_STORE = re.compile(
    rf"^  store (?:double|float|half|<\d+ x (?:double|float|half)>) .*, ptr ({NAME})(?=,|$)"
)
_INDIRECT = re.compile(r" = load ptr,| = phi ptr | = select i1 | = extractvalue ")
_FOUND = re.compile(r"load ptr,|extractvalue |(?:tail )?call (?!.*@(?:malloc|calloc)\()")
_NOTHING = ("null", "undef", "poison")


def with_marked_writes(ir: str) -> str:
    """Return the text in which such pointers are marked."""
    if f"@{WRITTEN}(" in ir:
        return ir
    requests = Requests(ir)
    is_nested = any(requests.inside(one) for one in requests.all())
    # In all functions: what rules are made of is called by none, and differentiated in higher orders.
    text = rewritten(ir, lambda _, text: _changed(text, is_nested))
    if text == ir:
        return ir
    is_single = all(one.width == 1 for one in requests.all())
    return text + (_RULED if is_single else _DEFINED)


def _changed(text: str, is_nested: bool) -> str:
    if _INDIRECT.search(text) is None:
        return text
    lines = text.split("\n")
    function = Function("", "", lines)
    made = dict[int, list[str]]()
    for number, line in enumerate(lines):
        write = _STORE.match(line) or FILL.search(line)
        starts = _starts(function, write[1]) if write is not None else set()
        is_chosen = is_nested and len(starts) > 1
        if write is not None and (is_chosen or any(_is_found(function, one) for one in starts)):
            made[number] = [f"  call void @{WRITTEN}(ptr {write[1]})"]
    return with_inserted(lines, made) if made else text


def _starts(function: Function, pointer: str) -> set[str]:
    return set(origins(function, pointer)).difference(_NOTHING)


def _is_found(function: Function, start: str) -> bool:
    """Tell whether a pointer comes from memory, or is a result."""
    return _FOUND.match(function.definitions.get(start, "")) is not None
