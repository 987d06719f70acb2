"""The code of a gradient by forward mode: one run per number of an argument, each on copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.places import where_is
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.activities import activity_of
from enzyme_py.transforms.derivatives.forward_gradient import partial_gradient
from enzyme_py.transforms.plans.helpers import helper, written_for
from enzyme_py.transforms.plans.plans import PlanType, transform
from enzyme_py.transforms.values.copies import copy_of
from enzyme_py.transforms.values.shadows import zeros_laid_out_as

_run: Any = transform  # its own type says that it cannot be called from Python


@written_for(partial_gradient)
def _partial_gradient(plan: PlanType, value: Any, before: Any, after: Any) -> Callable[..., Any]:
    if isinstance(value, types.Array) and isinstance(value.dtype, types.Record) and activity_of(value) is Activity.DUPLICATED:
        message = "forward mode makes no gradient of an array of records, number by number"
        remedy = "leave the mode out, or pass an array for each field"
        raise UnsupportedTypeError(message, where=where_is(plan.plan.kernel), remedy=remedy)
    if isinstance(value, types.Array) and activity_of(value) is Activity.DUPLICATED:
        is_complex = isinstance(value.dtype, types.Complex)
        return _of_complex_array() if is_complex else _of_real_array()
    if isinstance(value, types.Complex):
        return _of_complex
    return _of_real if isinstance(value, types.Float) else _of_nothing


def _of_real_array() -> Callable[..., Any]:
    along = helper(_along)

    def of_array(plan, value, before, after):  # type: ignore[no-untyped-def]
        found = np.zeros(value.shape, value.dtype)
        for index in np.ndindex(value.shape):
            found[index] = along(plan, value, index, 1.0, before, after)
        return found

    return of_array


def _of_complex_array() -> Callable[..., Any]:
    along = helper(_along)

    def of_array(plan, value, before, after):  # type: ignore[no-untyped-def]
        found = np.zeros(value.shape, value.dtype)
        for index in np.ndindex(value.shape):
            real = along(plan, value, index, 1.0, before, after)
            imaginary = along(plan, value, index, 1.0j, before, after)
            found[index] = real + 1j * imaginary
        return found

    return of_array


def _along(plan, value, index, step, before, after):  # type: ignore[no-untyped-def]
    own = copy_of(value)
    unit = zeros_laid_out_as(own)
    unit[index] = step
    return _run(plan, *copy_of(before), own, unit, *copy_of(after))[0]


def _of_complex(plan, value, before, after):  # type: ignore[no-untyped-def]
    real = _run(plan, *copy_of(before), value, 1.0 + 0.0j, *copy_of(after))[0]
    imaginary = _run(plan, *copy_of(before), value, 1.0j, *copy_of(after))[0]
    return real + 1j * imaginary


def _of_real(plan, value, before, after):  # type: ignore[no-untyped-def]
    return _run(plan, *copy_of(before), value, 1.0, *copy_of(after))[0]


def _of_nothing(plan, value, before, after):  # type: ignore[no-untyped-def]
    return None
