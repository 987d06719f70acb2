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
from numba.core import cgutils

HINT = "enzyme_py_hint"
HINT_ATTRIBUTES = (
    "nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite) "
    '"enzyme_inactive" "enzyme_nofree"'
)

# A function that passes its argument on and has no derivative (njit/stop.py). It stays external
# until the pass has seen it; the native stage gives it its body.
BARRIER = "enzyme_py_inactive"
BARRIER_ATTRIBUTES = 'nounwind willreturn nofree nosync memory(none) "enzyme_inactive"'

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
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
        kind = ir.FunctionType(ir.VoidType(), [_POINTER])
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
    """Put a hint in front of every fill or copy whose element type Numba knew.

    What is no single float everywhere (a list of arrays that is filled with zeros) becomes stores
    of its own type.
    """
    for function in list(module.functions):
        for block in function.blocks:
            for instruction in list(block.instructions):
                if _is_block_operation(instruction):
                    _type_operation(module, block, instruction)


def _is_block_operation(instruction: Any) -> bool:
    return isinstance(instruction, ir.CallInstr) and instruction.callee.name.startswith(
        _BLOCK_OPERATIONS
    )


def _type_operation(module: ir.Module, block: Any, instruction: Any) -> None:
    builder = ir.IRBuilder(block)
    builder.position_before(instruction)
    for operand, pointee in _typed_operands(instruction):
        content = content_of(pointee)
        if content is not None:
            builder.call(hint_function(module, content), [operand])
        elif instruction.callee.name.startswith("llvm.memset.") and _is_record(pointee):
            fill = zero_function(module, pointee)
            builder.call(fill, [operand, builder.zext(instruction.args[2], _SIZE)])
            block.instructions.remove(instruction)


def _typed_operands(instruction: Any) -> Iterator[tuple[Any, ir.Type]]:
    """Yield the pointers of a block operation with the types that they had before a cast."""
    for operand in instruction.args[:2]:
        if isinstance(operand, ir.CastInstr) and operand.opname == "bitcast":
            yield operand, getattr(operand.operands[0].type, "pointee", ir.VoidType())


def _is_record(kind: ir.Type) -> bool:
    return isinstance(kind, ir.LiteralStructType) and len(kind.elements) > 0


def zero_function(module: ir.Module, kind: ir.Type) -> ir.Function:
    """Return `void fill(ptr memory, i64 bytes)`, which stores zeros of a type all over."""
    signature = ir.FunctionType(ir.VoidType(), [_POINTER, _SIZE])
    function = ir.Function(module, signature, module.get_unique_name("enzyme_py_fill"))
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    first = builder.bitcast(function.args[0], kind.as_pointer())
    null = ir.Constant(kind.as_pointer(), None)
    step = builder.ptrtoint(builder.gep(null, [_SIZE(1)]), _SIZE)
    with cgutils.for_range(builder, builder.udiv(function.args[1], step)) as loop:
        builder.store(ir.Constant(kind, None), builder.gep(first, [loop.index]))
    builder.ret_void()
    return function
