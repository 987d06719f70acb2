"""A derivative over pieces, as the caller has it: a callable that looks at its arguments, and hands the work to an engine."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme_py.calls.directions import check_tangents
from enzyme_py.calls.operators import numbered
from enzyme_py.cluster import engines
from enzyme_py.cluster.pieces import check_rows, dask_kind, pieces_of, same_count
from enzyme_py.cluster.work import Job, Wanted, running, versions
from enzyme_py.errors import AnnotationError, EnzymeError
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.trees import as_tuples, in_order_of
from enzyme_py.frontend.functions.bound import captures_values, differentiable


class Derivative:
    """A function of `f`'s arguments, with pieces of data in the places that `over` names; see `enzyme_py.cluster`."""

    def __init__(self, f: Callable[..., Any], wanted: Wanted, over: Any, comm: Any = None) -> None:
        self._f = f
        self._wanted = wanted
        self._comm = comm
        kernel, held = differentiable(f)
        self._where = where_is(kernel)
        signature = inspect.signature(kernel.py_func)
        self._signature = signature.replace(parameters=list(signature.parameters.values())[len(held) :])
        self._names = list(self._signature.parameters)
        self._said = repr(over)
        self._over = self._numbers(over)
        by = numbered(wanted.argnums)[0]
        both = sorted({one + len(self._names) * (one < 0) for one in by} & set(self._over))
        if wanted.name != "value" and both:
            message = f"`{self._names[both[0]]}` is data, and the derivative is by it"
            remedy = "name another argument: argnums=1"
            if wanted.has_direction:
                remedy = "let the first parameter be the one that the derivative is by, and data stand behind it"
            raise AnnotationError(message, where=self._where, remedy=remedy)
        self._sent: bytes | None = None
        self._run = running(f, wanted, (str(self._where), wanted))  # where no engine sends functions
        name = getattr(f, "__name__", kernel.py_func.__name__)
        self.__name__ = self.__qualname__ = f"{wanted.name}_of_{name}"
        self.__doc__ = f"{self.__name__}, over pieces of {', '.join(self._names[one] for one in self._over)}."

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Compute it; a direction stands behind the first argument."""
        arguments, direction = self._bound(args, kws)
        names = [self._names[one] for one in self._over]
        data = [arguments[one] for one in self._over]
        found = [pieces_of(one, name) for one, name in zip(data, names, strict=True)]
        check_rows(names, data)
        holds_many = any(one.holds_many for one in found)
        if holds_many and len(found) > 1:
            message = "a Dask bag stands beside other data, to whose pieces its items cannot be told to belong"
            remedy = "make one bag of tuples, dask.bag.zip(a, b), and one parameter of the kernel of both"
            raise AnnotationError(message, where=self._where, remedy=remedy)
        shared = [None if number in self._over else one for number, one in enumerate(arguments)]
        self._check_shared(shared)
        over = self._over
        if self._wanted.has_direction:
            direction = in_order_of(shared[0], direction)
            check_tangents((as_tuples(shared[0]),), (as_tuples(direction),), self._names, self._where)
            shared.insert(1, direction)
            over = tuple(one + 1 for one in over)
        pieces = list(zip(*same_count(found, ", ".join(names)), strict=True))
        by_content = b"" if self._comm is not None else self._content()
        label = self._where.kernel or ""
        job = Job(self._wanted, by_content, label, over, holds_many, versions())
        if self._comm is not None:
            return engines.by_mpi(self._comm, self._run, job, tuple(shared), pieces)
        if not pieces:
            raise engines.no_pieces(label)
        return engines.by_dask(job, tuple(shared), pieces)

    def _check_shared(self, shared: Sequence[Any]) -> None:
        """Refuse what is cut into pieces in a place that is the same for all."""
        for name, value in zip(self._names, shared, strict=False):
            if (kind := dask_kind(value)) != "":
                message = f"`{name}` is a Dask {kind}, and not named in over={self._said}"
                remedy = f"name it there if it is data, cut like the rest; else pass {name}.compute()"
                raise AnnotationError(message, where=self._where, remedy=remedy)

    def _numbers(self, over: Any) -> tuple[int, ...]:
        """Return the numbers of the parameters that `over` names."""
        given = (over,) if isinstance(over, (str, int, np.integer)) else tuple(over)
        known = ", ".join(f"`{one}`" for one in self._names)
        found = []
        for one in given:
            if isinstance(one, str) and one in self._names:
                found.append(self._names.index(one))
            elif isinstance(one, (int, np.integer)) and 0 <= one < len(self._names):
                found.append(int(one))
            else:
                message = f"over={one!r} is no parameter of `{self._where.kernel}`, which has {known}"
                raise AnnotationError(message, where=self._where, remedy="name the parameters that take data, or give their numbers")
        if not found or len(set(found)) < len(found):
            message = f"over={over!r} must name one parameter or several, each once"
            raise AnnotationError(message, where=self._where, remedy='write over="data" or over=("X", "y")')
        return tuple(found)

    def _bound(self, args: Sequence[Any], kws: dict[str, Any]) -> tuple[list[Any], Any]:
        """Return all arguments of the function in order, and the direction."""
        direction, given = None, list(args)
        if self._wanted.has_direction:
            if len(given) < 2:
                message = f"{self.__name__} takes x and the direction v first"
                raise AnnotationError(message, where=self._where, remedy="write product(x, v, data)")
            direction = given.pop(1)
        try:
            bound = self._signature.bind(*given, **kws)
        except TypeError as error:
            message = f"{self.__name__}: {error}"
            remedy = f"it takes {', '.join(self._names)}"
            raise AnnotationError(message, where=self._where, remedy=remedy) from None
        bound.apply_defaults()
        if bound.kwargs:
            message = f"`{self._where.kernel}` has keyword-only parameters"
            raise AnnotationError(message, where=self._where, remedy="make them plain parameters")
        return list(bound.args), direction

    def _content(self) -> bytes:
        """Return the function as bytes; of one that captured nothing that can change always the same ones."""
        if self._sent is not None:
            return self._sent
        cloudpickle = engines.library("cloudpickle")
        try:
            found: bytes = cloudpickle.dumps(self._f)
        except Exception as error:
            message = f"`{self._where.kernel}` cannot be sent to workers: {error}"
            remedy = "let it capture numbers, arrays and functions only; what else it needs, make in the kernel"
            raise EnzymeError(message, where=self._where, remedy=remedy) from error
        if not captures_values(self._f):
            self._sent = found
        return found
