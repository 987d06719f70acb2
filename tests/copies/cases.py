"""The product of functions, orders, layouts, activities and dtypes, and what of it runs.

The ordinary run takes one case of each function, another one for each; so every order, layout and activity is met by
many functions. Of every second function it is a first order, which compiles in a third of the time. `pytest --full` runs
all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from tests.copies.row import Row
from tests.scenarios.variants import backwards, every_other

Layout = Callable[[np.ndarray], np.ndarray]


def c_order(x: np.ndarray) -> np.ndarray:
    return np.array(x, order="C", copy=True)


def f_order(x: np.ndarray) -> np.ndarray:
    return np.array(x, order="F", copy=True)


LAYOUTS: dict[str, Layout] = {
    "C": c_order,
    "F": f_order,
    "strided": every_other,
    "backwards": backwards,
}
ORDERS = ("R", "F", "FoR", "RoR", "RoF")
DTYPES = {"float64": np.float64, "float32": np.float32, "complex128": np.complex128}


@dataclass(frozen=True)
class Case:
    """One derivative: of a function, in an order, of arguments of some layout and activity."""

    row: Row
    order: str
    layout: str = "C"
    constant: frozenset[int] = frozenset()
    runtime: bool = False
    dtype: str = "float64"

    @property
    def name(self) -> str:
        """The id of the test."""
        words = [self.row.name, self.order, self.layout]
        words += [f"const{number}" for number in sorted(self.constant)]
        words += ["runtime"] * self.runtime + [self.dtype] * (self.dtype != "float64")
        return "-".join(words)

    @property
    def tolerance(self) -> float:
        """Of the largest number; the oracle is exact but for rounding."""
        if self.dtype == "float32" or self.row.single:
            return 3e-5
        return 1e-12


def cases_of(row: Row) -> Iterator[Case]:
    """Yield every case of one function."""
    is_vector = all(len(shape) < 2 for shape in row.sizes[0])
    layouts = (
        ["C"] if row.contiguous else [name for name in LAYOUTS if name != "F" or not is_vector]
    )
    constants = [frozenset[int]()]
    constants += [frozenset({number}) for number in range(row.arity) if row.arity > 1]
    for order, layout, constant, runtime in product(ORDERS, layouts, constants, (False, True)):
        yield Case(row, order, layout, constant, runtime)
    for order, dtype in product(ORDERS, () if row.single else ("float32", "complex128")):
        if not (row.real and dtype == "complex128"):
            yield Case(row, order, dtype=dtype)


def chosen(rows: list[Row], *, full: bool) -> list[Case]:
    """Return the cases of a run."""
    cases: list[Case] = []
    for number, row in enumerate(rows):
        own = list(cases_of(row))
        if not full:
            own = [one for one in own if number % 2 or len(one.order) == 1]
        cases += own if full else [own[17 * number % len(own)]]
    return cases
