"""CasADi: a kernel as a function of CasADi, with derivatives for its solvers.

    f = function(kernel, (3,), ())          # of a vector of three numbers and a number
    x = casadi.MX.sym("x", 3)
    solver = casadi.nlpsol("solver", "ipopt", {"x": x, "f": f(x, 2.0)})

It is a `casadi.Callback`. Its forward and reverse derivatives are such functions again, of the kernels of tangents and of cotangents
(kernels.py), so that CasADi gets gradients, Jacobians and Hessians. Arguments and results are float64 and dense: a number is a matrix of 1 x 1, an array
with one axis a column. Each call takes the interpreter's lock. What the kernel captured is fixed as it is then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types

from enzyme_py.bridges.kernels import Function, kernels_of, missing
from enzyme_py.errors import UnsupportedTypeError

try:
    import casadi
except ImportError as error:
    raise ImportError(missing("CasADi", "casadi")) from error

Shape = tuple[int, ...]


def function(f: Callable[..., Any], *shapes: Shape) -> Any:
    """Return a kernel as a function of CasADi, for arguments of given shapes; hold it as long as CasADi may call it."""
    kernels = kernels_of(f)
    kinds = tuple(map(_kind, shapes))
    kernel = Function(kernels.of(kinds))
    results = [tuple(map(int, one)) for one in kernel.shapes(shapes)]
    inputs = [(shape, place) for place, shape in enumerate(shapes)]
    outputs = [(shape, place) for place, shape in enumerate(results)]
    name = "".join(one if one.isascii() and one.isalnum() else "" for one in kernels.__name__)
    return _Called(f"kernel{name}", kernel, inputs, outputs, {})


class _Called(casadi.Callback):  # type: ignore[misc]
    """A kernel; of each input and output its shape, and its place in the kernel. CasADi has inputs that a kernel has not."""

    def __init__(
        self,
        name: str,
        kernel: Function,
        inputs: Sequence[tuple[Shape, int | None]],
        outputs: Sequence[tuple[Shape, int | None]],
        options: Any,
    ) -> None:
        casadi.Callback.__init__(self)
        self._kernel, self._inputs, self._outputs = kernel, inputs, outputs
        self._derivatives: list[Any] = []  # CasADi does not hold them
        self.construct(name, options)

    def get_n_in(self) -> int:
        return len(self._inputs)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_sparsity_in(self, place: int) -> Any:
        return casadi.Sparsity.dense(*_matrix(self._inputs[place][0]))

    def get_sparsity_out(self, place: int) -> Any:
        return casadi.Sparsity.dense(*_matrix(self._outputs[place][0]))

    def eval(self, given: Sequence[Any]) -> list[Any]:
        places = {place: at for at, (_, place) in enumerate(self._inputs) if place is not None}
        arguments = []
        for _, at in sorted(places.items()):
            value = given[at].full().reshape(self._inputs[at][0])
            arguments.append(value if value.ndim else value.item())
        found = self._kernel.kernel(*arguments)
        return [
            casadi.DM(np.zeros(_matrix(shape)))
            if place is None
            else casadi.DM(_reshaped(found[place], shape))
            for shape, place in self._outputs
        ]

    def has_forward(self, count: int) -> bool:
        return count == 1

    def has_reverse(self, count: int) -> bool:
        return count == 1

    def get_forward(self, _: int, name: str, __: Any, ___: Any, options: Any) -> Any:
        """Return the function of inputs, outputs, and tangents of inputs."""
        pushed = self._kernel.pushed(self._every())
        tangents = [(shape, self._behind(place)) for shape, place in self._inputs]
        return self._derivative(name, pushed, tangents, self._outputs, options)

    def get_reverse(self, _: int, name: str, __: Any, ___: Any, options: Any) -> Any:
        """Return the function of inputs, outputs, and cotangents of outputs."""
        pulled = self._kernel.pulled(self._every())
        cotangents = [(shape, self._behind(place)) for shape, place in self._outputs]
        return self._derivative(name, pulled, cotangents, self._inputs, options)

    def _derivative(
        self, name: str, kernel: Function, more: Sequence[Any], outputs: Sequence[Any], options: Any
    ) -> Any:
        ignored = [(shape, None) for shape, _ in self._outputs]
        made = _Called(name, kernel, [*self._inputs, *ignored, *more], outputs, options)
        self._derivatives.append(made)
        return made

    def _every(self) -> tuple[int, ...]:
        return tuple(range(len(self._kernel.kernel.kinds)))

    def _behind(self, place: int | None) -> int | None:
        return None if place is None else len(self._kernel.kernel.kinds) + place


def _kind(shape: Shape) -> Any:
    if not isinstance(shape, tuple) or len(shape) > 2:
        message = f"{shape!r} is no shape of CasADi, which has numbers, vectors and matrices"
        raise UnsupportedTypeError(
            message, remedy="say the shape of each argument: (), (3,) or (2, 3)"
        )
    return types.Array(types.float64, len(shape), "C", readonly=True) if shape else types.float64


def _matrix(shape: Shape) -> tuple[int, int]:
    rows, columns, *_ = (*shape, 1, 1)
    return rows, columns


def _reshaped(value: Any, shape: Shape) -> Any:
    if np.shape(value) != shape:
        message = f"a result has the shape {np.shape(value)}, and {shape} for arguments of ones"
        raise UnsupportedTypeError(
            message, remedy="return arrays whose shape the arguments' shapes decide"
        )
    return np.asarray(value, np.float64).reshape(_matrix(shape))


__all__ = ["function"]
