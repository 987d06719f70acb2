"""What a row of the table of copying and joining functions is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """A function of one or two arrays, polynomial of degree three at most in them.

    `sizes` are the shapes of the arguments: the ordinary ones first, then others that the same
    compiled derivative is asked for. `contiguous`: Numba compiles it for C order only. `real`: not for
    complex numbers. `single`: rounds to single precision inside. `plain`: the same in NumPy,
    where the kernel itself does not run in plain Python.
    """

    name: str
    kernel: Callable[..., Any] = field(compare=False)
    sizes: tuple[tuple[Shape, ...], ...]
    contiguous: bool = False
    real: bool = False
    single: bool = False
    plain: Callable[..., Any] | None = field(default=None, compare=False)

    @property
    def arity(self) -> int:
        return len(self.sizes[0])

    @property
    def oracle(self) -> Callable[..., Any]:
        return self.plain or self.kernel


FUNCTIONS: list[Row] = []


def row(*shapes: Shape, also: tuple[Any, ...] = (), **qualities: Any) -> Callable[..., Any]:
    """Add the decorated function to the table, named as itself.

    `also` holds further sizes; for a function of one array, just its shapes.
    """
    more = tuple((size,) if len(shapes) == 1 else size for size in also)

    def add(kernel: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS.append(Row(kernel.__name__, kernel, (shapes, *more), **qualities))
        return kernel

    return add
