"""Blocks of floats that are copied are copied number by number, where a derivative fills one with zeros.

Symptom: reverse over forward is refused ("what memory holds is not known where a derivative fills it with zeros") where a
kernel copies a Const array and reads the copy by an index that is read itself: `v = x.copy()`, then `v[columns[p]]`.

Cause: a block copied from what has no tangent is, in the shadow, a block of zeros, filled at once. What it holds nobody says
there: neither is that block's type told by the hint at the copy, nor by who reads it at a place that is not known.

Cure: loops that load and store doubles say it themselves. They are slower than a block's copy, so this is tried behind that
refusal only.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme_py.llvm import Builder, Call, Function, Value
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.symbols import HINT

_MOVES = ("llvm.memcpy.", "llvm.memmove.")
_FLOATS = {f"{HINT}.Float.double": ("double", 8), f"{HINT}.Float.float": ("float", 4)}


class TypedMoves(Pass):
    """Loops in place of copies of blocks that hints say to hold floats."""

    name = "typed moves"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module copies blocks, and says of any that it holds floats."""
        names = [one.name for one in draft.code.declarations]
        return any(one.startswith(_MOVES) for one in names) and any(one in _FLOATS for one in names)

    def run(self, draft: Draft) -> None:
        """Write such loops."""
        for function in draft.code.functions:
            known = _told(function) if function.mentions(HINT) else {}
            for call in list(function.calls) if known else ():
                kind = _kind_of(call, known)
                if kind is not None:
                    _write_loop(call, *kind)


def _told(function: Function) -> dict[Value, tuple[str, int]]:
    """Return the pointers of which a hint says that they lead to floats, with the type and size of these."""
    return {
        call.arguments[0]: _FLOATS[call.callee]
        for call in function.calls
        if call.callee in _FLOATS
    }


def _kind_of(call: Call, known: dict[Value, tuple[str, int]]) -> tuple[str, int] | None:
    """Return what a copy moves; nothing if it is no copy of a block that cannot overlap, or moves who knows what."""
    if not call.callee.startswith(_MOVES[0]):
        return None
    to, source, _, is_volatile = call.arguments
    found = {known[one] for one in (to, source) if one in known}
    return found.pop() if len(found) == 1 and is_volatile.ref == "false" else None


def _write_loop(call: Call, kind: str, size: int) -> None:
    """Put a loop over all numbers in place of a copy; the block has nothing else."""
    to, source, _, _ = call.arguments

    def move(at: Builder, place: Value) -> None:
        number = at.load(kind, at.gep(kind, source, [place]), "number", align=size)
        at.store(number, at.gep(kind, to, [place]), align=size)

    write_loop(call, size, move)


def write_loop(call: Call, size: int, write: Callable[[Builder, Value], None]) -> None:
    """Put a loop in place of what clears or copies a block, over parts of so many bytes; it is given the number of each."""
    length = call.arguments[-2]
    before = call.home
    after = before.split(call, f"{before.name}.moved")
    loop = call.function.add_block(f"{before.name}.move", before=after)
    before.terminator.erase()
    at = Builder.at_end(before)
    count = at.arithmetic("udiv", length, size, "numbers")
    at.branch_if(at.compare("eq", count, 0, "none"), after, loop)
    at = Builder.at_end(loop)
    place = at.phi(length.type, [(0, before)], "place")
    write(at, place)
    following = at.arithmetic("add", place, 1, "following", flags="nuw nsw")
    place.add_incoming(following, loop)
    at.branch_if(at.compare("eq", following, count, "all"), after, loop)
    call.erase()
