"""Tags of type-based alias analysis, which say what an access of memory reads or writes.

    !1 = !{!"long", !0, i64 0}            a type: its name, and what it is a kind of
    !2 = !{!1, !1, i64 0}                 the tag of an access
    %n = load i64, ptr %p, !tbaa !2

Enzyme reads them, and copies them to the accesses of its reverse sweep and of shadows. `double` lies below `float` in the
tree, that below `long`, and that below `whole`, whose root is our own: so LLVM takes none of them for memory of its own. In
`x.view(np.float32)` they are the same. `whole` is said by the language of its integers (frontend/codegen/named_integers.py), and
tells Enzyme nothing.
"""

from __future__ import annotations

from enzyme_py.llvm import Instruction, Module
from enzyme_py.symbols import TYPES, WHOLE

KIND = "tbaa"
_ABOVE = {"double": "float", "float": "long", "long": WHOLE, WHOLE: ""}


def accessed_type(one: Instruction) -> str:
    """Return the type of what an instruction loads or stores; nothing for any other."""
    if one.opcode == "load":
        return one.type
    return one.operands[0].type if one.opcode == "store" and one.operands else ""


def is_told(access: Instruction) -> bool:
    """Tell whether a load or store has a tag that tells Enzyme something."""
    return access.has_metadata(KIND) and not is_whole(access)


def is_whole(access: Instruction) -> bool:
    """Tell whether the language says of a load or store that it is one of an integer."""
    tag = access.metadata.get(KIND)
    if tag is None:
        return False
    nodes = access.function.module.metadata
    return nodes[nodes[tag].operands[0]].operands[0] == f'!"{WHOLE}"'


class Tags:
    """The tags of one module; nodes are added when they are first asked for."""

    def __init__(self, code: Module) -> None:
        self._code = code
        self._tags: dict[str, str] = {}

    def put(self, access: Instruction, type_: str) -> None:
        """Say what a load or store accesses: `double`, `float`, or `long` for integers. It has no tag yet that tells Enzyme something."""
        tag = self._tags.get(type_)
        if tag is None:
            own = self._type(type_)
            tag = self._tags[type_] = self._code.node(f"!{{{own}, {own}, i64 0}}").ref
        access.set_metadata(KIND, tag)

    def _type(self, type_: str) -> str:
        above = _ABOVE[type_]
        parent = self._type(above) if above else self._code.node(f'!{{!"{TYPES}"}}').ref
        return self._code.node(f'!{{!"{type_}", {parent}, i64 0}}').ref
