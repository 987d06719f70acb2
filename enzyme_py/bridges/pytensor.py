"""PyTensor, and so PyMC: a kernel as an operator, with its derivatives, in every mode and compiled in mode NUMBA.

    f = wrap(kernel)
    pytensor.grad(f(x, a).sum(), x)
    pm.Potential("seen", f(rate, times, data))

The pullback and the pushforward of the operator are such operators again, of the kernels of cotangents and of tangents (kernels.py). In mode
NUMBA, which PyMC and nutpie sample in, the kernel is called by the compiled code, without object mode; elsewhere it runs from Python.

Variables are kernel arguments of the same dtype; those without an axis are numbers. Arguments are never written to. What the kernel captured is
fixed as it is when it is wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba import types

from enzyme_py.bridges.kernels import Function, is_active, kernels_of, kind_of, missing
from enzyme_py.errors import UnsupportedTypeError

try:
    import pytensor.tensor as pt
    from pytensor.gradient import DisconnectedType
    from pytensor.graph.basic import Apply
    from pytensor.graph.op import Op
    from pytensor.link.numba.dispatch import numba_funcify
except ImportError as error:
    raise ImportError(missing("PyTensor", "pymc")) from error


def wrap(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel as a function of PyTensor's variables: a variable, or a list where the kernel returns a tuple."""
    kernels = kernels_of(f)

    def call(*arguments: Any) -> Any:
        variables = [pt.as_tensor_variable(one) for one in arguments]
        kinds = tuple(
            _kind(one, f"argument {place} of `{kernels.__name__}`")
            for place, one in enumerate(variables)
        )
        kernel = kernels.of(kinds)
        found = _Kernel(Function(kernel))(*variables, return_list=True)
        return found if kernel.is_tuple else found[0]

    return call


def _kind(variable: Any, name: str) -> Any:
    kind = kind_of(variable.dtype, variable.ndim, name)
    if np.dtype(variable.dtype).kind == "c":
        message = (
            f"{name} is of {variable.dtype}, of which PyTensor and enzyme_py have other gradients"
        )
        raise UnsupportedTypeError(
            message, remedy="pass real and imaginary parts, and join them in the kernel"
        )
    return kind


class _Kernel(Op):  # type: ignore[misc]
    """A call of a kernel."""

    __props__ = ("function",)

    def __init__(self, function: Function) -> None:
        self.function = function

    def make_node(self, *variables: Any) -> Any:
        results = [
            pt.TensorType(dtype.name, shape=(None,) * (slot.ndim or 0))()
            for slot, dtype in zip(self.function.kernel.results, self.function.dtypes, strict=True)
        ]
        return Apply(self, list(variables), results)

    def perform(self, _: Any, given: Sequence[Any], storage: Sequence[Any]) -> None:
        found = self.function.kernel(*given)
        for place, value, dtype in zip(storage, found, self.function.dtypes, strict=True):
            place[0] = np.array(value, dtype, order="C")  # a copy: it may be an argument's memory

    def connection_pattern(self, _: Any) -> list[list[bool]]:
        """Tell which arguments have derivatives."""
        kernel = self.function.kernel
        return [[is_active(kind)] * len(kernel.results) for kind in kernel.kinds]

    def pullback(self, inputs: Sequence[Any], outputs: Sequence[Any], given: Sequence[Any]) -> Any:
        """Return the gradients by the arguments."""
        floats = self.function.kernel.floats
        cotangents = [
            pt.zeros_like(output)
            if isinstance(one.type, DisconnectedType)
            else pt.cast(one, output.dtype)
            for one, output in zip(given, outputs, strict=True)
        ]
        op = _Kernel(self.function.pulled(floats))
        gradients = iter(op(*inputs, *cotangents, return_list=True))
        return [
            next(gradients) if place in floats else DisconnectedType()()
            for place in range(len(inputs))
        ]

    def pushforward(self, inputs: Sequence[Any], _: Sequence[Any], given: Sequence[Any]) -> Any:
        """Return the tangents of the results."""
        which = tuple(
            place
            for place in self.function.kernel.floats
            if given[place] is not None and not isinstance(given[place].type, DisconnectedType)
        )
        tangents = [pt.cast(given[place], inputs[place].dtype) for place in which]
        return _Kernel(self.function.pushed(which))(*inputs, *tangents, return_list=True)

    # The same by the names of older versions.
    L_op = pullback

    def R_op(self, inputs: Sequence[Any], given: Sequence[Any]) -> Any:  # noqa: N802
        """Return the tangents of the results."""
        return self.pushforward(inputs, (), given)


@numba_funcify.register(_Kernel)  # type: ignore[untyped-decorator]
def _compiled(op: Any, **_: Any) -> Any:
    """Return the function that PyTensor's compiled code calls: arrays in, arrays out, of memory that is no argument's."""
    kernel = op.function.kernel
    names = [f"x{place}" for place in range(len(kernel.kinds))]
    given = [
        f"contiguous({name})" if isinstance(kind, types.Array) else f"{name}[()]"
        for name, kind in zip(names, kernel.kinds, strict=True)
    ]
    parts = [
        f"found[{place}]" if kernel.is_tuple else "found" for place in range(len(kernel.results))
    ]
    results = [
        f"{part}.copy()" if slot.ndim else f"array({part})"
        for part, slot in zip(parts, kernel.results, strict=True)
    ]
    returned = f"({', '.join(results)},)" if len(results) > 1 else results[0]
    lines = [
        f"def called({', '.join(names)}):",
        f"    found = kernel({', '.join(given)})",
        f"    return {returned}",
    ]
    scope: dict[str, Any] = {
        "kernel": kernel.dispatcher,
        "contiguous": np.ascontiguousarray,
        "array": np.asarray,
    }
    exec("\n".join(lines), scope)  # noqa: S102  (made of names of ours)
    return numba.njit(scope["called"])


__all__ = ["wrap"]
