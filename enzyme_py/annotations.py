"""Annotations say what happens to each argument: Const, Active, Duplicated and their relatives.

They are checked where the user writes them: a shadow has the dtype, shape and strides of its
primal and no memory in common with it. In reverse mode a derivative ADDS to shadows; the caller
owns them and zeroes them. In forward mode a shadow is the tangent of its primal.
"""

from __future__ import annotations

import copy
import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numba import typeof, types
from numpy.exceptions import TooHardError

from enzyme_py.errors import AnnotationError, ShadowError
from enzyme_py.foundations.quick.library import fits
from enzyme_py.request import Activity

T = TypeVar("T")
_MOST_WORK = 100_000  # candidate solutions; NumPy's measure


class Annotation:
    """An argument with its activity. Use the subclasses."""

    __slots__ = ("primal", "shadows")
    activity = Activity.CONST

    def __init__(self, primal: Any, shadows: tuple[Any, ...] = ()) -> None:
        self.primal = primal
        self.shadows = shadows

    @property
    def width(self) -> int:
        """The number of lanes: of shadows, one if there are none."""
        return max(1, len(self.shadows))

    def __repr__(self) -> str:
        inside = ", ".join(repr(value) for value in (self.primal, *self.shadows))
        return f"{type(self).__name__}({inside})"


class Const(Annotation):
    """An argument that is not differentiated, with everything that is stored in it.

    Examples:
        >>> enzyme.autodiff(enzyme.Forward, lambda x, n: x**n, enzyme.Duplicated(2.0, 1.0), enzyme.Const(3))
        (12.0,)
    """

    __slots__ = ()

    def __init__(self, primal: Any) -> None:
        self.primal, self.shadows = primal, ()


class Active(Annotation):
    """A number passed by value; reverse mode returns its gradient.

    Examples:
        >>> enzyme.autodiff(enzyme.Reverse, lambda x: x**3, enzyme.Active(2.0))
        ((12.0,),)
    """

    __slots__ = ()
    activity = Activity.ACTIVE

    def __init__(self, primal: Any) -> None:
        if type(primal) is float:  # at once: this is a good part of a call of autodiff
            self.primal, self.shadows = primal, ()
            return
        if isinstance(primal, np.ndarray):
            message = "an array cannot be Active: it is memory, and its gradient needs a place"
            raise AnnotationError(message, remedy="write Duplicated(x, np.zeros_like(x))")
        if not _is_float(primal) and not isinstance(primal, tuple):
            message = f"Active needs a float or complex number, not {_say(primal)}"
            raise AnnotationError(message, remedy="pass integers and flags as Const")
        super().__init__(primal)


class Duplicated(Annotation):
    """A value and its shadow, of the same dtype, shape and strides, in memory of its own.

    Examples:
        >>> shadow = np.zeros(2)
        >>> x = enzyme.Duplicated(np.array([1.0, 2.0]), shadow)
        >>> enzyme.autodiff(enzyme.Reverse, lambda x: x[0] * x[1], x)
        ((None,),)
        >>> shadow
        array([2., 1.])
    """

    __slots__ = ()
    activity = Activity.DUPLICATED

    def __init__(self, primal: Any, shadow: Any) -> None:
        if not fits(primal, shadow):
            check_shadow(primal, shadow)
        self.primal, self.shadows = primal, (shadow,)


class DuplicatedNoNeed(Duplicated):
    """As Duplicated, for memory that the kernel only writes: its primal may not be computed.

    Examples:
        >>> def fill(out, x):
        ...     out[0] = x**3
        >>> out = enzyme.DuplicatedNoNeed(np.zeros(1), np.ones(1))
        >>> enzyme.autodiff(enzyme.Reverse, fill, out, enzyme.Active(2.0))
        ((None, 12.0),)
    """

    __slots__ = ()
    activity = Activity.NO_NEED


class BatchDuplicated(Annotation):
    """A value and several shadows, differentiated together in one run.

    Examples:
        >>> both = enzyme.BatchDuplicated(2.0, (1.0, 10.0))
        >>> enzyme.autodiff(enzyme.Forward, lambda x: x**3, both)
        ((12.0, 120.0),)
    """

    __slots__ = ()
    activity = Activity.DUPLICATED

    def __init__(self, primal: Any, shadows: Sequence[Any]) -> None:
        shadows = tuple(shadows)
        if not shadows:
            message = f"{type(self).__name__} needs at least one shadow"
            raise AnnotationError(message, remedy="pass a tuple of shadows, or use Const")
        for number, shadow in enumerate(shadows):
            check_shadow(primal, shadow)
            for earlier in shadows[:number]:
                _check_apart(earlier, shadow, "two shadows of one batch share memory")
        super().__init__(primal, shadows)


class BatchDuplicatedNoNeed(BatchDuplicated):
    """As BatchDuplicated, for memory that the kernel only writes.

    Examples:
        >>> len(enzyme.BatchDuplicatedNoNeed(2.0, (1.0, 10.0)).shadows)
        2
    """

    __slots__ = ()
    activity = Activity.NO_NEED


