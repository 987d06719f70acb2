"""Temporaries that one loop fills and the next one reads, element by element: not made at all.

    np.mean(y * y)          for i: t[i] = y[i] * y[i]          for i: s += y[i] * y[i]
                            for i: s += t[i]

In reverse mode such a temporary costs its shadow, as long as what it is made of, and that at the moment when
most is kept. What the first loop does for an element is done where the second reads it, if

* that is all that happens to the temporary, and all that the first loop does;
* both loops count from zero to the same end, and the second comes once for each time the first does;
* in between, and in the second loop, nobody writes where the first loop reads.

It is the same arithmetic in the same order, so no number changes, in whatever mode. It is done on
code after O2, whose loops have one block where they do what is meant here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from enzyme_py.assembly.allocations import Pointers
from enzyme_py.assembly.buffers import derived, used
from enzyme_py.assembly.control_flow import NAME
from enzyme_py.assembly.ir_text import call_in, name_behind, plain_name, values_in
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.natural_loops import Flow
from enzyme_py.frontend.type_hints import HINT
from enzyme_py.rules.slopes import FUNCTIONS

_MADE = re.compile(rf"^  ({NAME}) = (?:tail )?call [^@]*@(?:malloc|calloc)\(")
_ELEMENT = re.compile(
    rf"^  ({NAME}) = getelementptr (?:\w+ )*(double|float), ptr ({NAME}), i64 ({NAME})(?:,|$)"
)
_STORE = re.compile(rf"^  store (double|float) ({NAME}), ptr ({NAME})(?:,|$)")
_LOAD = re.compile(rf"^  ({NAME}) = load (double|float|i64|i32|i8|ptr), ptr ({NAME})(?:,|$)")
_COUNTER = re.compile(rf"^  ({NAME}) = phi i64 \[ ([^,]+), ({NAME}) \], \[ ([^,]+), ({NAME}) \]")
_STEP = re.compile(rf"^  ({NAME}) = add (?:nuw |nsw )*i64 ({NAME}), 1(?:,|$)")
_BRANCH = re.compile(rf"^  br i1 ({NAME}), label ({NAME}), label ({NAME})(?:,|$)")
_ENDS = re.compile(rf"icmp eq i64 ({NAME}), ({NAME}|\d+)(?:,|$)")
_AT_LEAST_ONE = re.compile(rf"call [^@]*@llvm\.smax\.i64\(i64 [^%]*({NAME}), i64 [^%]*1\)")
_IS_SOME = re.compile(rf"icmp (?:samesign )?(?:sgt i64 ({NAME}), 0|slt i64 ({NAME}), 1)(?:,|$)")
_BROADCAST = re.compile(rf"select i1 ({NAME}), i64 0, i64 ({NAME})(?:,|$)")
_IS_ONE = re.compile(rf"icmp eq i64 ({NAME}), 1(?:,|$)")
_ARITHMETIC = re.compile(
    r"(?:getelementptr|fadd|fsub|fmul|fdiv|fneg|frem|select|icmp|fcmp|add|sub|mul|shl|and|or|xor|"
    r"sext|zext|trunc|sitofp|uitofp|fpext|fptrunc)\b"
)
_EFFECTS = re.compile(r"(?:\w+ )?(?:store|call|invoke|callbr|atomicrmw|cmpxchg|fence|va_arg)\b")
_ROUNDS = 64


def without_read_once(module: DiffModule) -> DiffModule:
    """Return a simplified module whose functions make no temporaries that are read once, in order."""
    pieces = re.split(r"(?m)^(?=define )", module.ir)
    for place, piece in enumerate(pieces):
        end = piece.find("\n}")
        if place == 0 or end < 0 or "alloc(" not in piece:
            continue
        lines = piece[:end].split("\n")
        for _ in range(_ROUNDS):
            edit = next(_edits(lines), None)
            if edit is None:
                break
            lines = edit.applied(lines)
        pieces[place] = "\n".join(lines) + piece[end:]
    return replace(module, ir="".join(pieces))


@dataclass(frozen=True)
class _Counted:
    """A loop of one block that counts from zero."""

    label: str
    before: str  # the block that it is entered from
    behind: str
    index: str
    moved: str
    bound: str


@dataclass(frozen=True)
class _Edit:
    """One temporary that goes: lines that stand in place of others, and values that are no more."""

    instead: dict[int, list[str]]
    gone: frozenset[str]

    def applied(self, lines: Sequence[str]) -> list[str]:
        """Return the function's lines without it."""
        result = [new for place, old in enumerate(lines) for new in self.instead.get(place, [old])]
        return [
            line
            for line in result
            if not (line.lstrip().startswith("#dbg") and self.gone.intersection(values_in(line)))
        ]


