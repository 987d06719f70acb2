"""Numba types seen as Enzyme must see them: flat leaves, each float, integer or pointer.

Numba flattens every argument into scalars and pointers; an array becomes

    meminfo, parent, nitems, itemsize, data, shape..., strides...

of which only `data` can be active (DESIGN 4). `leaves` gives that list for a type, in Numba's
order. Numba emits no TBAA and LLVM's pointers are opaque, so each leaf also says its type tree in
Enzyme's notation, to be written on the parameters.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel.packer import _flatten

from enzyme_py.frontend.functions.bound_types import BoundKernelType
from enzyme_py.frontend.target.mpi_calls import Communicator


class Role(enum.Enum):
    """What a leaf is to Enzyme."""

    FLOAT = "float"  # a floating-point number by value
    DATA = "data"  # a pointer to the elements of an array
    INTEGER = "integer"
    OWNER = "owner"  # meminfo or parent: bookkeeping that a derivative replaces by null
    OPAQUE = "opaque"  # anything else; can only be constant


@dataclass(frozen=True)
class Leaf:
    """One flattened value: its role and what Enzyme calls its contents, or None if unknown."""

    role: Role
    content: str | None = None
    is_held: bool = False  # by a function, or a single record: constant for users, whatever it is
    tree: str | None = None  # of what the pointer points at, where that is not the same everywhere
    is_list: bool = False  # a pointer to the head of a typed list

    @property
    def is_differentiable(self) -> bool:
        """Whether the leaf can carry a derivative."""
        return self.can_hold_slopes and not self.is_held

    @property
    def can_hold_slopes(self) -> bool:
        """Whether the leaf is, or leads to, floats: a single record does, and carries no derivative for users."""
        is_real = (self.content or "").startswith("Float")
        return self.role in (Role.FLOAT, Role.DATA) and is_real

    @property
    def parameter_tree(self) -> str | None:
        """The type tree for a parameter that holds this leaf."""
        if self.tree is not None:
            return self.tree
        if self.role is Role.DATA:
            inner = f", [-1,-1]:{self.content}" if self.content else ""
            return f"{{[-1]:Pointer{inner}}}"
        if self.role is Role.OWNER:
            return "{[-1]:Pointer}"
        return f"{{[-1]:{self.content}}}" if self.content else None


_INTEGER = Leaf(Role.INTEGER, "Integer")
_FLOATS = {types.float32: "Float@float", types.float64: "Float@double"}


def element_content(dtype: Any) -> str | None:
    """Enzyme's name for what an array of `dtype` holds in every place."""
    if isinstance(dtype, types.Complex):
        return _FLOATS[dtype.underlying_float]
    if isinstance(dtype, types.Float):
        return _FLOATS.get(dtype)
    if isinstance(dtype, (types.Integer, types.Boolean)):
        return "Integer"
    return None


def _array_leaves(kind: Any) -> list[Leaf]:
    owner = Leaf(Role.OWNER)
    data = _record_leaf(kind.dtype) if isinstance(kind.dtype, types.Record) else Leaf(Role.DATA, element_content(kind.dtype))
    return [owner, owner, _INTEGER, _INTEGER, data, *[_INTEGER] * (2 * kind.ndim)]


def _record_leaf(record: Any) -> Leaf:
    """Return the leaf of the elements of a structured array: its float fields are active.

    A tree cannot say what repeats with the size of a record. Where the fields differ, their loads and stores tell.
    """
    found = set(_field_contents(record))
    floats = sorted(one for one in found if one is not None and one.startswith("Float"))
    if not floats:
        return Leaf(Role.DATA)
    return Leaf(Role.DATA, floats[0], tree=None if len(found) == 1 else "{[-1]:Pointer}")


def _field_contents(record: Any) -> Iterator[str | None]:
    """Yield what each number in a record is, also of a record or an array within it."""
    for _, kind in record.members:
        item = kind.dtype if isinstance(kind, types.NestedArray) else kind
        if isinstance(item, types.Record):
            yield from _field_contents(item)
        else:
            yield element_content(item)


