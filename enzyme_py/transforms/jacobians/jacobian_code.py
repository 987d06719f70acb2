"""The code of a Jacobian, written out for the types of the arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numba
from numba.core import types
from numba.core.target_extension import current_target

from enzyme_py.assembly.none_results import compile_with_result
from enzyme_py.assembly.results import returned_type
from enzyme_py.errors import UnsupportedTypeError, Where
from enzyme_py.foundations.keeping import kept_with_kernel, released
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.external.ruled import takes_rules
from enzyme_py.frontend.functions.bound_types import with_held
from enzyme_py.frontend.target.lower import compile_kernel, takes_derivatives
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.activities import activity_of, other_than
from enzyme_py.transforms.jacobians.columns import Leaves, column_lines, is_inexact
from enzyme_py.transforms.jacobians.jacobian import AT_ONCE, Jacobian, jacobian_at
from enzyme_py.transforms.jacobians.loops import may_share_out
from enzyme_py.transforms.jacobians.rows import row_lines
from enzyme_py.transforms.plans.drawn_again import warn_of_draws
from enzyme_py.transforms.plans.helpers import written_for
from enzyme_py.transforms.plans.plans import PlanType, transform
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.structures import (
    Path,
    at,
    defined,
    kind_at,
    listed,
    paths,
    regrouped,
    written,
)
from enzyme_py.transforms.values.copies import copy_of
from enzyme_py.transforms.values.functions import as_held


@written_for(jacobian_at)
def _jacobian_at(wanted: PlanType, arguments: Any) -> Callable[..., Any]:
    """Write the whole computation as one function: each that Numba compiles costs a tenth second."""
    plan: Any = wanted.plan
    kinds = with_held([types.unliteral(kind) for kind in arguments], plan.skipped)
    flat = _Flat(plan, kinds)
    out = _returned_type(plan, kinds)
    warn_of_draws(plan.kernel, tuple(kinds), "a Jacobian takes several runs")
    _check_numbers(plan, out, flat)
    mode = replace(plan.mode, need_primal=False, is_holomorphic=False)
    held = plan.skipped  # an argument each: nothing is differentiated by it
    leaves = Leaves(
        flat.kernel,
        tuple(flat.kinds),
        tuple(flat.selected),
        mode,
        _chunk(plan, kinds),
        may_share_out(plan, kinds),
        held,
    )
    scope: dict[str, Any] = {"primal": Primal(plan.kernel), "run": transform, "copy_of": copy_of}
    scope["as_held"] = as_held
    lines = []
    if not plan.mode.is_forward or plan.has_aux or plan.mode.need_primal:
        own = "".join(f"{one}, " for one in flat.expressions[:held])
        lines.append(f"returned = run(primal, {own}*copy_of(arguments[{held}:]))")
        lines.append("out = returned[0]" if plan.has_aux else "out = returned")
    lines += [f"leaf_{place} = {one}" for place, one in enumerate(flat.expressions)]
    if plan.mode.is_forward:
        for place in flat.selected:
            lines += column_lines(leaves, place, scope)
    else:
        for number, path in enumerate(paths(out)):
            lines += row_lines(leaves, path, number, kind_at(out, path), plan.holomorphic, scope)
    result = _arranged(plan, flat, out, scope)
    if plan.has_aux:
        result = f"({result}, returned[1])"
    elif plan.mode.need_primal:
        result = f"({result}, returned)"
    text = ["def jacobian(wanted, arguments):", *lines, f"return {result}"]
    return defined("\n    ".join(text), "jacobian", scope)


def _chunk(plan: Jacobian, kinds: Sequence[Any]) -> int:
    # Enzyme has no batch of reverse over reverse (it fails an assertion), and none of rules (measured).
    kernel = compile_kernel(plan.kernel, tuple(kinds))
    if takes_rules(kernel) or (takes_derivatives(kernel) and not plan.mode.is_forward):
        return 1
    if plan.chunk is not None:
        return plan.chunk
    # A batch of a batch would multiply the code that Enzyme has to make.
    return AT_ONCE if current_target() == "cpu" else 1


# -- arguments -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """An argument by which is differentiated: its type, and those of its leaves that count."""

    kind: Any
    shown: dict[Path, int]


class _Flat:
    """The plan's kernel as one of leaves: numbers and arrays in place of tuples of them."""

    def __init__(self, plan: Jacobian, kinds: Sequence[Any]) -> None:
        self.expressions: list[str] = []  # of the leaves, from `arguments`
        self.kinds: list[Any] = []  # their types
        self.owners: list[int] = []  # the argument that each belongs to
        self.selected: list[int] = []  # the leaves by which is differentiated
        self.count = len(kinds)
        self.chosen = _chosen(plan, kinds)
        own: dict[int, _Group] = {}
        rebuilt: list[str] = []
        scope: dict[str, Any] = {}
        for number, kind in enumerate(kinds):
            is_chosen = number in self.chosen
            first = len(self.kinds)
            places = {path: first + i for i, path in enumerate(paths(kind) if is_chosen else [()])}
            rebuilt.append(
                regrouped(kind, functools.partial(_leaf, places), scope)
                if is_chosen
                else f"leaves[{first}]"
            )
            value = f"arguments[{number}]"
            if number < plan.skipped:
                value = f"as_held({value})"
            self.expressions += [f"{value}{at(path)}" for path in places]
            self.kinds += [kind_at(kind, path) for path in places]
            self.owners += [number] * len(places)
            if is_chosen:
                own[number] = _Group(kind, self._select(places))
        self.groups = [own[number] for number in self.chosen]
        self.kernel = plan.kernel
        if len(rebuilt) != len(self.kinds) or scope or plan.has_aux:
            part = "[0]" if plan.has_aux else ""
            text = f"kernel({', '.join(rebuilt)}){part}"
            self.kernel = _kernel_of_leaves(plan.kernel, text, tuple(scope.items()))

    def _select(self, places: dict[Path, int]) -> dict[Path, int]:
        """Return those of an argument's leaves that have a derivative."""
        shown = {
            path: place
            for path, place in places.items()
            if activity_of(self.kinds[place]) is not Activity.CONST
        }
        self.selected += shown.values()
        return shown


