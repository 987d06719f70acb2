"""Reads of the parts of parallel loops that last until the reverse sweep: they are read once more there, and kept nowhere.

Symptom: a tape that plain loops do not have. A gradient that gathers two million numbers out of a thousand kept all two million, and
took five times as long on one thread as with plain loops.

Cause: a part is a function, and of what its parameters point to Enzyme asks its callers. Memory that the kernel has made itself, a
copy for the parts say, its caller may overwrite as far as Enzyme knows, unless it is freed before the kernel returns. Nothing is, here.

Cure: what a part reads of a parameter is marked (`enzyme_nocache`, see lasting_reads.py) where it is shown that it lasts. No part
writes but to memory that no other parameter is, or that it made itself; and in each kernel that calls the driver nothing behind the
call writes to that argument. As there, done for kernels that are differentiated in one piece, and not in reverse again.
"""

from __future__ import annotations

from enzyme_py.llvm import Argument, Call, Function, Load, Module
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.overwriting.lasting_reads import LASTS
from enzyme_py.passes.memory.overwriting.written_behind import WrittenBehind, alone, is_only_read
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.symbols import CHUNK, DRIVER


class ReadsOfParts(Pass):
    """Mark reads of what is not written again, in the parts of parallel loops."""

    name = "reads of parts"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode of parallel loops."""
        return has_reverse(draft.code) and any(DRIVER in one.name for one in draft.code.functions)

    def run(self, draft: Draft) -> None:
        """Mark them."""
        code = draft.code
        single = alone(code)
        if not single:
            return
        for driver in [one for one in code.functions if DRIVER in one.name]:
            chunks = [call for call in driver.calls if CHUNK in call.callee]
            if len(chunks) == 1:
                _mark(code, driver, chunks[0], single)


def _mark(code: Module, driver: Function, call: Call, single: set[str]) -> None:
    chunk = call.target
    calls = [(other, one) for other in code.functions for one in other.calls if one.callee == driver.name]
    if not isinstance(chunk, Function) or not calls or not _writes_to_its_own(chunk):
        return
    if not all(caller.name in single for caller, _ in calls):
        return
    given = dict(zip(chunk.arguments, call.arguments, strict=True))
    places = {one: place for place, one in enumerate(driver.arguments)}
    addresses = chunk.analysis(Addresses)
    lasts = dict[Argument, bool]()
    for load in [one for one in chunk.instructions if isinstance(one, Load) and not one.is_atomic]:
        base = addresses.of(load.pointer).base
        if not isinstance(base, Argument) or not is_only_read(base) or given[base] not in places:
            continue
        if base not in lasts:
            place = places[given[base]]  # type: ignore[index]
            lasts[base] = all(_lasts(caller, one, place, single) for caller, one in calls)
        if lasts[base]:
            load.set_metadata(LASTS, code.node("!{}"))


def _writes_to_its_own(chunk: Function) -> bool:
    """Tell whether a part writes but to parameters that no other one is, and to what it has made."""
    behind = WrittenBehind(chunk, ())
    return all(behind.is_apart(target) for _, target in behind.all())


def _lasts(caller: Function, call: Call, place: int, single: set[str]) -> bool:
    """Tell whether nothing behind a call of a driver writes to one of its arguments, which it only reads."""
    base = caller.analysis(Addresses).of(call.arguments[place]).base
    return not WrittenBehind(caller, single).may(call, base, [call])
