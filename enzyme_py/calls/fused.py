"""`enzyme.fused`: a function with all the derivatives that it takes, compiled as one piece.

In @njit code a derivative is a function behind an address: its arguments are packed and counted references
at every call, which costs more than a small derivative itself. Here the function goes the way that
derivatives go: inner derivatives become part of it, can be inlined and vectorised with what is around
them, arrays live in the region of the call, and nothing counts references.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from enzyme_py.calls.kernel_types import Kernel, P, R
from enzyme_py.calls.operators import transformed
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.runners import named_runner


def fused(f: Callable[P, R]) -> Kernel[P, R]:
    """Return `f`, a kernel that takes derivatives of others in its loops, compiled with them as one.

    Results, exceptions and what is written to arguments are those of `f`. Call it from Python, from
    @njit code and from kernels, or transform it again. It pays where many small derivatives are taken;
    a kernel that takes none gains nothing.

    Examples:
        >>> def slopes(x):
        ...     total = 0.0
        ...     for i in range(x.size):
        ...         total += enzyme.grad(lambda y: y**3)(x[i])
        ...     return total
        >>> enzyme.fused(slopes)(np.array([1.0, 2.0]))
        15.0
    """

    def make(kernel: Any, held: int) -> Any:
        return named_runner(Primal(kernel), kernel, f"fused_{kernel.py_func.__name__}")

    made: Kernel[P, R] = transformed(f, make)
    return made


__all__ = ["fused"]
