"""Operations on tables, methods of strings, and printing, in functions of their own, which Enzyme leaves alone.

Numba writes the search through a hash table in place of each `add` and each `in`. Enzyme would keep all
numbers and branches of that search for the reverse sweep, where no derivative is: measured, 28
growing caches for one loop over three keys, with bounds that were wrong. A function that is
inactive and not inlined is called once, and gives numbers.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.cpython import setobj

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.frontend.codegen.calling_convention import KernelCallConv
from enzyme_py.frontend.codegen.tables import holds_no_floats
from enzyme_py.symbols import TABLE_OPERATION

_POINTER = ir.IntType(8).as_pointer()
_NUMBER = ir.IntType(64)


class _Inactive(ir.values.FunctionAttributes):  # type: ignore[misc]
    """Function attributes with those that llvmlite has no word for."""

    def _to_list(self, typ: Any) -> list[str]:
        words = '"enzyme_inactive" "enzyme_inactive_val" "enzyme_no_escaping_allocation" "enzyme_nofree"'
        return [*super()._to_list(typ), words]


class _Untyped(_Inactive):
    """Those of a function that Enzyme's type analysis does not look into: it fails an assertion on letters of two bytes."""

    def _to_list(self, typ: Any) -> list[str]:
        return [*super()._to_list(typ), '"enzyme_ta_norecur"']


class Outlined:
    """What lowers an operation, wrapped to do so in a function of its own."""

    def __init__(self, lower: Any, context: Any, sig: Any) -> None:
        self._lower, self._context, self._sig = lower, context, sig
        self._attributes = _Untyped if isinstance(sig.recvr, types.UnicodeType) else _Inactive

    def __call__(self, builder: ir.IRBuilder, args: Sequence[Any], loc: Any = None) -> Any:
        """Emit the function and its call."""
        return outlined(
            self._context, builder, lambda inner, values: self._lower(inner, values, loc), args, self._attributes
        )

    def __getattr__(self, item: str) -> Any:
        return getattr(self._lower, item)


def outlined(
    context: Any,
    builder: ir.IRBuilder,
    lower: Callable[[ir.IRBuilder, Sequence[Any]], Any],
    args: Sequence[Any],
    attributes: type[_Inactive] = _Inactive,
) -> Any:
    """Emit `lower` in a function that is inactive and not inlined, and the call of that function."""
    if not isinstance(context.call_conv, KernelCallConv):
        return lower(builder, args)  # an exception would return to the middle of the caller
    if not all(isinstance(one, ir.Value) for one in args):
        return lower(builder, args)  # a part with a number that is known: of a captured dict, `d["which"]`
    excinfo = context.call_conv._get_excinfo_argument(builder.function)
    module = builder.module
    # The place of the exception stands where Numba looks for it: second.
    taken = [_POINTER, excinfo.type, *(one.type for one in args)]
    draft = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), taken), "draft")
    draft.parent = module  # the type of the result is known when the body is
    inner = ir.IRBuilder(draft.append_basic_block("entry"))
    result = lower(inner, draft.args[2:])
    if inner.block.is_terminated:
        return result
    kind = ir.FunctionType(result.type, taken)
    function = ir.Function(module, kind, module.get_unique_name(TABLE_OPERATION))
    function.linkage = "internal"
    function.attributes = attributes(("noinline",))
    inner.ret(result)
    function.blocks, function.args, function.scope = draft.blocks, draft.args, draft.scope
    for block in function.blocks:
        block.parent = function
    null = ir.Constant(_POINTER, None)
    return builder.call(function, [null, excinfo, *args])


