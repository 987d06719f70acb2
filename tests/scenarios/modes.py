"""How a scenario is asked for its derivative: one function per way that the package offers.

A way is reverse (`Way.pull`: cotangents to gradients) or forward (`Way.push`: tangents to
tangents). Both take and give one entry per direction, so that a batch is a list of two, and both
report the primal result where the way gives it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py.annotations import Annotation
from tests.scenarios.scenario import Scenario, is_array, is_number, is_real_scalar
from tests.scenarios.trees import leaves
from tests.scenarios.variants import passes_by_value


@dataclass
class Pulled:
    """Per direction, one gradient per argument; None for what has none. Shadows arrive there."""

    gradients: list[tuple[Any, ...]]
    primal: Any = None
    has_primal: bool = False


@dataclass
class Pushed:
    """Per direction, the tangent of the result."""

    tangents: list[Any]
    primal: Any = None
    has_primal: bool = False


@dataclass(frozen=True)
class Way:
    """One way to ask. `needs` says which scenarios it fits; `seeds_result` that the result's
    cotangent is free; `seeds_shadows` that shadows are the caller's, so may hold something.
    """

    name: str
    run: Callable[..., Any]
    needs: Callable[[Scenario], bool]
    is_reverse: bool
    seeds_result: bool = False
    seeds_shadows: bool = False


@cache
def compiled(kernel: Callable[..., Any]) -> Any:
    """The kernel under @enzyme.jit, once per run: every case of a scenario shares it."""
    return enzyme.jit(kernel)


@cache
def compiled_again(kernel: Callable[..., Any]) -> Any:
    """A kernel of the same code that has never been compiled."""
    twin = types.FunctionType(
        kernel.__code__,
        kernel.__globals__,
        kernel.__name__,
        kernel.__defaults__,
        kernel.__closure__,
    )
    return enzyme.jit(twin)


def kernel_of(case: Scenario) -> Any:
    return compiled_again(case.kernel) if case.reload else compiled(case.kernel)


# --- calling, from Python or from @njit code ------------------------------------------------------


def call(case: Scenario, function: Any, *constants: Any, args: Sequence[Any]) -> Any:
    """`function(*constants, *args)`; from @njit code where the scenario says so."""
    if not case.inside_njit:
        return function(*constants, *args)
    return njit_caller(function, constants, tuple(map(spelling, args)))(*operands(args))


def spelling(arg: Any) -> tuple[str, int]:
    """The annotation of an argument, empty for a bare one, and how many shadows it has."""
    if isinstance(arg, Annotation):
        return type(arg).__name__, len(arg.shadows)
    return "", 0


def operands(args: Sequence[Any]) -> list[Any]:
    """The plain values in a list of annotations: what @njit code is handed."""
    flat: list[Any] = []
    for arg in args:
        flat += [arg.primal, *arg.shadows] if spelling(arg)[0] else [arg]
    return flat


@cache
def njit_caller(
    function: Any, constants: tuple[Any, ...], annotations: tuple[tuple[str, int], ...]
) -> Any:
    """An @njit function that spells the call out, annotations and all, as a user would.

    Made from text, since a closure cannot vary how many arguments it spells.
    """
    scope = {f"c{i}": constant for i, constant in enumerate(constants)}
    parameters: list[str] = []
    spelled = list(scope)
    for i, (annotation, width) in enumerate(annotations):
        shadows = [f"d{i}_{lane}" for lane in range(width)]
        parameters += [f"x{i}", *shadows]
        inside = f"({', '.join(shadows)})" if width > 1 else "".join(shadows)
        given = f"x{i}, {inside}" if inside else f"x{i}"
        spelled.append(f"enzyme.{annotation}({given})" if annotation else given)
    text = f"def caller({', '.join(parameters)}):\n    return function({', '.join(spelled)})\n"
    exec(text, scope | {"enzyme": enzyme, "function": function}, made := {})
    return numba.njit(made["caller"])


# --- annotations ----------------------------------------------------------------------------------


def for_reverse(case: Scenario, args: Sequence[Any], shadows: Sequence[Any]) -> list[Any]:
    """Annotated arguments; `shadows` holds, per argument, a list of one shadow per direction."""
    annotated = []
    for i, arg in enumerate(args):
        if i not in case.active():
            annotated.append(enzyme.Const(arg))
        elif is_number(arg):
            annotated.append(enzyme.Active(arg))
        else:
            annotated.append(duplicated(case, arg, shadows[i]))
    return annotated


def for_forward(case: Scenario, args: Sequence[Any], shadows: Sequence[Any]) -> list[Any]:
    return [
        duplicated(case, arg, shadows[i]) if i in case.active() else enzyme.Const(arg)
        for i, arg in enumerate(args)
    ]


def duplicated(case: Scenario, arg: Any, shadows: list[Any]) -> Any:
    if case.width == 1:
        return enzyme.Duplicated(arg, shadows[0])
    return enzyme.BatchDuplicated(arg, tuple(shadows))


def directions(case: Scenario, tangents: Any) -> list[Any]:
    """A tuple of one entry per direction, or the one entry itself, as a list."""
    return list(tangents) if case.width > 1 else [tangents]


# --- reverse --------------------------------------------------------------------------------------


def pull_autodiff(mode: str) -> Callable[..., Pulled]:
    def run(case: Scenario, args: Sequence[Any], shadows: Sequence[Any], seed: Any) -> Pulled:
        annotated = for_reverse(case, args, shadows)
        got = call(case, enzyme.autodiff, getattr(enzyme, mode), kernel_of(case), args=annotated)
        primal = got[1] if mode.endswith("WithPrimal") else None
        return Pulled(collect(case, got[0], shadows), primal, mode.endswith("WithPrimal"))

    return run


def collect(
    case: Scenario, derivatives: Sequence[Any], shadows: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """Active gradients from what was returned, the others from the shadows."""
    assert len(derivatives) == len(case.args), "one derivative per argument"
    for i, derivative in enumerate(derivatives):
        by_value = i in case.active() and is_number(case.args[i])
        assert (derivative is not None) == by_value, f"argument {i}: {derivative}"
    return [
        tuple(
            None
            if i not in case.active()
            else directions(case, derivatives[i])[lane]
            if derivatives[i] is not None
            else shadows[i][lane]
            for i in range(len(case.args))
        )
        for lane in range(case.width)
    ]


def pull_split(case: Scenario, args: Sequence[Any], shadows: Sequence[Any], seed: Any) -> Pulled:
    annotated = for_reverse(case, args, shadows)
    forward, reverse = enzyme.autodiff_thunk(
        enzyme.ReverseSplitWithPrimal, kernel_of(case), *annotated
    )
    tape, primal, shadow = forward(*annotated)
    cotangents = []
    if is_real_scalar(primal):
        cotangents.append(seed)
    elif primal is not None:
        for target, value in zip(leaves(shadow), leaves(seed), strict=True):
            target[...] += value
    got = reverse(*annotated, *cotangents, tape)
    return Pulled(collect(case, got[0], shadows), primal, True)


def pull_gradient(*mode: str) -> Callable[..., Pulled]:
    def run(case: Scenario, args: Sequence[Any], shadows: Sequence[Any], seed: Any) -> Pulled:
        constants = [getattr(enzyme, name) for name in mode]
        return Pulled([call(case, enzyme.gradient, *constants, kernel_of(case), args=args)])

    return run


def pull_grad(case: Scenario, args: Sequence[Any], shadows: Sequence[Any], seed: Any) -> Pulled:
    return Pulled([spread(case, call(case, grad_of(case, "grad"), args=args))])


def pull_value_and_grad(
    case: Scenario, args: Sequence[Any], shadows: Sequence[Any], seed: Any
) -> Pulled:
    value, gradients = call(case, grad_of(case, "value_and_grad"), args=args)
    return Pulled([spread(case, gradients)], value, True)


def grad_of(case: Scenario, transform: str) -> Any:
    return transformed(transform, kernel_of(case), case.active())


@cache
def transformed(transform: str, kernel: Any, positions: tuple[int, ...]) -> Any:
    return getattr(enzyme, transform)(kernel, argnums=positions)


def spread(case: Scenario, gradients: Sequence[Any]) -> tuple[Any, ...]:
    """One gradient per differentiated argument, put at its place among all."""
    found = dict(zip(case.active(), gradients, strict=True))
    return tuple(found.get(i) for i in range(len(case.args)))


def pull_vjp(case: Scenario, args: Sequence[Any], shadows: Sequence[Any], seed: Any) -> Pulled:
    primal, pull = enzyme.vjp(kernel_of(case), *args)
    return Pulled([pull(seed)], primal, True)


# --- forward --------------------------------------------------------------------------------------


def push_autodiff(mode: str) -> Callable[..., Pushed]:
    def run(case: Scenario, args: Sequence[Any], shadows: Sequence[Any]) -> Pushed:
        annotated = for_forward(case, args, shadows)
        got = call(case, enzyme.autodiff, getattr(enzyme, mode), kernel_of(case), args=annotated)
        if returns_nothing(case):
            return Pushed([None] * case.width)
        primal = got[1] if mode.endswith("WithPrimal") else None
        return Pushed(directions(case, got[0]), primal, mode.endswith("WithPrimal"))

    return run


def push_jvp(case: Scenario, args: Sequence[Any], shadows: Sequence[Any]) -> Pushed:
    tangents = tuple(lanes[0] if lanes else None for lanes in shadows)
    primal, tangent = enzyme.jvp(kernel_of(case), tuple(args), tangents)
    return Pushed([tangent], primal, True)


# --- which way fits which scenario ----------------------------------------------------------------


def returns_nothing(case: Scenario) -> bool:
    return case.result() is None


def reverse_fits(case: Scenario) -> bool:
    """Combined reverse starts from one real number, or from the shadows of what is written."""
    result = case.result()
    widened = case.width == 1 or not passes_by_value(case)
    return widened and separable(case) and (result is None or is_real_scalar(result))


def separable(case: Scenario) -> bool:
    """Every active argument is all by value or all memory: an annotation is one or the other."""
    return all(is_number(arg) or is_array(arg) for arg in (case.args[i] for i in case.active()))


def split_fits(case: Scenario) -> bool:
    """A result is seeded as one number or through the arrays that shadow it."""
    result = case.result()
    seedable = result is None or is_real_scalar(result) or is_array(result)
    return plain_call(case) and separable(case) and seedable


def plain_call(case: Scenario) -> bool:
    return case.width == 1 and not case.inside_njit


def pure_scalar(case: Scenario) -> bool:
    return case.width == 1 and not case.writes and is_real_scalar(case.result())


def gradient_fits(case: Scenario) -> bool:
    return pure_scalar(case) and not case.constant


def forward_gradient_fits(case: Scenario) -> bool:
    """In compiled code it takes numbers and arrays, and refuses tuples (docs/limits.md)."""
    has_tuples = any(isinstance(case.args[i], tuple) for i in case.active())
    return gradient_fits(case) and not (case.inside_njit and has_tuples)


def vjp_fits(case: Scenario) -> bool:
    return plain_call(case) and not case.writes and not case.constant


def fits_all(case: Scenario) -> bool:
    return True


WAYS = (
    Way("Reverse", pull_autodiff("Reverse"), reverse_fits, True, seeds_shadows=True),
    Way("Forward", push_autodiff("Forward"), fits_all, False),
    Way(
        "ReverseWithPrimal",
        pull_autodiff("ReverseWithPrimal"),
        reverse_fits,
        True,
        seeds_shadows=True,
    ),
    Way("ForwardWithPrimal", push_autodiff("ForwardWithPrimal"), fits_all, False),
    Way("ReverseSplit", pull_split, split_fits, True, seeds_result=True, seeds_shadows=True),
    Way("gradient", pull_gradient(), gradient_fits, True),
    Way("gradient_Forward", pull_gradient("Forward"), forward_gradient_fits, True),
    Way("grad", pull_grad, pure_scalar, True),
    Way("value_and_grad", pull_value_and_grad, pure_scalar, True),
    Way("vjp", pull_vjp, vjp_fits, True, seeds_result=True),
    Way("jvp", push_jvp, vjp_fits, False),
)


def compatible(case: Scenario | None, way: Way) -> bool:
    """Whether a scenario, as some variant left it, can be asked this way. The only such place."""
    return case is not None and way.needs(case)


def seed_like(case: Scenario, draw: Callable[[Any], Any]) -> Any:
    """A cotangent for the result."""
    result = case.result()
    return draw(result) if result is not None else None


def unit_seed(case: Scenario) -> Any:
    return 1.0 if is_real_scalar(case.result()) else None


def as_written(case: Scenario, args: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(args[i] for i in case.writes)


def float_kind(case: Scenario) -> np.dtype:
    """The precision that a scenario runs in: that of its least precise floating leaf."""
    kinds = [
        np.asarray(leaf).real.dtype
        for leaf in leaves(case.args)
        if np.asarray(leaf).dtype.kind in "fc"
    ]
    return min(kinds, key=lambda kind: kind.itemsize)
