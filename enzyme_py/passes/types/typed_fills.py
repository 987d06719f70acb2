"""Blocks that are cleared or copied at once say what they hold, in linked code that is differentiated in reverse.

    memset(sums, 0, n * sizeof(double));                        in each iteration of a loop
    memcpy(now, before, n * sizeof(struct particle));           of { long kind; double place; }

Symptom: wrong gradients without a word: tests/traps/cleared_again.ll and copied_counts.ll. Numba's code says at each allocation what it is for.

Cause: what a block holds Enzyme concludes from its loads and stores, as far as it sees that they are of this block; where it does not, memory
that is cleared behind nothing but the beginning of a basic block is taken for integers, whose adjoints are not cleared. And of a length
that is not known it looks at the first byte only: all records are of that type then.

Cure: of a block that holds one type of floats, the call says so. Of records, a loop in place of the call moves or clears what
is in each of them, found by who reads and writes them. Where that is not known, the kernel is refused. In front of memory that is cleared, and that others may
access, a call that seems to write stands in the same basic block: Enzyme says then that it does not know, or knows.
"""

from __future__ import annotations

from enzyme_py.errors import NoDerivativeError
from enzyme_py.llvm import Builder, Call, Constant, Function, Instruction, Value, types
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.points_to import origins
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.passes.types.memory_contents import COPIES, FILLS, Contents, contents
from enzyme_py.passes.types.tags import Tags
from enzyme_py.passes.types.typed_moves import write_loop
from enzyme_py.rules.copies import is_rule
from enzyme_py.symbols import HINT, HINT_ATTRIBUTES

_CLEAR = "llvm.memset."
_WRITTEN = f"{HINT}.before_clearing"
_ZEROS = {"double": "0.000000e+00", "float": "0.000000e+00", "ptr": "null"}

_UNKNOWN = (
    "linked code clears or copies at once what holds numbers and integers or addresses, and which is where is not known",
    "write a loop over the records there, and set or copy their fields one by one",
)
_GROWN = (
    "linked code grows by `realloc` what holds numbers and integers or addresses",
    "make new memory there by `malloc`, copy the fields of the records in a loop, and free the old memory",
)


class TypedFills(Pass):
    """Types, or loops, for what is cleared and copied at once."""

    name = "typed fills"

    def applies(self, draft: Draft) -> bool:
        """Tell whether blocks are cleared, copied or grown, and something is differentiated in reverse."""
        return any(map(_is_meant, (one.name for one in draft.code.declarations))) and has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Look at all such calls."""
        tags = Tags(draft.code)
        for function in draft.code.functions:
            if is_rule(function.name):
                continue
            for call in [one for one in function.calls if _is_meant(one.callee)]:
                _tell(draft, tags, function, call)


def _is_meant(callee: str) -> bool:
    return callee.startswith(FILLS) or callee == "realloc"


def _tell(draft: Draft, tags: Tags, function: Function, call: Call) -> None:
    if not _is_at_risk(call):
        return
    ends = _ends(call)
    found = contents(function, *ends)
    floats = found.kinds & set(types.FLOATS)
    is_mixed = floats and len(found.kinds) > 1
    is_known = found.is_whole and (found.is_local or not is_mixed)
    if call.callee.startswith(_CLEAR) and not is_known and not (is_mixed and not isinstance(call.arguments[2], Constant)):
        Builder(call).call(draft.code.declare(_WRITTEN, "void", (), [HINT_ATTRIBUTES]), [])
    elif floats and not is_mixed:
        if is_known and call.callee != "realloc":
            for index in range(len(ends)):
                tree = f"{{[-1]:Pointer, [-1,-1]:Float@{min(floats)}}}"
                call.add_argument_attribute(index, f'"enzyme_type"="{tree}"')
    elif floats:
        _by_fields(draft, tags, function, call, found)


def _by_fields(draft: Draft, tags: Tags, function: Function, call: Call, found: Contents) -> None:
    records = _records(function, call, found)
    if records is None:
        what, remedy = _GROWN if call.callee == "realloc" else _UNKNOWN
        raise NoDerivativeError(what, where=draft.where, remedy=remedy)
    _write_fields(call, *records, tags)


def _ends(call: Call) -> list[Value]:
    return list(call.arguments)[: 2 if call.callee.startswith(COPIES) else 1]


def _is_at_risk(call: Call) -> bool:
    """Tell whether Enzyme may take the types wrong: it knows fields of a copy of known length, and what becomes of new memory that is cleared."""
    if call.callee == "realloc":
        return True
    is_of_any_length = not isinstance(call.arguments[2], Constant)
    if call.callee.startswith(COPIES):
        return is_of_any_length
    starts = origins(call.arguments[0])
    is_made_here = all(isinstance(one, Instruction) and (one.opcode == "alloca" or isinstance(one, Call)) for one in starts)
    return (is_made_here or is_of_any_length) and not _is_new(call)


def _is_new(call: Call) -> bool:
    """Tell whether memory is cleared in the block that it is made in, before anything is written."""
    block = call.home
    starts = origins(call.arguments[0])
    for one in starts:
        if not (isinstance(one, Instruction) and one.home is block):
            return False
        between = block.instructions[block.place_of(one) + 1 : block.place_of(call)]
        if any(other.opcode in ("store", "call") and not _writes_nothing(other) for other in between):
            return False
    return True


def _writes_nothing(one: Instruction) -> bool:
    return isinstance(one, Call) and one.callee.startswith(("llvm.lifetime.", "malloc", "calloc", *FILLS))


def _records(function: Function, call: Call, found: Contents) -> tuple[int, dict[int, str]] | None:
    """Return the size and the fields of the records that a call clears or copies; None where these are not known."""
    if call.callee == "realloc":
        return None
    addresses = function.analysis(Addresses)
    *_, length, volatile = call.arguments
    is_clear = not call.callee.startswith(COPIES)
    if not found.is_whole or volatile.ref != "false" or length.type != "i64" or (is_clear and call.arguments[1].ref != "0"):
        return None
    answers = [found.slots(end, addresses, length) for end in _ends(call)]
    return answers[0] if answers.count(answers[0]) == len(answers) else None


def _write_fields(call: Call, size: int, slots: dict[int, str], tags: Tags) -> None:
    """Put a loop over all records in place of a call."""
    to, other = call.arguments[:2]
    is_copy = call.callee.startswith(COPIES)

    def write(at: Builder, number: Value) -> None:
        offset = at.arithmetic("mul", number, size, "offset")
        values: dict[int, Value] = {
            place: _access(at, other, offset, place, kind, None, tags) if is_copy else at.constant(kind, _ZEROS.get(kind, "0"))
            for place, kind in slots.items()
        }
        for place, kind in slots.items():
            _access(at, to, offset, place, kind, values[place], tags)

    write_loop(call, size, write)


def _access(at: Builder, block: Value, offset: Value, place: int, kind: str, value: Value | None, tags: Tags) -> Value:
    """Load or store one field, with a tag if it is an integer; those of floats come later (typed_accesses.py)."""
    field = at.gep("i8", at.gep("i8", block, [offset]), [at.constant("i64", place)])
    made: Instruction = at.load(kind, field, "field", align=1) if value is None else at.store(value, field, align=1)
    if types.is_integer(kind):
        tags.put(made, "long")
    return made
