"""Derivatives of functions with any result, and second derivatives: jacobian, hessian, hvp.

`jacobian` evaluates at once, as Enzyme.jl's does; `jacfwd`, `jacrev` and `hessian` return kernels,
as JAX's do, which can be called, called from compiled code, and transformed again.

The Jacobian of an output by an argument has the shape out.shape + in.shape. Where the output or the
argument is a tuple, the result is one of the same structure. Kernels may write to their arguments:
every run gets copies, and what they write is no output (`output_of` makes it one).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme_py.annotations import Const
from enzyme_py.calls.directions import check_tangents
from enzyme_py.calls.kernel_types import Kernel, P
from enzyme_py.calls.operators import grad, numbered, transformed
from enzyme_py.errors import AnnotationError
from enzyme_py.foundations.keeping import remember
from enzyme_py.foundations.places import argument_names, where_is
from enzyme_py.foundations.quick.library import alike, remembered
from enzyme_py.foundations.trees import as_trees, as_tuples, in_order_of
from enzyme_py.frontend.functions.bound import differentiable
from enzyme_py.modes import Forward, Mode, Reverse
from enzyme_py.transforms.jacobians.jacobian import Jacobian, jacobian_runner
from enzyme_py.transforms.jacobians.products import Product, product_runner


def jacobian(*given: Any, chunk: int | None = None, holomorphic: bool = False) -> tuple[Any, ...]:
    """Return the Jacobians of a function: `jacobian([mode,] f, *args)`, one entry per argument.

    An entry has the shape out.shape + in.shape; None for integers and whatever else has no
    derivative, and for arguments given as Const. Forward mode computes columns, Reverse (the
    default) rows, `chunk` of them in one run. With a mode that asks for the primal,
    `(jacobians, result)`. Complex arguments need `holomorphic=True`.

    Examples:
        >>> enzyme.jacobian(enzyme.Forward, lambda x, k: k * x**3, 2.0, 5.0)
        (60.0, 8.0)
    """
    rest = list(given)
    mode = rest.pop(0) if rest and isinstance(rest[0], Mode) else Reverse
    if not rest:
        raise AnnotationError("jacobian needs a function", remedy="write jacobian(f, x)")
    kernel, held = differentiable(rest.pop(0))
    if not rest:
        message = f"jacobian got no arguments for `{kernel.py_func.__name__}`"
        remedy = "write jacobian(f, x); what returns a function of x is jacrev(f)"
        raise AnnotationError(message, where=where_is(kernel), remedy=remedy)
    constant = [isinstance(one, Const) for one in rest]
    values = [one.primal if isinstance(one, Const) else one for one in rest]
    plan = Jacobian(
        kernel,
        _unsplit(mode, "jacobian"),
        constants=tuple(n for n, is_constant in enumerate(constant) if is_constant),
        chunk=checked_chunk(chunk),
        holomorphic=bool(holomorphic),
        skipped=len(held),
    )
    found: tuple[Any, ...] = jacobian_runner(plan)(*held, *values)
    return found


def jacfwd(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    chunk: int | None = None,
) -> Kernel[P, Any]:
    """Return the function that computes the Jacobian of `f` by forward mode, column by column.

    `argnums` names the arguments: one number gives one Jacobian, a tuple a tuple of them. Where `f`
    returns a tuple, its structure is the outer one. With `has_aux`, `f` returns `(value, aux)` and
    the new function `(jacobian, aux)`. `chunk` columns are computed in one run.

    Examples:
        >>> enzyme.jacfwd(lambda t: np.array([t, t**2]))(3.0)
        array([1., 6.])
    """
    made: Kernel[P, Any] = _runner(f, Forward, argnums, has_aux, holomorphic, chunk)
    return made


def jacrev(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    chunk: int | None = None,
) -> Kernel[P, Any]:
    """Return the function that computes the Jacobian of `f` by reverse mode, row by row.

    See `jacfwd`, which is the cheaper one where there are fewer inputs than outputs.

    Examples:
        >>> enzyme.jacrev(lambda x: x**3)(2.0)
        12.0
    """
    made: Kernel[P, Any] = _runner(f, Reverse, argnums, has_aux, holomorphic, chunk)
    return made


def _runner(
    f: Callable[..., Any],
    mode: Mode,
    argnums: int | Sequence[int],
    has_aux: bool,
    holomorphic: bool,
    chunk: int | None,
) -> Any:
    numbers, is_single = numbered(argnums)
    checked = checked_chunk(chunk)

    def make(kernel: Any, held: int) -> Any:
        plan = Jacobian(
            kernel,
            mode,
            argnums=numbers,
            is_single=is_single,
            by_output=True,
            chunk=checked,
            holomorphic=bool(holomorphic),
            has_aux=bool(has_aux),
            skipped=held,
        )
        return jacobian_runner(plan)

    return transformed(f, make)


def hessian(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    outer: Mode = Forward,
    inner: Mode = Reverse,
    chunk: int | None = None,
) -> Kernel[P, Any]:
    """Return the function that computes the Hessian of `f`, a kernel with a scalar result.

    For an argument of shape s it has the shape s + s; a tuple of argnums gives a tuple of tuples.
    By default it is the forward derivative of the reverse gradient; `outer` and `inner` choose
    another nesting. With `has_aux`, `f` returns `(value, aux)`, the new function `(hessian, aux)`.

    Examples:
        >>> enzyme.hessian(lambda x: x**3)(2.0)
        12.0
    """
    inner, outer = _unsplit(inner, "hessian"), _unsplit(outer, "hessian")
    gradient: Any
    if inner.is_forward:
        gradient = _runner(f, inner, argnums, has_aux, False, None)
    else:
        gradient = grad(f, argnums, has_aux)
    made: Kernel[P, Any] = _runner(gradient, outer, argnums, has_aux, False, chunk)
    return made


def hvp(
    f: Callable[..., Any],
    x: Any,
    v: Any,
    *others: Any,
    outer: Mode = Forward,
    inner: Mode = Reverse,
) -> Any:
    """Return the Hessian of the scalar kernel `f` by its first argument, times `v`.

    `others` are the kernel's further arguments, held fixed. It costs a small multiple of a
    gradient, whatever the size of x.

    Examples:
        >>> enzyme.hvp(lambda x: x**3, 2.0, 1.0)
        12.0
    """
    if outer is Forward and inner is Reverse and alike(x, v):
        runner = remembered(f, "hvp")
        if runner is not None:  # the same call was made before
            return as_trees(runner(x, v, *others)[0])
    return _product(f, x, v, others, outer, inner)[0]


def hvp_and_gradient(
    f: Callable[..., Any], x: Any, v: Any, *others: Any, inner: Mode = Reverse
) -> tuple[Any, Any]:
    """Return `(product, gradient)`: the product that `hvp` computes, and the gradient beside it.

    Examples:
        >>> enzyme.hvp_and_gradient(lambda x: x**3, 1.0, 1.0)
        (6.0, 3.0)
    """
    product, gradient = _product(f, x, v, others, Forward, inner, with_gradient=True)
    return product, gradient


def vhp(
    f: Callable[..., Any],
    x: Any,
    v: Any,
    *others: Any,
    outer: Mode = Reverse,
    inner: Mode = Reverse,
) -> Any:
    """Return `v` times the Hessian of `f`: as `hvp`, from the left, by the pull-back of the gradient.

    The two are equal where second derivatives are continuous.

    Examples:
        >>> enzyme.vhp(lambda x: x**3, 2.0, 1.0)
        12.0
    """
    return _product(f, x, v, others, outer, inner)[0]


def _product(
    f: Callable[..., Any],
    x: Any,
    v: Any,
    others: Sequence[Any],
    outer: Mode,
    inner: Mode,
    *,
    with_gradient: bool = False,
) -> Any:
    kernel, held = differentiable(f)
    outer, inner = _unsplit(outer, "hvp"), _unsplit(inner, "hvp")
    x, v = as_tuples(x), as_tuples(in_order_of(x, v))
    check_tangents((x,), (v,), argument_names(kernel)[len(held) :], where_is(kernel))
    runner = product_runner(Product(kernel, outer, inner, len(held), with_gradient))
    if outer is Forward and inner is Reverse and not held and not with_gradient:
        remember(f, "hvp", runner)
    return as_trees(runner(x, v, *held, *others))


def _unsplit(mode: Any, name: str) -> Mode:
    if not isinstance(mode, Mode):
        message = f"{name} takes a mode there, not {mode!r}"
        raise AnnotationError(message, remedy="pass enzyme.Forward or enzyme.Reverse")
    if mode.is_split:
        message = f"{mode} has two halves, which {name} cannot run as one"
        raise AnnotationError(message, remedy="use the mode Reverse")
    return mode


def checked_chunk(chunk: Any) -> int | None:
    """Return a chunk that can be used, or raise."""
    if chunk is None:
        return None
    if not isinstance(chunk, (int, np.integer)) or isinstance(chunk, bool) or not 1 <= chunk <= 64:
        message = f"chunk must be a number from 1 to 64, not {chunk!r}"
        raise AnnotationError(message, remedy="leave it out: a good one is chosen")
    return int(chunk)


__all__ = ["hessian", "hvp", "hvp_and_gradient", "jacfwd", "jacobian", "jacrev", "vhp"]
