"""Check derivatives of your own kernels: against finite differences, and mode against mode.

    enzyme.testing.check_grads(f, (x, y))                        # forward and reverse, first order
    enzyme.testing.test_forward(f, Duplicated(x, dx), Const(n))  # one call, as you annotate it
    enzyme.testing.test_reverse(f, Active(2.0), Duplicated(x, dx))
    enzyme.testing.test_rule(f, x, y)                            # a function with a rule of your own

Each raises AssertionError saying which two numbers differ. The slope along one random direction is
compared, by central differences over five points: their step eps**(1/5) balances truncation against
rounding, and leaves errors near eps**(4/5); eps**(2/5) of the larger number is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py.annotations import Annotation, as_annotation
from enzyme_py.errors import AnnotationError
from enzyme_py.frontend.target import DOOR
from enzyme_py.request import Activity

_STENCIL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare `jvp` ("fwd") and `vjp` ("rev") of f with finite differences, up to an order.

    Arguments without floats are held fixed. A higher order checks the gradient of f in turn.
    """
    args = tuple(args)
    kernel = f if hasattr(f, "py_func") else enzyme.jit(f)
    random = np.random.default_rng(0)
    tangents = tuple(_random_like(arg, random) for arg in args)
    slope = _slope(kernel, args, tangents, eps)
    limits = _limits(args, atol, rtol)
    if "fwd" in modes:
        _compare("jvp", enzyme.jvp(kernel, args, tangents)[1], slope, *limits)
    if "rev" in modes:
        result, pull = enzyme.vjp(kernel, *args)
        cotangent = _random_like(result, random)
        pulled = _inner(pull(cotangent), tangents)
        _compare("vjp", pulled, _inner(cotangent, slope), *limits)
    if order > 1:
        positions = tuple(i for i, tangent in enumerate(tangents) if tangent is not None)
        gradient = enzyme.grad(kernel, argnums=positions)
        check_grads(gradient, args, order - 1, modes, atol, rtol, eps)


