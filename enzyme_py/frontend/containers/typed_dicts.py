"""numba.typed.Dict in kernels, and what Numba makes of it (`{}`, dict literals): keys are constant.

Numba lowers dicts to C functions that copy keys and values as bytes. Here a dict is two things: a
typed list of values (typed_lists.py), which derivatives go through, and tables that say which key
stands at which place of that list. All work on the tables is done in functions that Enzyme leaves
alone (outlining.py); they give an index. Places of deleted keys are not used again.

    meminfo: four typed lists without floats, keys, hashes (-1: deleted), slots, and how many are left
    data:    the list of values
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import RefType, iternext_impl
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.typed import dictobject
from numba.typed.dictobject import Status

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.frontend.codegen.calling_convention import KernelCallConv
from enzyme_py.frontend.codegen.outlining import outlined
from enzyme_py.frontend.codegen.tables import holds_no_floats, table_memory
from enzyme_py.frontend.containers.typed_lists import TypedList

_BYTE = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_STATUS = ir.IntType(32)
_INTEGERS = types.ListType(types.int64)
_SLOTS = 8  # of a new dict; always a power of two


# Python code over the tables, compiled for the kernel's target.


def _find(dictionary, key, hashed):  # type: ignore[no-untyped-def]
    keys, hashes, slots = _keys(dictionary), _hashes(dictionary), _slots(dictionary)
    place = hashed & (len(slots) - 1)
    while slots[place] >= 0:
        index = slots[place]
        if hashes[index] == hashed and keys[index] == key:
            return index
        place = (place + 1) & (len(slots) - 1)
    return -1


def _settle(slots, hashed, index):  # type: ignore[no-untyped-def]
    place = hashed & (len(slots) - 1)
    while slots[place] >= 0:
        place = (place + 1) & (len(slots) - 1)
    slots[place] = index


def _add(dictionary, key, hashed):  # type: ignore[no-untyped-def]
    found = _find(dictionary, key, hashed)  # type: ignore[no-untyped-call]
    if found >= 0:
        return found
    keys, hashes, slots = _keys(dictionary), _hashes(dictionary), _slots(dictionary)
    keys.append(key)
    hashes.append(hashed)
    _count(dictionary)[0] += 1
    if 2 * len(keys) > len(slots):
        number = 2 * len(slots)
        slots.clear()
        for _ in range(number):
            slots.append(-1)
        for index in range(len(keys) - 1):
            # A deleted key keeps a place on the way to others; nothing is equal to it.
            _settle(slots, hashes[index], index)  # type: ignore[no-untyped-call]
    _settle(slots, hashed, len(keys) - 1)  # type: ignore[no-untyped-call]
    return -1


def _delete(dictionary, index):  # type: ignore[no-untyped-def]
    _hashes(dictionary)[index] = -1
    _count(dictionary)[0] -= 1
    return 0


def _following(dictionary, index):  # type: ignore[no-untyped-def]
    hashes = _hashes(dictionary)
    while index < len(hashes):
        if hashes[index] != -1:
            return index
        index += 1
    return -1


def _last(dictionary):  # type: ignore[no-untyped-def]
    hashes = _hashes(dictionary)
    for index in range(len(hashes) - 1, -1, -1):
        if hashes[index] != -1:
            return index
    return -1


def _key_at(dictionary, index):  # type: ignore[no-untyped-def]
    return _keys(dictionary)[index]


def _length_of(dictionary):  # type: ignore[no-untyped-def]
    return _count(dictionary)[0]


def _table(position: int) -> Any:
    """Return the intrinsic that gives one of the tables of a dict."""

    @intrinsic
    def table(typing_context, dictionary):  # type: ignore[no-untyped-def]
        kind = types.ListType(dictionary.key_type) if position == 0 else _INTEGERS

        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
            proxy = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
            places = builder.bitcast(proxy.meminfo, _BYTE.as_pointer())
            found = cgutils.create_struct_proxy(kind)(context, builder)
            found.data = builder.load(builder.gep(places, [_SIZE(position)]))
            return found._getvalue()

        return signature(kind, dictionary), lower

    return table


_keys, _hashes, _slots, _count = map(_table, range(4))


class _Dict:
    """A dict at the builder's place."""

    def __init__(self, context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> None:
        self._context, self._builder = context, builder
        self._kind, self._value = kind, value
        proxy = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        self.values = TypedList(context, builder, kind.value_type, proxy.data)

    def ask(
        self, function: Callable[..., Any], result: Any, kinds: Sequence[Any], *given: Any
    ) -> Any:
        """Call one of the functions above, in a function of its own."""
        sig = signature(result, self._kind, *kinds)

        def lower(inner: ir.IRBuilder, values: Sequence[Any]) -> Any:
            return self._context.compile_internal(inner, function, sig, list(values))

        return outlined(self._context, self._builder, lower, [self._value, *given])


def _check(context: Any, kind: Any) -> None:
    if not isinstance(context.call_conv, KernelCallConv):
        message = "a dict in a kernel that holds a `try`, itself or in what it calls"
        remedy = "ask by an `if` what the `try` is for, or keep the values in a list or an array"
        raise UnsupportedTypeError(message, remedy=remedy)
    if not holds_no_floats(kind.key_type):
        message = f"a dict in the kernel has keys of type {kind.key_type}"
        remedy = "take integers, strings, or tuples of integers as keys: keys carry no derivative"
        raise UnsupportedTypeError(message, remedy=remedy)


@intrinsic
def _new(typing_context, count, key, value):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        return ir.Constant(_BYTE, None)  # see _make

    return signature(types.voidptr, count, key, value), lower


@intrinsic
def _set_method_table(typing_context, data, key, value):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        return context.get_dummy_value()

    return signature(types.void, data, key, value), lower


@intrinsic
def _make(typing_context, key, value, data):  # type: ignore[no-untyped-def]
    kind = types.DictType(key.instance_type, value.instance_type)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        _check(context, kind)

        def make(inner: ir.IRBuilder, given: Sequence[Any]) -> Any:
            places = inner.bitcast(table_memory(inner, _SIZE(32)), _BYTE.as_pointer())
            for position, item in enumerate((kind.key_type, *[types.int64] * 3)):
                room = _SIZE(_SLOTS)
                held = TypedList.new(context, inner, item, room)
                if position == 2:
                    with cgutils.for_range(inner, room):
                        held.append(_SIZE(-1))
                elif position == 3:
                    held.append(_SIZE(0))
                place = inner.bitcast(held.place, _BYTE)
                inner.store(place, inner.gep(places, [_SIZE(position)]))
            return inner.bitcast(places, _BYTE)

        made = cgutils.create_struct_proxy(kind)(context, builder)
        made.meminfo = outlined(context, builder, make, [])
        values = TypedList.new(context, builder, kind.value_type, _SIZE(0))
        made.data = builder.bitcast(values.place, _BYTE)
        return made._getvalue()

    return signature(kind, key, value, data), lower


@intrinsic
def _length(typing_context, dictionary):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        own = _Dict(context, builder, sig.args[0], args[0])
        return own.ask(_length_of, types.intp, ())

    return signature(types.intp, dictionary), lower


@intrinsic
def _insert(typing_context, dictionary, key, hashed, value):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        kind = sig.args[0]
        own = _Dict(context, builder, kind, args[0])
        found = own.ask(_add, types.intp, (kind.key_type, types.intp), args[1], args[2])
        is_old = builder.icmp_signed(">=", found, _SIZE(0))
        with builder.if_else(is_old) as (then, otherwise):
            with then:
                own.values.put(found, args[3])
            with otherwise:
                own.values.append(args[3])
        replaced, new = (_STATUS(int(one)) for one in (Status.OK_REPLACED, Status.OK))
        return builder.select(is_old, replaced, new)

    taken = (dictionary, dictionary.key_type, types.intp, dictionary.value_type)
    return signature(types.int32, *taken), lower


@intrinsic
def _lookup(typing_context, dictionary, key, hashed):  # type: ignore[no-untyped-def]
    optional = types.Optional(dictionary.value_type)
    result = types.Tuple([types.intp, optional])

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        kind = sig.args[0]
        own = _Dict(context, builder, kind, args[0])
        found = own.ask(_find, types.intp, (kind.key_type, types.intp), args[1], args[2])
        none = context.make_optional_none(builder, kind.value_type)
        place = cgutils.alloca_once_value(builder, none)
        with builder.if_then(builder.icmp_signed(">=", found, _SIZE(0))):
            item = own.values.item(found)
            builder.store(context.make_optional_value(builder, kind.value_type, item), place)
        return context.make_tuple(builder, result, [found, builder.load(place)])

    return signature(result, dictionary, dictionary.key_type, types.intp), lower


@intrinsic
def _delitem(typing_context, dictionary, hashed, index):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        own = _Dict(context, builder, sig.args[0], args[0])
        own.ask(_delete, types.intp, (types.intp,), args[2])
        return _STATUS(int(Status.OK))

    return signature(types.int32, dictionary, hashed, types.intp), lower


@intrinsic
def _popitem(typing_context, dictionary):  # type: ignore[no-untyped-def]
    pair = types.Tuple([dictionary.key_type, dictionary.value_type])
    result = types.Tuple([types.int32, types.Optional(pair)])

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        kind = sig.args[0]
        own = _Dict(context, builder, kind, args[0])
        last = own.ask(_last, types.intp, ())
        place = cgutils.alloca_once_value(builder, context.make_optional_none(builder, pair))
        is_there = builder.icmp_signed(">=", last, _SIZE(0))
        with builder.if_then(is_there):
            key = own.ask(_key_at, kind.key_type, (types.intp,), last)
            both = context.make_tuple(builder, pair, [key, own.values.item(last)])
            builder.store(context.make_optional_value(builder, pair, both), place)
            own.ask(_delete, types.intp, (types.intp,), last)
        empty, fine = (_STATUS(int(one)) for one in (Status.ERR_DICT_EMPTY, Status.OK))
        status = builder.select(is_there, fine, empty)
        return context.make_tuple(builder, result, [status, builder.load(place)])

    return signature(result, dictionary), lower


OWN = {
    dictobject._dict_new_sized: _new,
    dictobject._dict_set_method_table: _set_method_table,
    dictobject._make_dict: _make,
    dictobject._dict_length: _length,
    dictobject._dict_insert: _insert,
    dictobject._dict_lookup: _lookup,
    dictobject._dict_delitem: _delitem,
    dictobject._dict_popitem: _popitem,
}


def iteration(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers the steps of an iterator of a dict, or None for anything else."""
    if sig is None or not sig.args:
        return None
    kind = sig.args[0]
    views = (types.DictItemsIterableType, types.DictKeysIterableType, types.DictValuesIterableType)
    if function == "getiter" and isinstance(kind, (types.DictType, *views)):
        return _getiter
    is_step = function == "iternext" and isinstance(kind, types.DictIteratorType)
    return _iternext if is_step else None


def _getiter(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    made = context.make_helper(builder, sig.return_type)
    is_view = not isinstance(sig.args[0], types.DictType)
    parent = context.make_helper(builder, sig.args[0], args[0]).parent if is_view else args[0]
    made.parent = parent
    counter = cgutils.alloca_once_value(builder, _SIZE(0))
    made.state = builder.bitcast(counter, _BYTE)
    return made._getvalue()


@iternext_impl(RefType.BORROWED)  # type: ignore[untyped-decorator]
def _iternext(
    context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any], result: Any
) -> None:
    kind = sig.args[0]
    iterator = context.make_helper(builder, kind, args[0])
    own = _Dict(context, builder, kind.parent, iterator.parent)
    counter = builder.bitcast(iterator.state, _SIZE.as_pointer())
    index = own.ask(_following, types.intp, (types.intp,), builder.load(counter))
    is_valid = builder.icmp_signed(">=", index, _SIZE(0))
    result.set_valid(is_valid)
    with builder.if_then(is_valid):
        builder.store(builder.add(index, _SIZE(1)), counter)
        parts = []
        if not isinstance(kind.iterable, types.DictValuesIterableType):
            parts.append(own.ask(_key_at, kind.parent.key_type, (types.intp,), index))
        if not isinstance(kind.iterable, types.DictKeysIterableType):
            parts.append(own.values.item(index))
        is_pair = isinstance(kind.iterable, types.DictItemsIterableType)
        pair = context.make_tuple(builder, kind.yield_type, parts) if is_pair else parts[0]
        result.yield_(pair)
