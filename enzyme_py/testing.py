"""Check derivatives of your own kernels: against finite differences, and mode against mode.

    enzyme.testing.check_grads(f, (x, y))                        # forward and reverse, first order
    enzyme.testing.test_forward(f, Duplicated(x, dx), Const(n))  # one call, as you annotate it
    enzyme.testing.test_reverse(f, Active(2.0), Duplicated(x, dx))
    enzyme.testing.test_activities(f, x, y)                      # every choice of annotations
    enzyme.testing.test_rule(f, x, y)                            # a function with a rule of your own
    enzyme.testing.find_nan(f, x, y)                             # the line that makes the first NaN

Each raises AssertionError saying of which kernel and argument which two numbers differ. The slope along
one random direction is compared, by central differences over five points: their step eps**(1/5) balances
truncation against rounding, and leaves errors near eps**(4/5); eps**(2/5) of the larger number is
allowed. `order=2` checks the derivatives of derivatives, and so on. Arguments may be dicts, lists and
dataclasses where the transforms take them.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py.annotations import (
    Active,
    Annotation,
    BatchDuplicated,
    Const,
    Duplicated,
    as_annotation,
)
from enzyme_py.errors import AnnotationError
from enzyme_py.foundations.arrays.differences import (
    copy_of,
    direction_like,
    inner,
    is_float,
    leaves_of,
    mapped,
    moved,
    precision_of,
)
from enzyme_py.foundations.places import argument_names, python_function, where_is
from enzyme_py.foundations.trees import as_trees, as_tuples
from enzyme_py.inspect.hunting import find_nan
from enzyme_py.request import Activity
from enzyme_py.symbols import DOOR

__all__ = [
    "check_grads",
    "find_nan",
    "test_activities",
    "test_forward",
    "test_reverse",
    "test_rule",
]

_STENCIL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
_MODES = ("fwd", "rev")


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = _MODES,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare `jvp` ("fwd") and `vjp` ("rev") of f with finite differences, up to an order.

    Arguments without floats are held fixed. A higher order checks the gradient of f in turn, or, if f
    does not return one real number, the gradient of its pairing with random weights.

    Examples:
        >>> enzyme.testing.check_grads(lambda x: x**3, (2.0,))
    """
    _check_modes(modes)
    kernel = enzyme.jit(f) if python_function(f) is f else f
    values = tuple(map(as_tuples, args))
    say = functools.partial(_compare, kernel, limits=_limits(values, atol, rtol))
    tangents = _directions(values)
    slope = _slope(kernel, values, tangents, eps)
    if "fwd" in modes:
        say("jvp", as_tuples(enzyme.jvp(kernel, values, tangents)[1]), slope)
    if "rev" in modes:
        result, pull = enzyme.vjp(kernel, *values)
        cotangent = direction_like(as_tuples(result), np.random.default_rng(1))
        gradients = as_tuples(pull(as_trees(cotangent)))
        # By all arguments at once, then, to tell which one is wrong, by each.
        try:
            say("vjp", inner(gradients, tangents), inner(cotangent, slope))
        except AssertionError:
            for number, tangent in enumerate(tangents):
                alone = tuple(t if n == number else None for n, t in enumerate(tangents))
                if tangent is not None:
                    want = inner(cotangent, _slope(kernel, values, alone, eps))
                    say("vjp", inner(gradients[number], tangent), want, argument=number)
            raise
    if order > 1:
        positions = tuple(i for i, tangent in enumerate(tangents) if tangent is not None)
        if not isinstance(slope, (float, np.floating)):
            kernel = _weighed(kernel, direction_like(slope, np.random.default_rng(2)))
        gradient = enzyme.grad(kernel, argnums=positions)
        check_grads(gradient, values, order - 1, modes, atol, rtol, eps)


def _weighed(kernel: Any, weights: Any) -> Any:
    """Return the kernel whose result is the pairing of that of another one with fixed weights."""
    from enzyme_py.transforms.derivatives.pullback import paired

    pairing = paired(kernel)
    return enzyme.jit(lambda *arguments: pairing(weights, *arguments))


