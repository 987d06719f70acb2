"""What a request returns: its Numba type, and the values built from result slots and gradients.

Arrays in results are C- or Fortran-contiguous (anything else is copied), so that the same type
holds inside kernels, in @njit code and in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.np import arrayobj

from enzyme_py.errors import UnsupportedTypeError, Where
from enzyme_py.frontend.leaves import Role, leaves
from enzyme_py.request import Activity, Direction, Request


def returned_type(kind: Any) -> Any:
    """Return the type under which a value of type `kind` leaves a derivative."""
    return with_arrays(types.unliteral(kind), _contiguous)


def derivative_type(kind: Any) -> Any:
    """Return the type of the tangent of a result: its own, and None for what has no zero: a member of an enum, a slice."""
    kind = returned_type(kind)
    if not isinstance(kind, types.BaseTuple):
        return kind if has_zero(kind) else types.none
    return types.BaseTuple.from_types([derivative_type(one) for one in kind], getattr(kind, "instance_class", None))


def has_zero(kind: Any) -> bool:
    """Tell whether there is a value of this type that means no change."""
    numbers = (types.Number, types.Boolean, types.NoneType, types.Array, types.ListType, types.Record)
    return isinstance(kind, numbers)


def _contiguous(kind: Any) -> Any:
    layout = "F" if kind.layout == "F" and kind.ndim > 1 else "C"
    return types.Array(kind.dtype, kind.ndim, layout)


def with_arrays(kind: Any, change: Callable[[Any], Any]) -> Any:
    """Return a type with its array types changed, also those in its tuples."""
    if isinstance(kind, types.Array):
        return change(kind)
    if isinstance(kind, types.BaseTuple):
        elements = [with_arrays(types.unliteral(element), change) for element in kind]
        if isinstance(kind, types.BaseNamedTuple):
            return types.BaseTuple.from_types(elements, kind.instance_class)
        return types.Tuple(tuple(elements))
    return kind


def owners(kind: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield where the arrays of a result have the pointers that Numba counts references by."""
    if isinstance(kind, types.Array):
        yield from ((*path, 0), (*path, 1))
    if isinstance(kind, types.BaseTuple):
        for place, element in enumerate(kind):
            yield from owners(element, (*path, place))


def holds_arrays(kind: Any) -> bool:
    """Tell whether a value of this type holds memory that belongs to a region."""
    if isinstance(kind, types.BaseTuple):
        return any(holds_arrays(element) for element in kind)
    return isinstance(kind, types.Array)


def holds_containers(kind: Any) -> bool:
    """Tell whether a value of this type is or holds what Numba keeps behind a pointer."""
    if isinstance(kind, types.BaseTuple):
        return any(map(holds_containers, kind))
    if isinstance(kind, types.Optional):
        return holds_containers(kind.type)
    managed = (types.List, types.ListType, types.Set, types.DictType)
    return isinstance(kind, (*managed, types.ClassInstanceType, types.StructRef))


# Strings lie in memory of Numba's, or of an argument; ranges and slices have no way to Python.
_STAYING = (
    types.UnicodeType,
    types.Bytes,
    types.ByteArray,
    types.MemoryView,
    types.RangeType,
    types.SliceType,
)


def staying_part(kind: Any) -> Any:
    """Return the type of a part of a value that cannot be handed out of a call, None if all can."""
    if isinstance(kind, types.BaseTuple):
        return next(filter(None, map(staying_part, kind)), None)
    if isinstance(kind, types.Optional):
        return staying_part(kind.type)
    return kind if isinstance(types.unliteral(kind), _STAYING) else None


def is_differentiable(context: Any, kind: Any) -> bool:
    """Tell whether any part of a value of this type can carry a derivative."""
    return any(leaf.is_differentiable for leaf in leaves(context, kind))


def result_type(request: Request, return_type: Any, argument_types: Sequence[Any]) -> Any:
    """Return the Numba type of the flat tuple that a request returns (see request.py)."""
    returned = returned_type(return_type)
    items: list[Any] = []
    if request.direction is Direction.FORWARD and request.result is not Activity.CONST:
        items += [derivative_type(return_type)] * request.width
    if request.direction is Direction.SPLIT_FORWARD and isinstance(return_type, types.Array):
        items += [place_type(return_type)] * request.width
    if request.direction in (Direction.REVERSE, Direction.SPLIT_REVERSE):
        for kind, activity in zip(argument_types, request.activities, strict=True):
            if activity.returns_gradient:
                items += [gradient_type(kind, activity)] * request.width
    if returns_primal(request):
        items.append(returned)
    return types.Tuple(tuple(items))


