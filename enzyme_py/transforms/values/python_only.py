"""What works from Python alone says so where compiled code calls it, with what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import typeof_impl

from enzyme_py.errors import LoweringError


def python_only(function: Callable[..., Any], remedy: str) -> None:
    """Refuse calls of a function in compiled code."""

    @infer_global(function)
    class _Template(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Sequence[Any], kws: Any) -> Any:
            raise _refusal(function.__name__, remedy)


class _Refused(types.Callable):  # type: ignore[misc]
    """The Numba type of an object that compiled code cannot call."""

    def __init__(self, name: str, remedy: str) -> None:
        super().__init__(f"{name} of Python")
        self._refusal = name, remedy

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Raise."""
        raise _refusal(*self._refusal)

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        """There are none."""
        return [], False

    def get_impl_key(self, _sig: Any) -> Any:
        """There is none."""
        return self


def objects_python_only(kind: type, remedy: str) -> None:
    """Refuse calls of objects of a class in compiled code."""
    typeof_impl.register(kind)(lambda _value, _context: _Refused(f"a {kind.__name__}", remedy))


def _refusal(name: str, remedy: str) -> LoweringError:
    return LoweringError(f"compiled code calls {name}, which works from Python alone", remedy=remedy)
