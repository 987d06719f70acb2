"""Arrays of others, and arrays that Numba cannot read, as arrays that a kernel takes.

    taken(value)        # the array; the value itself if it is none of these

* whatever has `__dlpack__` on a CPU, `__array_interface__` or `__array__` (PyTorch, JAX, pandas, xarray): the memory is
  shared where the library lends it;
* `array.array`: the memory is shared;
* big-endian arrays: a copy in the machine's order;
* float16: a copy of float32, in which Numba computes.

What a kernel writes to a copy is lost, so these are arguments of `grad` and its kin, not of annotations. Gradients are
NumPy arrays. Memory of a GPU is refused; so are masked arrays, whose mask no kernel would see, and `np.matrix` and other
subclasses with operations of their own (arrays with units), which a kernel does not know.
"""

from __future__ import annotations

import array
import functools
from typing import Any

import numpy as np

from enzyme_py.errors import UnsupportedTypeError

_CPU = (1, 3)  # DLPack's numbers of memory that a CPU reads: its own, and pinned


def is_plain(value: Any) -> bool:
    """Tell at once that a value is a number or an array as kernels take them; False tells nothing."""
    kind = type(value)
    if kind is np.ndarray:
        dtype = value.dtype
        return bool(dtype.isnative) and dtype.char != "e"
    return kind is float or kind is int


def needs_taking(value: Any) -> bool:
    """Tell whether a value is such an array, or one to refuse."""
    if isinstance(value, np.ndarray):
        plain = value.dtype.isnative and value.dtype.char != "e"
        return not plain or _computes_otherwise(value)
    if isinstance(value, _BUFFERS):
        return True
    if isinstance(value, (np.generic, float, int, complex, str, tuple, list, dict, type)):
        return isinstance(value, np.float16)
    kind = type(value)
    return any(hasattr(kind, name) or name in getattr(value, "__dict__", ()) for name in _PROTOCOLS)


_BUFFERS = (array.array,)
_OPERATIONS = (
    *("__array_ufunc__", "__array_function__", "__neg__", "__abs__"),
    *(f"__{way}{name}__" for name in ("add", "sub", "mul", "truediv", "pow", "matmul", "floordiv", "mod") for way in ("", "r", "i")),
)
_PROTOCOLS = ("__dlpack_device__", "__array_interface__", "__array__", "__cuda_array_interface__")


def _computes_otherwise(value: Any) -> bool:
    """Tell whether an array is of a class with operations of its own."""
    kind: Any = type(value)
    return kind is not np.ndarray and _has_operations(kind)


@functools.lru_cache(maxsize=1024)
def _has_operations(kind: Any) -> bool:
    return any(getattr(kind, name, None) is not getattr(np.ndarray, name, None) for name in _OPERATIONS)


def taken(value: Any) -> Any:
    """Return a value as an array that a kernel takes; the value itself if it is none of these."""
    if not needs_taking(value):
        return value
    if isinstance(value, np.float16):
        return np.float32(value)
    if not isinstance(value, np.ndarray):
        value = _from_protocol(value)
    check_seen(value)
    if value.dtype == np.float16:
        return value.astype(np.float32)
    return value if value.dtype.isnative else value.astype(value.dtype.newbyteorder("="))


def _from_protocol(value: Any) -> Any:
    title = f"{type(value).__module__}.{type(value).__qualname__}"
    device = value.__dlpack_device__() if hasattr(value, "__dlpack_device__") else None
    on_gpu = device is not None and int(device[0]) not in _CPU
    if on_gpu or (device is None and hasattr(value, "__cuda_array_interface__")):
        message = f"an array of type {title} lies in the memory of a GPU"
        raise UnsupportedTypeError(message, remedy="copy it to the CPU first: x.cpu(), x.get(), jax.device_get(x)")
    if getattr(value, "requires_grad", False):
        message = f"an array of type {title} requires a gradient of its own library, which sees nothing of a kernel"
        raise UnsupportedTypeError(message, remedy="pass x.detach()")
    try:
        made = np.from_dlpack(value) if device is not None else np.asarray(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        message = f"an array of type {title} cannot be read: {error}"
        raise UnsupportedTypeError(message, remedy="pass np.array(x)") from error
    if made.dtype.hasobject:
        message = f"an array of type {title} holds objects"
        raise UnsupportedTypeError(message, remedy="convert it to numbers: np.asarray(x, dtype=float)")
    return made


def check_seen(value: Any) -> None:
    """Refuse an array of a kind of which a kernel would see a part, or see it otherwise."""
    if isinstance(value, np.ma.MaskedArray):
        message = "a masked array: a kernel would not see its mask"
        raise UnsupportedTypeError(message, remedy="pass x.filled(0.0), or the data and the mask as two arrays")
    if isinstance(value, np.matrix):
        message = "a np.matrix: in a kernel it would be an array, whose `*` goes by element"
        raise UnsupportedTypeError(message, remedy="pass np.asarray(x)")
    if isinstance(value, np.ndarray) and _computes_otherwise(value):
        message = f"an array of the class {type(value).__name__}, whose operations are its own: a kernel would see the numbers alone"
        raise UnsupportedTypeError(message, remedy="pass np.asarray(x), and convert units before")


def usual_arguments(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with arrays of NumPy's own class, in the machine's order, in place of others.

    Compiled code calls it (transforms/plans/usual_arguments.py), where the types are right and the arrays are not.
    """
    return tuple(map(_usual, given))


def _usual(value: Any) -> Any:
    if isinstance(value, tuple):
        parts = map(_usual, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    value = taken(value)
    return value.view(np.ndarray) if isinstance(value, np.ndarray) else value
