"""functools.partial as a kernel whose leading parameters are the bound values."""

from __future__ import annotations

import inspect
from typing import Any

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.keeping import made_of
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.functions.kernels import distinct, jitted

_POSITIONAL = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)


def partial_kernel(
    kernel: Any,
    held: int,
    count: int,
    keywords: tuple[str, ...],
    fixed: tuple[tuple[Any] | None, ...],
) -> Any:
    """Return the kernel of a partial of a kernel, `held` of whose parameters have values already.

    `count` further arguments are bound by place, then the keywords. For each of these `fixed` has the
    value that is compiled in, in a tuple of its own; the others are the new kernel's leading
    parameters, behind those held.
    """
    key = (held, count, keywords, tuple(one and distinct(one[0]) for one in fixed))
    made = made_of(kernel, "partials")
    try:
        found = made.get(key)
    except TypeError:  # a value that has no hash, as a list
        return _partial_kernel(kernel, held, count, keywords, fixed)
    if found is None:
        found = made[key] = _partial_kernel(kernel, held, count, keywords, fixed)
    return found


def _partial_kernel(
    kernel: Any, held: int, count: int, keywords: tuple[str, ...], fixed: tuple[Any, ...]
) -> Any:
    own = [f"held{i}" for i in range(held)]
    constants = [f"bound{i}" for i, one in enumerate(fixed) if one is not None]
    bound = [f"bound{i}" for i, one in enumerate(fixed) if one is None]
    values = [one[0] for one in fixed if one is not None]
    parameters = list(inspect.signature(kernel.py_func).parameters.values())[held:]
    left, rest = _left(kernel, parameters, count, keywords)
    by_place = [f"bound{i}" for i in range(count)]
    by_name = [f"{name}=bound{count + i}" for i, name in enumerate(keywords)]
    shown = [parameter.name for parameter in left]
    starred = [f"*{rest.name}"] if rest else []
    given = ", ".join((*own, *by_place, *shown, *starred, *by_name))
    text = (
        f"def make({', '.join(('kernel', *constants))}):\n"
        f"    def partial({', '.join((*own, *bound, *shown, *starred))}):\n"
        f"        return kernel({given})\n"
        "    return partial\n"
    )
    scope: dict[str, Any] = {}
    exec(text, scope)  # noqa: S102  (names of parameters, nothing else)
    function = scope["make"](kernel, *values)
    defaults = [one.default for one in left if one.default is not one.empty]
    function.__defaults__ = tuple(defaults) or None
    function.__name__ = function.__qualname__ = f"partial_of_{kernel.py_func.__name__}"
    return jitted(function, {})


def _left(
    kernel: Any, parameters: list[inspect.Parameter], count: int, keywords: tuple[str, ...]
) -> tuple[list[inspect.Parameter], inspect.Parameter | None]:
    """Return the parameters that a partial still takes by place, and that for any number more."""
    where = where_is(kernel)
    rest = next((one for one in parameters if one.kind is one.VAR_POSITIONAL), None)
    plain = [one for one in parameters if one.kind in _POSITIONAL]
    unknown = [name for name in keywords if name not in {one.name for one in plain[count:]}]
    if unknown or (count > len(plain) and rest is None):
        message = f"a partial binds more of `{where.kernel}` than it takes"
        if unknown:
            message = f"a partial binds `{unknown[0]}`, which `{where.kernel}` does not have left"
        remedy = "look at the parameters of the function"
        raise UnsupportedTypeError(message, where=where, remedy=remedy)
    left: list[inspect.Parameter] = []
    is_behind = False
    for one in plain[count:]:
        is_behind = is_behind or one.name in keywords
        if not is_behind:
            left.append(one)
        elif one.name not in keywords and one.default is one.empty:
            message = f"a partial of `{where.kernel}` leaves `{one.name}` behind one bound by name"
            remedy = f"bind `{one.name}` by name too, or write a lambda"
            raise UnsupportedTypeError(message, where=where, remedy=remedy)
    return left, None if is_behind else rest
