"""nutpie: a posterior whose log density is a kernel, sampled by NUTS.

    p = posterior(log_density, {"rate": (), "size": (3,)}, times, seen)
    trace = nutpie.sample(p)

The kernel is f(x, *data), x being all variables one after the other, without bounds. nutpie calls the native door of its value and gradient,
in threads of its own: without Python, and so without the interpreter's lock. With `python=True` it is nutpie's `from_pyfunc`,
which takes the lock for each call.

A density that is not finite, or whose gradient is not, is a divergence, which nutpie counts. So is a kernel that raises, as in nutpie's own
models (any other error there ends the process of sampling in a panic); a RuntimeWarning tells the exception.
Data and what the kernel captured are fixed as they are then.
"""

from __future__ import annotations

import ctypes
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numba
import numpy as np
from numba import types

from enzyme_py.bridges.kernels import missing
from enzyme_py.calls.operators import value_and_grad
from enzyme_py.doors.door import cfunc
from enzyme_py.errors import AnnotationError

try:
    from nutpie.compile_pymc import CompiledPyMCModel
    from nutpie.compiled_pyfunc import from_pyfunc
except ImportError as error:
    raise ImportError(missing("nutpie", "nutpie")) from error

_NUMBERS = types.CPointer(types.double)
_OF_DENSITY = types.int64(types.uint64, _NUMBERS, _NUMBERS, _NUMBERS, types.voidptr)
_OF_DRAWS = types.int64(types.uint64, types.uint64, _NUMBERS, _NUMBERS, types.voidptr)
# What nutpie is told: less than zero ends the sampling, more is a divergence.
_OTHER_SIZE, _RAISED, _NOT_FINITE = -1, 1, 3


def posterior(
    f: Callable[..., Any],
    variables: Mapping[str, tuple[int, ...]] | int,
    *data: Any,
    start: Callable[[Any], Any] | None = None,
    python: bool = False,
) -> Any:
    """Return what `nutpie.sample` takes, of f(x, *data), the logarithm of a density up to a constant.

    `variables` names the parts of x, with the shape of each; or it is their count. `start(seed)` returns an array of where a chain
    begins; left out, numbers between -1 and 1.
    """
    named = {"x": (variables,)} if isinstance(variables, int) else dict(variables)
    size = sum(map(math.prod, named.values()))
    if size == 0:
        raise AnnotationError("a posterior of nothing", remedy='name its variables: {"rate": ()}')

    def begun(seed: Any) -> Any:
        return np.random.default_rng(seed).uniform(-1.0, 1.0, size)

    made = _by_python if python else _by_door
    return made(value_and_grad(_held(f, data) if data else f), named, size, start or begun)


def _held(f: Callable[..., Any], data: tuple[Any, ...]) -> Any:
    """Return the function of x that has captured the data, each by its name."""
    names = ", ".join(f"data{place}" for place in range(len(data)))
    text = f"def hold(f, {names}):\n    def density(x): return f(x, {names})\n    return density"
    scope: dict[str, Any] = {}
    exec(text, scope)  # noqa: S102  (made of names of ours)
    return scope["hold"](f, *data)


def _by_python(both: Any, named: dict[str, Any], size: int, start: Any) -> Any:
    def called(x: Any) -> Any:
        try:
            value, gradient = both(x)
        except Exception as error:
            _tell(error)
            raise _DivergenceError from error
        if not (np.isfinite(value) and np.all(np.isfinite(gradient))):
            raise _DivergenceError
        return value, gradient

    def parts(x: Any) -> dict[str, Any]:
        found, place = {}, 0
        for name, shape in named.items():
            count = math.prod(shape)
            found[name] = x[place : place + count].reshape(shape)
            place += count
        return found

    return from_pyfunc(
        size,
        lambda: called,
        lambda *_: parts,
        [np.dtype(np.float64)] * len(named),
        list(named.values()),
        list(named),
        make_initial_point_fn=start,
    )


class _DivergenceError(Exception):
    """A point without a density; nutpie asks whether it is recoverable, and counts a divergence."""

    is_recoverable = True


def _tell(error: BaseException | None) -> None:
    message = f"the density raised {error!r}, which nutpie counts as a divergence"
    warnings.warn(message, RuntimeWarning, stacklevel=2)


def _by_door(both: Any, named: dict[str, Any], size: int, start: Any) -> Any:
    door = cfunc(both, (types.Array(types.double, 1, "C"),))
    call = door.ctypes
    tell = ctypes.CFUNCTYPE(None)(lambda: _tell(door.error()))

    @numba.cfunc(_OF_DENSITY)
    def density(dim, place, gradient_place, value_place, _):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        if dim != size:
            return _OTHER_SIZE
        x, gradient = numba.carray(place, (size,)), numba.carray(gradient_place, (size,))
        value = numba.carray(value_place, (1,))
        if call(x.ctypes, size, value.ctypes, gradient.ctypes, size) != 0:
            tell()
            return _RAISED
        if not (np.isfinite(value[0]) and np.all(np.isfinite(gradient))):
            return _NOT_FINITE
        return 0

    @numba.cfunc(_OF_DRAWS)
    def draws(dim, count, place, found_place, _):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        if dim != size or count != size:
            return _OTHER_SIZE
        numba.carray(found_place, (size,))[:] = numba.carray(place, (size,))
        return 0

    shapes = list(named.values())
    ends = np.cumsum([math.prod(shape) for shape in shapes]).tolist()
    slices = [slice(first, last) for first, last in zip([0, *ends], ends, strict=False)]
    return CompiledPyMCModel(
        dims=None,
        compiled_logp_func=density,
        compiled_expand_func=draws,
        initial_point_func=start,
        shared_data={},
        user_data=np.zeros(1),
        n_expanded=size,
        shape_info=(list(named), slices, shapes),
        logp_func=(door, tell),  # what must live as long
        expand_func=None,
        _n_dim=size,
        _shapes=named,
        _coords={},
    )


__all__ = ["posterior"]