def _edits(lines: Sequence[str]) -> Iterator[_Edit]:
    made = [found.group(1) for line in lines if (found := _MADE.match(line))]
    if not made:
        return
    flow = Flow(lines)
    counted = {one.label: one for label in flow.blocks if (one := _counted(lines, flow, label))}
    if len(counted) < 2:
        return
    for name in made:
        edit = _Temporary(lines, flow, counted, name).edit()
        if edit is not None:
            yield edit


def _counted(lines: Sequence[str], flow: Flow, label: str) -> _Counted | None:
    block = flow.blocks[label]
    others = [one for one in block.predecessors if one != label]
    leaves = _BRANCH.match(lines[flow.terminator(label)])
    if label not in block.successors or len(others) != 1 or leaves is None:
        return None
    own = {
        found.group(1): line
        for line in lines[flow.start(label) : flow.terminator(label)]
        if (found := re.match(rf"^  ({NAME}) = ", line))
    }
    condition, behind, again = leaves.groups()
    ends = _ENDS.search(own.get(condition, ""))
    step = _STEP.match(own.get(ends.group(1), "")) if ends else None
    phi = _COUNTER.match(own.get(step.group(2), "")) if step else None
    if ends is None or step is None or phi is None or again != label or behind == label:
        return None
    given = {phi.group(3): phi.group(2), phi.group(5): phi.group(4)}
    if given != {others[0]: "0", label: step.group(1)} or ends.group(2) in own:
        return None
    return _Counted(label, others[0], behind, phi.group(1), step.group(1), ends.group(2))


