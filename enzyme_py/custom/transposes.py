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

from enzyme_py.custom.packing import Packing, Part, part_of, static_value
from enzyme_py.transforms.plans.structures import at, defined, regrouped


def push_from_pull(arguments: Any, result: Any, pull: Callable[..., Any]) -> Callable[..., Any]:
    """Return push(arguments, tangents, results) for pull(arguments, results, cotangents)."""
    text = _Pairing(
        {"unknown": result, "known": arguments, "arguments": arguments, "results": result}
    )
    text.scope["pull"] = pull
    text.define("pull(arguments, results, unknown)")
    return text.transpose("push(arguments, known, results)", "results", "zero_like(results{})")


def pull_from_push(arguments: Any, result: Any, push: Callable[..., Any]) -> Callable[..., Any]:
    """Return pull(arguments, results, cotangents) for push(arguments, tangents, results)."""
    text = _Pairing(
        {"unknown": arguments, "known": result, "arguments": arguments, "results": result}
    )
    text.scope["push"] = push
    text.define("push(arguments, unknown, results)")
    return text.transpose("pull(arguments, results, known)", "arguments", "None")


class _Pairing:
    """The function <map(unknown), known>, and its gradient by the unknown.

    All but the unknown is constant. If it were active, a rule that calls its own function would be
    differentiated inside of itself, without an end. What is called is inlined, so that constant and active
    results of one function do not meet in memory.
    """

    def __init__(self, kinds: dict[str, Any]) -> None:
        self.scope: dict[str, Any] = {"np": np, "inner": inner, "zero_like": zero_like}
        self.sides = {
            name: Packing(kind, self.scope, is_complex=False) for name, kind in kinds.items()
        }
        leaves = [(name, i) for name, side in self.sides.items() for i in range(side.end)]
        self.active = [
            leaf for leaf in leaves if leaf[0] == "unknown" and self._part(leaf).is_float
        ]
        self.constant = [
            leaf for leaf in leaves if self._part(leaf).is_data and leaf not in self.active
        ]

    def _part(self, leaf: tuple[str, int]) -> Part:
        return self.sides[leaf[0]].parts[leaf[1]]

    def define(self, mapped: str) -> None:
        """Define the function, where `mapped` is the expression of the linear map."""
        known = self.sides["known"].parts
        text = [
            f"def pairing({', '.join(f'{name}_{i}' for name, i in (*self.active, *self.constant))}):",
            *(f"{name} = {self._rebuilt(name)}" for name in self.sides),
            f"mapped = {mapped}",
            f"return {' + '.join(self._pairs(known)) or '0.0'}",
        ]
        self.scope["pairing"] = numba.njit(forceinline=True)(
            defined("\n    ".join(text), "pairing", self.scope)
        )

    def _pairs(self, known: list[Part]) -> list[str]:
        self.scope["part_of"] = part_of
        pairs = []
        for part in known:
            if part.is_float:
                value = "mapped"
                for place in part.path:
                    value = f"part_of({value}, {place})"
                pairs.append(f"inner({value}, known{at(part.path)})")
        return pairs

    def _rebuilt(self, name: str) -> str:
        side = self.sides[name]
        leaves = {}
        for i, part in enumerate(side.parts):
            leaves[part.path] = f"{name}_{i}"
            if not part.is_data:
                self.scope[f"{name}_{i}"] = static_value(part.kind)
        return regrouped(side.kind, leaves.__getitem__, self.scope)

    def transpose(self, head: str, like: str, constant: str) -> Callable[..., Any]:
        """Return the function `head` of the gradient, the unknown being like what `like` names."""
        from enzyme_py.calls.operators import grad

        count = len(self.active)
        self.scope["gradient"] = grad(self.scope["pairing"], argnums=tuple(range(count)))
        given = [
            f"zero_like({like}{at(self._part(leaf).path)})"
            if leaf[0] == "unknown"
            else f"{leaf[0]}{at(self._part(leaf).path)}"
            for leaf in (*self.active, *self.constant)
        ]
        unknown = self.sides["unknown"]
        places = {leaf: number for number, leaf in enumerate(self.active)}
        found = {
            part.path: f"found[{places['unknown', i]}]"
            if part.is_float
            else constant.format(at(part.path))
            for i, part in enumerate(unknown.parts)
        }
        text = [
            f"def {head}:",
            f"found = gradient({', '.join(given)})",
            f"return {regrouped(unknown.kind, found.__getitem__, self.scope)}",
        ]
        name = head.partition("(")[0]
        return numba.njit(forceinline=True)(defined("\n    ".join(text), name, self.scope))  # type: ignore[no-any-return]


def zero_like(value: Any) -> Any:
    """Return zeros of the type and the shape of a number or an array, or what has no data itself."""
    raise RuntimeError


@overload(zero_like, strict=False)  # annotations would count as a difference
def _zero_like(value):  # type: ignore[no-untyped-def]
    if isinstance(value, types.Array):
        dtype = value.dtype
        return lambda value: np.zeros(value.shape, dtype)
    if isinstance(value, types.Number | types.Boolean):
        kind = types.unliteral(value)
        return lambda value: kind(0)
    return lambda value: value


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
