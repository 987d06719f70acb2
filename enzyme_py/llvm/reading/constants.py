"""What constants hold, wherever they stand in the text of a module."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm.reading import patterns


def fixed_addresses(text: str) -> Iterator[int]:
    """Yield the addresses that stand in a module as numbers: `inttoptr (i64 4096 to ptr)`, and by instructions."""
    if "inttoptr " in text:
        for found in patterns.FIXED_ADDRESS.finditer(text):
            yield int(found[1] or found[2])
