"""SciPy: what minimize, least_squares, root, solve_ivp and curve_fit ask for, from one kernel.

    o = objective(f);   minimize(o.fun, x0, jac=o.jac, hessp=o.hessp)       # method="trust-ncg", say
    r = residual(f);    least_squares(r.fun, x0, jac=r.jac)                 # or root(r.fun, x0, jac=r.jac)
    s = system(f);      solve_ivp(s.fun, span, y0, method="BDF", jac=s.jac)
    m = model(f);       curve_fit(m.fun, xdata, ydata, p0, jac=m.jac)

The kernel is what these functions take: f(x, *args), for a system f(t, y, *args), for a model f(xdata, *parameters).
Every function here takes what stands in `args=` of SciPy's. Exceptions of the kernel arrive as they were raised.

**Once per point.** An objective computes its value and gradient together, and keeps the half that was not asked for. It is handed out
once, to a call with the same content: of x, of the arguments behind it, and of what the kernel captured. So an
array that changes in place, or SciPy's reuse of its own x, cannot bring back an old answer.

**Sparse.** With `sparse=True`, Jacobians are scipy.sparse arrays by `enzyme_py.sparse`; `pattern=` is as there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py.errors import AnnotationError
from enzyme_py.frontend.functions.bound import BoundTransform, opened
from enzyme_py.modes import Mode
from enzyme_py.sparse.evaluation import hessian as sparse_hessian
from enzyme_py.sparse.evaluation import jacobian as sparse_jacobian


def objective(f: Callable[..., Any], *, sparse: bool = False, pattern: Any = None) -> Objective:
    """Return value, gradient, Hessian and its products of f(x, *args), a kernel with a scalar result."""
    return Objective(f, sparse=sparse, pattern=pattern)


def residual(
    f: Callable[..., Any], *, mode: Mode | None = None, sparse: bool = False, pattern: Any = None
) -> Residual:
    """Return f(x, *args), a kernel with an array as result, and its Jacobian.

    It is what `least_squares`, `root` and `NonlinearConstraint` take. `mode` Forward computes the Jacobian by columns,
    Reverse by rows; left out, the fewer of the two.
    """
    return Residual(f, 0, mode, sparse=sparse, pattern=pattern)


def system(
    f: Callable[..., Any], *, mode: Mode | None = None, sparse: bool = False, pattern: Any = None
) -> Residual:
    """Return f(t, y, *args), the right-hand side of an ordinary differential equation, and its Jacobian by y."""
    return Residual(f, 1, mode, sparse=sparse, pattern=pattern)


def model(f: Callable[..., Any]) -> Model:
    """Return f(xdata, *parameters), parameters being numbers, and its Jacobian by the parameters."""
    return Model(f)


class Objective:
    """What `minimize` asks for; see `objective`."""

    def __init__(self, f: Callable[..., Any], *, sparse: bool, pattern: Any) -> None:
        self._f = f
        self._both = enzyme.value_and_grad(f)
        self._captures = isinstance(self._both, BoundTransform)
        self._kept: tuple[Any, str, Any] = (None, "", None)  # content of a call, what is left of it
        dense = enzyme.hessian(f)
        self._hessian = sparse_hessian(f, pattern) if sparse or pattern is not None else dense

    def fun(self, x: Any, *args: Any) -> float:
        """Return the value."""
        return self._half("value", x, args)  # type: ignore[no-any-return]

    def jac(self, x: Any, *args: Any) -> Any:
        """Return the gradient."""
        return self._half("gradient", x, args)

    def hess(self, x: Any, *args: Any) -> Any:
        """Return the Hessian matrix."""
        return self._hessian(_numbers(x), *args)

    def hessp(self, x: Any, p: Any, *args: Any) -> Any:
        """Return the Hessian times a vector, for about the price of two gradients."""
        return enzyme.hvp(self._f, _numbers(x), _numbers(p), *args)

    def _half(self, wanted: str, x: Any, args: tuple[Any, ...]) -> Any:
        x = _numbers(x)
        content = x.shape, x.tobytes(), self._content_behind(args)
        known, name, kept = self._kept
        self._kept = None, "", None
        if name == wanted and known == content:
            return kept
        value, gradient = self._both(x, *args)
        if wanted == "value":
            self._kept = content, "gradient", gradient
            return value
        self._kept = content, "value", value
        return gradient

    def _content_behind(self, args: tuple[Any, ...]) -> Any:
        """Return the content of the arguments behind x, and of what the kernel captured."""
        held = opened(self._f)[1] if self._captures else ()
        return _content((args, held)) if args or held else ()


class Residual:
    """A kernel with an array as result, and its Jacobian; see `residual` and `system`."""

    def __init__(
        self, f: Callable[..., Any], number: int, mode: Mode | None, *, sparse: bool, pattern: Any
    ) -> None:
        self._f = f
        self._number = number
        self._mode = mode
        self._known: dict[Any, bool] = {}  # by the shapes of arguments: are columns fewer than rows
        self._sparse = None
        if sparse or pattern is not None:
            self._sparse = sparse_jacobian(f, pattern, number, mode)
        self._dense = functools.cache(self._made_dense)  # of this object, and gone with it

    def fun(self, *given: Any) -> Any:
        """Return the result of the kernel."""
        return _called(self._f, self._given(given))

    def jac(self, *given: Any) -> Any:
        """Return its Jacobian: rows are numbers of the result, columns those of the unknowns."""
        given = self._given(given)
        if self._sparse is not None:
            return self._sparse(*given)
        return self._dense(self._is_by_columns(given))(*given)

    def hess(self, x: Any, v: Any) -> Any:
        """Return the sum of the Hessians of the results, times the numbers of v: for `NonlinearConstraint`."""
        return self._weighted(_numbers(x), _numbers(v))

    def _given(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        at = self._number
        return (*given[:at], _numbers(given[at]), *given[at + 1 :])

    def _is_by_columns(self, given: tuple[Any, ...]) -> bool:
        """Tell which are fewer, by a run of the kernel for arguments of these shapes."""
        if self._mode is not None:
            return self._mode.is_forward
        shapes = tuple(map(np.shape, given))
        if shapes not in self._known:
            rows = np.size(_called(self._f, _copied(given)))
            self._known[shapes] = given[self._number].size <= rows
        return self._known[shapes]

    def _made_dense(self, is_forward: bool) -> Any:
        make = enzyme.jacfwd if is_forward else enzyme.jacrev
        return make(self._f, argnums=self._number)

    @functools.cached_property
    def _weighted(self) -> Any:
        f = self._f

        def weighted(x, v):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  (compiled by Numba)
            return np.sum(v * f(x))

        return enzyme.hessian(weighted)


class Model:
    """What `curve_fit` asks for; see `model`."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f

        @functools.wraps(getattr(f, "py_func", f))  # curve_fit counts the parameters
        def fun(xdata: Any, *parameters: Any) -> Any:
            """Return what the model says of the data."""
            return _called(f, (xdata, *map(float, parameters)))

        self.fun = fun
        self._columns = functools.cache(self._made_columns)  # of this object, and gone with it

    def jac(self, xdata: Any, *parameters: Any) -> Any:
        """Return the derivatives of each number of the result, one column for each parameter."""
        if not parameters:
            raise AnnotationError("a model without parameters", remedy="write f(xdata, a, b, ...)")
        columns = self._columns(len(parameters))(xdata, *map(float, parameters))
        return np.stack([np.ravel(one) for one in columns], axis=1)

    def _made_columns(self, count: int) -> Any:
        return enzyme.jacfwd(self._f, argnums=tuple(range(1, count + 1)))


def _called(f: Any, given: tuple[Any, ...]) -> Any:
    kernel, held = opened(f)
    return kernel(*held, *given)


def _copied(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with arrays copied, for a run that only asks for a size."""
    return tuple(one.copy() if isinstance(one, np.ndarray) else one for one in given)


def _numbers(x: Any) -> Any:
    """Return what SciPy hands over as an array of float64; numbers that are no such are refused, not cut."""
    return np.asarray(x).astype(np.float64, casting="same_kind", copy=False)


def _content(value: Any) -> Any:
    """Return what is equal for values of the same content; of an unknown kind nothing is."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, tuple | list):
        return type(value), *map(_content, value)
    if isinstance(value, np.generic | float | int | complex | str | bool | None):
        return type(value), value
    return object()


__all__ = ["Model", "Objective", "Residual", "model", "objective", "residual", "system"]