def returns_primal(request: Request) -> bool:
    """Tell whether the primal result is the last item of what a request returns."""
    if request.direction is Direction.SPLIT_REVERSE:
        return False  # the forward half had it
    return request.need_primal or request.direction is Direction.PRIMAL


def place_type(kind: Any) -> Any:
    """Return the type of (address, shape, strides) of an array that lies on a tape."""
    shape = types.UniTuple(types.intp, kind.ndim)
    return types.Tuple((types.intp, shape, shape))


def gradient_type(kind: Any, activity: Activity) -> Any:
    """Return the type of an argument's returned gradient: its own, or its numbers alone."""
    return kind if activity is Activity.ACTIVE else types.Tuple(tuple(numbers_of(kind)))


def numbers_of(kind: Any) -> list[Any]:
    """List the types of the real numbers by value in a type, a complex one as two."""
    if isinstance(kind, types.Float):
        return [kind]
    if isinstance(kind, types.Complex):
        return [kind.underlying_float] * 2
    if isinstance(kind, types.BaseTuple):
        return [number for element in kind for number in numbers_of(element)]
    return []


def seed_type(request: Request, return_type: Any) -> Any:
    """Return the type of a reverse request's seed: that of the differentiated scalar."""
    return return_type[0] if request.has_aux else return_type


def check_result(context: Any, request: Request, return_type: Any, where: Where) -> None:
    """Refuse results that the request's mode cannot differentiate."""
    if holds_containers(return_type) and (
        returns_primal(request) or request.result is not Activity.CONST
    ):
        message = f"the result of `{where.kernel}` has type {return_type}, in memory of the call"
        remedy = (
            "return a number, an array or a tuple of these (np.array, np.stack, np.concatenate); or a list, or a dict with strings "
            "as keys, all of it written where it is returned"
        )
        raise UnsupportedTypeError(message, where=where, remedy=remedy)
    staying = staying_part(return_type)
    if staying is not None and (returns_primal(request) or request.result is not Activity.CONST):
        message = f"the result of `{where.kernel}` holds a value of type {types.unliteral(staying)}, which stays in the call"
        remedy = "leave it out of the result: return numbers and arrays, and choose strings, ranges and slices behind the call"
        raise UnsupportedTypeError(message, where=where, remedy=remedy)
    if request.direction is Direction.PRIMAL or request.result is Activity.CONST:
        return
    if request.has_aux:
        if not isinstance(return_type, types.BaseTuple) or len(return_type) != 2:
            message = f"with has_aux, `{where.kernel}` must return (value, aux), not {return_type}"
            remedy = "return a pair, or leave has_aux out"
            raise UnsupportedTypeError(message, where=where, remedy=remedy)
        return_type = return_type[0]
    if not is_differentiable(context, return_type):
        message = f"the result of `{where.kernel}` has type {return_type}: nothing to differentiate"
        remedy = "return a float, a complex number or an array of these, or pass Const as return activity"
        raise UnsupportedTypeError(message, where=where, remedy=remedy)
    scalar = isinstance(return_type, (types.Float, types.Complex))
    if request.is_split and not scalar and not isinstance(return_type, types.Array):
        message = f"a split mode needs a number or an array as result, not {return_type}"
        raise UnsupportedTypeError(message, where=where, remedy="use enzyme.vjp")
    if request.direction is Direction.REVERSE and not scalar:
        message = f"reverse mode needs a scalar result, `{where.kernel}` returns {return_type}"
        remedy = "use Forward, enzyme.vjp, enzyme.jacobian or a split mode, or return a sum"
        raise UnsupportedTypeError(message, where=where, remedy=remedy)


def copy_function(kind: Any) -> Callable[..., Any]:
    """Return the function that copies an array of this type into its returned type."""
    return _copy_fortran if returned_type(kind).layout == "F" else _copy


def _copy(array):  # type: ignore[no-untyped-def]  # compiled by Numba
    return array.copy()


def _copy_fortran(array):  # type: ignore[no-untyped-def]
    return array.T.copy().T  # Numba's copy is always in C order


def _derivative_or_zeros(primal, shadow):  # type: ignore[no-untyped-def]  # compiled by Numba
    # Enzyme gives an inactive array the primal itself as its shadow.
    if primal.size > 0 and primal.ctypes.data == shadow.ctypes.data:
        return np.zeros_like(primal)
    return shadow


