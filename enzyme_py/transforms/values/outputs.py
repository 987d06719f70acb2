"""What a kernel leaves in its arguments, as the result of a kernel."""

from __future__ import annotations

from typing import Any

import numba

from enzyme_py.foundations.keeping import kept_with_kernel, released
from enzyme_py.transforms.plans.structures import defined, listed
from enzyme_py.transforms.values.copies import copy_of


@kept_with_kernel
def output_kernel(kernel: Any, numbers: tuple[int, ...], is_single: bool, held: int) -> Any:
    """Return the kernel that runs another on copies and returns some of them.

    The first `held` arguments are what the function itself holds; they are not counted.
    """
    places = [f"own[{number}]" for number in numbers]
    text = f"""
        def outputs(*arguments):
            own = copy_of(arguments[{held}:])
            kernel(*arguments[:{held}], *own)
            return {places[0] if is_single else listed(places)}
        """
    outputs = defined(text, "outputs", {"kernel": kernel, "copy_of": copy_of})
    outputs.__name__ = outputs.__qualname__ = f"output_of_{kernel.py_func.__name__}"
    return released(numba.njit(outputs))