# What numba.typed.List points at (frontend/containers/typed_lists.py); the items stand in a block of their own.
_LIST_HEAD = ", ".join(f"[-1,{byte}]:Integer" for byte in range(28)) + ", [-1,48]:Pointer"


def _list_leaves(kind: Any) -> list[Leaf]:
    item = kind.item_type
    content = element_content(item.dtype if isinstance(item, types.Array) else item)
    inner = f", [-1,48,-1]:{content}" if content and not isinstance(item, types.Array) else ""
    tree = f"{{[-1]:Pointer, {_LIST_HEAD}{inner}}}"
    return [Leaf(Role.OWNER), Leaf(Role.DATA, content, tree=tree, is_list=True)]


def leaves(context: Any, kind: Any) -> list[Leaf]:
    """Return the leaves of a Numba type in the order in which Numba passes them."""
    if isinstance(kind, types.Float) and kind in _FLOATS:
        return [Leaf(Role.FLOAT, _FLOATS[kind])]
    if isinstance(kind, types.Complex):
        return [Leaf(Role.FLOAT, _FLOATS[kind.underlying_float])] * 2
    if isinstance(kind, (types.Integer, types.Boolean, Communicator)):
        return [_INTEGER]
    if isinstance(kind, types.Array):
        return _array_leaves(kind)
    if isinstance(kind, types.Record):
        return [replace(_record_leaf(kind), is_held=True)]
    if isinstance(kind, types.ListType):
        return _list_leaves(kind)
    if isinstance(kind, types.BaseTuple):
        return [leaf for element in kind for leaf in leaves(context, element)]
    if isinstance(kind, BoundKernelType):
        return [
            replace(leaf, is_held=True)
            for element in kind.kinds
            for leaf in leaves(context, element)
        ]
    if isinstance(kind, types.NumPyRandomGeneratorType):
        import numba.np.random.generator_core  # noqa: F401  # Numba loads its model where it first compiles
    argument = context.data_model_manager[kind].get_argument_type()
    return [Leaf(Role.OPAQUE) for _ in _flatten([argument])]


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def _field_offsets(data: Any, kind: ir.Type, start: int) -> list[tuple[int, int]]:
    """Return (offset, size) of every scalar of an LLVM type, in order."""
    if isinstance(kind, ir.LiteralStructType):
        fields, offset = [], start
        for element in kind.elements:
            offset = _aligned(offset, element.get_abi_alignment(data))
            fields.extend(_field_offsets(data, element, offset))
            offset += element.get_abi_size(data)
        return fields
    if isinstance(kind, ir.ArrayType):
        step = kind.element.get_abi_size(data)
        return [
            field
            for i in range(kind.count)
            for field in _field_offsets(data, kind.element, start + i * step)
        ]
    return [(start, kind.get_abi_size(data))]


def memory_tree(context: Any, kind: Any) -> str:
    """Return the type tree of a pointer to a value of Numba type `kind` in memory."""
    entries = ["[-1]:Pointer"]
    fields = _field_offsets(context.target_data, context.get_data_type(kind), 0)
    parts = leaves(context, kind)
    if len(fields) == len(parts):
        for (offset, size), leaf in zip(fields, parts, strict=True):
            entries.extend(_memory_entries(leaf, offset, size))
    return "{" + ", ".join(entries) + "}"


def _memory_entries(leaf: Leaf, offset: int, size: int) -> list[str]:
    if leaf.role is Role.FLOAT:
        return [f"[-1,{offset}]:{leaf.content}"]
    if leaf.role is Role.INTEGER:
        return [f"[-1,{offset + i}]:Integer" for i in range(size)]
    if leaf.role is Role.DATA:
        inner = [f"[-1,{offset},-1]:{leaf.content}"] if leaf.content else []
        return [f"[-1,{offset}]:Pointer", *inner]
    return [f"[-1,{offset}]:Pointer"] if leaf.role is Role.OWNER else []
