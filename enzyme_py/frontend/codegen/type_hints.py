"""Telling Enzyme what a pointer points at, where its own analysis cannot know.

A hint is a call of a function that does nothing and whose parameter carries a type tree. Enzyme reads
the attribute there, and not on the parameters of the outermost function (measured). It must seem to
do something, or O2 deletes it before Enzyme has read it; the native stage drops it.

Numba fills and copies memory by untyped intrinsics, but knows the element type when it emits them;
`hint_block_operations` writes it down. It moves records (the arrays in a list) by loads and stores
of LLVM structs, which O2 takes apart; `hint_records` writes down what their fields are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir

from enzyme_py.symbols import HINT, TYPES, WHOLE

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_SCRATCH = "NRT_Allocate"  # what gives memory without a count, for scratch alone
_BLOCK_OPERATIONS = ("llvm.memset.", "llvm.memcpy.", "llvm.memmove.")


class TypedAttributes(ir.values.ArgumentAttributes):  # type: ignore[misc]
    """Parameter attributes with an Enzyme type tree, which llvmlite has no word for."""

    def __init__(self, tree: str) -> None:
        super().__init__()
        self._tree = tree

    def _to_list(self, typ: ir.Type) -> list[str]:
        return [*super()._to_list(typ), f'"enzyme_type"="{self._tree}"']


def hint_function(module: ir.Module, content: str, tree: str | None = None) -> ir.Function:
    """Return the function whose call says that a pointer points at `content` everywhere.

    With a type tree of its own the pointer is one to a typed list of that.
    """
    name = f"{HINT}.{content.replace('@', '.')}"
    if tree is not None:
        name = (
            f"{HINT}.list.{'array.' if '[-1,48,-1]' not in tree else ''}{content.replace('@', '.')}"
        )
    found = module.globals.get(name)
    if found is None:
        kind = ir.FunctionType(ir.VoidType(), [_POINTER])
        found = ir.Function(module, kind, name)
        found.args[0].attributes = TypedAttributes(tree or f"{{[-1]:Pointer, [-1,-1]:{content}}}")
    return found


def memory_hint(module: ir.Module, data: Any, kind: ir.Type) -> ir.Function | None:
    """Return the function whose call says that a pointer points at numbers; None for what holds pointers."""
    fields = [field for _, field in _fields(data, kind, 0)]
    contents = {_field_content(field) for field in fields}
    if not fields or any(isinstance(field, ir.PointerType) for field in fields):
        return None
    if len(contents) == 1 and "Integer" not in contents:
        return hint_function(module, contents.pop())
    return None if contents == {"Integer"} else record_hint(module, data, kind)


def result_hint(module: ir.Module, data: Any, kind: ir.Type) -> ir.Function | None:
    """Return the function whose call says what a result is; None where its own stores say enough.

    The sizes of a view are computed, and moved with its pointer: Enzyme took them for pointers without a shadow.
    """
    if any(isinstance(field, ir.PointerType) for _, field in _fields(data, kind, 0)):
        return record_hint(module, data, kind)
    return memory_hint(module, data, kind)


def value_hint(module: ir.Module, kind: ir.Type) -> ir.Function | None:
    """Return the function whose call says that a value is a float; None for other types."""
    content = content_of(kind) if isinstance(kind, (ir.DoubleType, ir.FloatType)) else None
    if content is None:
        return None
    name = f"{HINT}.value.{content.replace('@', '.')}"
    found = module.globals.get(name)
    if found is None:
        found = ir.Function(module, ir.FunctionType(ir.VoidType(), [kind]), name)
        found.args[0].attributes = TypedAttributes(f"{{[-1]:{content}}}")
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


def tag_integer(access: Any, types: Sequence[str] = (WHOLE, "long")) -> None:
    """Say of a load or a store that it is one of an integer, in words that Enzyme copies along with it.

    It is told of `long`; of `whole` alone, above that in the tree of tags, our passes are (passes/types/tags.py).
    """
    module = access.parent.parent.parent
    kind = module.add_metadata([ir.MetaDataString(module, TYPES)])
    for one in types:
        kind = module.add_metadata([ir.MetaDataString(module, one), kind, _SIZE(0)])
    access.set_metadata("tbaa", module.add_metadata([kind, kind, _SIZE(0)]))


def hint_records(module: ir.Module, data: Any) -> None:
    """Put a hint in front of every load and store of a record that lies in memory of the heap.

    A hint on a local variable, or on a parameter that may be one, would keep O2 from taking it apart.
    """
    for function in list(module.functions):
        for block in function.blocks:
            for instruction in list(block.instructions):
                place = _record_place(instruction)
                if place is not None:
                    builder = ir.IRBuilder(block)
                    builder.position_before(instruction)
                    hint = record_hint(module, data, place.type.pointee)
                    builder.call(hint, [builder.bitcast(place, _POINTER)])


def _record_place(instruction: Any) -> Any:
    """Return the pointer that a load or store of a record goes through, if it is of the heap."""
    if isinstance(instruction, ir.instructions.LoadInstr):
        place = instruction.operands[0]
    elif isinstance(instruction, ir.instructions.StoreInstr):
        place = instruction.operands[1]
    else:
        return None
    kind = place.type.pointee
    if not _is_record(kind) or content_of(kind) is not None:
        return None
    base = place
    while isinstance(base, (ir.instructions.GEPInstr, ir.CastInstr)):
        base = base.operands[0]
    is_local = isinstance(base, (ir.instructions.AllocaInstr, ir.Argument, ir.Constant))
    return None if is_local or isinstance(base, ir.GlobalValue) else place


def record_hint(module: ir.Module, data: Any, kind: ir.Type) -> ir.Function:
    """Return the function whose call says what the fields of a record are that a pointer points at."""
    entries, code = ["[-1]:Pointer"], []
    for offset, field in _fields(data, kind, 0):
        content = _field_content(field)
        if isinstance(field, ir.PointerType):
            entries.append(f"[-1,{offset}]:Pointer")
            if content != "Pointer":
                entries.append(f"[-1,{offset},-1]:{content}")
        else:
            size = field.get_abi_size(data) if content == "Integer" else 1
            entries.extend(f"[-1,{offset + byte}]:{content}" for byte in range(size))
        code.append(f"{offset}{'p' if isinstance(field, ir.PointerType) else ''}{content}")
    name = f"{HINT}.record.{'.'.join(code).replace('@', '.')}"
    found = module.globals.get(name)
    if found is None:
        found = ir.Function(module, ir.FunctionType(ir.VoidType(), [_POINTER]), name)
        found.args[0].attributes = TypedAttributes(f"{{{', '.join(entries)}}}")
    return found


def _field_content(field: ir.Type) -> str:
    """Return what a field is, or for a pointer what it points at, in Enzyme's words."""
    if isinstance(field, ir.PointerType):
        pointee = field.pointee
        is_bytes = pointee == ir.IntType(8)  # a pointer to anything
        if isinstance(pointee, ir.IntType) and not is_bytes:
            return "Integer"
        return content_of(pointee) or "Pointer"
    return "Integer" if isinstance(field, ir.IntType) else content_of(field) or "Pointer"


