"""What type checkers are told of kernels and of the functions that transforms return.

Numba has no types of its own: to a type checker whatever `njit` returns is untyped. `Kernel[P, R]` keeps the parameters
`P` and the result `R` of the function that was compiled, so that a call with too few arguments is seen by mypy and
pyright. All else of Numba's dispatcher (`py_func`, `signatures`, ...) may be asked for, and is Any. It exists for type checkers
alone: nothing is an instance of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Kernel(Protocol[P, R_co]):
    """A compiled function of the parameters P with the result R_co."""

    @property
    def py_func(self) -> Callable[P, R_co]:
        """The Python function that was compiled."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run it."""

    def __getattr__(self, name: str) -> Any:
        """Return whatever else Numba's dispatcher has."""


class Decorator(Protocol):
    """`jit` with options: takes a function and returns the kernel."""

    def __call__(self, function: Callable[P, R], /) -> Kernel[P, R]:
        """Compile it."""


__all__ = ["Decorator", "Kernel", "P", "R"]