def _leaf(places: dict[Path, int], path: Path) -> str:
    return f"leaves[{places[path]}]"


@kept_with_kernel
def _kernel_of_leaves(kernel: Any, text: str, classes: tuple[tuple[str, Any], ...]) -> Any:
    function = written("*leaves", text, {"kernel": kernel, **dict(classes)})
    function.__name__ = function.__qualname__ = kernel.py_func.__name__
    return released(numba.njit(function))


def _chosen(plan: Jacobian, kinds: Sequence[Any]) -> tuple[int, ...]:
    """Return the numbers of the arguments by which is differentiated."""
    held = plan.skipped
    active = [
        n for n, kind in enumerate(kinds) if n >= held and activity_of(kind) is not Activity.CONST
    ]
    if plan.argnums is None:
        return tuple(number for number in active if number - held not in plan.constants)
    where = where_is(plan.kernel)
    chosen = []
    for given in plan.argnums:
        number = given + (len(kinds) if given < 0 else held)
        if not held <= number < len(kinds):
            message = f"argnums names argument {given}, the call has {len(kinds) - held}"
            remedy = "count from 0; arguments left at their defaults do not count"
            raise UnsupportedTypeError(message, where=where, remedy=remedy)
        if number not in active:
            label = plan.argument_label(number)
            message = f"argument `{label}` of type {kinds[number]} has no derivative"
            remedy = other_than(kinds[number])
            raise UnsupportedTypeError(message, where=where, remedy=remedy)
        chosen.append(number)
    return tuple(chosen)