def as_annotation(value: Any) -> Annotation:
    """Return the annotation itself, or Const around a bare argument."""
    return value if isinstance(value, Annotation) else Const(value)


def check_shadow(primal: Any, shadow: Any) -> None:
    """Raise unless the shadow fits the primal."""
    if isinstance(primal, np.ndarray):
        _check_array(primal, shadow)
    elif isinstance(primal, tuple):
        _check_tuple(primal, shadow)
    elif is_typed_list(primal):
        _check_list(primal, shadow)
    elif isinstance(primal, (bool, int, np.integer, np.bool_)):
        if not isinstance(shadow, (bool, int, float, np.generic)):
            message = f"the shadow of a number must be one, not {_say(shadow)}"
            raise ShadowError(message, remedy="pass integers and flags as Const")
        message = f"an integer or flag cannot be Duplicated: {_say(primal)} has no derivative"
        raise AnnotationError(message, remedy="pass it as Const, or convert it to float first")
    elif not _is_float(primal):
        message = f"{_say(primal)} cannot carry a derivative"
        raise AnnotationError(message, remedy="pass it as Const")
    elif not isinstance(shadow, (int, float, complex, np.generic)):
        message = f"the shadow of a number must be one, not {_say(shadow)}"
        raise ShadowError(message, remedy="in forward mode pass the tangent, as a number")


_QUALITIES = ("dtype", "shape", "strides")


def _check_array(primal: np.ndarray, shadow: Any) -> None:
    if _is_inactive_array(primal):
        message = f"an array of {primal.dtype} cannot be Duplicated: it has no derivative"
        raise AnnotationError(message, remedy="pass it as Const, or convert it to float first")
    if not primal.dtype.isnative:
        message = f"an array of {primal.dtype}, in another order of bytes than this machine's, cannot be Duplicated"
        raise AnnotationError(message, remedy='convert it first: x.astype(x.dtype.newbyteorder("="))')
    if not isinstance(shadow, np.ndarray):
        message = f"the shadow of an array must be an array, not {_say(shadow)}"
        raise ShadowError(message, remedy="write np.zeros_like(x) for it")
    is_alike = primal.strides == shadow.strides and primal.shape == shadow.shape
    for quality in () if is_alike and primal.dtype == shadow.dtype else _QUALITIES:
        ours, theirs = getattr(primal, quality), getattr(shadow, quality)
        if ours != theirs and not (quality == "strides" and primal.size <= 1):
            message = f"the shadow has {quality} {theirs}, its primal {ours}"
            remedy = "write enzyme_py.make_zero(x): it keeps dtype, shape and strides"
            raise ShadowError(message, remedy=remedy)
    if not shadow.flags.writeable:
        raise ShadowError("the shadow is read-only", remedy="pass a writeable array")
    _check_apart(primal, shadow, "the shadow shares memory with its primal")


def _check_list(primal: Any, shadow: Any) -> None:
    """Check the shadow of a numba.typed.List of numbers or of arrays."""
    item = _item_of(primal)
    if not _can_vary(item):
        message = f"a typed list of {item} cannot be Duplicated: only those of floats or of arrays"
        raise AnnotationError(
            message, remedy="pass it as Const, or pass arrays, or tuples of arrays"
        )
    if not is_typed_list(shadow) or _item_of(shadow) != item:
        message = f"the shadow of a typed list of {item} must be one too, not {_say(shadow)}"
        raise ShadowError(message, remedy="write enzyme_py.make_zero(x) for it")
    if len(shadow) != len(primal):
        message = f"the shadow has {len(shadow)} items, its primal {len(primal)}"
        raise ShadowError(message, remedy="write enzyme_py.make_zero(x): it keeps the length")
    if shadow is primal:
        raise ShadowError("the shadow is its primal", remedy="write enzyme_py.make_zero(x) for it")
    if isinstance(item, types.Array):
        _check_tuple(tuple(primal), tuple(shadow))


def is_typed_list(value: Any) -> bool:
    """Tell whether a value is a numba.typed.List, whose module is slow to import: without it there is none."""
    module = sys.modules.get("numba.typed.typedlist")
    return module is not None and isinstance(value, module.List)


def _item_of(value: Any) -> Any:
    """Return the type of the items; None if the list has never held one."""
    try:
        return typeof(value).item_type
    except (TypeError, ValueError):
        return None


def _can_vary(item: Any) -> bool:
    number = item.dtype if isinstance(item, types.Array) else item
    return isinstance(number, (types.Float, types.Complex))


def _check_apart(first: Any, second: Any, message: str) -> None:
    both = isinstance(first, np.ndarray) and isinstance(second, np.ndarray)
    if both and share_memory(first, second):
        raise ShadowError(message, remedy="give each its own memory: np.zeros_like(x)")
    if isinstance(first, tuple) and isinstance(second, tuple):
        for one, other in zip(first, second, strict=False):
            _check_apart(one, other, message)


