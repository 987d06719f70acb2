"""What users call from Python: autodiff, and the transforms above it.

Each is a thin layer over a plan of the `njit` stage. What returns a function returns a Numba
dispatcher, so it can be called from Python, from @njit code, and transformed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme_py.annotations import Const, make_zero, zeros_with_strides
from enzyme_py.calls.directions import check_cotangent, check_tangents
from enzyme_py.calls.kernel_types import Kernel, P, R
from enzyme_py.errors import AnnotationError
from enzyme_py.foundations.arrays.differences import is_float, leaves_of
from enzyme_py.foundations.keeping import made_of, remember
from enzyme_py.foundations.places import argument_names, where_is
from enzyme_py.foundations.quick.library import alike, remembered
from enzyme_py.foundations.trees import as_trees, as_tuples, in_order_of
from enzyme_py.frontend.functions.bound import (
    BoundTransform,
    Leading,
    captures_values,
    differentiable,
)
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.frontend.functions.result_kernels import result_kernel
from enzyme_py.modes import Forward, Mode, Reverse
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.forward_gradient import forward_part
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.derivatives.jvp import Jvp
from enzyme_py.transforms.derivatives.pullback import pullback
from enzyme_py.transforms.plans.dispatcher import DerivativeDispatcher
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.runners import named_runner, positional_runner
from enzyme_py.transforms.values.outputs import output_kernel


def numbered(argnums: int | Sequence[int]) -> tuple[tuple[int, ...], bool]:
    """Return the numbers that an `argnums` names, and whether it is a single one."""
    single = isinstance(argnums, (int, np.integer))
    numbers = (argnums,) if single else argnums
    if not isinstance(numbers, (tuple, list)) or not all(
        isinstance(number, (int, np.integer)) for number in numbers
    ):
        message = f"argnums must be an integer or a tuple of integers, not {argnums!r}"
        raise AnnotationError(message, remedy="count the arguments from 0: argnums=(0, 2)")
    return tuple(int(number) for number in numbers), single


def grad(
    f: Callable[P, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Kernel[P, Any]:
    """Return the function that computes the gradient of `f`, a kernel with a scalar result.

    `argnums` names the arguments to differentiate: one number gives one gradient, a tuple gives a
    tuple. With `has_aux`, `f` returns `(value, aux)` and the new function `(gradient, aux)`.

    Examples:
        >>> enzyme.grad(lambda x: x**3)(2.0)
        12.0
        >>> enzyme.grad(lambda x, k: k * x**3, argnums=(0, 1))(2.0, 5.0)
        (60.0, 8.0)
    """
    made: Kernel[P, Any] = _gradient_of(f, argnums, has_aux, with_value=False)
    return made


def value_and_grad(
    f: Callable[P, R], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Kernel[P, tuple[R, Any]]:
    """Return the function that computes `(value, gradient)`; see `grad`.

    With `has_aux` it computes `((value, aux), gradient)`.

    Examples:
        >>> enzyme.value_and_grad(lambda x: x**3)(2.0)
        (8.0, 12.0)
    """
    made: Kernel[P, tuple[R, Any]] = _gradient_of(f, argnums, has_aux, with_value=True)
    return made


def _gradient_of(
    f: Callable[..., Any], argnums: int | Sequence[int], has_aux: bool, *, with_value: bool
) -> Any:
    key = (with_value, argnums, has_aux)
    is_usual = type(argnums) is int and type(has_aux) is bool  # 1 is True as a key, and a list is none
    if is_usual and (made := remembered(f, key)) is not None:
        return made
    numbers, is_single = numbered(argnums)
    prefix = "value_and_grad" if with_value else "grad"

    def make(kernel: Any, held: int) -> Any:
        plan = Gradient(kernel, numbers, is_single, with_value, bool(has_aux), held)
        return named_runner(plan, kernel, f"{prefix}_of_{kernel.py_func.__name__}")

    made = transformed(f, make)
    if is_usual and isinstance(made, DerivativeDispatcher):
        remember(f, key, made)
    return made


def transformed(f: Any, make: Callable[[Any, int], Any]) -> Any:
    """Return what a transform makes of a function: a dispatcher, if that captures no values.

    `make` gets the kernel and the number of leading parameters that have their values already.
    """
    if isinstance(f, Leading):
        return Leading(make(f.kernel, f.count), f.count)
    if not captures_values(f):
        return make(result_kernel(as_kernel(f)), 0)
    kernel, held = differentiable(f)
    made = make(kernel, len(held))  # now, so that a mistake is told here
    return BoundTransform(f, make, made.__name__, made.__doc__)


def gradient(*given: Any) -> tuple[Any, ...]:
    """Return the gradients of a scalar kernel at the arguments: `gradient([mode,] f, *args)`.

    One entry per argument; None for integers and whatever else has no derivative, and for
    arguments given as Const. With a mode that asks for the primal, `(gradients, value)`. Forward
    mode runs the kernel once per number, on copies of the arguments.

    Examples:
        >>> enzyme.gradient(lambda x, k: k * x**3, 2.0, 5.0)
        (60.0, 8.0)
    """
    if given and Const not in map(type, given):
        known = remembered(given[0], len(given))
        if known is not None:  # the same call was made before
            return known(*given[1:])  # type: ignore[no-any-return]
        if callable(given[0]):
            kernel, held = differentiable(given[0])
            known = made_of(kernel, "gradients").get((len(held), len(given)))
            if known is not None:
                if not held:
                    remember(given[0], len(given), known)
                return known(*held, *given[1:])  # type: ignore[no-any-return]
    return _gradient(given)


def _gradient(given: Sequence[Any]) -> tuple[Any, ...]:
    """Run `gradient`, and remember the runner of a call of this form."""
    rest = list(given)
    mode = rest.pop(0) if rest and isinstance(rest[0], Mode) else Reverse
    if not rest:
        raise AnnotationError("gradient needs a function", remedy="write gradient(f, x)")
    function = rest.pop(0)
    kernel, held = differentiable(function)
    if not rest:
        message = f"gradient got no arguments for `{kernel.py_func.__name__}`"
        remedy = "write gradient(f, x); what returns a function of x is grad(f)"
        raise AnnotationError(message, where=where_is(kernel), remedy=remedy)
    if mode.is_forward:
        return _forward_gradient(mode, kernel, held, rest)
    values = [one.primal if isinstance(one, Const) else one for one in rest]
    constant = [number for number, one in enumerate(rest) if isinstance(one, Const)]
    chosen = None
    if constant:
        constant = [n for n, one in enumerate(rest) if not can_vary(one)]
        chosen = tuple(number for number in range(len(rest)) if number not in constant)
    plan = Gradient(
        kernel,
        chosen,
        with_value=mode.need_primal,
        skipped=len(held),
        runtime_activity=mode.runtime_activity,
        strong_zero=mode.strong_zero,
    )
    runner = positional_runner(plan, len(held) + len(values))
    if given[0] is function and not constant:
        made_of(kernel, "gradients")[len(held), len(given)] = runner
        if not held:
            remember(function, len(given), runner)
    returned = runner(*held, *values)
    value, parts = returned if mode.need_primal else (None, returned)
    gradients = list(parts)
    for number in constant:
        gradients.insert(number, None)
    return (tuple(gradients), value) if mode.need_primal else tuple(gradients)


def can_vary(value: Any) -> bool:
    """Tell whether something in a value may have a derivative: integers, flags and constants have none."""
    return not isinstance(value, Const) and any(map(is_float, leaves_of(as_tuples(value))))


def _forward_gradient(
    mode: Mode, kernel: Any, held: tuple[Any, ...], arguments: Sequence[Any]
) -> tuple[Any, ...]:
    """Return gradients by forward mode: one run per number that is differentiated."""
    values = [
        *held,
        *(as_tuples(one.primal if isinstance(one, Const) else one) for one in arguments),
    ]
    count = len(held)
    result = tuple(
        None if isinstance(one, Const) else as_trees(_forward_part(kernel, values, number, count))
        for number, one in enumerate(arguments, count)
    )
    return (result, as_trees(kernel(*map(copied, values)))) if mode.need_primal else result


def _forward_part(kernel: Any, values: Sequence[Any], number: int, held: int) -> Any:
    value = values[number]
    if isinstance(value, tuple):
        return _by_units(value, lambda tangent: _directional(kernel, values, number, tangent, held))
    return forward_part(kernel, number, len(values), held)(*values)


def _tuple_like(value: tuple[Any, ...], parts: Sequence[Any]) -> tuple[Any, ...]:
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def _by_units(value: Any, along: Callable[[Any], Any]) -> Any:
    """Return the gradient by a value, from derivatives along unit tangents of its structure."""
    if isinstance(value, tuple):
        return _tuple_like(value, [_by_part(value, i, along) for i in range(len(value))])
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        found = np.zeros(value.shape, value.dtype)
        for index in np.ndindex(value.shape):
            for step in (1.0, 1.0j) if value.dtype.kind == "c" else (1.0,):
                unit = zeros_with_strides(value)
                unit[index] = step
                found[index] += step * along(unit)
        return found
    if isinstance(value, (complex, np.complexfloating)):
        return along(type(value)(1)) + 1j * along(type(value)(1j))
    if isinstance(value, (float, np.floating)):
        return along(type(value)(1))
    return value if isinstance(value, np.ndarray) else None


def _by_part(value: tuple[Any, ...], place: int, along: Callable[[Any], Any]) -> Any:
    zero = make_zero(value)

    def along_part(tangent: Any) -> Any:
        parts = [tangent if i == place else part for i, part in enumerate(zero)]
        return along(_tuple_like(value, parts))

    return _by_units(value[place], along_part)


def _directional(kernel: Any, values: Sequence[Any], number: int, tangent: Any, held: int) -> Any:
    activities = tuple(
        Activity.DUPLICATED if i == number else Activity.CONST for i in range(len(values))
    )
    plan = Annotated(kernel, Forward, activities, skipped=held)
    own = [copied(value) for value in values]
    parts = [*own[: number + 1], tangent, *own[number + 1 :]]
    return positional_runner(plan, len(parts))(*parts)[0]


def jvp(f: Callable[..., R], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, Any]:
    """Return `(result, tangent of the result)` of `f` at the primals along the tangents.

    Examples:
        >>> enzyme.jvp(lambda x: x**3, (2.0,), (1.0,))
        (8.0, 12.0)
    """
    if type(primals) is tuple and alike(primals, tangents):
        runner = remembered(f, ("jvp", len(primals)))
        if runner is not None:
            result, tangent = runner(*primals, *tangents)
            return as_trees(result), as_trees(tangent)
    kernel, held = differentiable(f)
    pushed_now = pushed(kernel, held, as_given(primals), as_given(in_order_of(primals, tangents)))
    if not held:
        count = len(primals)
        remember(f, ("jvp", count), positional_runner(Jvp(kernel), 2 * count))
    return pushed_now


def pushed(kernel: Any, held: tuple[Any, ...], primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Return `(result, tangent)` of a kernel that holds values, after a look at the tangents."""
    names = argument_names(kernel)[len(held) :]
    check_tangents(primals, tangents, names, where_is(kernel))
    runner = positional_runner(Jvp(kernel, len(held)), len(held) + 2 * len(primals))
    result, tangent = runner(*held, *primals, *tangents)
    return as_trees(result), as_trees(tangent)