def text_hash(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers the hash of a string or a tuple, or None for anything else.

    Numba's own is seeded by the interpreter, with numbers that a derivative cannot read. No hash outlives
    the call, so any will do.
    """
    if getattr(function, "typing_key", None) is not hash or sig is None:
        return None
    if isinstance(sig.args[0], (types.Float, types.Complex)):
        message = "the kernel looks for a float in a set or a dict, or asks for its hash"
        remedy = "keys carry no derivative: keep floats in a list, and look for one by a loop"
        raise UnsupportedTypeError(message, remedy=remedy)
    if isinstance(sig.args[0], types.BaseTuple):
        return functools.partial(_lower_tuple_hash, function)
    return _lower_hash if isinstance(sig.args[0], types.UnicodeType) else None


def tuple_hash_type(function: Any, args: Sequence[Any]) -> Any:
    """Return the signature of the hash of a tuple without floats, or None for anything else.

    Numba finds none for the targets of this package.
    """
    if getattr(function, "typing_key", None) is not hash or len(args) != 1:
        return None
    is_key = isinstance(args[0], types.BaseTuple) and holds_no_floats(args[0])
    return signature(types.int64, types.unliteral(args[0])) if is_key else None


def _lower_tuple_hash(
    function: Any, context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]
) -> Any:
    total: Any = _NUMBER(5381)
    for place, kind in enumerate(sig.args[0]):
        own = context.typing_context.resolve_function_type(function, (kind,), {})
        part = builder.extract_value(args[0], place)
        hashed = context.get_function(function, own)(builder, (part,))
        hashed = context.cast(builder, hashed, own.return_type, types.int64)
        total = builder.add(builder.mul(total, _NUMBER(1000003)), hashed)
    return builder.and_(total, _NUMBER(0x7FFFFFFFFFFFFFFF))  # -1 means something else


@contextlib.contextmanager
def tuples_in_sets() -> Iterator[None]:
    """Within the block, sets ask for the hash of a tuple as dicts do. Numba's way finds none here."""
    setobj.get_hash_value = _hash_value
    try:
        yield
    finally:
        setobj.get_hash_value = _usual_hash_value


_usual_hash_value = setobj.get_hash_value


def _hash_value(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> Any:
    function = context.typing_context.resolve_value_type(hash)
    own = tuple_hash_type(function, (kind,))
    if own is None:
        return _usual_hash_value(context, builder, kind, value)
    return context.get_function(function, own)(builder, (value,))


def _hash(text):  # type: ignore[no-untyped-def]  # compiled by Numba
    number = 5381
    for letter in text:
        number = (number * 33 + ord(letter)) & 0x7FFFFFFFFFFFFFFF
    return number


def _lower_hash(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    def lower(inner: ir.IRBuilder, values: Sequence[Any]) -> Any:
        return context.compile_internal(inner, _hash, sig, list(values))

    return outlined(context, builder, lower, args)


def is_table_operation(function: Any, sig: Any) -> bool:
    """Tell whether an operation works on a set or a string, and neither takes nor gives anything that may carry a derivative.

    Enzyme crashed on loops over letters in reverse mode: `word.lower()`, `word.split(",")`. What the user wrote is none:
    it is part of the kernel. Nor is iteration (set_iteration.py).
    """
    is_iteration = function in ("getiter", "iternext")
    if sig is None or is_iteration or isinstance(function, types.Dispatcher):
        return False
    if function == "print_item" or getattr(function, "typing_key", None) is print:
        return True
    if getattr(function, "typing_key", None) is hash:
        return all(map(holds_no_floats, sig.args))
    kinds = (sig.return_type, *sig.args)
    is_method = isinstance(function, types.BoundFunction) and isinstance(function.this, types.UnicodeType)
    is_of_text = is_method or any(isinstance(one, types.UnicodeType) for one in kinds)
    return (is_of_text or any(map(_is_table, kinds))) and all(map(_is_constant, kinds))


def _is_table(kind: Any) -> bool:
    return isinstance(kind, types.Set) and holds_no_floats(kind.dtype)


def _is_constant(kind: Any) -> bool:
    if isinstance(kind, (types.Array, types.List)):
        kind = kind.dtype
    return holds_no_floats(kind) or _is_table(kind) or isinstance(kind, _NEVER_ACTIVE)


_NEVER_ACTIVE = (types.Literal, types.Omitted, types.RangeType)
