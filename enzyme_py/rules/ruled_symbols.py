"""Ruled functions as Enzyme sees them: outside functions of one work array (frontend/external/ruled.py tells what they are)."""

from __future__ import annotations

from enzyme_py.symbols import RULED

_ATTRIBUTES = "nofree nosync noinline memory(argmem: readwrite, inaccessiblemem: readwrite)"
# Functions that are constant to every derivative: see opaque.py.
OPAQUE_PREFIX = f"{RULED}opaque."
_OPAQUE_ATTRIBUTES = (
    "nofree nosync noinline memory(argmem: read, inaccessiblemem: readwrite) "
    '"enzyme_inactive" "enzyme_no_escaping_allocation"'
)
CONTENTS = {
    "float32": "Float@float",
    "complex64": "Float@float",
    "float64": "Float@double",
    "complex128": "Float@double",
}


def declaration(symbol: str) -> str:
    """Return the declaration of a ruled function, with what Enzyme must know of it."""
    content = CONTENTS[symbol.rpartition(".")[2]]
    tree = f'"enzyme_type"="{{[-1]:Pointer, [-1,-1]:{content}}}"'
    if symbol.startswith(OPAQUE_PREFIX):
        return f"declare noalias {tree} ptr @{symbol}(ptr nocapture {tree}) {_OPAQUE_ATTRIBUTES}"
    return f"declare void @{symbol}(ptr nocapture {tree}) {_ATTRIBUTES}"


def code_declaration(symbol: str, arrays: int) -> str:
    """Return the declaration of a rule's code, of the work array and its shadow; the same is true of it."""
    given = ", ".join(["ptr nocapture"] * arrays)
    return f"declare void @{symbol}({given}) {_ATTRIBUTES}"
