"""Functions that only Python can run, with rules: SciPy, closed libraries, anything.

    solve = enzyme.rules.python(scipy_solve, "float64[:](float64[:,:], float64[:])", vjp=pull, jvp=push)

    pull(arguments, result, cotangent)   -> a tuple of cotangents, None where there is none
    push(arguments, tangents, result)    -> the tangent of the result

The signature says the types of the result and of the arguments, as Numba writes them. A rule is a Python
function, which has no derivative itself; or one made by `numba.njit` or `enzyme.jit`, which is
differentiated for second orders. The interpreter's lock is taken for each call, and what is raised arrives where
the derivative was called.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.core import sigutils, types

from enzyme_py.custom.door import Call, rule_kernel, with_rules
from enzyme_py.custom.fitting import check_cotangents, check_fits, returned_by
from enzyme_py.custom.packing import Packing, packed_type
from enzyme_py.errors import RuleError
from enzyme_py.frontend.external.python_calls import through_python
from enzyme_py.frontend.external.ruled import new_work, size_in
from enzyme_py.frontend.functions.kernels import is_kernel
from enzyme_py.transforms.plans.structures import Path, defined, listed

_numbers = itertools.count()


def python(function: Any, signature: Any, vjp: Any = None, jvp: Any = None) -> Any:
    """Return a Python function as a kernel that calls it, with the given rules; see the module's text.

    Examples:
        >>> def slope(arguments, result, cotangent):
        ...     return (3 * arguments[0] ** 2 * cotangent,)
        >>> cube = enzyme.rules.python(lambda x: x**3, "float64(float64)", vjp=slope)
        >>> enzyme.grad(cube)(2.0)
        12.0
    """
    if not callable(function):
        message = f"{function!r} is no function"
        raise RuleError(message, remedy="pass the Python function that is to be called")
    arguments, result = signature_of(signature)
    name = getattr(function, "__name__", "function")
    result = packed_type(result, f"the result of `{name}`")
    kinds = [packed_type(kind, f"argument {i} of `{name}`") for i, kind in enumerate(arguments)]
    kernel = calling(function, kinds, result, name)
    return with_rules(kernel, _PythonRules(vjp, jvp), name)


def signature_of(signature: Any) -> tuple[tuple[Any, ...], Any]:
    """Return the types of the arguments, and that of the result, which a signature says."""
    try:
        arguments, result = sigutils.normalize_signature(signature)
    except Exception as error:
        message = f"{signature!r} is no signature"
        remedy = 'write result and arguments as Numba does: "float64(float64, float64[:])"'
        raise RuleError(message, remedy=remedy) from error
    if result is None or isinstance(result, types.NoneType):
        message = "the signature says nothing of a result"
        raise RuleError(message, remedy='begin with its type: "float64(float64)"')
    return tuple(arguments), result


def calling(function: Any, kinds: Sequence[Any], result: Any, name: str) -> Any:
    """Return an njit function that calls a Python function with arguments of given types."""
    bridge = _Bridge(function, types.Tuple(kinds), result, name)
    scope: dict[str, Any] = {"np": np, "new_work": new_work, "size_in": size_in}
    scope["dtype"] = bridge.dtype
    scope["through_python"] = through_python(bridge, name)
    is_complex = bridge.dtype is np.complex128
    given = Packing(bridge.arguments, scope, is_complex, 1)
    made = Packing(result, scope, is_complex, 1)
    names = "".join(f"argument_{i}, " for i in range(len(kinds)))
    shapes = given.shapes("arguments")
    lines = [
        f"def called({names}):",
        f"arguments = ({names})",
        f"work = new_work({listed(['0', *shapes])}, {given.count(shapes)}, dtype)",
        *given.places("o", str(2 * (2 + len(shapes))), "work"),
        *given.writes("o", "work", "arguments"),
        "made = through_python(work)",
        *made.places("r", str(2 * (2 + made.sizes)), "made"),
        *made.reads("r", "made", "found"),
        "return found",
    ]
    return numba.njit(defined("\n    ".join(lines), "called", scope))


class _Bridge:
    """Called with the place and the length of a work array; returns those of another one."""

    def __init__(self, function: Any, arguments: Any, result: Any, name: str) -> None:
        self.function, self.arguments, self.result, self.name = function, arguments, result, name
        kinds = [part for kind in (arguments, result) for part in Packing(kind, {}, False).parts]
        is_complex = any(isinstance(part.dtype, types.Complex) for part in kinds)
        self.dtype: Any = np.complex128 if is_complex else np.float64
        self._given = Packing(arguments, {}, is_complex, 1)
        self._made = Packing(result, {}, is_complex, 1)
        # The last result of a thread, until its next call. Not a threading.local: of a thread that Python does not know, as those of the pool,
        # that is gone when the call returns, and the result with it (measured: wrong rows of Jacobians).
        self._kept = dict[int, Any]()

    def __call__(self, place: int, length: int) -> tuple[int, int]:
        """Call the function."""
        bytes_of_one = np.dtype(self.dtype).itemsize
        memory = (ctypes.c_char * (length * bytes_of_one)).from_address(place)
        values = _decoded(np.frombuffer(memory, self.dtype), self._given)
        arguments = _grouped(self.arguments, values, ())
        found = self.function(*arguments)
        made = self._encoded(found)
        self._kept[threading.get_ident()] = made
        return made.ctypes.data, made.size

    def _encoded(self, found: Any) -> Any:
        sizes: list[int] = [0]
        numbers: list[Any] = []
        for part in self._made.parts:
            wanted = np.dtype(str(part.dtype))
            array = _array_at(found, part.path)
            is_fit = array is not None and array.ndim == part.sizes
            if not is_fit or not np.can_cast(array.dtype, wanted, "same_kind"):
                message = f"`{self.name}` returned {type(found).__name__} {found!r:.60}"
                raise RuleError(message, remedy=f"its signature says {self.result}")
            sizes.extend(array.shape)
            flat = array.astype(wanted).reshape(-1)
            numbers.append(flat if part.is_float else _digits(flat))
        stretches = np.concatenate([np.asarray(one, self.dtype) for one in numbers])
        start = 2 * (len(sizes) + 1)
        head = [start + stretches.size, *sizes]
        digits = [digit for size in head for digit in divmod(size, 65536)]
        return np.concatenate([np.asarray(digits, self.dtype), stretches])


def _array_at(value: Any, path: Path) -> Any:
    """Return what is at a place of a structure, as an array; None if there is no such place."""
    try:
        for place in path:
            value = value[place]
        return np.asarray(value)
    except (TypeError, IndexError, ValueError):
        return None


def _decoded(work: Any, packing: Packing) -> dict[Path, Any]:
    values: dict[Path, Any] = {}
    place = 2 * (2 + packing.sizes)
    for part in packing.parts:
        shape = [
            int(work[2 * n].real) * 65536 + int(work[2 * n + 1].real)
            for n in range(part.first_size, part.first_size + part.sizes)
        ]
        count = int(np.prod(shape, dtype=int)) * part.width
        stretch = work[place : place + count]
        place += count
        wanted = np.dtype(str(part.dtype))
        if not part.is_float:
            pairs = stretch.real.astype(np.int64).reshape(-1, 2)
            flat = ((pairs[:, 0] << 32) + pairs[:, 1]).astype(wanted)
        else:
            flat = (stretch if wanted.kind == "c" else stretch.real).astype(wanted)
        values[part.path] = flat.reshape(shape) if part.is_array else flat[0].item()
    return values


def _digits(flat: Any) -> Any:
    whole = flat.astype(np.int64)
    return np.stack([whole >> 32, whole & 0xFFFFFFFF], axis=1).reshape(-1)


def _grouped(kind: Any, values: dict[Path, Any], path: Path) -> Any:
    if not isinstance(kind, types.BaseTuple):
        return values[path]
    parts = [_grouped(one, values, (*path, i)) for i, one in enumerate(kind)]
    return kind.instance_class(*parts) if isinstance(kind, types.BaseNamedTuple) else tuple(parts)


@dataclass
class _PythonRules:
    """The rules of a Python function."""

    vjp: Any
    jvp: Any
    skips_zeros: bool = False

    def check_given(self, call: Call) -> None:
        if self.vjp is None and self.jvp is None:
            message = f"`{call.name}` is a Python function without a rule"
            remedy = "give vjp=, jvp=, or both, to enzyme.rules.python; for second orders as njit functions"
            raise RuleError(message, remedy=remedy)

    def check(self, call: Call, target: Any) -> None:
        if is_kernel(self.vjp):
            what = f"the vjp of `{call.name}`"
            kinds = (call.arguments, call.result, call.result)
            check_cotangents(
                tuple(call.arguments), returned_by(self.pull(call), kinds, what, target), what
            )
        if is_kernel(self.jvp):
            what = f"the jvp of `{call.name}`"
            kinds = (call.arguments, call.arguments, call.result)
            check_fits(call.result, returned_by(self.push(call), kinds, what, target), what)

    def pull(self, call: Call) -> Any:
        if self.vjp is None:
            return _missing(call, "vjp", "reverse", "arguments, results, cotangents")
        if is_kernel(self.vjp):
            return rule_kernel(self.vjp, f"the vjp of `{call.name}`")
        carries = list(map(_carries, call.arguments))
        floats = [_cotangent_type(kind) for kind in call.arguments]
        kinds = [call.arguments, call.result, call.result]

        def pulled(arguments: Any, result: Any, cotangent: Any) -> Any:
            found = self.vjp(arguments, result, cotangent)
            if not isinstance(found, tuple) or len(found) != len(call.arguments):
                message = f"the vjp of `{call.name}` returned {found!r:.60}"
                remedy = f"it returns a tuple of {len(call.arguments)} cotangents, None where there is none"
                raise RuleError(message, remedy=remedy)
            pairs = zip(found, arguments, carries, strict=True)
            return tuple(
                (_zeros(argument) if one is None else one) if has_one else 0.0
                for one, argument, has_one in pairs
            )

        return _opaque(pulled, kinds, types.Tuple(floats), f"the vjp of {call.name}")

    def push(self, call: Call) -> Any:
        if self.jvp is None:
            return _missing(call, "jvp", "forward", "arguments, tangents, results")
        if is_kernel(self.jvp):
            return rule_kernel(self.jvp, f"the jvp of `{call.name}`")
        kinds = [call.arguments, call.arguments, call.result]
        return _opaque(self.jvp, kinds, call.result, f"the jvp of {call.name}")


def _opaque(function: Any, kinds: Sequence[Any], result: Any, name: str) -> Any:
    """Return a Python rule as a kernel that has no derivative."""
    return calling(function, kinds, result, name)


def _carries(kind: Any) -> bool:
    return any(part.is_float for part in Packing(kind, {}, is_complex=False).parts)


def _cotangent_type(kind: Any) -> Any:
    """Return the type of the cotangent of an argument; a number, not looked at, where there is none."""
    return kind if _carries(kind) else types.float64


def _zeros(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_zeros, value))
    return np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)(0)


def _missing(call: Call, rule: str, mode: str, parameters: str) -> Any:
    """Return a rule that raises: it is compiled with the other, but only run if it is asked for."""
    text = (
        f"`{call.name}` is a Python function without a {rule}: it has no derivative in {mode} mode"
    )
    scope = {"message": text, "np": np}
    zero = "arguments" if rule == "vjp" else "results"
    # The condition is always true, but Numba does not know: it takes the type from the last line.
    lines = [
        f"def missing({parameters}):",
        "if np.ones(1)[0] > 0.0:",
        "    raise NotImplementedError(message)",
        f"return {zero}",
    ]
    return numba.njit(defined("\n    ".join(lines), "missing", scope))
