"""The names by which code reaches what lies outside of it."""

from __future__ import annotations

import dis
import functools
import types as pytypes
from collections.abc import Iterator

_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}


class NotHashable(Exception):
    """The content of a value cannot be told by a digest; says why."""


@functools.lru_cache(maxsize=4096)
def outside_names(code: pytypes.CodeType) -> tuple[tuple[str, ...], ...]:
    """Return the outside names of some code, each with the attributes that are asked of it, in order of the alphabet."""
    found = set(_chains_at_top(code))
    for inner in code.co_consts:
        if isinstance(inner, pytypes.CodeType):
            found.update(outside_names(inner))
    return tuple(sorted(found))


def _chains_at_top(code: pytypes.CodeType) -> Iterator[tuple[str, ...]]:
    chain: list[str] = []
    outside = {*code.co_freevars}
    for one in dis.get_instructions(code):
        if one.opname in _ATTRIBUTES and chain:
            chain.append(one.argval)
        elif one.opname != "EXTENDED_ARG":
            if chain:
                yield tuple(chain)
            loads = one.opname in _LOADS and (one.opname[5:10] != "DEREF" or one.argval in outside)
            chain = [one.argval] if loads else []
            if one.opname == "IMPORT_NAME":
                raise NotHashable(f"`{code.co_name}` imports {one.argval}")