def as_given(arguments: Any) -> Any:
    """Return the tuple or list of arguments with trees as tuples."""
    return tuple(map(as_tuples, arguments)) if isinstance(arguments, (tuple, list)) else arguments  # is refused later


def vjp(f: Callable[..., R], *primals: Any) -> tuple[R, Callable[[Any], tuple[Any, ...]]]:
    """Return the result of `f` and the function that pulls a cotangent back to its arguments.

    That function takes a cotangent of the structure of the result and returns one gradient per
    argument, None for those that have none. It computes at the primals as they are now: arrays
    are copied.

    Examples:
        >>> value, pull = enzyme.vjp(lambda x: x**3, 2.0)
        >>> value, pull(10.0)
        (8.0, (120.0,))
    """
    found = remembered(f, ("vjp", len(primals)))
    kernel, held, forth, back = found or _there_and_back(f, len(primals))
    kept = tuple(copied(as_tuples(value)) for value in (*held, *primals))
    result = forth(*map(copied, kept))
    shown, own = as_trees(result), as_tuples(result)

    def pull_back(cotangent: Any) -> tuple[Any, ...]:
        given = cotangent
        if not alike(own, given):
            given = as_tuples(in_order_of(shown, cotangent))
            check_cotangent(own, given, where_is(kernel))
        return as_trees(back(given, *map(copied, kept)))  # type: ignore[no-any-return]

    return shown, pull_back


