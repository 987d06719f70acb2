"""numba.typed.List in kernels: items move by loads and stores of their own type.

Numba lowers typed lists to C functions that copy items as bytes and know nothing of derivatives.
While a kernel is compiled their intrinsics are replaced by those of this file (`OWN`); what Numba
builds on them (methods, iteration, slices) stays Numba's. The layout stays as well, so that a list
of the caller's is read where it lies:

    size, item_size, allocated: i64; is_mutable: i32; two methods; items: ptr

A list that a kernel makes has the item size 0, and its memory belongs to the region of the call. A
list of the caller's has its item's true size. Its length cannot be changed here, nor can arrays be
put into it: their memory would be gone after the call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.typed import listobject
from numba.typed.listobject import ListStatus
from numba.typed.typedobjectutils import _container_get_data

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.frontend.codegen.tables import holds_no_floats, table_memory
from enzyme_py.frontend.codegen.type_hints import record_hint, tag_integer

_BYTE = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_STATUS = ir.IntType(32)
_HEAD = [_SIZE, _SIZE, _SIZE, _STATUS, _BYTE, _BYTE]
_COUNT, _ITEM_SIZE, _ROOM, _MUTABLE, _, _, _ITEMS = range(7)
_SMALLEST = 4  # items of the first block

_OK = _STATUS(int(ListStatus.LIST_OK))
_IMMUTABLE = _STATUS(int(ListStatus.LIST_ERR_IMMUTABLE))

FOREIGN = (
    "a typed list that is an argument cannot change its length in a derivative, nor take new arrays: "
    "change a copy of it, made in the kernel by `.copy()`"
)
WRITTEN = (
    "a typed list that is Const is written by the kernel, and what it takes would have no derivative: make "
    "it Duplicated, or write to a copy of it, made in the kernel by `.copy()`"
)
_FROZEN = _SIZE(-1)  # the item size of a list that must not be written


def without_owners(builder: ir.IRBuilder, kind: Any, value: ir.Value) -> ir.Value:
    """Return a value with null for the owners of its arrays, as they mean nothing in a kernel.

    Stored as they come they are pointers of which Enzyme does not know whether they are constant.
    """
    if isinstance(kind, types.Array):
        for field in (0, 1):
            owner = value.type.elements[field]
            value = builder.insert_value(value, ir.Constant(owner, None), field)
    elif isinstance(kind, types.BaseTuple):
        for field, element in enumerate(kind):
            part = without_owners(builder, element, builder.extract_value(value, field))
            value = builder.insert_value(value, part, field)
    return value


class TypedList:
    """A typed list at the builder's place."""

    def __init__(self, context: Any, builder: ir.IRBuilder, item: Any, data: ir.Value) -> None:
        self._context, self._builder = context, builder
        self._model = context.data_model_manager[item]
        self._is_table = holds_no_floats(item)
        self._item = self._model.get_data_type()
        self._head = ir.LiteralStructType([*_HEAD, self._item.as_pointer()])
        self.place = builder.bitcast(data, self._head.as_pointer())

    @staticmethod
    def of(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> TypedList:
        """Return the list that a value of a list type is."""
        data = _container_get_data(context, builder, kind, value)
        return TypedList(context, builder, kind.item_type, data)

    @staticmethod
    def new(context: Any, builder: ir.IRBuilder, item: Any, room: ir.Value) -> TypedList:
        """Return a new list with room for so many items, or for a few."""
        size = context.get_abi_sizeof(ir.LiteralStructType([*_HEAD, _BYTE]))
        made = TypedList(context, builder, item, ir.Constant(_BYTE, None))
        made.place = builder.bitcast(made._allocate(_SIZE(size)), made.place.type)
        least = _SIZE(_SMALLEST)
        room = builder.select(builder.icmp_signed("<", room, least), least, room)
        made.set(_COUNT, _SIZE(0))
        made.set(_ITEM_SIZE, _SIZE(0))
        made.set(_ROOM, room)
        made.set(_MUTABLE, _STATUS(1))
        made.set(_ITEMS, made._block(room))
        hint = record_hint(builder.module, context.target_data, made._head)
        builder.call(hint, [builder.bitcast(made.place, _BYTE)])
        return made

    def get(self, field: int) -> ir.Value:
        """Return a field of the header."""
        value = self._builder.load(cgutils.gep_inbounds(self._builder, self.place, 0, field))
        if isinstance(value.type, ir.IntType):
            tag_integer(value)
        return value

    def set(self, field: int, value: ir.Value) -> None:
        """Change a field of the header."""
        self._builder.store(value, cgutils.gep_inbounds(self._builder, self.place, 0, field))

    def put(self, index: ir.Value, item: ir.Value) -> None:
        """Store an item in its place."""
        place = self._builder.gep(self.get(_ITEMS), [index])
        item = without_owners(self._builder, self._model.fe_type, item)
        self._builder.store(self._model.as_data(self._builder, item), place)

    def item(self, index: ir.Value) -> ir.Value:
        """Load the item in a place, as a whole: the hint for its fields stands in front of that."""
        place = self._builder.gep(self.get(_ITEMS), [index])
        return self._model.from_data(self._builder, self._builder.load(place))

    def move(self, source: ir.Value, target: ir.Value) -> None:
        """Copy an item from one place to another."""
        items = self.get(_ITEMS)
        item = self._builder.load(self._builder.gep(items, [source]))
        self._builder.store(item, self._builder.gep(items, [target]))

    def append(self, item: ir.Value) -> None:
        """Put an item behind the others."""
        self.make_room()
        count = self.get(_COUNT)
        self.put(count, item)
        self.set(_COUNT, self._builder.add(count, _SIZE(1)))

    def check_own(self) -> None:
        """Raise where the list is one of the caller's."""
        is_foreign = self._builder.icmp_signed("!=", self.get(_ITEM_SIZE), _SIZE(0))
        with self._builder.if_then(is_foreign, likely=False):
            convention = self._context.call_conv
            convention.return_user_exc(self._builder, UnsupportedTypeError, (FOREIGN,))

    def check_written(self) -> None:
        """Raise where the list is constant for the derivative."""
        is_frozen = self._builder.icmp_signed("==", self.get(_ITEM_SIZE), _FROZEN)
        with self._builder.if_then(is_frozen, likely=False):
            convention = self._context.call_conv
            convention.return_user_exc(self._builder, UnsupportedTypeError, (WRITTEN,))

    def holds_memory(self) -> bool:
        """Tell whether items are or hold arrays."""
        return bool(self._model.contains_nrt_meminfo())

    def make_room(self) -> None:
        """Move to a block of twice the size where the list is full."""
        builder, count, room = self._builder, self.get(_COUNT), self.get(_ROOM)
        with builder.if_then(builder.icmp_signed("==", count, room), likely=False):
            larger = builder.mul(room, _SIZE(2))
            old, new = self.get(_ITEMS), self._block(larger)
            with cgutils.for_range(builder, count) as loop:
                item = builder.load(builder.gep(old, [loop.index]))
                builder.store(item, builder.gep(new, [loop.index]))
            self.set(_ITEMS, new)
            self.set(_ROOM, larger)

    def _block(self, room: ir.Value) -> ir.Value:
        size = self._builder.mul(room, _SIZE(self._context.get_abi_sizeof(self._item)))
        return self._builder.bitcast(self._allocate(size), self._item.as_pointer())

    def _allocate(self, size: ir.Value) -> ir.Value:
        if self._is_table:
            return table_memory(self._builder, size)
        return self._context.nrt.allocate_unchecked(self._builder, size)


def frozen(builder: ir.IRBuilder, data: ir.Value) -> ir.Value:
    """Return the address of a header for the same items, through which they cannot be written."""
    head = ir.LiteralStructType([*_HEAD, _BYTE])
    copied = cgutils.alloca_once(builder, head)
    builder.store(builder.load(builder.bitcast(data, head.as_pointer())), copied)
    builder.store(_FROZEN, cgutils.gep_inbounds(builder, copied, 0, _ITEM_SIZE))
    return builder.bitcast(copied, data.type)


def rebuilt(
    context: Any,
    builder: ir.IRBuilder,
    kind: Any,
    value: ir.Value,
    change: Callable[[ir.Value], ir.Value],
) -> ir.Value:
    """Return a new list of a kernel's, with every item of another changed."""
    old = TypedList.of(context, builder, kind, value)
    count = old.get(_COUNT)
    new = TypedList.new(context, builder, kind.item_type, count)
    with cgutils.for_range(builder, count) as loop:
        new.append(change(old.item(loop.index)))
    made = cgutils.create_struct_proxy(kind)(context, builder)
    made.data = builder.bitcast(new.place, _BYTE)
    return made._getvalue()


def _if_mutable(builder: ir.IRBuilder, held: TypedList) -> Any:
    is_mutable = builder.icmp_signed("!=", held.get(_MUTABLE), _STATUS(0))
    return is_mutable, builder.if_then(is_mutable, likely=True)


def _status(builder: ir.IRBuilder, is_mutable: ir.Value) -> ir.Value:
    return builder.select(is_mutable, _OK, _IMMUTABLE)


@intrinsic
def _new(typing_context, item, allocated):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        made = TypedList.new(context, builder, item.instance_type, args[1])
        return builder.bitcast(made.place, _BYTE)

    return signature(types.voidptr, item, allocated), lower


@intrinsic
def _length(typing_context, held):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        return TypedList.of(context, builder, sig.args[0], args[0]).get(_COUNT)

    return signature(types.intp, held), lower


@intrinsic
def _fix_index(typing_context, held, index):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        count = TypedList.of(context, builder, sig.args[0], args[0]).get(_COUNT)
        index = context.cast(builder, args[1], sig.args[1], types.intp)
        is_negative = builder.icmp_signed("<", index, _SIZE(0))
        if isinstance(sig.args[1], types.Integer) and not sig.args[1].signed:
            is_negative = ir.IntType(1)(0)
        return builder.select(is_negative, builder.add(index, count), index)

    return signature(types.intp, held, index), lower


@intrinsic
def _set_method_table(typing_context, data, item):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        return context.get_dummy_value()  # nobody counts references here

    return signature(types.void, data, item), lower


@intrinsic
def _make_list(typing_context, item, data):  # type: ignore[no-untyped-def]
    kind = types.ListType(item.instance_type)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        made = cgutils.create_struct_proxy(kind)(context, builder)
        made.data = args[1]
        return made._getvalue()

    return signature(kind, item, data), lower


@intrinsic
def _append(typing_context, held, item):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        own = TypedList.of(context, builder, sig.args[0], args[0])
        own.check_own()
        is_mutable, then = _if_mutable(builder, own)
        with then:
            own.append(args[1])
        return _status(builder, is_mutable)

    return signature(types.int32, held, held.item_type), lower


@intrinsic
def typed_getitem(typing_context, held, index):  # type: ignore[no-untyped-def]
    is_none = isinstance(held.item_type, types.NoneType)
    found = held.item_type if is_none else types.Optional(held.item_type)
    result = types.Tuple([types.int32, found])

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        item = TypedList.of(context, builder, sig.args[0], args[0]).item(args[1])
        if not is_none:
            item = context.make_optional_value(builder, sig.args[0].item_type, item)
        return context.make_tuple(builder, result, [_OK, item])

    return signature(result, held, index), lower


@intrinsic
def _setitem(typing_context, held, index, item):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        own = TypedList.of(context, builder, sig.args[0], args[0])
        own.check_own() if own.holds_memory() else own.check_written()
        is_mutable, then = _if_mutable(builder, own)
        with then:
            own.put(args[1], args[2])
        return _status(builder, is_mutable)

    return signature(types.int32, held, index, item), lower


@intrinsic
def _delete_strided(typing_context, held, start, count, step):  # type: ignore[no-untyped-def]
    """Delete `count` items from `start` on, each `step` behind the one before; step > 0."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        held, start, count, step = args
        own = TypedList.of(context, builder, sig.args[0], held)
        own.check_own()
        is_mutable, then = _if_mutable(builder, own)
        with then:
            left = builder.sub(own.get(_COUNT), count)
            # What comes to stand at `start + i` had i // (step - 1) + 1 deleted ones before it.
            others = builder.sub(step, _SIZE(1))
            is_one = builder.icmp_signed("==", others, _SIZE(0))
            others = builder.select(is_one, _SIZE(1), others)
            with cgutils.for_range(builder, builder.sub(left, start)) as loop:
                before = builder.add(builder.sdiv(loop.index, others), _SIZE(1))
                is_fewer = builder.icmp_signed("<", before, count)
                before = builder.select(is_fewer, before, count)
                before = builder.select(is_one, count, before)
                place = builder.add(start, loop.index)
                own.move(builder.add(place, before), place)
            own.set(_COUNT, left)
        return _status(builder, is_mutable)

    return signature(types.int32, held, types.intp, types.intp, types.intp), lower


def identity(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers `a is b` of two typed lists, or None for anything else.

    Numba compares their owners, and in a kernel these are null.
    """
    if getattr(function, "typing_key", function) is not operator.is_ or sig is None:
        return None
    if len(sig.args) != 2 or not all(isinstance(kind, types.ListType) for kind in sig.args):
        return None
    return _lower_identity


def _lower_identity(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    places = [
        builder.ptrtoint(_container_get_data(context, builder, kind, value), _SIZE)
        for kind, value in zip(sig.args, args, strict=True)
    ]
    return builder.icmp_unsigned("==", *places)


def _delitem(held, index):  # type: ignore[no-untyped-def]  # compiled by Numba
    return _delete_strided(held, index, 1, 1)


def _delete_slice(held, start, stop, step):  # type: ignore[no-untyped-def]
    count = len(range(start, stop, step))
    if count == 0:
        start, step = 0, 1
    elif step < 0:
        start, step = start + (count - 1) * step, -step
    return _delete_strided(held, start, count, step)


OWN = {
    listobject._list_new: _new,
    listobject._list_set_method_table: _set_method_table,
    listobject._make_list: _make_list,
    listobject._list_length: _length,
    listobject.fix_index: _fix_index,
    listobject._list_append: _append,
    listobject._list_getitem: typed_getitem,
    listobject._list_getitem_borrowed: typed_getitem,
    listobject._list_setitem: _setitem,
    listobject._list_delitem: _delitem,
    listobject._list_delete_slice: _delete_slice,
}
