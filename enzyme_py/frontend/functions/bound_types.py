"""The Numba type of a bound kernel: a function with the values of its leading parameters.

As an argument such a value is constant; what it holds is data like any other to a derivative taken
around the whole.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from numba.core import types
from numba.core.typing import signature

from enzyme_py.foundations.content.function_content import parts_of
from enzyme_py.foundations.keeping import Carried
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.frontend.functions.result_kernels import result_kernel


class BoundKernelType(types.Callable):  # type: ignore[misc]
    """A kernel, and the types of the values that it holds."""

    def __init__(self, kernel: Any, kinds: Sequence[Any]) -> None:
        self._carried = Carried(kernel)
        self.kinds = tuple(map(held_type, kinds))
        name = kernel.py_func.__name__
        super().__init__(
            f"Bound({name}, {self._carried.number}, {', '.join(map(str, self.kinds))})"
        )

    @property
    def key(self) -> Any:
        """Equal if the kernel is the same, and the types."""
        return self._carried.number, self.kinds

    @property
    def kernel(self) -> Any:
        """The kernel; whoever can ask holds it."""
        return self._carried.value

    @property
    def starred(self) -> int | None:
        """The place of the kernel's parameter that takes all further arguments, if it has one."""
        code = self.kernel.py_func.__code__
        return code.co_argcount if code.co_flags & inspect.CO_VARARGS else None

    def get_call_type(self, context: Any, args: Sequence[Any], kws: Any) -> Any:
        """Type a call by the arguments that are not bound."""
        function = types.Dispatcher(self.kernel)
        given = tuple(map(types.unliteral, args))
        call = context.resolve_function_type(function, (*self.kinds, *given), kws)
        if call is None:
            return None
        count = len(self.kinds)
        if self.starred is not None and self.starred < count:  # what is held goes there too
            return None if kws else signature(call.return_type, *given, recvr=self)
        own = signature(call.return_type, *call.args[count:], recvr=self)
        if call.pysig is not None:
            parameters = list(call.pysig.parameters.values())[count:]
            own = own.replace(pysig=inspect.Signature(parameters))
        return own

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        """Nothing is known before the arguments are."""
        return [], True

    def get_impl_key(self, _sig: Any) -> Any:
        """All bound kernels share one lowering."""
        return call_bound


@parts_of.register
def _parts_of_bound(kind: BoundKernelType) -> tuple[Any, ...]:
    return ("bound kernel", kind.kernel, kind.kinds)


def call_bound(holder: Any, *arguments: Any) -> None:
    """Stand for the lowering of a call of a bound kernel."""


def held_type(kind: Any) -> Any:
    """Return the type in which a bound kernel holds a value.

    Arrays cannot be written through it: a derivative takes them as constant, and what a kernel writes
    to a constant is lost.
    """
    kind = argument_type(types.unliteral(kind))
    if isinstance(kind, types.Array):
        return kind.copy(readonly=True)
    if isinstance(kind, types.BaseNamedTuple):
        return types.BaseTuple.from_types([held_type(one) for one in kind], kind.instance_class)
    if isinstance(kind, types.BaseTuple):
        return types.Tuple(tuple(map(held_type, kind)))
    return kind


def is_function(kind: Any) -> bool:
    """Tell whether a value of this type is a function with a kernel."""
    return isinstance(kind, (types.Dispatcher, BoundKernelType))


def function_parts(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the kernel of which a derivative of a function is taken, and the types of what that holds."""
    if isinstance(kind, BoundKernelType):
        return result_kernel(kind.kernel), kind.kinds
    return result_kernel(as_kernel(kind.dispatcher)), ()


def function_of(kernel: Any, held: Sequence[Any]) -> Any:
    """Return the type of a kernel that holds values of the given types."""
    return BoundKernelType(kernel, held) if held else types.Dispatcher(kernel)


def argument_type(kind: Any) -> Any:
    """Return the type in which a derivative takes an argument: a plain function is a bound kernel too.

    Of Numba's own type for functions no two fit into a tuple: it takes them for pointers.
    """
    if isinstance(kind, types.Dispatcher):
        return BoundKernelType(as_kernel(kind.dispatcher), ())
    return kind


def with_held(kinds: Sequence[Any], count: int) -> list[Any]:
    """Return argument types the first of which are those of values that a function holds."""
    return [*map(held_type, kinds[:count]), *map(argument_type, kinds[count:])]
