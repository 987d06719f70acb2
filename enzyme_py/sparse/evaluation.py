"""Sparse Jacobians and Hessians as functions: prepared once for a shape, evaluated many times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from enzyme_py.calls.jacobians import checked_chunk
from enzyme_py.calls.operators import grad, numbered
from enzyme_py.errors import AnnotationError, SparsityError
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.modes import Mode
from enzyme_py.sparse.colouring import check_symmetric
from enzyme_py.sparse.detection import pattern_at, pattern_near
from enzyme_py.sparse.partition import checked_mode
from enzyme_py.sparse.patterns import as_pattern, lacking, union
from enzyme_py.sparse.products import Derivative
from enzyme_py.sparse.recovery import Plan, plan_for
from enzyme_py.transforms.jacobians.jacobian import AT_ONCE
from enzyme_py.transforms.values.python_only import objects_python_only, python_only

FORMATS = ("csr", "csc")
POINTS = 2  # near the one given, where detection looks too
MOST_NAMED = 5  # entries that a message names


def jacobian(
    f: Callable[..., Any],
    pattern: Any = None,
    argnums: int = 0,
    mode: Mode | None = None,
    format: str = "csr",
    check: bool = True,
    chunk: int | None = None,
) -> SparseDerivative:
    """Return the function that computes the Jacobian of `f` as a scipy.sparse array.

    Rows are the numbers of the output, columns those of the argument that `argnums` names, in C order.
    `pattern` says which entries there may be, at any point; left out, it is detected. `mode` forces
    columns (Forward) or rows (Reverse); left out, the cheaper way is taken, or both where a
    few rows are full. `format` is "csr" or "csc", `chunk` the number of products in one run.

    With `check`, each call makes sure that no entry is missing; see the module for what that means.

    Examples:
        >>> enzyme.sparse.jacobian(lambda x: x * x)(np.array([1.0, 2.0, 3.0])).diagonal()
        array([2., 4., 6.])
    """
    number = _one_number(argnums)
    return SparseDerivative(as_kernel(f), number, pattern, checked_mode(mode), format, check, chunk)


def hessian(
    f: Callable[..., Any],
    pattern: Any = None,
    argnums: int = 0,
    format: str = "csr",
    check: bool = True,
    chunk: int | None = None,
) -> SparseDerivative:
    """Return the function that computes the Hessian of `f` as a symmetric scipy.sparse array.

    `f` is a kernel with a scalar result. Each product is a forward derivative of the reverse gradient. See
    `jacobian` for the rest.

    Examples:
        >>> enzyme.sparse.hessian(lambda x: np.sum(x * x * x))(np.array([1.0, 2.0])).diagonal()
        array([ 6., 12.])
    """
    number = _one_number(argnums)
    gradient = grad(f, number)
    return SparseDerivative(gradient, number, pattern, None, format, check, chunk, symmetric=True)


def jacobian_sparsity(
    f: Callable[..., Any],
    *args: Any,
    argnums: int = 0,
    mode: Mode | None = None,
    points: int = POINTS,
) -> Any:
    """Return the pattern of the Jacobian of `f` at the arguments, a boolean csr array.

    It has the entries that are not exactly zero there or at `points` points nearby; another point may have
    more, behind a branch that none of these takes.

    Examples:
        >>> enzyme.sparse.jacobian_sparsity(lambda x: x * x, np.ones(3)).nnz
        3
    """
    number = _one_number(argnums)
    derivative = Derivative(as_kernel(f), number, args, AT_ONCE, symmetric=False)
    return pattern_near(derivative, points, checked_mode(mode))


def hessian_sparsity(
    f: Callable[..., Any], *args: Any, argnums: int = 0, points: int = POINTS
) -> Any:
    """Return the pattern of the Hessian of the scalar `f` at the arguments; see `jacobian_sparsity`.

    Examples:
        >>> enzyme.sparse.hessian_sparsity(lambda x: np.sum(x * x * x), np.ones(3)).nnz
        3
    """
    number = _one_number(argnums)
    derivative = Derivative(grad(f, number), number, args, AT_ONCE, symmetric=True)
    return _symmetrised(pattern_near(derivative, points))


def _symmetrised(pattern: Any) -> Any:
    return union(pattern, pattern.T.tocsr())


class SparseDerivative:
    """The function that computes a sparse Jacobian or Hessian; `jacobian` and `hessian` make it.

    It is called with the kernel's arguments. `pattern` and `colours` tell what the last call used.

    Examples:
        >>> slopes = enzyme.sparse.jacobian(lambda x: x * x)
        >>> _ = slopes(np.ones(3))
        >>> slopes.pattern.nnz
        3
    """

    def __init__(
        self,
        kernel: Any,
        number: int,
        pattern: Any,
        mode: Mode | None,
        format: str,
        check: bool,
        chunk: int | None,
        *,
        symmetric: bool = False,
    ) -> None:
        if format not in FORMATS:
            message = f"there is no format {format!r} here"
            raise AnnotationError(message, remedy=f"choose {' or '.join(FORMATS)}, and convert")
        self._kernel, self._number, self._mode = kernel, number, mode
        self._width = checked_chunk(chunk) or AT_ONCE
        self._by_columns, self._check, self._symmetric = format == "csc", bool(check), symmetric
        self._given = None if pattern is None else as_pattern(pattern)
        if symmetric and self._given is not None:
            check_symmetric(self._given)
        self._plans: dict[Any, Plan] = {}  # by shapes and dtypes
        self._last: Plan | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Return the derivative at the arguments, a csr or csc array of its own."""
        derivative = self._derivative(arguments)
        plan = self._plan(derivative)
        matrix, passed = plan.evaluate(derivative)
        if not passed:
            more = self._widened(plan, derivative)
            if more is not None:
                matrix, _ = more.evaluate(derivative)
        return matrix

    def prepare(self, *arguments: Any) -> SparseDerivative:
        """Detect the pattern and colour it, without an evaluation; return the function itself."""
        self._plan(self._derivative(arguments))
        return self

    @property
    def pattern(self) -> Any:
        """The pattern in use, a boolean csr array."""
        return self._used().pattern.copy()

    @property
    def colours(self) -> tuple[int, int]:
        """How many products of forward mode and of reverse mode one evaluation takes.

        The check is one more.
        """
        return self._used().colours

    def _used(self) -> Plan:
        if self._last is None:
            message = "there is no pattern yet: nothing was prepared"
            raise SparsityError(message, remedy="call the function, or its method `prepare`")
        return self._last

    def _derivative(self, arguments: Any) -> Derivative:
        return Derivative(
            self._kernel, self._number, arguments, self._width, symmetric=self._symmetric
        )

    def _plan(self, derivative: Derivative) -> Plan:
        plan = self._plans.get(derivative.key)
        if plan is None:
            pattern = self._given
            if pattern is None:
                pattern = pattern_near(derivative, POINTS, self._mode)
            else:
                pattern = as_pattern(pattern, derivative.shape)
            plan = self._made(pattern, derivative)
        self._last = plan
        return plan

    def _made(self, pattern: Any, derivative: Derivative) -> Plan:
        if self._symmetric:
            pattern = _symmetrised(pattern)
        plan = plan_for(
            pattern, derivative, self._mode, check=self._check, by_columns=self._by_columns
        )
        self._plans[derivative.key] = self._last = plan
        return plan

    def _widened(self, plan: Plan, derivative: Derivative) -> Plan | None:
        """Return a plan with the entries that were missing, None if there are none after all."""
        found, _ = pattern_at(derivative, self._mode)
        missing = lacking(plan.pattern, found)
        if not missing:
            return None  # rounding alone, larger than usual
        if self._given is None:
            return self._made(union(plan.pattern, found), derivative)
        named = ", ".join(map(str, missing[:MOST_NAMED]))
        rest = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        message = f"the pattern given lacks entries that are not zero here: {named}{rest}"
        remedy = "add them, or leave the pattern out: it is detected then"
        raise SparsityError(message, where=where_is(self._kernel), remedy=remedy)


def _one_number(argnums: Any) -> int:
    numbers, is_single = numbered(argnums)
    if not is_single:
        message = f"a sparse derivative is by one argument, not by those of {argnums!r}"
        raise AnnotationError(message, remedy="make one function for each argument")
    return numbers[0]


_INSTEAD = "call it from Python and hand its .data, .indices and .indptr to compiled code; or take the dense jacrev there"
for _function in (jacobian, hessian, jacobian_sparsity, hessian_sparsity):
    python_only(_function, _INSTEAD)
objects_python_only(SparseDerivative, _INSTEAD)
