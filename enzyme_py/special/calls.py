"""How compiled code calls the functions of the table: intrinsics of Numba.

    value_of(row)      SciPy's function itself, for numbers that are constant to derivatives
    special(row)       what kernels and jitted code call: in a kernel what linking.py defines, elsewhere SciPy's function

SciPy's functions take and return numbers by value. A complex one is two doubles; the result of several goes to addresses.
Jitted code calls an address that Numba takes for one of this process: it does not put such code into its cache, where
another process would call it in vain. Derivatives have symbols (addresses.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic, register_jitable

from enzyme_py.frontend.codegen.library_calls import constant
from enzyme_py.frontend.target.target import KernelContext
from enzyme_py.rules.slopes import PICK
from enzyme_py.special.addresses import DATA, LOOP, C, special_address
from enzyme_py.special.row import Row
from enzyme_py.symbols import SPECIAL, SPECIAL_NONE

_DOUBLE, _INT, _LONG = ir.DoubleType(), ir.IntType(32), ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()
COMPLEX = ir.LiteralStructType([_DOUBLE, _DOUBLE])  # as Numba has a complex number
KINDS = {"d": types.float64, "D": types.complex128, "l": types.int64}


def chosen(row: Row, given: Sequence[Any]) -> str | None:
    """Return the signature of a row for arguments of some types; None if there is none."""
    for letters in row.signatures:
        if len(letters) == len(given) and all(map(_takes, letters, given)):
            return letters
    return None


def _takes(letter: str, kind: Any) -> bool:
    if isinstance(kind, types.Integer | types.Boolean):
        return True
    return (isinstance(kind, types.Float) and letter in "dD") or (
        isinstance(kind, types.Complex) and letter == "D"
    )


def result_of(letters: str) -> str:
    """Return the letter of a result."""
    return "D" if "D" in letters else "d"


def flat(letters: str) -> list[ir.Type]:
    """Return the types of the numbers that arguments come as."""
    return [
        one
        for letter in letters
        for one in {"d": [_DOUBLE], "D": [_DOUBLE] * 2, "l": [_LONG]}[letter]
    ]


def returned(letters: str) -> ir.Type:
    """Return the type of a result."""
    return COMPLEX if result_of(letters) == "D" else _DOUBLE


def value_of(row: Row) -> Any:
    """Return the intrinsic of SciPy's own function."""
    return _intrinsic(row, _call_c)


def special(row: Row) -> Any:
    """Return the intrinsic of the function as user code calls it."""

    def call(
        context: Any, builder: ir.IRBuilder, one: Row, letters: str, numbers: list[ir.Value]
    ) -> ir.Value:
        if not isinstance(context, KernelContext):
            if one.value:
                return _call_computed(context, builder, one, letters, numbers)
            return _call_c(context, builder, one, letters, numbers)
        return _call(builder, f"{SPECIAL}{one.name}.{letters}", letters, numbers)

    return _intrinsic(row, call)


def outside(symbol: str, letters: str) -> Any:
    """Return the intrinsic of a function that linking.py defines under a symbol."""

    @intrinsic
    def function(typing_context, arguments):  # type: ignore[no-untyped-def]
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
            values = cgutils.unpack_tuple(builder, args[0])
            numbers = [one for value in values for one in _numbers(builder, value)]
            return _call(builder, symbol, letters, numbers)

        return signature(KINDS[result_of(letters)], arguments), lower

    return function


def no_slope(name: str, argument: str) -> Any:
    """Return the intrinsic of a derivative that has no closed form: a call of what is found nowhere."""

    @intrinsic
    def function(typing_context):  # type: ignore[no-untyped-def]
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
            return _call(builder, f"{SPECIAL_NONE}{name}.{argument}", "", [])

        return signature(types.float64), lower

    return function


