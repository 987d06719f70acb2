"""One half of a rule from the other: both are the same linear map, one way and back.

    <pull(c), t> = <c, push(t)>     for all cotangents c and tangents t

So the push is the gradient of the left side by c, and the pull that of the right side by t, by reverse mode
inside of the kernel. The side is linear, hence its gradient is exact wherever it is taken: at zeros. Complex
numbers count as pairs of reals, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme_py.custom.packing import Packing
from enzyme_py.njit.structures import at, defined, regrouped


def push_from_pull(arguments: Any, result: Any, pull: Callable[..., Any]) -> Callable[..., Any]:
    """Return push(arguments, tangents, results) for pull(arguments, results, cotangents)."""
    text = _Transpose(result, arguments, "pull(arguments, other, unknown)")
    return text.function("push", "arguments, known, other", pull)


def pull_from_push(arguments: Any, result: Any, push: Callable[..., Any]) -> Callable[..., Any]:
    """Return pull(arguments, results, cotangents) for push(arguments, tangents, results)."""
    text = _Transpose(arguments, result, "push(arguments, unknown, other)")
    return text.function("pull", "arguments, other, known", push)


class _Transpose:
    """The gradient of <map(unknown), known> by the unknown."""

    def __init__(self, unknown: Any, known: Any, mapped: str) -> None:
        self.unknown, self.known, self.mapped = unknown, known, mapped

    def function(self, name: str, parameters: str, given: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function of arguments, the known side, and the results of the primal."""
        from enzyme_py.operators import grad

        scope: dict[str, Any] = {"np": np, "inner": inner, "zero_like": zero_like}
        scope["push" if name == "pull" else "pull"] = given
        unknown = Packing(self.unknown, scope, is_complex=False)
        known = Packing(self.known, scope, is_complex=False)
        floats = [i for i, part in enumerate(unknown.parts) if part.is_float]
        names = "".join(f"u{i}, " for i in floats)
        paths = {part.path: i for i, part in enumerate(unknown.parts)}
        source = "arguments" if name == "pull" else "other"

        def leaf(path: tuple[int, ...]) -> str:
            i = paths[path]
            return f"u{i}" if i in floats else f"zero_like({source}{at(path)})"

        pairs = [
            f"inner(mapped{at(part.path)}, known{at(part.path)})"
            for part in known.parts
            if part.is_float and self._has_value(part)
        ]
        text = [
            f"def pairing({names}arguments, known, other):",
            f"unknown = {regrouped(self.unknown, leaf, scope)}",
            f"mapped = {self.mapped}",
            f"return {' + '.join(pairs) or '0.0'}",
        ]
        scope["pairing"] = numba.njit(defined("\n    ".join(text), "pairing", scope))
        scope["gradient"] = grad(scope["pairing"], argnums=tuple(range(len(floats))))
        zeros = "".join(f"zero_like({source}{at(unknown.parts[i].path)}), " for i in floats)
        found = {i: f"found[{place}]" for place, i in enumerate(floats)}

        def solved(path: tuple[int, ...]) -> str:
            i = paths[path]
            return found.get(i, "None" if name == "pull" else f"zero_like(other{at(path)})")

        text = [
            f"def {name}({parameters}):",
            f"found = gradient({zeros}arguments, known, other)",
            f"return {regrouped(self.unknown, solved, scope)}",
        ]
        return numba.njit(defined("\n    ".join(text), name, scope))

    def _has_value(self, part: Any) -> bool:
        return part.is_data


def zero_like(value: Any) -> Any:
    """Return zeros of the type and the shape of a number or an array, or what has no data itself."""
    raise RuntimeError


@overload(zero_like, strict=False)  # annotations would count as a difference
def _zero_like(value):  # type: ignore[no-untyped-def]
    if isinstance(value, types.Array):
        dtype = value.dtype
        return lambda value: np.zeros(value.shape, dtype)
    if isinstance(value, types.Number | types.Boolean):
        return lambda value: value.dtype.type(0) if False else type_zero(value)
    return lambda value: value


def type_zero(value: Any) -> Any:
    raise RuntimeError


@overload(type_zero, strict=False)
def _type_zero(value):  # type: ignore[no-untyped-def]
    kind = types.unliteral(value)
    return lambda value: kind(0)


def inner(mapped: Any, known: Any) -> Any:
    """Return the sum of products of two numbers or arrays, as pairs of reals; 0 for None."""
    raise RuntimeError


@overload(inner, strict=False)
def _inner(mapped, known):  # type: ignore[no-untyped-def]
    if isinstance(mapped, types.NoneType):
        return lambda mapped, known: 0.0
    are_complex = all(
        isinstance(getattr(kind, "dtype", kind), types.Complex) for kind in (mapped, known)
    )
    if isinstance(mapped, types.Array):
        return _inner_of_complex_arrays if are_complex else _inner_of_arrays
    return _inner_of_complex if are_complex else _inner_of_numbers


def _inner_of_numbers(mapped, known):  # type: ignore[no-untyped-def]
    return mapped.real * known.real


def _inner_of_complex(mapped, known):  # type: ignore[no-untyped-def]
    return mapped.real * known.real + mapped.imag * known.imag


def _inner_of_arrays(mapped, known):  # type: ignore[no-untyped-def]
    if mapped.shape != known.shape:
        raise ValueError(
            "a rule returned an array of another shape than that of what it stands for"
        )
    left = np.ascontiguousarray(mapped).reshape(mapped.size)
    right = np.ascontiguousarray(known).reshape(known.size)
    total = 0.0
    for i in range(left.size):
        total += left[i].real * right[i].real
    return total


def _inner_of_complex_arrays(mapped, known):  # type: ignore[no-untyped-def]
    if mapped.shape != known.shape:
        raise ValueError(
            "a rule returned an array of another shape than that of what it stands for"
        )
    left = np.ascontiguousarray(mapped).reshape(mapped.size)
    right = np.ascontiguousarray(known).reshape(known.size)
    total = 0.0
    for i in range(left.size):
        total += left[i].real * right[i].real + left[i].imag * right[i].imag
    return total