def _fields(data: Any, kind: ir.Type, start: int) -> Iterator[tuple[int, ir.Type]]:
    """Yield the scalars of an LLVM type with their offsets."""
    if isinstance(kind, ir.LiteralStructType):
        offset = start
        for element in kind.elements:
            alignment = element.get_abi_alignment(data)
            offset = -(-offset // alignment) * alignment
            yield from _fields(data, element, offset)
            offset += element.get_abi_size(data)
    elif isinstance(kind, ir.ArrayType):
        step = kind.element.get_abi_size(data)
        for index in range(kind.count):
            yield from _fields(data, kind.element, start + index * step)
    else:
        yield start, kind


def hint_block_operations(module: ir.Module) -> None:
    """Put a hint in front of every fill or copy whose element type Numba knew."""
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


def hint_scratch(module: ir.Module) -> None:
    """Put a hint behind every block of integers that Numba makes for an assignment whose two sides may overlap.

    The assignment reads that block or the source, and a merge of both needs them to be one kind: where the source is known
    to hold integers and the block is not, forward mode refused it, `order[i + 1:] = order[i:-1]` (test_scratch.py).
    """
    if _SCRATCH not in module.globals:
        return  # most modules: none is looked through for nothing
    for function in list(module.functions):
        for block in function.blocks:
            for instruction in list(block.instructions):
                if _is_scratch(instruction) and isinstance(instruction.type.pointee, ir.IntType):
                    builder = ir.IRBuilder(block)
                    builder.position_after(instruction)
                    start = instruction.operands[0]
                    builder.call(hint_function(module, "Integer"), [start])


def _is_scratch(instruction: Any) -> bool:
    """Tell whether an instruction gives a type to what Numba's runtime has just allocated."""
    if not (isinstance(instruction, ir.CastInstr) and instruction.opname == "bitcast"):
        return False
    made = instruction.operands[0]
    return isinstance(made, ir.CallInstr) and made.callee.name == _SCRATCH


def _typed_operands(instruction: Any) -> Iterator[tuple[Any, ir.Type]]:
    """Yield the pointers of a block operation with the types that they had before a cast."""
    for operand in instruction.args[:2]:
        if isinstance(operand, ir.CastInstr) and operand.opname == "bitcast":
            yield operand, getattr(operand.operands[0].type, "pointee", ir.VoidType())


def _is_record(kind: ir.Type) -> bool:
    return isinstance(kind, ir.LiteralStructType) and len(kind.elements) > 0
