"""Telling Enzyme what a pointer points at, where its own analysis cannot know.

A hint is a call of a function that does nothing and whose parameter carries a type tree. Enzyme reads
the attribute there, and not on the parameters of the outermost function (MEASURED). It must seem to
do something, or O2 deletes it before the pass has read it; the native stage drops it.

Numba fills and copies memory by untyped intrinsics, but knows the element type when it emits them;
`hint_block_operations` writes it down.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir

HINT = "enzyme_py_hint"
HINT_ATTRIBUTES = (
    "nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite) "
    '"enzyme_inactive" "enzyme_nofree"'
)

_BLOCK_OPERATIONS = ("llvm.memset.", "llvm.memcpy.", "llvm.memmove.")


class TypedAttributes(ir.values.ArgumentAttributes):  # type: ignore[misc]
    """Parameter attributes with an Enzyme type tree, which llvmlite has no word for."""

    def __init__(self, tree: str) -> None:
        super().__init__()
        self._tree = tree

    def _to_list(self, typ: ir.Type) -> list[str]:
        return [*super()._to_list(typ), f'"enzyme_type"="{self._tree}"']


def hint_function(module: ir.Module, content: str) -> ir.Function:
    """Return the function whose call says that a pointer points at `content` everywhere."""
    name = f"{HINT}.{content.replace('@', '.')}"
    found = module.globals.get(name)
    if found is None:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer()])
        found = ir.Function(module, kind, name)
        found.args[0].attributes = TypedAttributes(f"{{[-1]:Pointer, [-1,-1]:{content}}}")
    return found


def content_of(kind: ir.Type) -> str | None:
    """Return Enzyme's name for an LLVM type that is the same float everywhere, or None."""
    if isinstance(kind, ir.DoubleType):
        return "Float@double"
    if isinstance(kind, ir.FloatType):
        return "Float@float"
    if isinstance(kind, ir.LiteralStructType) and len(kind.elements) == 2:  # complex numbers
        real, imaginary = map(content_of, kind.elements)
        return real if real == imaginary else None
    return None


def hint_block_operations(module: ir.Module) -> None:
    """Put a hint in front of every fill or copy whose element type Numba knew."""
    for function in list(module.functions):
        for block in function.blocks:
            _hint_block(module, block)


def _hint_block(module: ir.Module, block: Any) -> None:
    for instruction in list(block.instructions):
        for cast, content in _typed_operands(instruction):
            call = ir.CallInstr(block, hint_function(module, content), [cast])
            block.instructions.insert(block.instructions.index(instruction), call)


def _typed_operands(instruction: Any) -> Iterator[tuple[Any, str]]:
    if not isinstance(instruction, ir.CallInstr):
        return
    if not instruction.callee.name.startswith(_BLOCK_OPERATIONS):
        return
    for operand in instruction.args[:2]:
        if isinstance(operand, ir.CastInstr) and operand.opname == "bitcast":
            content = content_of(getattr(operand.operands[0].type, "pointee", ir.VoidType()))
            if content is not None:
                yield operand, content