def _returned_type(plan: Jacobian, kinds: Sequence[Any]) -> Any:
    """Return the type of the output: of what the kernel returns, or of the first part of it."""
    kernel = compile_with_result(plan.kernel, tuple(kinds), has_aux=plan.has_aux)
    returned = returned_type(types.unliteral(kernel.return_type))
    if not plan.has_aux:
        return returned
    where = where_is(plan.kernel)
    if not isinstance(returned, types.BaseTuple) or len(returned) != 2:
        message = f"with has_aux, `{where.kernel}` must return a pair (value, aux)"
        raise UnsupportedTypeError(message, where=where, remedy="leave has_aux out")
    return returned[0]


def _check_no_records(name: str, kind: Any, where: Where) -> None:
    """Refuse arrays of records where each number gets a run of its own."""
    if isinstance(kind, types.Array) and isinstance(kind.dtype, types.Record):
        message = f"argument `{name}` is an array of records, of whose numbers forward mode makes no columns"
        remedy = "reverse mode (grad, jacrev), jvp along an array of the same records, or an array for each field"
        raise UnsupportedTypeError(message, where=where, remedy=remedy)


def _check_numbers(plan: Jacobian, returned: Any, flat: _Flat) -> None:
    """Refuse results without a derivative, and complex numbers without a stated meaning."""
    where = where_is(plan.kernel)
    numbers = [_number(kind_at(returned, path)) for path in paths(returned)]
    if not any(map(is_inexact, numbers)):
        message = f"`{where.kernel}` returns {returned}, which has no derivative"
        remedy = "return what it computes: floats, arrays of floats, or tuples of these"
        raise UnsupportedTypeError(message, where=where, remedy=remedy)
    for place in flat.selected:
        _check_number(plan, flat.owners[place], flat.kinds[place])
    if plan.holomorphic and not all(isinstance(one, types.Complex) for one in numbers):
        message = f"holomorphic=True, but `{where.kernel}` returns {returned}"
        remedy = "a holomorphic function returns complex numbers; leave holomorphic out for others"
        raise UnsupportedTypeError(message, where=where, remedy=remedy)


def _check_number(plan: Jacobian, argument: int, kind: Any) -> None:
    if plan.mode.is_forward:
        _check_no_records(plan.argument_label(argument), kind, where_is(plan.kernel))
    is_complex = isinstance(_number(kind), types.Complex)
    if is_complex == plan.holomorphic:
        return
    name = plan.argument_label(argument)
    message = f"argument `{name}` is complex: which derivative is meant?"
    remedy = (
        "say holomorphic=True if the function is, or pass real and imaginary part as two arguments"
    )
    if plan.holomorphic:
        message = f"holomorphic=True, but argument `{name}` is real"
        remedy = "leave holomorphic out, or pass a complex argument"
    raise UnsupportedTypeError(message, where=where_is(plan.kernel, name), remedy=remedy)


def _number(kind: Any) -> Any:
    return kind.dtype if isinstance(kind, types.Array) else kind


# -- results ---------------------------------------------------------------------------------------


def _arranged(plan: Jacobian, flat: _Flat, out: Any, scope: dict[str, Any]) -> str:
    """Return the expression of the result from the Jacobians of leaves by leaves."""
    outputs = {path: number for number, path in enumerate(paths(out))}

    def leaf(output: Path, place: int | None) -> str:
        if place is None:
            return "None"
        if plan.mode.is_forward:  # by argument, each with the structure of the output
            return f"by_{place}{at(output)}"
        return f"of_{outputs[output]}_by_{place}"

    def by_argument(output: Path, group: _Group) -> str:
        return regrouped(group.kind, lambda path: leaf(output, group.shown.get(path)), scope)

    def of_output(output: Path) -> str:
        entries = [by_argument(output, group) for group in flat.groups]
        return entries[0] if plan.is_single else listed(entries)

    if plan.by_output:
        return regrouped(out, of_output, scope)
    entries = iter(
        regrouped(out, functools.partial(by_argument, group=group), scope) for group in flat.groups
    )
    if plan.argnums is None:
        shown = [
            next(entries) if n in flat.chosen else "None" for n in range(plan.skipped, flat.count)
        ]
    else:
        shown = list(entries)
    return shown[0] if plan.is_single else listed(shown)
