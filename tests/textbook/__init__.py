"""A battery of kernels as numerical textbooks have them, each asked in six orders against differences.

A kernel is a function of a vector x, a constant vector c of the same length, and a number n of turns, and returns a number. The
fuzzer's kernels are drawn from tables; these were written down from what people compute. In the session that began them they
showed three wrong gradients that some 4,000 random kernels had not. All of them, in all orders:

    python -m tests.textbook            twenty minutes on two cores
    python -m tests.textbook heat2d lstm
    python -m tests.textbook --of complex      with complex arrays inside
    python -m tests.textbook --of part         with an x that is a part of a matrix, made inside
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np

from tests.textbook import (
    algorithms,
    branches,
    exchanged,
    held,
    models,
    polybench_algebra,
    polybench_grids,
    products,
    recurrences,
    updates,
    views,
)

_MODULES = (
    *(updates, views, models, algorithms, exchanged, recurrences, products),
    *(polybench_algebra, polybench_grids, branches, held),
)
X = np.array([0.7, -0.4, 0.35, 1.1, -0.9, 0.2])
C = np.array([0.3, 0.8, -0.5, 0.25, 1.2, -0.1])
TURNS = 4

Kernel = Callable[..., Any]


def kernels() -> dict[str, tuple[Kernel, Any, Any]]:
    """Return the kernels by name, each with its x and c."""
    return {
        f"{module.__name__.rpartition('.')[2]}.{name}": (
            value,
            getattr(module, "X", X),
            getattr(module, "C", C),
        )
        for module in _MODULES
        for name, value in _functions(module)
    }


def _functions(module: ModuleType) -> list[tuple[str, Kernel]]:
    return [
        (name, value)
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def complex_inside(kernel: Kernel) -> Kernel:
    """Return a kernel of a real x that gives another one complex numbers."""
    inner = numba.njit(kernel)

    def twin(x, c, n):  # type: ignore[no-untyped-def]
        found = inner(x * (0.8 + 0.6j) + 0.1j, c, n)
        return found.real + 0.5 * found.imag

    return twin


def part_inside(kernel: Kernel) -> Kernel:
    """Return a kernel that gives another one a vector whose numbers lie apart."""
    inner = numba.njit(kernel)

    def twin(x, c, n):  # type: ignore[no-untyped-def]
        wide = np.empty((x.size, 2))
        wide[:, 1] = x
        wide[:, 0] = x * x
        return inner(wide[:, 1], c, n)

    return twin


TWINS: dict[str, Callable[[Kernel], Kernel]] = {"complex": complex_inside, "part": part_inside}
