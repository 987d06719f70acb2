"""Integers that code reads from memory to count with, and no word says so.

    order = np.argpartition(x, 2);  y[order[2]]         y is a column: the index is multiplied by a step in bytes

What memory holds the pass concludes from what is done with it. A number that is multiplied, shifted or added on its way
to an index tells it nothing, and it refuses arithmetic with what could be a float's bits. So where it has refused, each
load of an integer gets a tag that says so, if all that ever becomes of the number is an index, a comparison, or a float by
its value: bits that could come to be a float again never go there.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.control_flow import Body, rewritten
from enzyme_py.assembly.typed_accesses import INTEGER_TAG

LOAD = re.compile(r"^  \S+ = load i\d+, (?!.* !tbaa )")
# What makes another integer of one.
_PASSED_ON = re.compile(
    r"^  \S+ = (?:phi|select|freeze|[sz]ext|trunc|add|sub|mul|shl|[al]shr|and|or|xor|[su](?:div|rem)"
    r"|(?:tail )?call [^@]*@llvm\.(?:[su](?:min|max)|abs)\.)"
)
_ENDS = ("getelementptr", "icmp", "switch", "br", "sitofp", "uitofp")


def with_counted_loads(ir: str) -> str:
    """Return the text in which loads have tags whose numbers are counts and indices, and nothing else."""
    return rewritten(ir, _tagged)


def _tagged(head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, lines)
    if body is None:
        return text
    for value, place in body.definitions.items():
        if LOAD.match(lines[place]) and _is_counted(body, value):
            lines[place] += f", !tbaa {INTEGER_TAG}"
    return "\n".join(lines)


def _is_counted(body: Body, value: str) -> bool:
    """Tell whether all that becomes of a value are indices, comparisons, and floats of its size."""
    seen, pending = {value}, [value]
    while pending:
        for number in body.uses.get(pending.pop(), ()):
            line = body.lines[number]
            if _PASSED_ON.match(line):
                made = line[2:].split(" = ", 1)[0]
                if made not in seen:
                    seen.add(made)
                    pending.append(made)
            elif body.opcodes.get(number) not in _ENDS:
                return False
    return True
