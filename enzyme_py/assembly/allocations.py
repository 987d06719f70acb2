"""Keeping Enzyme from recomputing allocations that outlive one turn of their loop.

Enzyme rematerialises allocations: instead of keeping a temporary for the reverse sweep it allocates
and computes it again there, which is most of the speed of loops with array temporaries (DESIGN 5).
It does so too where the pointer is carried into the next turn of the loop,

    v = x.copy()
    for _ in range(n):
        v = np.sin(v) * x

and then the adjoint of one turn never reaches the one before: a wrong gradient without a word
(MEASURED on v0.0.238, also without jump threading and with noreturn raises).

A second trap are buffers that change places (`old, new = new, old`). Within one turn LLVM proves the two
apart, and Enzyme concludes that what was read through `old` is never overwritten, though a later turn
writes it through `new`; the reverse sweep then reads the wrong values (MEASURED). Loads through such
pointers are marked to be kept. Calls that read them cannot be marked, and are refused, but for block copies
(`new[0, :] = 0.0`): what was copied, the reverse sweep never asks.

A third trap are shadows that are never zeroed: for an allocation that is needed in the reverse sweep Enzyme may
keep the memory after all, or just the pointer of its shadow, and forget that it meant to clear the shadow
there (MEASURED: operands of products, blocks that are copied by loops, a concatenation of a concatenation).
The shadow of what calloc made is made by calloc too; so everything is. What is cleared again for
nothing was not seen in any time (MEASURED: the loop of DESIGN 5 takes a third of what it took).

A fourth are pointers that walk through an array by nested loops, as in np.sum of a matrix: where
Enzyme cannot count such a pointer it keeps the pointers of the shadow in the forward sweep, before
there is a shadow (MEASURED: wrong gradients, and crashes).

So allocations whose pointer merges with another at a phi or select, leaves its loop through one,
walks by more than a count, or is an operand of a product, are marked (kept.py). That can be seen only in
the code that the pass really gets, after O2, whose text is what this file reads and writes. The
native stage drops the marks.

So are allocations under a branch of a loop, where reverse mode differentiates another derivative: the
inner one keeps the pointer of a recomputed block, or of its shadow, in a variable through the turns
that have none, and the outer one finds no shadow for that (MEASURED: jumps to wild addresses in
reverse over reverse, memory that was never written in reverse over forward). And so is what a loop makes
there to hold integers only: of the masks of `x[x > 0]`, computed again by the inner reverse sweep, the outer one
reads some that nobody had filled (MEASURED, where the loop also fills a list; the fuzzer found it).
A fifth are allocations that an inner loop fills with what it makes itself (`C = np.empty(...)`, then `for i: r = ...; C[i] = r`).
To compute C again the pass runs that inner loop again, but with the memory that r had in the last turn, or had nowhere:
wrong gradients without a word and segmentation faults (MEASURED, in reverse mode of the plainest kernels). Such a C is kept.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from enzyme_py.assembly.buffers import derived, used
from enzyme_py.assembly.carried_loads import carried_loads
from enzyme_py.assembly.ir_text import call_in, free_metadata_number
from enzyme_py.assembly.kept import KEPT, with_mark
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.names import readable
from enzyme_py.assembly.natural_loops import Flow
from enzyme_py.assembly.nesting import under_reverse
from enzyme_py.errors import DerivativeError, Where
from enzyme_py.frontend.type_hints import HINT
from enzyme_py.rules.copies import is_body

_CALLOC = re.compile(r"^declare .*@calloc\(", re.MULTILINE)
_CALLOC_DECLARATION = (
    "declare noalias ptr @calloc(i64, i64) "
    'allockind("alloc,zeroed") allocsize(0,1) "alloc-family"="malloc"'
)
_VALUE = r'%(?:"[^"]+"|[-a-zA-Z$._0-9]+)'
_MADE = re.compile(rf"^ *({_VALUE}) = .*\bcall\b.* ptr @malloc\(")
_ALLOCATION = re.compile(rf"^ *({_VALUE}) = .*\bcall\b.* ptr @(?:malloc|calloc|realloc)\(")
_GIVEN = r"(?:[^()]|\([^()]*\))*"  # with attributes like range(i64 0, 9)
_ARGUMENTS = re.compile(rf"(@(?:malloc|calloc|realloc)\({_GIVEN}\))")
_MALLOC = re.compile(rf"@malloc\(({_GIVEN})\)")
_OFFSET = re.compile(rf"^ *({_VALUE}) = getelementptr .*?, ptr ({_VALUE})")
_PHI = re.compile(rf"^ *({_VALUE}) = phi ptr (.*)$")
_INCOMING = re.compile(r"\[ ([^,]+), ")
_LOAD = re.compile(rf"^ *({_VALUE}) = load [^,]+, ptr ({_VALUE})")
_STORED = re.compile(r"^ *store (?:volatile )?(\w+|<[^>]*>) ")
_CALL = re.compile(r'^ *(?:%\S+ = )?(?:tail |musttail )?call [^@]*@"?([-a-zA-Z$._0-9]+)"?\((.*)')
_NAME = re.compile(r'@("[^"]+"|[-a-zA-Z$._0-9]+)\(')
_HARMLESS = ("llvm.", HINT, "free", "enzyme_py_raise")
_SELECT = re.compile(rf"^ *({_VALUE}) = select i1 [^,]+, ptr ([^,]+), ptr ([^,]+)")


def allocates(ir: str) -> bool:
    """Tell whether a module can contain an allocation at all."""
    return "@malloc(" in ir


def protect_carried(module: DiffModule) -> DiffModule:
    """Return the module with every allocation and load marked that must be kept."""
    lines = module.ir.split("\n")
    keep = f"!{free_metadata_number(lines)}"
    nested = under_reverse(module.ir)
    result: list[str] = []
    for function in _pieces(lines):
        pointers = Pointers(function)
        exchanged = pointers.exchanged()
        _check_calls(function, exchanged, module.where)
        made = _Made(function)
        kept = pointers.carried() | set(made.leaving()) | set(made.filled_from_inside())
        if _name_of(function) in nested:
            kept |= set(made.conditional()) | set(made.of_integers())
        zeroed = _allocated(function)
        result.extend(_marked(function, kept, zeroed, exchanged, keep))
    text = "\n".join(result)
    if "@calloc(" in text and not _CALLOC.search(text):
        text += f"\n{_CALLOC_DECLARATION}"
    if f"!enzyme_mustcache {keep}" in text:
        text += f"\n{keep} = !{{}}\n"
    return with_mark(replace(module, ir=text))


def _name_of(piece: list[str]) -> str:
    """Return the name of the function that a piece of a module ends with."""
    head = next((line for line in piece if line.startswith("define ")), "")
    found = _NAME.search(head)
    return found.group(1).strip('"') if found else ""


def _allocated(piece: list[str]) -> set[str]:
    """Return what malloc makes in a function."""
    return {found.group(1) for line in piece if (found := _MADE.match(line))}


class _Made:
    """What one function allocates, where, and how it uses that."""

    def __init__(self, piece: list[str]) -> None:
        heads = (number for number, line in enumerate(piece) if line.startswith("define "))
        start = next(heads, len(piece))
        self._lines = piece[start:]
        found = ((place, _ALLOCATION.match(line)) for place, line in enumerate(self._lines))
        self._places = {one.group(1): place for place, one in found if one is not None}

    @cached_property
    def _flow(self) -> Flow:
        return Flow(self._lines)

    @cached_property
    def _turns(self) -> dict[str, frozenset[str]]:
        """What a loop allocates, with the blocks of the innermost one around it."""
        turns = {name: self._flow.turn_of(place) for name, place in self._places.items()}
        return {name: turn for name, turn in turns.items() if turn}

    def leaving(self) -> Iterator[str]:
        """Yield the allocations of a loop that are used behind it, where no phi hands them out."""
        for name, turn in self._turns.items():
            places = (place for place, _ in used(self._lines, derived(self._lines, {name})))
            if any(self._flow.block_of(place) not in turn for place in places):
                yield name

    def filled_from_inside(self) -> Iterator[str]:
        """Yield the allocations of a loop that are written in a loop inside of it that allocates, too."""
        for name, turn in self._turns.items():
            inside = [one for one in self._turns.values() if one < turn]
            known = derived(self._lines, {name}) if inside else set[str]()
            written = {
                self._flow.block_of(place)
                for place, line in used(self._lines, known)
                if not _only_reads(line, known)
            }
            if any(not one.isdisjoint(written) for one in inside):
                yield name

    def conditional(self) -> Iterator[str]:
        """Yield the allocations that some turn of the innermost loop around them does without."""
        for name, place in self._places.items():
            if not self._flow.runs_in_each_turn(place):
                yield name

    def of_integers(self) -> Iterator[str]:
        """Yield the allocations of a loop into which the function itself stores, and only integers."""
        for name in self._turns:
            uses = (one for _, one in used(self._lines, derived(self._lines, {name})))
            kinds = {store.group(1) for one in uses if (store := _STORED.match(one))}
            if kinds and all(kind.startswith("i") for kind in kinds):
                yield name


def _only_reads(line: str, known: set[str]) -> bool:
    """Tell whether a line that uses pointers does not write where they lead."""
    if _LOAD.match(line) or _OFFSET.match(line) or " = icmp " in line:
        return True
    call = call_in(line)
    if call is None:
        return False
    is_silent = call.callee.startswith(_HARMLESS[1:]) or call.callee.startswith("llvm.lifetime.")
    return is_silent or (is_body(call.callee) and call.values[0] not in known)


def _marked(
    function: list[str], kept: set[str], zeroed: set[str], exchanged: set[str], keep: str
) -> Iterator[str]:
    start = next((place for place, line in enumerate(function) if line.startswith("define ")), None)
    handed = set[str]() if start is None else carried_loads(function[start:])
    for line in function:
        load = _LOAD.match(line)
        if load and (load.group(2) in exchanged or load.group(1) in handed):
            yield f"{line}, !enzyme_mustcache {keep}"
            continue
        allocation = _ALLOCATION.match(line)
        if allocation is None or allocation.group(1) not in kept | zeroed:
            yield line
        elif allocation.group(1) not in kept:
            yield _MALLOC.sub(r"@calloc(i64 1, \1)", line, count=1)
        else:
            # Zeros that are never written look constant, but where they merge with active memory
            # (`t = zeros if n == 0 else A @ B`) they need a shadow as that has.
            # The shadow must begin as zeros, also where only constants are stored.
            cleared = _MALLOC.sub(r"@calloc(i64 1, \1)", line, count=1)
            yield _ARGUMENTS.sub(r'\1 "enzyme_active_val"', cleared, count=1)
            yield f"  call void @{KEPT}(ptr {allocation.group(1)})"


def _check_calls(function: list[str], exchanged: set[str], where: Where) -> None:
    for line in function if exchanged else ():
        call = _CALL.match(line)
        if call is None or call.group(1).startswith(_HARMLESS) or is_body(call.group(1)):
            continue
        if exchanged.intersection(re.findall(_VALUE, call.group(2))):
            raise _refusal(call.group(1), where)


def _refusal(callee: str, where: Where) -> DerivativeError:
    message = f"buffers that change places in a loop are read by a call (`{readable(callee)}`)"
    remedy = (
        "Enzyme would differentiate this wrongly: copy instead of exchanging "
        "(old[...] = new), or make a new array in each turn"
    )
    return DerivativeError(message, where=where, remedy=remedy)


def _pieces(lines: list[str]) -> Iterator[list[str]]:
    """Split a module at the ends of its functions."""
    piece: list[str] = []
    for line in lines:
        piece.append(line)
        if line == "}":
            yield piece
            piece = []
    yield piece


class Pointers:
    """The pointers of one function: which choose between others, and where each can come from."""

    def __init__(self, function: list[str]) -> None:
        self._roots = {match.group(1) for line in function if (match := _ALLOCATION.match(line))}
        head = next((line for line in function if line.startswith("define ")), "")
        self._parameters = set(re.findall(_VALUE, head))
        self._sources = dict(_sources(function)) if self._roots else {}
        self._origins = self._find_origins()
        self._blocks = _phis_by_block(function) if self._roots else []

    def carried(self) -> set[str]:
        """Return the allocations whose pointers merge with others, or leave their loop."""
        found: set[str] = set()
        for name, (is_merge, given) in self._sources.items():
            own = self._origins[name]
            if is_merge and (len(own) > 1 or len(given) == 1 or not self._is_counted(name, given)):
                found |= own & self._roots
        return found

    def _is_counted(self, name: str, given: list[str]) -> bool:
        """Tell whether a phi is a start that each turn of its loop moves on by offsets only."""
        return len({one for one in given if not self._is_offset(one, name)}) == 1

    def _is_offset(self, pointer: str, base: str) -> bool:
        while pointer != base:
            is_merge, given = self._sources.get(pointer, (True, []))
            if is_merge:
                return False
            pointer = given[0]
        return True

    @property
    def roots(self) -> set[str]:
        """The allocations."""
        return self._roots

    def origins(self, pointer: str) -> set[str]:
        """Return the allocations, parameters and other pointers from which one can come."""
        return self._origins.get(pointer, {pointer})

    def are_apart(self, first: str, second: str) -> bool:
        """Tell whether two pointers lie in different memory: one of them in an allocation's own."""
        own, other = (self._origins.get(one, {one}) for one in (first, second))
        is_known = all(one in self._roots or one in self._parameters for one in own | other)
        return is_known and not own & other and bool((own | other) & self._roots)

    def exchanged(self) -> set[str]:
        """Return the pointers that can, in different turns of a loop, be each other's."""
        merged: set[str] = set()
        for phis in self._blocks:
            for first, second in itertools.combinations(phis, 2):
                if self._origins[first] & self._origins[second] & self._roots:
                    merged |= {first, second}
        grown = True
        while grown:
            derived = {
                name
                for name, (_, given) in self._sources.items()
                if name not in merged and merged.intersection(given)
            }
            merged |= derived
            grown = bool(derived)
        return merged

    def _find_origins(self) -> dict[str, set[str]]:
        """Return, for each pointer, the allocations and other pointers from which it can come."""
        origins: dict[str, set[str]] = {root: {root} for root in self._roots}
        changed = True
        while changed:
            changed = False
            for name, (_, given) in self._sources.items():
                own = origins.setdefault(name, set())
                before = len(own)
                for one in given:
                    is_known = one in self._sources or one in self._roots
                    own |= origins.get(one, set()) if is_known else {one}
                changed = changed or len(own) != before
        return origins


def _sources(function: list[str]) -> Iterator[tuple[str, tuple[bool, list[str]]]]:
    """Yield each pointer made from others: whether it chooses between them, and what they are."""
    for line in function:
        if match := _OFFSET.match(line):
            yield match.group(1), (False, [match.group(2)])
        elif match := _PHI.match(line):
            yield match.group(1), (True, _INCOMING.findall(match.group(2)))
        elif match := _SELECT.match(line):
            yield match.group(1), (True, [match.group(2), match.group(3)])


def _phis_by_block(function: list[str]) -> list[list[str]]:
    """Group the names of pointer phis by the block in which they stand."""
    blocks: list[list[str]] = [[]]
    for line in function:
        if line and not line.startswith((" ", "}", ";")):  # a label
            blocks.append([])
        elif match := _PHI.match(line):
            blocks[-1].append(match.group(1))
    return blocks
