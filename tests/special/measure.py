"""A family of cases in one kernel, in each order, beside mpmath."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special as sp

import enzyme_py as enzyme
from tests.special.cases import Case
from tests.special.truth import truth

ORDERS = {"reverse": 1, "forward": 1, "forward over reverse": 2}


@dataclass(frozen=True)
class Measured:
    """One derivative of one case at one point."""

    case: Case
    order: str
    point: complex
    found: float
    right: float

    @property
    def error(self) -> float:
        """The relative error; zero where both are less than rounding leaves."""
        gap = abs(self.found - self.right)
        if gap < 1e-14 and abs(self.right) < 1e-14:
            return 0.0
        return gap / abs(self.right) if self.right else gap


def _written(call: str, place: str) -> str:
    """Return a call with an entry of an array in place of x, which no name of a function contains alone."""
    parts, word = list[str](), ""
    for one in call + " ":
        if one.isalnum() or one == "_":
            word += one
        else:
            parts += [place if word == "x" else word, one]
            word = ""
    return "".join(parts).rstrip()


def kernel_of(cases: Sequence[Case]) -> Any:
    """Return the kernel that writes all cases at all points."""
    most = max(len(case.points) for case in cases)
    lines = ["def kernel(x, y, out):", f"    for i in range({most}):"]
    for j, case in enumerate(cases):
        if case.is_complex:
            lines.append(f"        z = complex(x[{j}, i], y[{j}, i])")
            lines.append(f"        w = sp.{case.call}")
            lines.append(f"        out[{j}, i] = w.real + 2.0 * w.imag")
        else:
            lines.append(f"        out[{j}, i] = sp.{_written(case.call, f'x[{j}, i]')}")
    scope: dict[str, Any] = {"sp": sp, "__name__": __name__}
    exec("\n".join(lines), scope)
    return scope["kernel"]


def points_of(cases: Sequence[Case]) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of all cases, the last one of each again where others have more."""
    most = max(len(case.points) for case in cases)
    found = np.array(
        [[complex(one.points[min(i, len(one.points) - 1)]) for i in range(most)] for one in cases]
    )
    return found.real.copy(), found.imag.copy()


def measure(cases: Sequence[Case], orders: Sequence[str] = tuple(ORDERS)) -> Iterator[Measured]:
    """Yield every derivative of a family."""
    kernel = kernel_of(cases)

    def vector(x, y):
        out = np.zeros(x.shape)
        kernel(x, y, out)
        return out

    def total(x, y):
        return np.sum(vector(x, y))

    x, y = points_of(cases)
    along = np.ones_like(x), np.zeros_like(x)
    for order in orders:
        if order == "reverse":
            found = enzyme.grad(total)(x, y)
        elif order == "forward":
            found = enzyme.jvp(vector, (x, y), along)[1]
        else:
            found = enzyme.jvp(enzyme.grad(total), (x, y), along)[1]
        for j, case in enumerate(cases):
            for i, point in enumerate(case.points):
                right = truth(case.truth, point, ORDERS[order])
                yield Measured(
                    case, order, point, float(found[j, i]), right.real + 2.0 * right.imag
                )
