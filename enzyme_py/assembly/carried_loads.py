"""Numbers that a turn of a loop reads from its own memory for the next turn, in reverse mode.

    v = np.sin(v) + s * v[0]        LLVM reads v[0] of the new array at the end of the turn, for the next

Where the reverse sweep needs such a number again, the pass makes the memory again and reads it there. That is the
memory of the turn at hand, not of the one before: a wrong gradient without a word (MEASURED, the fuzzer
found it). So these numbers are kept, one for each turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from enzyme_py.assembly.buffers import derived
from enzyme_py.assembly.control_flow import NAME, Body

_ALLOCATION = re.compile(rf"^ *({NAME}) = .*\bcall\b.* ptr @(?:malloc|calloc|realloc)\(")
_LOAD = re.compile(rf"^ *({NAME}) = load (?:double|float|i\d+), ptr ({NAME})")
_VALUE = re.compile(NAME)


def carried_loads(lines: Sequence[str]) -> set[str]:
    """Return the loads of a function, given as its lines from the head on, whose number goes into the next turn."""
    made = [one.group(1) for line in lines if (one := _ALLOCATION.match(line))]
    body = Body.of(lines[0], list(lines[1:])) if made else None
    if body is None:
        return set()
    found = set[str]()
    for number, opcode in body.opcodes.items():
        if opcode != "phi":
            continue
        header, phi = body.block_at[number].label, _VALUE.findall(body.lines[number])[0]
        for value in body.carried(number):
            for name, pointer in _read_for(body, value, phi):
                own = (one for one in made if pointer in derived(lines, {one}))
                if any(body.dominates(header, _block(body, one)) for one in own):
                    found.add(name)
    return found


def _block(body: Body, value: str) -> str:
    return body.block_at[body.definitions[value]].label


def _read_for(body: Body, value: str, phi: str) -> list[tuple[str, str]]:
    """Return the loads, with their pointers, that a value is computed from; none if the phi goes into it.

    What goes into itself, such as a sum, the pass keeps.
    """
    loads, seen, pending = list[tuple[str, str]](), set[str](), [value]
    while pending:
        one = pending.pop()
        place = body.definitions.get(one)
        if place is None or one in seen:
            continue
        seen.add(one)
        line, block = body.lines[place], body.block_at[place]
        if load := _LOAD.match(line):
            loads.append((load.group(1), load.group(2)))
        elif body.opcodes[place] != "phi":
            pending += _VALUE.findall(line.split(" = ", 1)[1])
        elif not any(body.dominates(block.label, way) for way in block.predecessors):
            pending += [given for given, _ in body.incoming(place)]
    return [] if phi in seen else loads
