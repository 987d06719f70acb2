"""scipy.special in code that Numba compiles: what is registered when a program first names one of its functions.

Numbers call SciPy's function by its address; arrays are what `numba.vectorize` makes of that, with NumPy's broadcasting. The
types are those of SciPy's ufuncs: floats of 32 bits give such, integers give doubles.

Each function is registered twice: for Numba's own targets, and for ours. In a kernel the more special of two overloads is
taken, so a derivative is right whatever else is installed: the package numba-scipy, or an overload of the user's, calls C
functions that Enzyme cannot look into. In jitted code that is no kernel those stay as they were, if they were there first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
import scipy.special
from numba.core import types
from numba.extending import overload, register_jitable

from enzyme_py.special import reductions
from enzyme_py.special.calls import chosen, special
from enzyme_py.special.expressions import defined
from enzyme_py.special.row import Row
from enzyme_py.special.table import ALIASES, TABLE, TUPLES

_TARGETS = ("generic", "enzyme")
# What is not used of several results must be seen not to be: its slope may be infinite.
_INLINED = {"forceinline": True}
_FLOATS = (types.float32, types.complex64)


def register() -> None:
    """Teach Numba every function of the table, and those that are made of them."""
    known = {**{name: name for name in TABLE}, **ALIASES}
    for name, own in known.items():
        function = getattr(scipy.special, name, None)
        if function is not None and not name.startswith(("_", "spherical")):
            _overload(function, _of_row(TABLE[own]), TABLE[own].arguments)
    for name, parts in TUPLES.items():
        rows = tuple(TABLE[part] for part in parts)
        _overload(
            getattr(scipy.special, name), functools.partial(_of_rows, rows), rows[0].arguments
        )
    _register_others()
    reductions.register()


def _overload(
    function: Any, choose: Callable[[Sequence[Any]], Any], arguments: Sequence[str]
) -> None:
    """Register a function of positional arguments: `choose` gives what takes them as a tuple, None for other types."""
    names = ", ".join(arguments)
    scope = {"choose": choose}
    text = (
        f"def typed({names}):\n"
        f"    chosen = choose(({names},))\n"
        f"    if chosen is None:\n        return None\n"
        f"    def implementation({names}):\n        return chosen({names})\n"
        f"    return implementation\n"
    )
    typed = defined(text, "typed", scope)
    for target in _TARGETS:
        overload(function, target=target, strict=False, jit_options=_INLINED)(typed)


def _of_row(row: Row) -> Callable[[Sequence[Any]], Any]:
    def choose(given: Sequence[Any]) -> Any:
        if any(isinstance(one, types.Array) for one in given):
            inner = [one.dtype if isinstance(one, types.Array) else one for one in given]
            return None if chosen(row, inner) is None else _universal(row)
        return _scalar(row, tuple(given))

    return choose


@functools.cache
def _scalar(row: Row, given: tuple[Any, ...]) -> Any:
    """Return the function of numbers of some types, None if there is none."""
    given = tuple(map(types.unliteral, given))
    letters = chosen(row, given)
    if letters is None:
        return None
    return register_jitable(**_INLINED)(_narrowed(row, letters, given))


def _narrowed(row: Row, letters: str, given: tuple[Any, ...]) -> Callable[..., Any]:
    """Return the function of numbers, whose result is of 32 bits if all floats are."""
    floats = [one for one in given if isinstance(one, types.Float | types.Complex)]
    is_single = bool(floats) and all(one in _FLOATS for one in floats)
    # Beside a float of 32 bits, an integer makes doubles in NumPy, unless the function has one for integers.
    is_single = is_single and all(
        one in floats or letter == "l" for one, letter in zip(given, letters, strict=True)
    )
    kind = (np.complex64 if "D" in letters else np.float32) if is_single else None
    names = ", ".join(row.arguments)
    call = f"call(({names},))"
    scope = {"call": special(row), "kind": kind}
    text = f"def {row.name}({names}):\n    return {f'kind({call})' if kind else call}\n"
    return defined(text, row.name, scope)  # type: ignore[no-any-return]


@functools.cache
def _universal(row: Row) -> Any:
    """Return the function of arrays."""
    names = ", ".join(row.arguments)
    scope = {"function": _generic(row)}
    text = f"def {row.name}({names}):\n    return function({names})\n"
    return numba.vectorize(defined(text, row.name, scope))


@functools.cache
def _generic(row: Row) -> Any:
    """Return the function of numbers of any types, for compiled code."""

    def function() -> None:
        """Stand for the function in code that Numba compiles."""

    function.__name__ = row.name
    _overload(function, lambda given: _scalar(row, tuple(given)), row.arguments)
    return function


def _of_rows(rows: tuple[Row, ...], given: Sequence[Any]) -> Any:
    """Return the function that gives a tuple of the rows' results."""
    if any(_of_row(row)(given) is None for row in rows):
        return None
    return _tuple(rows, tuple(given))


