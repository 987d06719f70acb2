"""Loads of integers from hinted records say that they are integers.

    call void @enzyme_py_hint.record.0Pointer.8Integer(ptr %list)

Symptom: second derivatives of lists of arrays are refused, as arithmetic on a float's bits.

Cause: the hint in front of a record (frontend/codegen/type_hints.py) names its fields, which is enough for one derivative. The
reverse sweep loads the fields again, without the hint. A second derivative then asks what a product of two of
them is.

Cure: the loads of a hinted record's integers get a tag, which Enzyme copies along with the load. Nothing but such loads
has a tag by this pass, so it tells LLVM's own alias analysis nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from enzyme_py.llvm import Function, GetElementPtr, Load, Value
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.types.tags import KIND, Tags
from enzyme_py.symbols import HINT

_RECORD = f"{HINT}.record."
_INTEGER = "Integer"


class IntegerFields(Pass):
    """A tag for each load of an integer from a record that has a hint."""

    name = "integer fields"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module has hints of records."""
        return any(one.name.startswith(_RECORD) for one in draft.code.declarations)

    def run(self, draft: Draft) -> None:
        """Tag the loads of all functions with such hints."""
        tags = Tags(draft.code)
        for function in draft.code.functions:
            places = _integer_places(function) if function.mentions(_RECORD) else ()
            for load in [user for place in places for user in place.users]:
                if isinstance(load, Load) and load.type == "i64" and not load.has_metadata(KIND):
                    tags.put(load, "long")


def _integer_places(function: Function) -> Iterator[Value]:
    """Yield the pointers to integers in hinted records."""
    hinted: defaultdict[Value, set[int]] = defaultdict(set)
    for call in function.calls:
        if call.callee.startswith(_RECORD) and call.arguments[0].ref.startswith("%"):
            hinted[call.arguments[0]] |= _offsets(call.callee.removeprefix(_RECORD))
    for record, offsets in hinted.items():
        if 0 in offsets:
            yield record
        for field in record.users:
            if isinstance(field, GetElementPtr) and _offset(field) in offsets:
                yield field


def _offsets(name: str) -> set[int]:
    """Return where the integers stand: 8 and 16 of `0Pointer.8Integer.16Integer`."""
    places = (one.partition(_INTEGER) for one in name.split("."))
    return {int(place) for place, found, _ in places if found and place.isdecimal()}


def _offset(field: GetElementPtr) -> int | None:
    """Return how many bytes behind its pointer a field stands, if that is known."""
    if field.source_type != "i8" or len(field.indices) != 1:
        return None
    return getattr(field.indices[0], "integer", None)
