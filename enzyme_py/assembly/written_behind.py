"""Whether what a line reads may be written behind it, before the function returns or afterwards.

A loop that goes on counts as behind. In doubt the answer is yes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from enzyme_py.assembly.addresses import FILL, Addresses
from enzyme_py.assembly.control_flow import NAME, Body
from enzyme_py.assembly.ir_text import call_in
from enzyme_py.assembly.pass_calls import PRIMITIVE
from enzyme_py.assembly.requests import Requests
from enzyme_py.frontend.type_hints import HINT

_STORE = re.compile(rf"^  store .*?, ptr ({NAME}|@\S+?)(?=,|$)")
_STORED = re.compile(rf"^  store ptr ({NAME}),")
_MADE = re.compile(r" = (?:alloca |(?:tail )?call [^@]*@(?:malloc|calloc)\()")
_PARAMETERS = re.compile(rf'\bptr ((?:"[^"]*"|[^,%"])*)({NAME})')
_ARGUMENTS = ("%arg.", '%"arg.')
_NAMED = re.compile(r'@("[^"]+"|[-\w$.]+)\(')
_IN_ONE_PIECE = re.compile(rf"@{PRIMITIVE}autodiff[.\d]*\(ptr[^@,]*@([^,\s)]+)")
_HARMLESS = ("llvm.", "free", "malloc", "calloc", "enzyme_py_raise", HINT)


def alone(ir: str) -> set[str] | None:
    """Return the functions behind which nothing runs before their reverse sweep: those nobody calls, asked for in one piece.

    None where derivatives are differentiated in reverse: of what the pass itself writes then, nothing is known.
    """
    if Requests(ir).under_reverse():
        return None
    whole = set(_IN_ONE_PIECE.findall(ir))
    called = set[str]()
    for line in ir.split("\n"):
        if " call " in line and f"@{PRIMITIVE}" not in line and (call := call_in(line)):
            called.add(call.callee)
    return {one for name in whole if (one := name.strip('"')) not in called}


class WrittenBehind:
    """What the lines of one function write."""

    def __init__(
        self, head: str, body: Body, addresses: Addresses, single: Collection[str] | None
    ) -> None:
        self._body = body
        self._addresses = addresses
        name = _NAMED.search(head)
        self._is_alone = name is not None and name[1].strip('"') in (single or ())
        self._is_nested = single is None
        given = _PARAMETERS.findall(head)
        self._parameters = {value for _, value in given}
        # Where the result goes is no argument, and nobody else's memory.
        self._own = {v for told, v in given if "noalias" in told or not v.startswith(_ARGUMENTS)}
        self._own |= {v for v, place in body.definitions.items() if _MADE.search(body.lines[place])}
        self._writes: list[tuple[int, str]] | None = None

    def may(self, number: int, base: str, known: Collection[int]) -> bool:
        """Tell whether what a line reads from an array may be written behind it, but for lines that are known not to."""
        is_mine = base in self._own and base not in self._parameters
        if self._is_nested or not (self._is_alone or is_mine):
            return True
        if self._writes is None:
            self._writes = list(self._all())
        block = self._body.block_at[number]
        reached = self._reached(block.label)
        return any(
            (
                place > number
                if written is block and written.label not in reached
                else written.label in reached
            )
            and self._may_be(base, target)
            for place, target in self._writes
            if place not in known
            for written in (self._body.block_at[place],)
        )

    def _all(self) -> Iterator[tuple[int, str]]:
        """Yield each line that may write, with where it writes begins; what is handed out, others may write later."""
        for number, opcode in self._body.opcodes.items():
            line = self._body.lines[number]
            found = _STORE.match(line) or FILL.search(line)
            if found is not None:
                yield number, self._addresses.of(found[1]).base
            elif (
                opcode == "call"
                and (call := call_in(line))
                and not call.callee.startswith(_HARMLESS)
            ):
                for operand, value in zip(call.operands, call.values, strict=True):
                    if operand.startswith("ptr "):
                        yield number, self._addresses.of(value).base
            if not self._is_alone and (stored := _STORED.match(line)):
                yield number, self._addresses.of(stored[1]).base

    def _reached(self, start: str) -> set[str]:
        """Return the blocks behind a block; itself, if it is in a loop."""
        seen, pending = set[str](), list(self._body.blocks[start].successors)
        while pending:
            label = pending.pop()
            if label not in seen:
                seen.add(label)
                pending += self._body.blocks[label].successors
        return seen

    def _may_be(self, base: str, other: str) -> bool:
        """Tell whether two arrays may share memory."""
        if base == other:
            return True
        apart = self._own | self._parameters
        is_known = base in self._own or other in self._own
        return not (is_known and all(one in apart or one.startswith("@") for one in (base, other)))