def test_forward(
    f: Callable[..., Any],
    *annotated: Any,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare one forward call, tangents and written shadows, with finite differences.

    Takes what `autodiff` takes after its mode, a return activity included; of a batch each lane counts.

    Examples:
        >>> enzyme.testing.test_forward(lambda x: x**3, enzyme.Duplicated(2.0, 1.0))
    """
    activity, given = _parted(annotated)
    primals = _primals(given)
    copies = [_copied(annotation) for annotation in given]
    got = enzyme.autodiff(enzyme.Forward, f, *activity, *copies)
    say = functools.partial(_compare, f, limits=_limits(primals, atol, rtol))
    lanes = _lanes(given)
    for lane in range(lanes):
        tangents = _shadows(given, lane)
        slope = _slope(_with_memory(f), primals, tangents, eps)
        if got and got[0] is not None:
            tangent = got[0][lane] if _is_batch(given) else got[0]
            say("tangent of the result", tangent, slope[0])
        for i, copy in enumerate(copies):
            if copy.shadows:
                want = tangents[i] if _by_value(copy) else slope[1][i]
                say("shadow in forward mode", copy.shadows[lane], want, argument=i)


def test_reverse(
    f: Callable[..., Any],
    *annotated: Any,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare one reverse call, gradients and accumulated shadows, with finite differences.

    Shadows may hold anything on entry: they are the cotangents of what the kernel leaves behind. Each
    argument is compared by itself.

    Examples:
        >>> enzyme.testing.test_reverse(lambda x: x**3, enzyme.Active(2.0))
    """
    activity, given = _parted(annotated)
    primals = _primals(given)
    copies = [_copied(annotation) for annotation in given]
    returned = enzyme.autodiff(enzyme.Reverse, f, *activity, *copies)[0]
    say = functools.partial(_compare, f, limits=_limits(primals, atol, rtol))
    directions = _directions(primals)
    for number, annotation in enumerate(given):
        if annotation.activity is Activity.CONST:
            continue
        tangents = [None] * len(given)
        tangents[number] = directions[number]
        result, after = _slope(_with_memory(f), primals, tangents, eps)
        if activity and activity[0] is Const:
            result = None
        for lane in range(_lanes(given)):
            gradient = returned[number]
            if gradient is None:
                gradient = copies[number].shadows[lane]
            elif _is_batch(given):
                gradient = gradient[lane]
            want = (0.0 if result is None else result) + inner(_shadows(given, lane), after)
            what = "slope by one argument, in reverse mode,"
            say(what, inner(gradient, directions[number]), want, argument=number)


def test_activities(
    f: Callable[..., Any],
    *args: Any,
    modes: Sequence[str] = _MODES,
    batch: int = 0,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> int:
    """Run test_forward and test_reverse for every choice of annotations; return how many there were.

    Each argument with a derivative is Const once and once Duplicated (in reverse mode a number is
    Active); the rest are Const. With a `batch`, once more with so many shadows each. A derivative is
    compiled for each choice: 2^n - 1 for n arguments and mode.

    Examples:
        >>> enzyme.testing.test_activities(lambda x, n: x**n, 2.0, 3)
        2
    """
    _check_modes(modes)
    values = tuple(map(as_tuples, args))
    can_vary = [any(map(is_float, leaves_of(value))) for value in values]
    random = np.random.default_rng(3)
    count = 0
    for mode, lanes in itertools.product(modes, (0, batch) if batch else (0,)):
        check = test_forward if mode == "fwd" else test_reverse
        for chosen in itertools.product(*((False, True) if yes else (False,) for yes in can_vary)):
            if any(chosen):
                annotated = [
                    _annotated(value, mode, lanes, random) if yes else Const(value)
                    for value, yes in zip(values, chosen, strict=True)
                ]
                check(f, *annotated, atol=atol, rtol=rtol, eps=eps)
                count += 1
    return count


def _annotated(value: Any, mode: str, lanes: int, random: np.random.Generator) -> Annotation:
    if mode == "rev" and not any(isinstance(leaf, np.ndarray) for leaf in leaves_of(value)):
        return Active(value)
    if lanes:
        return BatchDuplicated(value, tuple(direction_like(value, random) for _ in range(lanes)))
    return Duplicated(value, direction_like(value, random))


def test_rule(
    f: Callable[..., Any],
    *args: Any,
    order: int = 1,
    modes: Sequence[str] = _MODES,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Check the rule of a function against finite differences of the function, in both modes.

    `f` is what `custom_vjp`, `custom_jvp` or a function of `enzyme.rules` returned. Its value inside of a
    derivative must be that of an ordinary call.

    Examples:
        >>> cube = enzyme.rules.partials(lambda x: x**3, lambda x: 3 * x**2)
        >>> enzyme.testing.test_rule(cube, 2.0)
    """
    if not hasattr(f, DOOR):
        message = f"{f!r} has no rule"
        remedy = "pass what custom_vjp, custom_jvp, or a function of enzyme.rules returned"
        raise AnnotationError(message, remedy=remedy)
    if "fwd" in modes:
        tangents = _directions(args)
        inside = enzyme.jvp(f, args, tangents)[0]
        limits = _limits(args, atol, rtol)
        _compare(f, "value inside of a derivative", inside, f(*args), limits=limits)
    check_grads(f, args, order, modes, atol, rtol, eps)


_check: Any
for _check in (test_forward, test_reverse, test_activities, test_rule):
    _check.__test__ = False  # not for pytest to collect


def _check_modes(modes: Sequence[str]) -> None:
    unknown = [mode for mode in modes if mode not in _MODES]
    if isinstance(modes, str) or unknown:
        message = f"unknown modes: {modes!r}"
        raise AnnotationError(message, remedy='modes=("fwd", "rev"), or one of them in a tuple')


def _parted(annotated: Sequence[Any]) -> tuple[tuple[Any, ...], list[Annotation]]:
    """A leading annotation class is the return activity; bare arguments are Const."""
    leading = annotated[:1] if annotated and isinstance(annotated[0], type) else ()
    return tuple(leading), [as_annotation(value) for value in annotated[len(leading) :]]


def _primals(given: Sequence[Annotation]) -> tuple[Any, ...]:
    return tuple(annotation.primal for annotation in given)


def _lanes(given: Sequence[Annotation]) -> int:
    return max((annotation.width for annotation in given), default=1)


def _is_batch(given: Sequence[Annotation]) -> bool:
    return any(isinstance(annotation, BatchDuplicated) for annotation in given)


def _shadows(given: Sequence[Annotation], lane: int) -> tuple[Any, ...]:
    return tuple(annotation.shadows[lane] if annotation.shadows else None for annotation in given)


def _copied(annotation: Annotation) -> Annotation:
    if isinstance(annotation, BatchDuplicated):
        return type(annotation)(copy_of(annotation.primal), copy_of(annotation.shadows))
    return type(annotation)(*copy_of((annotation.primal, *annotation.shadows)))


def _by_value(annotation: Annotation) -> bool:
    return not any(isinstance(leaf, np.ndarray) for leaf in leaves_of(annotation.primal))


def _with_memory(f: Callable[..., Any]) -> Callable[..., tuple[Any, tuple[Any, ...]]]:
    """Return f with its result beside the arguments as it leaves them."""
    return lambda *args: (f(*args), args)


def _directions(args: Sequence[Any]) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    return tuple(direction_like(arg, random) for arg in args)


def _slope(f: Callable[..., Any], args: Any, tangents: Any, eps: float | None) -> Any:
    """The tangent of everything that f returns, by differences."""
    step = eps if eps is not None else precision_of(*args) ** 0.2
    points = [
        f(*(moved(arg, t, k * step) for arg, t in zip(args, tangents, strict=True)))
        for k, _ in _STENCIL
    ]
    weights = [weight / (12 * step) for _, weight in _STENCIL]
    return mapped(lambda *at: sum(w * p for w, p in zip(weights, at, strict=True)), *points)


def _limits(args: Any, atol: float | None, rtol: float | None) -> tuple[float, float]:
    natural = precision_of(*args) ** 0.4
    return natural if atol is None else atol, natural if rtol is None else rtol


def _compare(
    f: Any,
    what: str,
    got: Any,
    want: Any,
    *,
    limits: tuple[float, float],
    argument: int | None = None,
) -> None:
    """Raise unless every float agrees; NaN agrees with NaN."""
    atol, rtol = limits
    for ours, theirs in zip(leaves_of(got), leaves_of(want), strict=True):
        if is_float(theirs) and not np.allclose(ours, theirs, rtol, atol, equal_nan=True):
            error = np.max(np.abs(np.asarray(ours) - np.asarray(theirs)))
            message = (
                f"{what}: enzyme_py says {ours}, finite differences say {theirs}; "
                f"they differ by {error:.3g}, allowed are {atol:.3g} + {rtol:.3g} of the number"
            )
            name = None if argument is None else argument_names(f)[argument]
            raise AssertionError(f"{message}\n  {where_is(f, name)}")