def share_memory(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether two arrays have an element in common; interleaved views have none.

    To answer exactly can take very long for views of many strides: such are taken to overlap.
    """
    try:
        work: Any = _MOST_WORK  # NumPy types it as -1 or 0 only
        return bool(np.shares_memory(first, second, max_work=work))
    except TooHardError:
        return True


def arrays_in(value: Any) -> Iterator[np.ndarray]:
    """Yield the arrays in a value, also those in its tuples."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from arrays_in(part)


def _check_tuple(primal: tuple[Any, ...], shadow: Any) -> None:
    if type(shadow) is not type(primal) or len(shadow) != len(primal):
        message = f"the shadow of a {type(primal).__name__} of {len(primal)} must be one too"
        raise ShadowError(message, remedy="write enzyme_py.make_zero(x): it keeps the structure")
    for part, its_shadow in zip(primal, shadow, strict=True):
        if isinstance(part, (tuple, np.ndarray)) and _is_inactive_array(part):
            continue
        if _is_float(part) or isinstance(part, (tuple, np.ndarray)) or is_typed_list(part):
            check_shadow(part, its_shadow)
    _check_parts_apart(list(_pairs(primal, shadow)))


def _check_parts_apart(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
    """Refuse that parts of one tuple share a shadow, unless they are one memory themselves."""
    remedy = "give each its own memory: enzyme_py.make_zero(x)"
    for number, (primal, shadow) in enumerate(pairs):
        for other, its_shadow in pairs[:number]:
            if share_memory(shadow, other) or share_memory(primal, its_shadow):
                message = "the shadow of one part of a tuple shares memory with another part"
                raise ShadowError(message, remedy=remedy)
            if share_memory(shadow, its_shadow) and not share_memory(primal, other):
                message = "two parts of a tuple have shadows that share memory"
                raise ShadowError(message, remedy=remedy)


def _pairs(primal: Any, shadow: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the arrays in a tuple that have derivatives, each with its shadow."""
    if isinstance(primal, np.ndarray) and not _is_inactive_array(primal):
        yield primal, shadow
    elif isinstance(primal, tuple):
        for part, its_shadow in zip(primal, shadow, strict=True):
            yield from _pairs(part, its_shadow)


def _is_inactive_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not _is_active(value.dtype)


def _is_active(dtype: np.dtype[Any]) -> bool:
    """Tell whether elements of a type carry a derivative: numbers that are floats, and records with such fields."""
    if dtype.fields is not None:
        return any(_is_active(field[0].base) for field in dtype.fields.values())
    return dtype.kind in "fc"


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, complex, np.floating, np.complexfloating))


def _say(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 40 else text[:37] + '...'}"


def make_zero(value: T) -> T:
    """Return zeros of the same structure: arrays keep dtype, shape and strides.

    An array that occurs twice in the value gives one zero array that occurs twice. Integers and
    whatever else has no derivative stay as they are.

    Examples:
        >>> enzyme.make_zero((np.ones(2), 3.0, "name"))
        (array([0., 0.]), 0.0, 'name')
    """
    zero: T = _zero(value, {})
    return zero


def with_fields(made: Any, fields: Mapping[str, Any]) -> Any:
    """Return a dataclass after its fields were set, past its __init__.

    Code there, or behind it (`__post_init__`), is for values, as a check or a division by their sum. These may be slopes.
    """
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def _zero(value: Any, made: dict[int, Any]) -> Any:
    if isinstance(value, np.ndarray):
        if _is_inactive_array(value):
            return value
        if id(value) not in made:
            made[id(value)] = zeros_with_strides(value)
        return made[id(value)]
    if _is_float(value):
        return type(value)(0)
    if isinstance(value, dict):
        return type(value)((key, _zero(part, made)) for key, part in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_zero(part, made) for part in value))
    if is_typed_list(value):
        return _zero_list(value, made)
    if isinstance(value, (tuple, list)):
        return type(value)(_zero(part, made) for part in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [one.name for one in dataclasses.fields(value)]
        return with_fields(copy.copy(value), {name: _zero(getattr(value, name), made) for name in names})
    return value


def _zero_list(value: Any, made: dict[int, Any]) -> Any:
    from numba.typed import List

    item_type = _item_of(value)
    zeros = List() if item_type is None else List.empty_list(item_type)
    for item in value:
        # Each item comes as a new view: arrays are told apart by where they lie.
        zeros.append(
            zeros_with_strides(item) if isinstance(item, np.ndarray) else _zero(item, made)
        )
    return zeros


def zeros_with_strides(array: np.ndarray) -> np.ndarray:
    """Return zeros with the dtype, shape and strides of an array, in memory of their own."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return np.zeros_like(array)
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    low, high = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
    memory = np.zeros(high - low + array.itemsize, np.uint8)
    return np.ndarray(array.shape, array.dtype, memory, -low, array.strides)