@intrinsic
def pick_real(typing_context, product, value):  # type: ignore[no-untyped-def]
    """Return a number that has the derivative of another one: rules/slopes.py."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        kind = ir.FunctionType(_DOUBLE, [_DOUBLE] * 2)
        return builder.call(
            cgutils.get_or_insert_function(builder.module, kind, f"{PICK}double"), args
        )

    return signature(types.float64, types.float64, types.float64), lower


@register_jitable  # type: ignore[misc]
def pick_complex(product, value):  # type: ignore[no-untyped-def]  # compiled by Numba
    """The same for a complex number."""
    return complex(pick_real(product.real, value.real), pick_real(product.imag, value.imag))


@register_jitable  # type: ignore[misc]
def constant_complex(z):  # type: ignore[no-untyped-def]
    """Return a complex number, as a constant to derivatives."""
    return complex(constant(z.real), constant(z.imag))


def _intrinsic(row: Row, call: Any) -> Any:
    @intrinsic
    def function(typing_context, arguments):  # type: ignore[no-untyped-def]
        letters = chosen(row, tuple(arguments))
        if letters is None:
            raise TypingError(f"scipy.special.{row.name} takes no {', '.join(map(str, arguments))}")

        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
            numbers = []
            for place, letter in enumerate(letters):
                value = builder.extract_value(args[0], place)
                own = context.cast(builder, value, sig.args[0][place], KINDS[letter])
                numbers += _numbers(builder, own)
            return call(context, builder, row, letters, numbers)

        return signature(KINDS[result_of(letters)], arguments), lower

    return function


def _numbers(builder: ir.IRBuilder, value: ir.Value) -> list[ir.Value]:
    if isinstance(value.type, ir.LiteralStructType):
        return [builder.extract_value(value, part) for part in range(2)]
    return [value]


def _call(builder: ir.IRBuilder, symbol: str, letters: str, numbers: list[ir.Value]) -> ir.Value:
    kind = ir.FunctionType(returned(letters), flat(letters))
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, symbol), numbers)


def _call_computed(
    context: Any, builder: ir.IRBuilder, row: Row, letters: str, numbers: list[ir.Value]
) -> ir.Value:
    """Call a function whose value is an expression, in jitted code that is no kernel."""
    from enzyme_py.special.generated import function_of  # made of this module's

    rest, values = list(numbers), []
    for letter in letters:
        value = rest.pop(0)
        values.append(
            cgutils.pack_struct(builder, [value, rest.pop(0)]) if letter == "D" else value
        )
    kinds = [KINDS[letter] for letter in letters]
    function = function_of(row.name, is_complex="D" in letters).py_func
    own = signature(KINDS[result_of(letters)], *kinds)
    return context.compile_internal(builder, function, own, values)


def _call_c(
    context: Any, builder: ir.IRBuilder, row: Row, letters: str, numbers: list[ir.Value]
) -> ir.Value:
    if row.is_loop:
        return _call_loop(context, builder, row, letters, numbers)
    symbol = f"{C}{row.c_name}.{letters}"
    kind = returned(letters)
    if row.output is None:
        parameters = [
            *flat(letters),
            _INT,
            _POINTER,
        ]  # whether to skip Python's own dispatch; optional arguments
        callee = _found(context, builder, symbol, ir.FunctionType(kind, parameters))
        return builder.call(callee, [*numbers, _INT(0), _POINTER(None)])
    slots = [cgutils.alloca_once(builder, kind) for _ in range(row.outputs)]
    parameters = [*flat(letters), *[kind.as_pointer()] * row.outputs]
    callee = _found(context, builder, symbol, ir.FunctionType(ir.VoidType(), parameters))
    builder.call(callee, [*numbers, *slots])
    return builder.load(slots[row.output])


def _call_loop(
    context: Any, builder: ir.IRBuilder, row: Row, letters: str, numbers: list[ir.Value]
) -> ir.Value:
    """Run the inner loop of a ufunc once: addresses of the arguments and of the result, a count, steps, data."""
    name, rest, slots = f"{row.c_name}.{letters}", list(numbers), []
    for letter in letters:
        slot = cgutils.alloca_once(builder, COMPLEX if letter == "D" else rest[0].type)
        for part in range(2 if letter == "D" else 1):
            place = builder.gep(slot, [_INT(0), _INT(part)]) if letter == "D" else slot
            builder.store(rest.pop(0), place)
        slots.append(slot)
    slots.append(cgutils.alloca_once(builder, returned(letters)))
    places = cgutils.alloca_once(builder, _POINTER, size=len(slots))
    steps = cgutils.alloca_once(builder, _LONG, size=len(slots))
    for number, slot in enumerate(slots):
        builder.store(builder.bitcast(slot, _POINTER), builder.gep(places, [_INT(number)]))
        builder.store(_LONG(0), builder.gep(steps, [_INT(number)]))
    count = cgutils.alloca_once_value(builder, _LONG(1))
    kind = ir.FunctionType(
        ir.VoidType(), [_POINTER.as_pointer(), *[_LONG.as_pointer()] * 2, _POINTER]
    )
    loop = _found(context, builder, f"{LOOP}{name}", kind)
    data = _found(context, builder, f"{DATA}{name}", ir.FunctionType(ir.VoidType(), []))
    builder.call(loop, [places, count, steps, builder.bitcast(data, _POINTER)])
    return builder.load(slots[-1])


def _found(context: Any, builder: ir.IRBuilder, symbol: str, kind: ir.FunctionType) -> ir.Value:
    """Return a function of SciPy's: in a kernel by its symbol, elsewhere by its address."""
    if isinstance(context, KernelContext):
        return cgutils.get_or_insert_function(builder.module, kind, symbol)
    address = special_address(symbol)
    if address is None:
        raise NotImplementedError(f"this version of SciPy has no {symbol}")
    pointer = context.add_dynamic_addr(builder, address, info=symbol)
    return builder.bitcast(pointer, kind.as_pointer())
