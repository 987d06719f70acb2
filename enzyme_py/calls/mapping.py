"""vmap: a kernel, or a derivative of one, for each item of a leading axis, in one compiled loop.

    gradients = enzyme.vmap(enzyme.grad(f), in_axes=(0, None))(points, parameters)

The name and `in_axes` are JAX's. What it does is simpler: the loop is a loop, each iteration one call, so kernels may branch
and stop early for each item by itself. Compiled code learns of it in compiled/mapping.py.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme_py.calls.operators import transformed
from enzyme_py.errors import AnnotationError
from enzyme_py.foundations.trees import as_trees, as_tuples
from enzyme_py.frontend.functions.bound import BoundTransform, Leading, Opened, opened
from enzyme_py.transforms.plans.mapping import Axes, mapped


def vmap(
    f: Callable[..., Any],
    in_axes: int | Sequence[int | None] = 0,
    threads: int = 1,
) -> Any:
    """Return the function that calls `f` once for each item of its arguments, in one compiled loop.

    `in_axes` is the axis along which all arguments have their items, or a tuple with the axis of each;
    None for one that all calls share. In a tuple argument every array has that axis. Results are
    stacked along a new first axis: a number gives a vector, a tuple a tuple, a dict a dict; None stays. All
    results of one part must have one shape. Arguments left at their defaults are shared, and so are numbers in their place.

    With `threads` above 1 the items are shared out among so many threads when it is called from
    Python; 0 takes one for each processor. `f` must not write to what its calls share then. In
    compiled code the loop is run by the thread that comes by.

    Raises ValueError for different numbers of items, or none at all.

    Examples:
        >>> enzyme.vmap(enzyme.grad(lambda x: x**3))(np.array([1.0, 2.0]))
        array([ 3., 12.])
    """
    axes = _checked_axes(in_axes)
    count = _checked_threads(threads)

    def make(kernel: Any, held: int) -> Any:
        return mapped(kernel, held, axes)

    loop = transformed(f, make)
    is_compiled = isinstance(f, Leading)  # the caller is
    return loop if count == 1 or is_compiled else _OnThreads(loop, axes, count)


def _checked_axes(in_axes: Any) -> Axes:
    given = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,)
    for one in given:
        is_axis = isinstance(one, (int, np.integer)) and not isinstance(one, bool)
        if not is_axis and not (one is None and isinstance(in_axes, (tuple, list))):
            message = f"in_axes must be an axis, or a tuple of axes and None, not {in_axes!r}"
            raise AnnotationError(
                message, remedy="write in_axes=(0, None) to share the second argument"
            )
    axes = tuple(None if one is None else int(one) for one in given)
    if all(one is None for one in axes):
        message = "in_axes names no argument that has items"
        raise AnnotationError(message, remedy="give the axis of one argument at least")
    return axes if isinstance(in_axes, (tuple, list)) else int(in_axes)


def _checked_threads(threads: Any) -> int:
    if not isinstance(threads, (int, np.integer)) or isinstance(threads, bool) or threads < 0:
        message = f"threads must be a number from 0 on, not {threads!r}"
        raise AnnotationError(message, remedy="0 takes one thread for each processor")
    return int(threads) or os.cpu_count() or 1


@functools.cache
def _pool(threads: int, process: int) -> Any:
    """Return the threads of a process: one that was forked has none of those of its parent."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, "enzyme_py_vmap")


class _OnThreads(BoundTransform):
    """A mapped function whose items are shared out among threads; compiled code takes it as the plain one."""

    def __init__(self, loop: Any, axes: Axes, threads: int) -> None:
        self._loop = loop
        self._axes = axes
        self._threads = threads
        self.__name__ = self.__qualname__ = loop.__name__
        self.__doc__ = loop.__doc__

    def opened(self) -> Opened:
        """Return the loop on one thread, and what it holds."""
        return opened(self._loop)

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Run the loop on several threads."""
        if kws:
            return self._loop(*args, **kws)
        loop, held = opened(self._loop)
        axes = self._axes if isinstance(self._axes, tuple) else (self._axes,) * len(args)
        args = tuple(map(as_tuples, args))
        sizes = {size for one, axis in zip(args, axes, strict=False) for size in _sizes(one, axis)}
        count = sizes.pop() if len(sizes) == 1 and len(axes) == len(args) else None
        if count is None or count < 2:
            return loop(*held, *args)  # which says what is wrong
        pool = _pool(self._threads, os.getpid())
        parts = min(self._threads, count)
        bounds = [count * i // parts for i in range(parts + 1)]
        calls = [
            pool.submit(
                loop, *held, *(_part(*pair, begin, end) for pair in zip(args, axes, strict=True))
            )
            for begin, end in itertools.pairwise(bounds)
        ]
        return as_trees(_joined([as_tuples(call.result()) for call in calls]))


def _sizes(value: Any, axis: int | None) -> list[int | None]:
    """Return how many items the arrays of an argument have; None for what has none that could be shared out."""
    if axis is None:
        return []
    if isinstance(value, tuple):
        return [size for one in value for size in _sizes(one, axis)]
    is_array = isinstance(value, np.ndarray) and -value.ndim <= axis < value.ndim
    return [value.shape[axis] if is_array else None]


def _part(value: Any, axis: int | None, begin: int, end: int) -> Any:
    if axis is None:
        return value
    if isinstance(value, tuple):
        parts = [_part(one, axis, begin, end) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    places: list[Any] = [slice(None)] * value.ndim
    places[axis] = slice(begin, end)
    return value[tuple(places)]


def _joined(parts: list[Any]) -> Any:
    first = parts[0]
    if isinstance(first, tuple):
        joined = [_joined([part[i] for part in parts]) for i in range(len(first))]
        return type(first)(*joined) if hasattr(first, "_fields") else tuple(joined)
    return None if first is None else np.concatenate(parts)


__all__ = ["vmap"]
