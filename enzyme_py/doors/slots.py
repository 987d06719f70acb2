"""What C hands over: one slot for each argument and each part of a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import sigutils, types
from numba.np.numpy_support import as_dtype

from enzyme_py.errors import UnsupportedTypeError, Where

_C_NAMES = {
    types.float64: "double",
    types.float32: "float",
    types.complex128: "double _Complex",
    types.complex64: "float _Complex",
    types.boolean: "uint8_t",
    **{types.Integer(f"int{bits}"): f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{types.Integer(f"uint{bits}"): f"uint{bits}_t" for bits in (8, 16, 32, 64)},
}
REMEDY = "write a signature of numbers and C-contiguous arrays of these: (float64[::1], float64[:, ::1], int64)"


@dataclass(frozen=True)
class Slot:
    """A number, or an array of them; `path` leads to it through the tuples of a result."""

    name: str
    item: Any  # the Numba type of a number
    ndim: int | None  # None: the number itself
    is_constant: bool = False  # an array that nobody may write to
    path: tuple[int, ...] = ()

    @property
    def is_array(self) -> bool:
        """Tell an array from a number."""
        return self.ndim is not None

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's name of the type."""
        found: np.dtype[Any] = as_dtype(self.item)
        return found

    @property
    def kind(self) -> Any:
        """The Numba type of the argument."""
        if self.ndim is None:
            return self.item
        return types.Array(self.item, self.ndim, "C", readonly=self.is_constant)

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the parameters that tell the sizes of an array."""
        return tuple(f"{self.name}_{axis}" for axis in range(self.ndim or 0))

    def declared(self, *, is_result: bool) -> list[str]:
        """Return the C declarations of its parameters."""
        name = _C_NAMES[self.item]
        if not self.is_array and not is_result:
            return [f"{name} {self.name}"]
        constant = "const " if self.is_constant else ""
        return [f"{constant}{name} *{self.name}", *(f"int64_t {one}" for one in self.sizes)]


def argument_types(signature: Any) -> tuple[Any, ...]:
    """Return the Numba types of a signature's arguments: a text, a Numba signature, or a tuple of types."""
    if isinstance(signature, str) and signature.rstrip().endswith(","):
        signature = f"({signature})"
    try:
        found, _ = sigutils.normalize_signature(signature)
    except Exception as error:  # noqa: BLE001  (Numba evaluates a text, which may raise anything)
        message = f"{signature!r} is no signature: {error}"
        raise UnsupportedTypeError(message, remedy=REMEDY) from None
    return tuple(found)


def argument_slots(names: Sequence[str], kinds: Sequence[Any], where: Where) -> tuple[Slot, ...]:
    """Return the slots of arguments; raises `UnsupportedTypeError` for what C cannot hand over."""
    found = []
    for name, kind in zip(names, kinds, strict=True):
        slot = _slot(name, kind)
        if slot is None:
            message = f"argument `{name}` of type {kind} cannot come through a C function"
            raise UnsupportedTypeError(message, where=where, remedy=REMEDY)
        if isinstance(kind, types.Complex):
            message = f"argument `{name}`: a complex number cannot come by value"
            raise UnsupportedTypeError(message, where=where, remedy="pass an array of one")
        if slot.is_array and kind.layout != "C":
            message = f"argument `{name}` of type {kind}: arrays come through a C function as C-contiguous memory"
            raise UnsupportedTypeError(message, where=where, remedy=REMEDY)
        found.append(slot)
    return tuple(found)


def result_slots(kind: Any, where: Where) -> tuple[Slot, ...]:
    """Return the slots of a result's parts."""
    parts = list(_parts(kind, ()))
    found = []
    for number, (path, part) in enumerate(parts):
        slot = _slot("result" if len(parts) == 1 else f"result{number}", part)
        if slot is None:
            message = f"a result of type {part} cannot come through a C function"
            remedy = "return numbers, arrays, and tuples of these"
            raise UnsupportedTypeError(message, where=where, remedy=remedy)
        found.append(Slot(slot.name, slot.item, slot.ndim, path=path))
    return tuple(found)


def _slot(name: str, kind: Any) -> Slot | None:
    is_array = isinstance(kind, types.Array)
    item = kind.dtype if is_array else kind
    if isinstance(item, types.Literal):
        item = item.literal_type
    if item not in _C_NAMES or (is_array and kind.ndim == 0):
        return None
    return Slot(name, item, kind.ndim if is_array else None, is_array and not kind.mutable)


def _parts(kind: Any, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    if isinstance(kind, types.BaseTuple):
        for number, part in enumerate(kind):
            yield from _parts(part, (*path, number))
    elif not isinstance(kind, types.NoneType):
        yield path, kind