def _zeros_like(primal):  # type: ignore[no-untyped-def]
    return np.zeros(primal.shape, primal.dtype)


def _zeros_like_fortran(primal):  # type: ignore[no-untyped-def]
    return np.zeros(primal.shape[::-1], primal.dtype).T


def _derivative_copy_or_zeros(primal, shadow):  # type: ignore[no-untyped-def]
    if primal.size > 0 and primal.ctypes.data == shadow.ctypes.data:
        return np.zeros(primal.shape, primal.dtype)
    return shadow.copy()


class ResultBuilder:
    """Builds returned values in a kernel context."""

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        self.context = context
        self.builder = builder

    def primal(self, kind: Any, value: ir.Value) -> ir.Value:
        """Return the kernel's result under its returned type."""
        kind = types.unliteral(kind)
        returned = returned_type(kind)
        if isinstance(kind, types.Array) and kind != returned:
            return self._compiled(copy_function(kind), returned, [kind], [value])
        if isinstance(kind, types.BaseTuple):
            parts = [
                self.primal(element, self.builder.extract_value(value, i))
                for i, element in enumerate(kind)
            ]
            return self.context.make_tuple(self.builder, returned, parts)
        return value

    def derivative(self, kind: Any, primal: ir.Value, shadow: ir.Value) -> ir.Value:
        """Return the derivative of a result, from its value and the contents of its shadow."""
        kind = types.unliteral(kind)
        returned = derivative_type(kind)
        if isinstance(kind, types.Array):
            if not is_differentiable(self.context, kind):
                zeros = _zeros_like_fortran if returned.layout == "F" else _zeros_like
                return self._compiled(zeros, returned, [kind], [primal])
            view = self._with_data_of(kind, primal, shadow)
            same = kind == returned
            function = _derivative_or_zeros if same else _derivative_copy_or_zeros
            return self._compiled(function, returned, [kind, kind], [primal, view])
        if isinstance(kind, types.BaseTuple):
            parts = [
                self.derivative(
                    element,
                    self.builder.extract_value(primal, i),
                    self.builder.extract_value(shadow, i),
                )
                for i, element in enumerate(kind)
            ]
            return self.context.make_tuple(self.builder, returned, parts)
        if is_differentiable(self.context, kind):
            return shadow
        return self.context.get_constant_null(returned)

    def place(self, kind: Any, primal: ir.Value, shadow: ir.Value) -> ir.Value:
        """Return where the shadow of an array result lies; the address is 0 if it is constant."""
        own = arrayobj.make_array(kind)(self.context, self.builder, primal)
        other = arrayobj.make_array(kind)(self.context, self.builder, shadow)
        word = self.context.get_value_type(types.intp)
        addresses = [self.builder.ptrtoint(array.data, word) for array in (own, other)]
        is_same = self.builder.icmp_signed("==", *addresses)
        address = self.builder.select(is_same, word(0), addresses[1])
        return self.context.make_tuple(
            self.builder, place_type(kind), [address, own.shape, own.strides]
        )

    def gradient(self, argument: Any, activity: Activity, numbers: dict[int, ir.Value]) -> ir.Value:
        """Return the gradient of an argument from those of its leaves."""
        if activity is Activity.MIXED:
            kind = gradient_type(argument, activity)
            return self.context.make_tuple(self.builder, kind, list(numbers.values()))
        packer = self.context.get_arg_packer([argument])
        flat = [ir.Constant(part, None) for part in packer.argument_types]
        for index, value in numbers.items():
            flat[index] = value
        return packer.from_arguments(self.builder, flat)[0]

    def _with_data_of(self, kind: Any, primal: ir.Value, shadow: ir.Value) -> ir.Value:
        """Return the array of the primal's shape whose elements are the shadow's.

        Shape and strides of a shadow slot are not to be trusted: they are integers, inactive.
        """
        packer = self.context.get_arg_packer([kind])
        own = packer.as_arguments(self.builder, [primal])
        other = packer.as_arguments(self.builder, [shadow])
        roles = [leaf.role for leaf in leaves(self.context, kind)]
        flat = [b if role is Role.DATA else a for a, b, role in zip(own, other, roles, strict=True)]
        return packer.from_arguments(self.builder, flat)[0]

    def _compiled(
        self, function: Any, returned: Any, kinds: Sequence[Any], values: Sequence[ir.Value]
    ) -> ir.Value:
        return self.context.compile_internal(
            self.builder, function, signature(returned, *kinds), values
        )
