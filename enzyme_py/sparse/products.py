"""The derivative of a kernel at a point as a linear map: what it can be multiplied with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from enzyme_py.annotations import Const
from enzyme_py.calls.operators import copied
from enzyme_py.errors import AnnotationError, UnsupportedTypeError
from enzyme_py.foundations.places import argument_name, where_is
from enzyme_py.foundations.trees import as_tuples
from enzyme_py.modes import Forward, Reverse
from enzyme_py.transforms.jacobians.compressed import Products, products_runner
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.runners import positional_runner

PRECISIONS = (np.dtype(np.float32), np.dtype(np.float64))


class Derivative:
    """The Jacobian of one kernel by one of its arguments, at one point, never written out.

    A symmetric one is its own transpose: only forward mode is used for it.
    """

    def __init__(
        self, kernel: Any, number: int, arguments: Sequence[Any], width: int, *, symmetric: bool
    ) -> None:
        self.kernel, self.width, self.symmetric = kernel, width, symmetric
        self.values = [as_tuples(v.primal if isinstance(v, Const) else v) for v in arguments]
        self.number = self._checked_number(number)
        self.values[self.number] = self.x = self._checked(self.values[self.number])
        self.output = self._output()

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of the output and those of the argument."""
        return math.prod(np.shape(self.output)), self.x.size

    @property
    def dtype(self) -> Any:
        """The dtype of the entries: that of the output."""
        return self.output.dtype if isinstance(self.output, np.ndarray) else self.x.dtype

    @property
    def unit(self) -> float:
        """The rounding unit of the coarser of argument and output."""
        return float(max(np.finfo(kind).eps for kind in (self.x.dtype, self.dtype)))

    @property
    def key(self) -> Any:
        """What a preparation depends on: shapes and dtypes of argument and output."""
        return self.x.shape, self.x.dtype, np.shape(self.output), self.dtype

    def moved(self, x: np.ndarray) -> Derivative:
        """Return the derivative at another point."""
        arguments = [*self.values[: self.number], x, *self.values[self.number + 1 :]]
        return Derivative(self.kernel, self.number, arguments, self.width, symmetric=self.symmetric)

    def right(self, vectors: np.ndarray) -> np.ndarray:
        """Return the derivative times each row of `vectors`, in rows."""
        return self._products(Forward, vectors, self.shape[0], (self.x.dtype, self.dtype))

    def left(self, vectors: np.ndarray) -> np.ndarray:
        """Return each row of `vectors` times the derivative, in rows."""
        if self.symmetric:
            return self.right(vectors)
        return self._products(Reverse, vectors, self.shape[1], (self.dtype, self.x.dtype))

    def _products(self, mode: Any, vectors: np.ndarray, size: int, dtypes: Any) -> np.ndarray:
        count = len(vectors)
        if not count or 0 in self.shape:
            return np.zeros((count, size), dtypes[1])
        padded = -(-count // self.width) * self.width
        given = vectors
        if padded > count or vectors.dtype != dtypes[0]:
            given = np.zeros((padded, vectors.shape[1]), dtypes[0])
            given[:count] = vectors
        found = np.zeros((padded, size), dtypes[1])
        run = products_runner(Products(self.kernel, mode, self.number, self.width))
        run(found, given, self.output, *self.values)
        return found[:count]

    def _checked_number(self, number: int) -> int:
        count = len(self.values)
        if not -count <= number < count:
            message = f"argnums names argument {number}, the call has {count}"
            raise AnnotationError(message, where=where_is(self.kernel), remedy="count from 0")
        return number % count

    def _checked(self, x: Any) -> np.ndarray:
        if isinstance(x, np.ndarray) and x.dtype in PRECISIONS:
            return np.require(x, requirements=["C", "W"])
        name = argument_name(self.kernel, self.number)
        kind = f"dtype {x.dtype}" if isinstance(x, np.ndarray) else f"type {type(x).__name__}"
        message = f"a sparse derivative is by an array of float32 or float64, not by {kind}"
        remedy = "convert it first, or use enzyme.jacobian or enzyme.hessian, which are dense"
        raise UnsupportedTypeError(message, where=where_is(self.kernel, name), remedy=remedy)

    def _output(self) -> Any:
        """Return something of the shape and dtype of what the kernel returns."""
        if self.symmetric:  # a gradient
            return np.zeros_like(self.x)
        returned = positional_runner(Primal(self.kernel), len(self.values))(
            *map(copied, self.values)  # the kernel may write to them
        )
        if isinstance(returned, (float, np.floating)):
            return 0.0
        if isinstance(returned, np.ndarray) and returned.dtype in PRECISIONS:
            return np.zeros(returned.shape, returned.dtype)
        message = f"`{where_is(self.kernel).kernel}` returns {_say(returned)}: its derivative is no matrix"
        remedy = "return one array of floats (np.concatenate joins parts), or use enzyme.jacobian"
        raise UnsupportedTypeError(message, where=where_is(self.kernel), remedy=remedy)


def _say(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of dtype {value.dtype}"
    return f"a value of type {type(value).__name__}"
