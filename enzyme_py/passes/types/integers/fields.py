"""Loads of integers from hinted records, and from results of functions that stay calls, say that they are integers.

    call void @enzyme_py_hint.record.0Pointer.8Integer(ptr %list)
    call fastcc void @step(ptr %result, ...);  %l = load i64, ptr %result.24

Symptom: second derivatives of lists of arrays are refused, as arithmetic on a float's bits. So is each derivative of a function that
calls itself and returns numbers, arrays and indices (fluids' `splev`), or Enzyme crashes on it.

Cause: the hint in front of a record (frontend/codegen/type_hints.py) names its fields, which is enough for one derivative. The
reverse sweep loads the fields again, without the hint. A second derivative then asks what a product of two of
them is.

Of a function that calls itself it knows nothing where it calls itself, so nothing of the fields of its result.

Cure: the loads of a hinted record's integers get a tag, which Enzyme copies along with the load; and those of a result's integers, if
they only count and index wherever they go (loads.py). Nothing but such loads has a tag by this pass, so it tells LLVM's
own alias analysis nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from enzyme_py.llvm import Alloca, Call, Function, GetElementPtr, Load, Value
from enzyme_py.llvm.analyses.points_to import derived
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.types.integers.loads import is_untagged_integer, only_counts
from enzyme_py.passes.types.tags import Tags, is_told
from enzyme_py.symbols import HINT

_RECORD = f"{HINT}.record."
_INTEGER = "Integer"


class IntegerFields(Pass):
    """A tag for each load of an integer from a record that has a hint, or from a result."""

    name = "integer fields"

    def run(self, draft: Draft) -> None:
        """Tag the loads of all functions with such hints, and such results."""
        tags = Tags(draft.code)
        names = {one.name for one in draft.code.functions if one.linkage == "internal"}
        for function in draft.code.functions:
            places = _integer_places(function) if function.mentions(_RECORD) else ()
            for load in [user for place in places for user in place.users]:
                if isinstance(load, Load) and load.type == "i64" and not is_told(load):
                    tags.put(load, "long")
            for load in _loads_of_results(function, names):
                if only_counts(load, everywhere=True):
                    tags.put(load, "long")


def _loads_of_results(function: Function, names: set[str]) -> Iterator[Load]:
    """Yield the loads of integers from variables that functions of these names are called with."""
    if not function.mentions(" alloca ") or names.isdisjoint(function.callees()):
        return
    for variable in [one for one in function.instructions if isinstance(one, Alloca)]:
        pointers = derived(variable)
        users = [user for pointer in pointers for user in pointer.users]
        if any(isinstance(one, Call) and one.callee in names for one in users):
            yield from (one for one in users if isinstance(one, Load) and is_untagged_integer(one))


def _integer_places(function: Function) -> Iterator[Value]:
    """Yield the pointers to integers in hinted records: of those LLVM counts some from the record, others from where its list begins."""
    hinted: defaultdict[Value, set[int]] = defaultdict(set)
    for call in function.calls:
        if call.callee.startswith(_RECORD) and call.arguments[0].ref.startswith("%"):
            hinted[call.arguments[0]] |= _offsets(call.callee.removeprefix(_RECORD))
    fields = set[tuple[Value, int]]()
    for record, offsets in hinted.items():
        if 0 in offsets:
            yield record
        for start, place in _starts(record):
            fields |= {(start, place + offset) for offset in offsets}
    for start in {start for start, _ in fields}:
        for field in start.users:
            if isinstance(field, GetElementPtr) and (start, _offset(field)) in fields:
                yield field


def _starts(record: Value) -> Iterator[tuple[Value, int]]:
    """Yield the pointers that a record stands a known number of bytes behind."""
    place = 0
    yield record, place
    while isinstance(record, GetElementPtr) and (step := _offset(record)) is not None:
        place += step
        record = record.pointer
        yield record, place


def _offsets(name: str) -> set[int]:
    """Return where the integers stand: 8 and 16 of `0Pointer.8Integer.16Integer`."""
    places = (one.partition(_INTEGER) for one in name.split("."))
    return {int(place) for place, found, _ in places if found and place.isdecimal()}


def _offset(field: GetElementPtr) -> int | None:
    """Return how many bytes behind its pointer a field stands, if that is known."""
    if field.source_type != "i8" or len(field.indices) != 1:
        return None
    return getattr(field.indices[0], "integer", None)
