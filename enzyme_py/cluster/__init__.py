"""Derivatives of sums over pieces of data, on machines that Dask or MPI has: `docs/cluster.md`.

    total = enzyme.cluster.value_and_grad(loss, over=("X", "y"))     # loss(w, X, y): of some rows
    value, gradient = total(w, X, y)                                 # of all rows: Dask arrays, lists, bags

**Pieces.** `over` names the parameters of the kernel that take data, by name or number; all others, and what the kernel
captured, are the same for every piece. At a call, what stands there is cut already:

    a Dask array          its chunks, which cut the first axis alone
    a list                each item: an array, a number, a tuple of these, or a Dask delayed value or future of one
    a Dask bag            each item of each partition, one after the other
    a tuple, a dict       of these, of as many pieces each: the kernel gets a tuple or dict of their n-th pieces

**What comes out.** `grad`, `value_and_grad`, `hvp` and `hessian` are sums over the pieces, of a kernel that returns a number.
`jacfwd` and `jacrev` are of kernels that return arrays: the rows of one piece follow those of the piece before.
`value` and `jvp` are sums where the kernel returns a number, and rows where it returns an array.

**Who runs it.** `dask.compute`, and so whatever Dask would use: the client that there is, or Dask's own threads and processes.
With `comm=`, a communicator of mpi4py: each rank gives its own pieces, rank 0 the first ones, and gets the whole result.
Nothing here schedules, sends or tries again.

**Same bits.** Sums are taken in pairs by the numbers of the pieces, (0 + 1) + (2 + 3) and so on, whoever computed them and
whichever was ready first. So the same pieces give the same bits with any number of workers or ranks of the same kind of
processor, and Dask and MPI give the same.

**Kernels travel by content.** A worker gets the function (cloudpickle), not its machine code. It looks into its cache folder;
what is not there is compiled by one process for each folder, while the others wait. Versions that differ are an error.

**Errors** of a piece arrive as they were raised, with a note which piece it was. Pieces are lent to the kernel, which cannot
write to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from enzyme_py.cluster.derivatives import Derivative
from enzyme_py.cluster.work import Wanted

Over = str | int | Sequence[str | int]


def value(f: Callable[..., Any], *, over: Over, comm: Any = None) -> Derivative:
    """Return the function that computes `f` over all pieces: the sum of numbers, or all rows.

    Examples:
        >>> total = enzyme.cluster.value(lambda w, x: w * np.sum(x), over="x")
        >>> total(2.0, [np.ones(2), np.ones(3)])
        10.0
    """
    return Derivative(f, Wanted("value"), over, comm)


def grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, over: Over, comm: Any = None
) -> Derivative:
    """Return the function that computes the gradient of the sum of `f` over all pieces; see `enzyme.grad`.

    Examples:
        >>> total = enzyme.cluster.grad(lambda w, x: w * w * np.sum(x), over="x")
        >>> total(2.0, [np.ones(2), np.ones(3)])
        20.0
    """
    return Derivative(f, Wanted("grad", argnums), over, comm)


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, over: Over, comm: Any = None
) -> Derivative:
    """Return the function that computes `(value, gradient)` of the sum of `f` over all pieces.

    It is what `scipy.optimize.minimize(..., jac=True)` takes.

    Examples:
        >>> total = enzyme.cluster.value_and_grad(lambda w, x: w * w * np.sum(x), over="x")
        >>> total(2.0, [np.ones(2), np.ones(3)])
        (20.0, 20.0)
    """
    return Derivative(f, Wanted("value_and_grad", argnums), over, comm)


def hvp(f: Callable[..., Any], *, over: Over, comm: Any = None) -> Derivative:
    """Return the function `(x, v, *others)` that computes the Hessian of the sum by x, times v; see `enzyme.hvp`.

    Examples:
        >>> product = enzyme.cluster.hvp(lambda w, x: w**3 * np.sum(x), over="x")
        >>> product(2.0, 1.0, [np.ones(2), np.ones(3)])
        60.0
    """
    return Derivative(f, Wanted("hvp"), over, comm)


def hessian(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, over: Over, comm: Any = None
) -> Derivative:
    """Return the function that computes the Hessian of the sum of `f` over all pieces; see `enzyme.hessian`.

    Examples:
        >>> bend = enzyme.cluster.hessian(lambda w, x: w**3 * np.sum(x), over="x")
        >>> bend(2.0, [np.ones(2), np.ones(3)])
        60.0
    """
    return Derivative(f, Wanted("hessian", argnums), over, comm)


def jvp(f: Callable[..., Any], *, over: Over, comm: Any = None) -> Derivative:
    """Return the function `(x, v, *others)` that computes `(result, tangent)` of `f` by x along v.

    Both are sums where the kernel returns a number, and all rows where it returns an array.

    Examples:
        >>> along = enzyme.cluster.jvp(lambda w, x: w * w * x, over="x")
        >>> along(2.0, 1.0, [np.ones(1), np.ones(2)])
        (array([4., 4., 4.]), array([4., 4., 4.]))
    """
    return Derivative(f, Wanted("jvp"), over, comm)


def jacfwd(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, over: Over, comm: Any = None
) -> Derivative:
    """Return the function that computes the Jacobian of all rows by forward mode; see `enzyme.jacfwd`.

    The kernel returns an array for each piece, one row or more. They come to the caller, all of them.

    Examples:
        >>> slopes = enzyme.cluster.jacfwd(lambda w, x: x @ w, over="x")
        >>> slopes(np.ones(2), [np.eye(2), np.ones((1, 2))])
        array([[1., 0.],
               [0., 1.],
               [1., 1.]])
    """
    return Derivative(f, Wanted("jacfwd", argnums), over, comm)


def jacrev(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, over: Over, comm: Any = None
) -> Derivative:
    """Return the function that computes the Jacobian of all rows by reverse mode; see `jacfwd`.

    Examples:
        >>> slopes = enzyme.cluster.jacrev(lambda w, x: x @ w, over="x")
        >>> slopes(np.ones(2), [np.eye(2)])
        array([[1., 0.],
               [0., 1.]])
    """
    return Derivative(f, Wanted("jacrev", argnums), over, comm)


__all__ = [
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacrev",
    "jvp",
    "value",
    "value_and_grad",
]
