"""Saying of the integers in records, where they are loaded, that they are integers.

The hint in front of a record (frontend/type_hints.py) names its fields, which is enough for one
derivative. Its reverse sweep loads the fields again, without the hint, and a second derivative then asks
what a product of two of them is: refused as arithmetic on a float's bits. TBAA is what the pass copies
along with a load. Nothing but such loads has a tag, so it says nothing to LLVM's own alias analysis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from enzyme_py.assembly.ir_text import free_metadata_number
from enzyme_py.assembly.module import DiffModule
from enzyme_py.frontend.type_hints import HINT

_VALUE = r'%(?:"[^"]+"|[-a-zA-Z$._0-9]+)'
_HINTED = re.compile(rf"call void @{re.escape(HINT)}\.record\.([\w.]+)\(ptr ({_VALUE})\)")
_INTEGER = re.compile(r"(?:^|\.)(\d+)Integer")
_FIELD = re.compile(rf"^ *({_VALUE}) = getelementptr [\w ]*i8, ptr ({_VALUE}), i64 (\d+)")
_LOAD = re.compile(rf"^ *{_VALUE} = load i64, ptr ({_VALUE}),.*$")


def with_integer_fields(module: DiffModule) -> DiffModule:
    """Return the module with tags on the loads of integers from hinted records."""
    if f"@{HINT}.record." not in module.ir:
        return module
    lines = module.ir.split("\n")
    tag = free_metadata_number(lines)
    text = "\n".join(_tagged(lines, f", !tbaa !{tag + 2}"))
    nodes = (
        '!{!"enzyme_py"}',
        f'!{{!"long", !{tag}, i64 0}}',
        f"!{{!{tag + 1}, !{tag + 1}, i64 0}}",
    )
    named = [f"!{tag + number} = {node}" for number, node in enumerate(nodes)]
    return replace(module, ir="\n".join([text, *named, ""]))


def _tagged(lines: list[str], tag: str) -> Iterator[str]:
    places = _integer_places(lines)
    function = 0
    for line in lines:
        function += line == "}"
        load = _LOAD.match(line)
        is_integer = load is not None and (function, load.group(1)) in places
        yield line + tag if is_integer and "!tbaa" not in line else line


def _integer_places(lines: list[str]) -> set[tuple[int, str]]:
    """Return the pointers to integers in hinted records, each with the number of its function."""
    hinted: dict[tuple[int, str], set[int]] = {}
    fields: list[tuple[tuple[int, str], tuple[int, str], int]] = []
    function = 0
    for line in lines:
        function += line == "}"
        if hint := _HINTED.search(line):
            offsets = {int(offset) for offset in _INTEGER.findall(hint.group(1))}
            hinted.setdefault((function, hint.group(2)), set()).update(offsets)
        elif field := _FIELD.match(line):
            name, base, offset = field.groups()
            fields.append(((function, name), (function, base), int(offset)))
    places = {place for place, offsets in hinted.items() if 0 in offsets}
    return places | {name for name, base, offset in fields if offset in hinted.get(base, ())}
