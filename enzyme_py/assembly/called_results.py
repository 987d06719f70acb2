"""Variables of a loop in which a called function leaves an array: they belong to the whole function.

Inlining tells of each variable where it begins and ends (`llvm.lifetime.start`), also inside of a loop. A variable that
begins there the pass takes for made anew in each turn, and for one that the reverse sweep can fill again: it
stores again what was stored. What a call has left there it does not, and the pointer of the last turn's shadow served all
turns: a wrong gradient without a word (MEASURED: `np.outer(c, v)` in a loop, with v a part of every second
number, where a second np.outer keeps LLVM from inlining the copy that it makes). Without these marks the pass keeps what was
read from the variable.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.buffers import derived
from enzyme_py.assembly.control_flow import NAME, rewritten
from enzyme_py.assembly.ir_text import call_in
from enzyme_py.assembly.requests import has_reverse
from enzyme_py.frontend.type_hints import HINT

_VARIABLE = re.compile(rf"^  ({NAME}) = alloca [^%\n]*\bptr\b")
_MARK = re.compile(rf"^  (?:tail )?call void @llvm\.lifetime\.(?:start|end)\.p0\([^%\n]*({NAME})\)")
_SILENT = ("llvm.", HINT)


def with_lasting_results(ir: str) -> str:
    """Return the text in which no variable of pointers begins in a loop, to which a call writes."""
    if not has_reverse(ir) or "@llvm.lifetime.start" not in ir:
        return ir
    return rewritten(ir, _lasting)


def _lasting(_head: str, text: str) -> str:
    if "@llvm.lifetime.start" not in text:
        return text
    lines = text.split("\n")
    marked = {found[1] for line in lines if (found := _MARK.match(line))}
    marked &= {found[1] for line in lines if (found := _VARIABLE.match(line))}
    given = _given(lines)
    lasting = {one for one in marked if given & derived(lines, {one})}
    if not lasting:
        return text
    return "\n".join(
        line for line in lines if (found := _MARK.match(line)) is None or found[1] not in lasting
    )


def _given(lines: list[str]) -> set[str]:
    """Return what calls get that may write to it."""
    found = set[str]()
    for line in lines:
        call = call_in(line) if " call " in line else None
        if call is not None and not call.callee.startswith(_SILENT):
            found.update(
                one
                for one, text in zip(call.values, call.operands, strict=True)
                if "readonly" not in text
            )
    return found