def _there_and_back(f: Any, count: int) -> tuple[Any, tuple[Any, ...], Any, Any]:
    """Return the kernel of a function, what it holds, and the runners of itself and of its pull-back."""
    kernel, held = differentiable(f)
    count_of_all = len(held) + count
    forth = positional_runner(Primal(kernel, "its pull-back runs it again"), count_of_all)
    found = kernel, held, forth, positional_runner(pullback(kernel, len(held)), 1 + count_of_all)
    return found if held else remember(f, ("vjp", count), found)


def linearize(f: Callable[..., R], *primals: Any) -> tuple[R, Callable[..., Any]]:
    """Return the result of `f` and the function that pushes tangents forward: its linear part.

    That function takes one tangent per argument and returns the tangent of the result. It computes
    at the primals as they are now: arrays are copied. Every call runs the kernel's forward
    derivative; nothing of the first run is kept.

    Examples:
        >>> value, push = enzyme.linearize(lambda x: x**3, 2.0)
        >>> value, push(1.0), push(10.0)
        (8.0, 12.0, 120.0)
    """
    kernel, held = differentiable(f)
    kept = tuple(copied(as_tuples(value)) for value in (*held, *primals))
    plan = Primal(kernel, "its push-forward runs it again")
    result = positional_runner(plan, len(kept))(*map(copied, kept))

    shown = as_trees(kept[len(held) :])

    def push_forward(*tangents: Any) -> Any:
        arguments = tuple(copied(value) for value in kept)
        count = len(held)
        return pushed(kernel, arguments[:count], arguments[count:], as_given(in_order_of(shown, tangents)))[1]

    return as_trees(result), push_forward


def output_of(f: Callable[P, Any], argnums: int | Sequence[int] = 0) -> Kernel[P, Any]:
    """Return the kernel whose result is what `f` leaves in the arguments that it writes to.

    For functions that return nothing and fill `out`: `jacobian(output_of(f), out, x)`. The arguments
    themselves stay as they are. One number gives one result, a tuple a tuple.

    Examples:
        >>> def fill(out, x):
        ...     out[0], out[1] = x, x**2
        >>> enzyme.jacfwd(enzyme.output_of(fill), argnums=1)(np.zeros(2), 3.0)
        array([1., 6.])
    """
    numbers, is_single = numbered(argnums)

    def make(kernel: Any, held: int) -> Any:
        return output_kernel(kernel, numbers, is_single, held)

    made: Kernel[P, Any] = transformed(f, make)
    return made


def copied(value: Any) -> Any:
    """Return the value with every array and record copied, an array's memory order kept."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, np.void):
        return value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(copied, value))
    if isinstance(value, tuple):
        return tuple(map(copied, value))
    return value


__all__ = [
    "grad",
    "gradient",
    "jvp",
    "linearize",
    "output_of",
    "value_and_grad",
    "vjp",
]