class _Temporary:
    """One allocation, and the two loops that know it."""

    def __init__(
        self, lines: Sequence[str], flow: Flow, counted: dict[str, _Counted], name: str
    ) -> None:
        self._lines, self._flow, self._counted, self._name = lines, flow, counted, name
        self._definitions = {
            found.group(1): place
            for place, line in enumerate(lines)
            if (found := re.match(rf"^  ({NAME}) = ", line))
        }

    def edit(self) -> _Edit | None:
        """Return how to do without it, or None."""
        uses = self._uses()
        if uses is None:
            return None
        stored, loaded, idle = uses
        filled, read = (
            self._counted.get(str(self._flow.block_of(place))) for place in (stored, loaded)
        )
        store, load = _STORE.match(self._lines[stored]), _LOAD.match(self._lines[loaded])
        if filled is None or read is None or filled == read or store is None or load is None:
            return None
        real, value, to = store.groups()
        result, loaded_real, source = load.groups()
        is_same = loaded_real == real
        is_same = is_same and self._is_element(to, real, filled)
        is_same = is_same and self._is_element(source, real, read)
        if not is_same or not self._has_same_end(filled, read) or not self._follows(filled, read):
            return None
        slice_ = self._slice(value, filled, read)
        if slice_ is None or not self._does_nothing_else(filled, stored, slice_):
            return None
        if not self._is_unchanged(filled, read, slice_):
            return None
        copied = self._copied(slice_, value, result, filled, read)
        instead = {place: list[str]() for place in (*idle, loaded, *self._inside(filled))}
        instead[self._definitions[source]] = []
        instead[loaded] = copied
        instead[self._flow.terminator(filled.label)] = [f"  br label {filled.behind}"]
        gone = {self._name, source} | {
            name for name, place in self._definitions.items() if place in self._inside(filled)
        }
        return _Edit(instead, frozenset(gone))

    def _uses(self) -> tuple[int, int, list[int]] | None:
        """Return the one line that stores, the one that loads, and those that do neither."""
        known = derived(self._lines, {self._name})
        stored, loaded, idle = list[int](), list[int](), list[int]()
        for place, line in used(self._lines, known):
            store, load, call = _STORE.match(line), _LOAD.match(line), call_in(line)
            if store and store.group(3) in known:
                stored.append(place)
            elif load and load.group(3) in known:
                loaded.append(place)
            elif place == self._definitions[self._name] or (call and call.callee.startswith(HINT)):
                idle.append(place)
            elif not ((element := _ELEMENT.match(line)) and element.group(3) == self._name):
                return None
        if len(stored) != 1 or len(loaded) != 1 or len(known) != 3:
            return None
        return stored[0], loaded[0], idle

    def _line_of(self, value: str) -> str:
        place = self._definitions.get(value)
        return "" if place is None else self._lines[place]

    def _is_element(self, pointer: str, real: str, loop: _Counted) -> bool:
        """Tell whether a pointer is to the element that a loop has come to."""
        found = _ELEMENT.match(self._line_of(pointer))
        if found is None or found.groups()[1:3] != (real, self._name):
            return False
        return found.group(4) == loop.index or self._is_broadcast(found.group(4), loop)

    def _is_broadcast(self, index: str, loop: _Counted) -> bool:
        """Tell whether an index is 0 if the loop has one turn, else the loop's: so it is the loop's."""
        chosen = _BROADCAST.search(self._line_of(index))
        asked = _IS_ONE.search(self._line_of(chosen.group(1))) if chosen else None
        return bool(
            chosen and asked and (chosen.group(2), asked.group(1)) == (loop.index, loop.bound)
        )

    def _inside(self, loop: _Counted) -> range:
        """Return the lines of a loop's block but for its jump."""
        return range(self._flow.start(loop.label), self._flow.terminator(loop.label))

    # -- when the loops run ------------------------------------------------------------------------

    def _has_same_end(self, filled: _Counted, read: _Counted) -> bool:
        larger = _AT_LEAST_ONE.search(self._line_of(read.bound))
        return read.bound == filled.bound or bool(larger and larger.group(1) == filled.bound)

    def _follows(self, filled: _Counted, read: _Counted) -> bool:
        """Tell whether the second loop runs behind the first, and once for each time.

        The first may be left out where it would have nothing to do: then there is nothing to be read.
        """
        gate = self._gate(filled, read)
        if gate == read.label or not self._flow.dominates(gate, read.label):
            return False
        return read.label not in self._reached(read.behind, {gate})

    def _gate(self, filled: _Counted, read: _Counted) -> str:
        """Return the block that leads through the first loop, if that has any turns."""
        if self._flow.dominates(filled.label, read.label):
            return filled.label
        before = self._flow.blocks[filled.before]
        if set(before.successors) != {filled.label}:
            return (
                filled.before if self._asks(filled.before, filled.label, filled) else filled.label
            )
        (first, *others) = before.predecessors
        is_gate = not others and self._asks(first, filled.before, filled)
        return first if is_gate else filled.label

    def _asks(self, label: str, inside: str, loop: _Counted) -> bool:
        """Tell whether a block goes inside just if the loop has any turns."""
        leaves = _BRANCH.match(self._lines[self._flow.terminator(label)])
        found = _IS_SOME.search(self._line_of(leaves.group(1))) if leaves else None
        if leaves is None or found is None or loop.bound not in found.groups():
            return False
        some, none = leaves.group(2, 3) if found.group(1) else leaves.group(3, 2)
        return inside == some and inside != none

    def _reached(self, start: str, without: set[str]) -> set[str]:
        """Return the blocks that can be come to from one, itself among them, not through some."""
        seen, pending = set[str](), [start]
        while pending:
            label = pending.pop()
            if label not in seen and label not in without:
                seen.add(label)
                pending.extend(self._flow.blocks[label].successors)
        return seen

    # -- what the first one does -------------------------------------------------------------------

    def _slice(self, value: str, filled: _Counted, read: _Counted) -> list[int] | None:
        """Return the lines that make a value and cannot be used where they are; None if some may not move."""
        found, pending = set[int](), [value]
        while pending:
            one = pending.pop()
            place = self._definitions.get(one)
            if place is None or one == filled.index or place in found:
                continue
            label = str(self._flow.block_of(place))
            if label == filled.label or not self._flow.dominates(label, read.label):
                if label not in (filled.label, filled.before) or not self._may_move(place):
                    return None
                found.add(place)
                pending.extend(values_in(self._lines[place].split(" = ", 1)[1]))
        return sorted(found) if self._definitions.get(value) in found else None

    def _may_move(self, place: int) -> bool:
        text = self._lines[place].split(" = ", 1)[1]
        if _ARITHMETIC.match(text) or _LOAD.match(self._lines[place]):
            return True
        call = call_in(text)
        is_number = call is not None and not any(one.startswith("ptr") for one in call.operands)
        return is_number and call is not None and _is_mathematics(call.callee)

    def _does_nothing_else(self, filled: _Counted, stored: int, slice_: Sequence[int]) -> bool:
        """Tell whether the loop has no other effect, and nobody uses what it computed."""
        own = {name for name, place in self._definitions.items() if place in self._inside(filled)}
        for place in self._inside(filled):
            line = self._lines[place]
            is_counter = place in (
                self._definitions[filled.index],
                self._definitions[filled.moved],
            )
            is_plain = bool(line.startswith("  ") and " = " in line and " phi " not in line)
            is_plain = is_plain and self._may_move(place)
            is_debug = line.lstrip().startswith("#dbg") or not line.strip()
            if not (place == stored or is_counter or is_plain or is_debug or place in slice_):
                return False
        return all(
            self._flow.block_of(place) == filled.label for place, _ in used(self._lines, own)
        )

    def _is_unchanged(self, filled: _Counted, read: _Counted, slice_: Sequence[int]) -> bool:
        """Tell whether nothing that the first loop reads is written until the second has read it."""
        pointers = Pointers(list(self._lines))
        sources = [found.group(3) for one in slice_ if (found := _LOAD.match(self._lines[one]))]
        gate = self._gate(filled, read)
        behind = self._reached(filled.behind, {gate, read.label})
        between = {one for one in behind if read.label in self._reached(one, {gate})}
        starts = {label: self._flow.start(label) for label in between | {read.label}}
        # What stands in front of the first loop and is read there is read later then, too.
        if moved := [one for one in slice_ if self._flow.block_of(one) == filled.before]:
            starts.setdefault(filled.before, moved[0])
        for label, start in starts.items():
            for line in self._lines[start : self._flow.terminator(label)]:
                store, call = _STORE.match(line), call_in(line)
                if store:
                    if not all(pointers.are_apart(store.group(3), one) for one in sources):
                        return False
                elif call is not None:
                    if not _writes_nothing(call.callee, call.operands):
                        return False
                elif not _is_silent(line):
                    return False
        return True

    def _copied(
        self, slice_: Sequence[int], value: str, result: str, filled: _Counted, read: _Counted
    ) -> list[str]:
        """Return what stands in place of the load: the lines of the slice, with names of their own."""
        names = {filled.index: read.index}
        for place in slice_:
            name = self._lines[place].split(" = ", 1)[0].strip()
            names[name] = name_behind(self._name, plain_name(name))
        names[value] = result
        pattern = re.compile(NAME)
        return [
            pattern.sub(lambda one: names.get(one[0], one[0]), self._lines[place])
            for place in slice_
        ]


def _is_mathematics(callee: str) -> bool:
    return callee in FUNCTIONS or callee.startswith(("llvm.fabs.", "llvm.sqrt.", "llvm.fma."))


def _writes_nothing(callee: str, operands: Sequence[str]) -> bool:
    if callee in ("malloc", "calloc") or callee.startswith(HINT):
        return True
    is_silent = callee.startswith(("llvm.", "enzyme_py_inactive.")) or callee in FUNCTIONS
    return is_silent and not any(one.startswith("ptr") for one in operands)


def _is_silent(line: str) -> bool:
    """Tell whether a line is no store and no call that is not understood."""
    text = line.strip()
    made, equals, rest = text.partition(" = ")
    return not _EFFECTS.match(rest if equals and made.startswith("%") else text)
