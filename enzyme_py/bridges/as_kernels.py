"""The way back: a function of a library as a kernel, whose derivatives are the library's own.

    kernel = made(library, function, "float64(float64[:], float64)", order=2)

It is `enzyme_py.rules.python`: a call takes the interpreter's lock, arrays arrive as copies. A library says how its values are
made of ours and ours of its, and how it makes of a function h(x...) -> y

    pulled    (x..., c...) -> gradients by the floats among x        c: one for each part of y
    pushed    (x..., t...) -> tangents of y                          t: one for each float among x

These are functions of the library again, so they are kernels in the same way: that is the second order, and `order` says how far it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numba
import numpy as np
from numba import types

from enzyme_py.bridges.kernels import is_active
from enzyme_py.custom.python import calling, python, signature_of
from enzyme_py.custom.simple import inactive
from enzyme_py.errors import AnnotationError, UnsupportedTypeError

Function = Callable[..., Any]


class Library(Protocol):
    """What is asked of a library."""

    def given(self, value: Any, dtype: Any, name: str) -> Any:
        """Return an array or a number of ours as the library's, of the given dtype."""

    def taken(self, value: Any, dtype: Any, name: str) -> Any:
        """Return the library's value, still in its hands, in the given dtype; raises for what is no CPU's, or does not fit."""

    def numbers(self, value: Any) -> Any:
        """Return the library's value as an array of ours."""

    def pulled(self, function: Function, moved: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        """Return the gradients of a function with a tuple of results, at values of the library's."""

    def pushed(self, function: Function, moved: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        """Return its tangents."""

    def ready(self, function: Function) -> Function:
        """Return a function as it is called again and again."""


def made(library: Library, function: Any, signature: Any, order: int) -> Any:
    """Return a function of a library as a kernel that can be differentiated `order` times; see the module."""
    if order not in {1, 2}:
        raise AnnotationError(f"order={order!r} of a function of a library", remedy="say 1 or 2")
    if not callable(function):
        message = f"{function!r} is no function"
        raise AnnotationError(
            message, remedy="pass the function of the library that is to be called"
        )
    name = getattr(function, "__name__", type(function).__name__)
    kinds, result = signature_of(signature)
    parts = _parts(result)
    if not all(map(is_active, parts)):
        message = f"the result of `{name}` is {result}, which is not of floats"
        raise UnsupportedTypeError(
            message, remedy="return floats, complex numbers, or arrays of these, or one tuple"
        )

    def flat(*given: Any) -> tuple[Any, ...]:
        found = function(*given)
        is_tuple = isinstance(result, types.BaseTuple)
        if isinstance(found, tuple | list) != is_tuple or (is_tuple and len(found) != len(parts)):
            message = f"`{name}` returned {type(found).__name__}, and its signature says {result}"
            raise UnsupportedTypeError(message, remedy="return what the signature says")
        values = found if is_tuple else (found,)
        return tuple(
            library.taken(one, _dtype(kind), name) for one, kind in zip(values, parts, strict=True)
        )

    return _kernel(library, flat, name, kinds, result, order)


def _kernel(
    library: Library, flat: Function, name: str, kinds: Sequence[Any], result: Any, order: int
) -> Any:
    parts = _parts(result)
    floats = [place for place, kind in enumerate(kinds) if is_active(kind)]
    called = _caller(library, flat, name, kinds, result)
    if not floats:
        return inactive(calling(called, kinds, result, name))
    moved = [kinds[place] for place in floats]
    pulled = _along(library.pulled, flat, floats, len(kinds))
    pushed = _along(library.pushed, flat, floats, len(kinds))
    rules = {
        "vjp": (pulled, (*kinds, *parts), types.Tuple(moved)),
        "jvp": (pushed, (*kinds, *moved), result),
    }
    if order == 1:
        pull, push = (
            _caller(library, one, f"{key} of {name}", own, made_of)
            for key, (one, own, made_of) in rules.items()
        )
        return python(
            called, result(*kinds), vjp=_pull(pull, kinds, result), jvp=_push(push, floats)
        )
    inner = {
        key: _kernel(library, one, f"{key} of {name}", own, made_of, order - 1)
        for key, (one, own, made_of) in rules.items()
    }
    return python(
        called,
        result(*kinds),
        vjp=_compiled_pull(inner["vjp"], len(kinds), floats, result),
        jvp=_compiled_push(inner["jvp"], len(kinds), floats),
    )


def _caller(
    library: Library, flat: Function, name: str, kinds: Sequence[Any], result: Any
) -> Function:
    """Return a function of our values that calls one of the library's."""
    ready = library.ready(flat)
    dtypes = [_dtype(kind) for kind in kinds]

    def called(*given: Any) -> Any:
        values = [
            library.given(one, dtype, f"argument {place} of `{name}`")
            for place, (one, dtype) in enumerate(zip(given, dtypes, strict=True))
        ]
        found = tuple(library.numbers(one) for one in ready(*values))
        return found if isinstance(result, types.BaseTuple) else found[0]

    called.__name__ = name
    return called


# -- rules: of Python, which have no derivative, and compiled, which have that of the kernels that they call


def _pull(pull: Function, kinds: Sequence[Any], result: Any) -> Function:
    def rule(arguments: Any, _: Any, cotangent: Any) -> Any:
        cotangents = cotangent if isinstance(result, types.BaseTuple) else (cotangent,)
        gradients = iter(pull(*arguments, *cotangents))
        return tuple(next(gradients) if is_active(kind) else None for kind in kinds)

    return rule


def _push(push: Function, floats: Sequence[int]) -> Function:
    def rule(arguments: Any, tangents: Any, _: Any) -> Any:
        return push(*arguments, *(tangents[place] for place in floats))

    return rule


def _compiled_pull(kernel: Any, count: int, floats: Sequence[int], result: Any) -> Any:
    cotangents = (
        [f"cotangent[{place}]" for place in range(len(result))]
        if isinstance(result, types.BaseTuple)
        else ["cotangent"]
    )
    given = ", ".join([*(f"arguments[{place}]" for place in range(count)), *cotangents])
    gradients = [
        f"found[{floats.index(place)}]" if place in floats else "None" for place in range(count)
    ]
    lines = [f"    found = kernel({given})", f"    return ({', '.join(gradients)},)"]
    return _rule("arguments, result, cotangent", lines, kernel)


def _compiled_push(kernel: Any, count: int, floats: Sequence[int]) -> Any:
    given = [f"arguments[{place}]" for place in range(count)]
    given += [f"tangents[{place}]" for place in floats]
    return _rule("arguments, tangents, result", [f"    return kernel({', '.join(given)})"], kernel)


def _rule(parameters: str, lines: Sequence[str], kernel: Any) -> Any:
    scope: dict[str, Any] = {"kernel": kernel}
    exec("\n".join([f"def rule({parameters}):", *lines]), scope)  # noqa: S102  (made of names of ours)
    return numba.njit(scope["rule"])


def _along(derivative: Function, flat: Function, floats: Sequence[int], count: int) -> Function:
    """Return the function of arguments and directions that gives a library's derivative by the floats among the arguments."""

    def along(*given: Any) -> Any:
        arguments, directions = given[:count], given[count:]

        def of_floats(*moved: Any) -> Any:
            every = list(arguments)
            for place, one in zip(floats, moved, strict=True):
                every[place] = one
            return flat(*every)

        return derivative(of_floats, [arguments[place] for place in floats], directions)

    return along


def _parts(result: Any) -> Sequence[Any]:
    return tuple(result) if isinstance(result, types.BaseTuple) else (result,)


def _dtype(kind: Any) -> Any:
    item = kind.dtype if isinstance(kind, types.Array) else kind
    return np.dtype(bool) if item == types.boolean else np.dtype(str(item))
