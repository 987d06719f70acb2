"""Numba's check of an axis, without the text of its error in compiled code.

`np.sum(x, axis=0)` calls a check that formats "axis 5 is out of bounds for array of dimension 2". Numba
compiles for that what makes text of integers and joins texts, some thirty functions: half of the time to
lower a kernel with its first `np.sum(axis=...)`. Worse, where all is inlined (run-time activity) a copy
of them stands at each call, and Enzyme and LLVM work on it for seconds. Here an exception takes the
numbers, and its text is put together in Python when it is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import overload
from numba.np import arraymath
from numba.np.numpy_support import is_nonelike


class AxisOutOfBounds(arraymath.axis_bound_err):  # type: ignore[misc,name-defined]
    """Makes the error that Numba raises, of NumPy's own class."""

    def __new__(cls, axis: int, rank: int) -> Any:
        """Return that error with the text that Numba's has."""
        return arraymath.axis_bound_err(
            f"axis {axis} is out of bounds for array of dimension {rank}"
        )


@overload(arraymath.check_axis_bounds, target="enzyme")
def _check_axis(a, axis):  # type: ignore[no-untyped-def]  # names are Numba's
    rank = a.ndim
    if is_nonelike(axis):
        return _check_nothing
    if isinstance(axis, types.BaseTuple):
        return _check_all(rank)

    def check(a, axis):  # type: ignore[no-untyped-def]  # for Numba
        if axis < -rank or axis >= rank:
            raise AxisOutOfBounds(axis, rank)

    return check


def _check_nothing(a, axis):  # type: ignore[no-untyped-def]  # for Numba
    pass


def _check_all(rank: int) -> Callable[..., None]:
    def check(a, axis):  # type: ignore[no-untyped-def]  # for Numba
        for one in axis:
            if one < -rank or one >= rank:
                raise AxisOutOfBounds(one, rank)

    return check
