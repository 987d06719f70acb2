"""A row of the coverage table: a function of Numba's list, and a small kernel that uses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

ROWS: dict[str, Row] = {}
EDGES: dict[str, Edge] = {}


@dataclass(frozen=True)
class Draw:
    """An argument with a derivative: an array, or a number where the shape is None."""

    shape: tuple[int, ...] | None
    low: float = 0.3
    high: float = 1.7
    dtype: str = "float64"

    def draw(self, random: np.random.Generator) -> Any:
        """Return a value, with a random imaginary part where the type is complex."""
        values = random.uniform(self.low, self.high, self.shape or ())
        if self.dtype.startswith("complex"):
            values = values + 1j * random.uniform(self.low, self.high, self.shape or ())
        array = np.asarray(values).astype(self.dtype)
        if self.shape is not None:
            return array
        return (
            array[()]
            if self.dtype.endswith(("32", "64")) and self.dtype not in PYTHON
            else array.item()
        )

    def direction(self, random: np.random.Generator, like: Any) -> Any:
        """Return a tangent of a value: no entry of it is small."""
        values = random.uniform(0.5, 1.0, self.shape or ()) * random.choice(
            (-1.0, 1.0), self.shape or ()
        )
        if self.dtype.startswith("complex"):
            values = values + 1j * random.uniform(0.5, 1.0, self.shape or ())
        return type(like)(values) if self.shape is None else values.astype(self.dtype)


PYTHON = ("float64",)  # numbers of these types are Python's own


@dataclass(frozen=True)
class Row:
    """A function, a kernel, and arguments: those that are a `Draw` have a derivative."""

    name: str
    kernel: Callable[..., Any]
    args: tuple[Any, ...]
    group: str
    function: str
    plain: Callable[..., Any] | None = None  # the same for NumPy, where it needs other words
    numba: bool = False  # the oracle runs the kernel as Numba compiles it

    @property
    def single(self) -> bool:
        """Whether any argument has 32 bits a number."""
        kinds = [arg.dtype for arg in self.args if isinstance(arg, Draw)]
        return any(kind in ("float32", "complex64") for kind in kinds)


@dataclass(frozen=True)
class Edge:
    """A kernel at a point where rules of calculus say too little, and the gradient that is right."""

    name: str
    kernel: Callable[..., Any]
    args: tuple[Any, ...]
    gradient: tuple[Any, ...]
    why: str
    group: str = "edges"


class Table:
    """Adds rows of one group."""

    def __init__(self, group: str) -> None:
        self.group = group

    def __call__(self, name: str, kernel: Callable[..., Any], *args: Any, **more: Any) -> None:
        """Add a row. What stands behind a blank in the name tells it from others of the function."""
        if name in ROWS:
            message = f"two rows are called {name}"
            raise ValueError(message)
        function = name.split(" ", maxsplit=1)[0]
        ROWS[name] = Row(name, kernel, args, self.group, function, **more)


def edge(
    name: str,
    kernel: Callable[..., Any],
    args: tuple[Any, ...],
    gradient: tuple[Any, ...],
    why: str,
) -> None:
    """Add an edge."""
    if name in EDGES:
        message = f"two edges are called {name}"
        raise ValueError(message)
    EDGES[name] = Edge(name, kernel, args, gradient, why)