@functools.cache
def _tuple(rows: tuple[Row, ...], given: tuple[Any, ...]) -> Any:
    names = ", ".join(rows[0].arguments)
    scope = {f"f{i}": _of_row(row)(given) for i, row in enumerate(rows)}
    parts = ", ".join(f"f{i}({names})" for i in range(len(rows)))
    return register_jitable(**_INLINED)(
        defined(f"def together({names}):\n    return ({parts})\n", "together", scope)
    )


def _register_others() -> None:
    """Functions of scipy.special that are Python code: by the rows that they are made of."""
    _register(scipy.special.zeta, _typed_zeta())
    _register(scipy.special.polygamma, _typed_polygamma())
    _register(scipy.special.lambertw, _typed_lambertw())
    for name, sign in (("jn", -1.0), ("yn", -1.0), ("in", 1.0), ("kn", 1.0)):
        _register_spherical(f"spherical_{name}", sign)


def _register(function: Any, typed: Any) -> None:
    for target in _TARGETS:
        overload(
            function,
            target=target,
            strict=False,
            prefer_literal=True,
            jit_options=_INLINED,
        )(typed)


def _typed_zeta() -> Any:
    zeta, riemann = _made(TABLE["_zeta"]), _made(TABLE["_riemann_zeta"])

    def typed(x, q=None, out=None):
        if not _is_absent(out):
            return None
        if _is_absent(q):
            return lambda x, q=None, out=None: riemann(x)
        return lambda x, q=None, out=None: zeta(x, q)

    return typed


def _typed_polygamma() -> Any:
    zeta, psi, gamma = (_made(TABLE[name]) for name in ("_zeta", "psi", "gamma"))

    @register_jitable
    def of_numbers(n, x):  # compiled by Numba
        if n == 0:
            return psi(x * 1.0)
        size = gamma(n + 1.0) * zeta(n + 1.0, x)
        return size if n % 2 == 1 else -size

    def polygamma(n, x):
        return of_numbers(n, x)

    of_arrays = numba.vectorize(polygamma)

    def typed(n, x):
        kinds = [getattr(one, "dtype", one) for one in (n, x)]
        if not isinstance(kinds[0], types.Integer) or isinstance(kinds[1], types.Complex):
            return None
        if isinstance(n, types.Array) or isinstance(x, types.Array):
            return lambda n, x: of_arrays(n, x)  # noqa: PLW0108
        return lambda n, x: of_numbers(n, x)  # noqa: PLW0108

    return typed


def _typed_lambertw() -> Any:
    lambert = _made(TABLE["_lambertw"])

    def typed(z, k=0, tol=1e-8):
        return lambda z, k=0, tol=1e-8: lambert(z, k, tol)

    return typed


def _register_spherical(name: str, sign: float) -> None:
    function = _made(TABLE[name])
    outer = -1.0 if name == "spherical_kn" else 1.0

    @register_jitable
    def slope(n, z):  # type: ignore[no-untyped-def]  # compiled by Numba
        if n == 0:
            return outer * sign * function(1, z)
        return outer * (n * function(n - 1, z) + sign * (n + 1) * function(n + 1, z)) / (2 * n + 1)

    def slope_of_numbers(n, z):
        return slope(n, z)

    slopes = numba.vectorize(slope_of_numbers)

    def typed(n, z, derivative=False):  # type: ignore[no-untyped-def]
        kind = getattr(derivative, "value", derivative)  # of what was left out
        kind = getattr(kind, "literal_value", kind)
        is_array = isinstance(n, types.Array) or isinstance(z, types.Array)
        if kind is False:
            return lambda n, z, derivative=False: function(n, z)
        if kind is True:
            if is_array:
                return lambda n, z, derivative=False: slopes(n, z)
            return lambda n, z, derivative=False: slope(n, z)
        return None

    _register(getattr(scipy.special, name), typed)


def _made(row: Row) -> Any:
    """Return the function of numbers or arrays, for compiled code."""

    def function() -> None:
        """Stand for the function in code that Numba compiles."""

    function.__name__ = row.name
    _overload(function, _of_row(row), row.arguments)
    return function


def _is_absent(kind: Any) -> bool:
    return kind is None or isinstance(kind, types.NoneType) or getattr(kind, "value", 0) is None