def test_forward(
    f: Callable[..., Any],
    *annotated: Any,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare one forward call, tangents and written shadows, with finite differences.

    Takes what `autodiff` takes after its mode, a return activity included, with one shadow each.
    """
    activity, given = _parted(annotated)
    primals, tangents = _primals(given), _shadows(given)
    slope = _slope(_with_memory(f), primals, tangents, eps)
    copies = [_copied(annotation) for annotation in given]
    got = enzyme.autodiff(enzyme.Forward, f, *activity, *copies)
    limits = _limits(primals, atol, rtol)
    if got and got[0] is not None:
        _compare("tangent of the result", got[0], slope[0], *limits)
    for i, copy in enumerate(copies):
        if copy.shadows:
            want = tangents[i] if _by_value(copy) else slope[1][i]
            _compare(f"shadow of argument {i}", copy.shadows[0], want, *limits)


def test_reverse(
    f: Callable[..., Any],
    *annotated: Any,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare one reverse call, gradients and accumulated shadows, with finite differences.

    Shadows may hold anything on entry: they are the cotangents of what the kernel leaves behind.
    """
    activity, given = _parted(annotated)
    primals, entry = _primals(given), _shadows(given)
    random = np.random.default_rng(0)
    tangents = tuple(
        None if annotation.activity is Activity.CONST else _random_like(annotation.primal, random)
        for annotation in given
    )
    result, after = _slope(_with_memory(f), primals, tangents, eps)
    copies = [_copied(annotation) for annotation in given]
    returned = enzyme.autodiff(enzyme.Reverse, f, *activity, *copies)[0]
    gradients = [
        gradient if gradient is not None else (copy.shadows[0] if copy.shadows else None)
        for gradient, copy in zip(returned, copies, strict=True)
    ]
    want = (0.0 if result is None else result) + _inner(entry, after)
    limits = _limits(primals, atol, rtol)
    _compare("slope along a random direction", _inner(gradients, tangents), want, *limits)


def test_rule(
    f: Callable[..., Any],
    *args: Any,
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Check the rule of a function against finite differences of the function, in both modes.

    `f` is what `custom_vjp`, `custom_jvp` or a function of `enzyme.rules` returned. Its value inside of a
    derivative must be that of an ordinary call.
    """
    if not hasattr(f, DOOR):
        message = f"{f!r} has no rule"
        remedy = "pass what custom_vjp, custom_jvp, or a function of enzyme.rules returned"
        raise AnnotationError(message, remedy=remedy)
    if "fwd" in modes:
        tangents = tuple(_random_like(arg, np.random.default_rng(0)) for arg in args)
        inside = enzyme.jvp(f, args, tangents)[0]
        _compare("value inside of a derivative", inside, f(*args), *_limits(args, atol, rtol))
    check_grads(f, args, order, modes, atol, rtol, eps)


for _check in (test_forward, test_reverse, test_rule):
    _check.__test__ = False  # type: ignore[attr-defined]  # not for pytest to collect


def _parted(annotated: Sequence[Any]) -> tuple[tuple[Any, ...], list[Annotation]]:
    """A leading annotation class is the return activity; bare arguments are Const."""
    leading = annotated[:1] if annotated and isinstance(annotated[0], type) else ()
    return tuple(leading), [as_annotation(value) for value in annotated[len(leading) :]]


def _primals(given: Sequence[Annotation]) -> tuple[Any, ...]:
    return tuple(annotation.primal for annotation in given)


def _shadows(given: Sequence[Annotation]) -> tuple[Any, ...]:
    return tuple(annotation.shadows[0] if annotation.shadows else None for annotation in given)


def _copied(annotation: Annotation) -> Annotation:
    return type(annotation)(*_map(_copy, (annotation.primal, *annotation.shadows)))


def _by_value(annotation: Annotation) -> bool:
    return not any(isinstance(leaf, np.ndarray) for leaf in _leaves(annotation.primal))


def _with_memory(f: Callable[..., Any]) -> Callable[..., tuple[Any, tuple[Any, ...]]]:
    """Return f with its result beside the arguments as it leaves them."""
    return lambda *args: (f(*args), args)


def _slope(f: Callable[..., Any], args: Any, tangents: Any, eps: float | None) -> Any:
    """The tangent of everything that f returns, by differences."""
    step = eps if eps is not None else _precision(args) ** 0.2
    points = [f(*_moved(args, tangents, k * step)) for k, _ in _STENCIL]
    weights = [weight / (12 * step) for _, weight in _STENCIL]
    return _map(lambda *at: sum(w * p for w, p in zip(weights, at, strict=True)), *points)


def _moved(args: Any, tangents: Any, step: float) -> tuple[Any, ...]:
    return tuple(
        _map(_copy, arg)
        if tangent is None
        else _map(lambda x, t: _copy(x, x + step * t) if _is_float(x) else x, arg, tangent)
        for arg, tangent in zip(args, tangents, strict=True)
    )


def _copy(leaf: Any, values: Any = None) -> Any:
    """A copy with the strides of an array, holding other values if they are given."""
    if not isinstance(leaf, np.ndarray):
        return leaf if values is None else type(leaf)(values)
    kept = enzyme.make_zero(leaf) if _is_float(leaf) else leaf.copy()
    kept[...] = leaf if values is None else values
    return kept


def _random_like(tree: Any, random: np.random.Generator) -> Any:
    """A random tangent; None where nothing is floating point."""
    if not any(_is_float(leaf) for leaf in _leaves(tree)):
        return None
    return _map(lambda leaf: _drawn(leaf, random) if _is_float(leaf) else leaf, tree)


def _drawn(leaf: Any, random: np.random.Generator) -> Any:
    shape = np.shape(leaf)
    values = random.uniform(0.5, 1.0, shape) * random.choice((-1.0, 1.0), shape)
    if np.iscomplexobj(leaf):
        values = values + 1j * random.uniform(-1.0, 1.0, shape)
    return _copy(leaf, values)


def _map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    if tree is None:
        return None
    if isinstance(tree, tuple):
        parts = [_map(function, *branches) for branches in zip(tree, *others, strict=True)]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    return function(tree, *others)


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, (tuple, list)):
        for branch in tree:
            yield from _leaves(branch)
    elif tree is not None:
        yield tree


def _is_float(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind in "fc"


def _inner(left: Any, right: Any) -> float:
    """The real inner product of two sequences of trees, None being zero."""
    if left is None or right is None:
        return 0.0
    if isinstance(left, (tuple, list)):
        return sum(_inner(a, b) for a, b in zip(left, right, strict=True))
    return float(np.sum(np.conj(left) * right).real) if _is_float(left) else 0.0


def _precision(args: Any) -> float:
    kinds = [np.asarray(leaf).dtype for leaf in _leaves(args) if _is_float(leaf)]
    return max((float(np.finfo(kind).eps) for kind in kinds), default=float(np.finfo(float).eps))


def _limits(args: Any, atol: float | None, rtol: float | None) -> tuple[float, float]:
    natural = _precision(args) ** 0.4
    return natural if atol is None else atol, natural if rtol is None else rtol


def _compare(what: str, got: Any, want: Any, atol: float, rtol: float) -> None:
    """Raise unless every float agrees; NaN agrees with NaN."""
    for ours, theirs in zip(_leaves(got), _leaves(want), strict=True):
        if _is_float(theirs) and not np.allclose(ours, theirs, rtol, atol, equal_nan=True):
            error = np.max(np.abs(np.asarray(ours) - np.asarray(theirs)))
            message = (
                f"{what}: enzyme_py says {ours}, finite differences say {theirs}; "
                f"they differ by {error:.3g}, allowed are {atol:.3g} + {rtol:.3g} of the number"
            )
            raise AssertionError(message)
