"""The six orders in which a kernel of the table is differentiated, and what must come out, by hand.

Second orders are compared with a complex step of the gradient by hand, which is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import enzyme_py as enzyme
from tests.threads.kernels import SIZE, Case

_RNG = np.random.default_rng(27)
Point = tuple[Any, Any, float]
POINT: Point = (_RNG.uniform(0.1, 1.0, SIZE), _RNG.uniform(0.1, 1.0, SIZE), 1.5)
DIRECTION: Point = (_RNG.normal(size=SIZE), _RNG.normal(size=SIZE), 0.7)
OTHER: Point = (_RNG.normal(size=SIZE), _RNG.normal(size=SIZE), -0.4)
ALL = (0, 1, 2)
ORDERS = ("gradient", "forward", "FoR", "RoR", "RoF", "FoF")


def flat(parts: Any) -> np.ndarray:
    """Return all numbers of some arrays and numbers."""
    return np.concatenate([np.ravel(np.asarray(one, dtype=complex)).real for one in parts])


def second_by_hand(case: Case, point: Point = POINT) -> np.ndarray:
    """Return the Hessian times DIRECTION."""
    step = 1e-30
    moved = [p + 1j * step * d for p, d in zip(point, DIRECTION, strict=True)]
    return np.concatenate([np.ravel(np.asarray(one)).imag / step for one in case.gradient(*moved)])


def expected(case: Case, order: str) -> np.ndarray:
    """Return the answer by hand at POINT."""
    if order == "gradient":
        return flat(case.gradient(*POINT))
    if order == "forward":
        return np.array([flat(case.gradient(*POINT)) @ flat(DIRECTION)])
    curved = second_by_hand(case)
    return curved if order in ("RoR", "RoF") else np.array([curved @ flat(OTHER)])


def asked(kernel: Any, order: str) -> Callable[[], np.ndarray]:
    """Return a function that asks for a derivative at POINT, and returns its numbers."""
    if order == "gradient":
        gradient = enzyme.grad(kernel, argnums=ALL)
        return lambda: flat(gradient(*POINT))
    if order == "forward":
        return lambda: np.array([enzyme.jvp(kernel, POINT, DIRECTION)[1]])
    inner = slope_by_reverse(kernel) if order.endswith("R") else slope_by_forward(kernel)
    if order.startswith("F"):
        return lambda: np.array([enzyme.jvp(inner, POINT, OTHER)[1]])
    outer = enzyme.grad(inner, argnums=ALL)
    return lambda: flat(outer(*POINT))


def slope_by_reverse(kernel: Any) -> Any:
    """Return the gradient along DIRECTION, as a function of the point."""
    gradient = enzyme.grad(kernel, argnums=ALL)
    u, v, w = DIRECTION

    def along(x, y, c):  # type: ignore[no-untyped-def]
        by_x, by_y, by_c = gradient(x, y, c)
        return (by_x * u).sum() + (by_y * v).sum() + by_c * w

    return along


def slope_by_forward(kernel: Any) -> Any:
    """Return the tangent along DIRECTION, as a function of the point."""
    u, v, w = DIRECTION

    def along(x, y, c):  # type: ignore[no-untyped-def]
        return enzyme.jvp(kernel, (x, y, c), (u, v, w))[1]

    return along
