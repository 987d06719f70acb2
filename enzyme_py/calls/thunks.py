"""autodiff_thunk: reverse mode in two halves, with a tape between.

The forward half runs the kernel and keeps what the reverse half needs on a tape, which owns its
memory and frees it with the last reference. Each tape is good for one reverse sweep, over arguments
of the forms that the forward half was given: compiled code reads the tape as what it expects there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import Any, NoReturn

import numpy as np

from enzyme_py.annotations import Annotation, Const, as_annotation
from enzyme_py.calls.annotated_calls import check_apart, lanes_of
from enzyme_py.calls.given_forms import differing, form_of
from enzyme_py.errors import AnnotationError, EnzymeError, UnsupportedTypeError
from enzyme_py.foundations.places import argument_names, where_is
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.modes import Mode
from enzyme_py.request import Activity, Direction
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.split import Half
from enzyme_py.transforms.plans.runners import positional_runner


@dataclass(slots=True)
class _Filled:
    """Of a forward half that has run: what the reverse half must go on with."""

    halves: _Halves
    kernel: Any
    held: tuple[Any, ...]  # what its function held
    width: int
    seeds: int  # cotangents that the reverse half is given
    forms: list[Any]  # of the primals


class Tape:
    """What the reverse half of a split derivative needs of its forward half.

    Examples:
        >>> enzyme.Tape().nbytes
        0
    """

    def __init__(self) -> None:
        from enzyme_py.native.runtime import interface, library

        self._free = None
        self._region = library().enzyme_py_tape_new()
        if self._region == interface().NULL:
            raise MemoryError
        self._free = library().enzyme_py_tape_free  # kept: modules may be gone at exit
        self.address = int(interface().cast("intptr_t", self._region))  # where the runtime keeps it
        self._taken = threading.Lock()  # its acquire tests and sets at once
        self.filled: _Filled | None = None

    def __del__(self) -> None:
        if self._free is not None:
            self._free(self._region)

    def __reduce__(self) -> NoReturn:
        message = "a tape cannot be copied or pickled: its memory has one owner, and is good for one sweep"
        raise UnsupportedTypeError(message, remedy="run forward once more for another tape")

    @property
    def is_used(self) -> bool:
        """Whether a reverse sweep has consumed it, or does so now."""
        return self._taken.locked()

    def take(self) -> bool:
        """Claim it for a reverse sweep; tell whether it was still there to claim."""
        return self._taken.acquire(blocking=False)

    @property
    def nbytes(self) -> int:
        """The memory that it holds now."""
        from enzyme_py.native.runtime import library

        return int(library().enzyme_py_tape_bytes(self._region))


class _OnTape:
    """Lends memory of a tape to an array, which keeps the tape alive."""

    def __init__(self, tape: Tape, place: tuple[Any, ...], dtype: np.dtype[Any]) -> None:
        address, shape, strides = place
        self.tape = tape
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "data": (address, False),
            "shape": shape,
            "strides": strides,
        }


def autodiff_thunk(
    mode: Mode, f: Callable[..., Any], *given: Any
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the two halves of reverse mode: `autodiff_thunk(mode, f, [return activity,] *args)`.

    The arguments say the activities; annotation classes (`Duplicated`) serve as well as annotated
    values. `forward(*annotated)` returns `(tape, primal, shadow)`: the primal under
    ReverseSplitWithPrimal, else None; the shadow of an array result, in which its cotangent is
    put, else None. `reverse(*annotated, [cotangent of a number,] tape)` returns `(gradients,)` as
    `autodiff` does. A tape is good for one sweep, over arguments of the types, shapes, integers and
    widths that `forward` was given.

    Examples:
        >>> mode = enzyme.ReverseSplitWithPrimal
        >>> forward, reverse = enzyme.autodiff_thunk(mode, lambda x: x**3, enzyme.Active)
        >>> tape, primal, _ = forward(enzyme.Active(2.0))
        >>> primal, reverse(enzyme.Active(2.0), 1.0, tape)
        (8.0, ((12.0,),))
    """
    if not mode.is_split:
        message = f"autodiff_thunk needs a split mode, not {mode}"
        raise AnnotationError(message, remedy="ReverseSplitWithPrimal, or use autodiff")
    opened(f)  # now, so that a mistake is told here
    rest = list(given)
    result = None
    if len(rest) > 1 and _is_class(rest[0]) and not all(map(_is_class, rest)):
        result = rest.pop(0).activity
    activities = tuple(
        one.activity if _is_class(one) else as_annotation(one).activity for one in rest
    )
    halves = _Halves(f, mode, activities, result)
    return halves.forward, halves.reverse


def _is_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Annotation)


class _Halves:
    """The halves of one thunk; plans are made at the call, when the width is known."""

    def __init__(
        self, function: Any, mode: Mode, activities: tuple[Activity, ...], result: Activity | None
    ) -> None:
        self.function = function
        self.mode = mode
        self.activities = activities
        self.result = result
        # What tapes of two thunks of one function have in common: both are asked for the primal.
        self.tapes_alike = activities, result, mode.runtime_activity, mode.strong_zero

    def forward(self, *given: Any) -> tuple[Tape, Any, Any]:
        """Run the kernel and keep what `reverse` needs: returns (tape, primal, shadow)."""
        kernel, held = opened(self.function)
        annotations = self._annotations(kernel, held, given)
        check_apart(kernel, annotations)
        plan = self._plan(kernel, len(held), annotations, Direction.SPLIT_FORWARD)
        parts = _parts(annotations)
        tape = Tape()
        *places, primal = positional_runner(plan, 1 + len(parts))(tape.address, *parts)
        width, is_batch = plan.annotated.width, plan.annotated.is_batch
        is_seeded = primal is not None and not places and self.result is not Activity.CONST
        forms = [form_of(one.primal) for one in annotations]
        tape.filled = _Filled(self, kernel, held, width, width if is_seeded else 0, forms)
        shadows = [_shadow(tape, place, primal) for place in places]
        shadow = tuple(shadows) if is_batch and shadows else next(iter(shadows), None)
        return tape, (primal if self.mode.need_primal else None), shadow

    def reverse(self, *given: Any) -> tuple[Any, ...]:
        """Sweep back over a tape: adds to the shadows, returns the gradients of Active ones."""
        tape, filled = self._tape(given)
        count = len(self.activities)
        kernel = filled.kernel
        annotations = self._annotations(kernel, filled.held, given[: min(count, len(given) - 1)])
        plan = self._plan(kernel, len(filled.held), annotations, Direction.SPLIT_REVERSE)
        seeds: list[Any] = []
        for seed in given[count:-1]:
            seeds.extend(seed if isinstance(seed, tuple) else (seed,))
        self._check_given(filled, annotations, plan.annotated.width, len(seeds))
        parts = [*_parts(annotations), *seeds]
        runner = positional_runner(plan, 1 + len(parts))
        if not tape.take():
            raise self._used()
        returned: tuple[Any, ...] = runner(tape.address, *parts)
        return returned

    def _tape(self, given: Sequence[Any]) -> tuple[Tape, _Filled]:
        """Return the tape among the arguments of a reverse half, and what filled it: a thunk as this one."""
        tape = given[-1] if given else None
        if not isinstance(tape, Tape):
            message = f"the last argument of a reverse half is its tape, not {type(tape).__name__}"
            raise self._error(message, "reverse(*args, tape)")
        filled = tape.filled
        if filled is None:
            raise self._error("this tape is empty: no forward half has filled it", "pass the tape that forward returned")
        if tape.is_used:
            raise self._used()
        if filled.halves is not self and not self._is_like(filled.halves):
            whose = f"`{where_is(filled.kernel).kernel}`, with other activities or in another mode"
            if not _are_same(self.function, filled.halves.function):
                whose = f"another function, `{where_is(filled.kernel).kernel}`"
            message = f"this tape is of {whose}"
            raise self._error(message, "pass the tape of the forward half that came with this reverse half")
        return tape, filled

    def _is_like(self, other: _Halves) -> bool:
        return self.tapes_alike == other.tapes_alike and _are_same(self.function, other.function)

    def _check_given(
        self, filled: _Filled, annotations: Sequence[Annotation], width: int, seeds: int
    ) -> None:
        """Refuse what the tape was not made for, before compiled code reads it."""
        if width != filled.width:
            message = f"shadows of each argument: {width}, and {filled.width} in the forward half"
            raise self._error(message, "give both halves the same number of shadows")
        forms = [form_of(one.primal) for one in annotations]
        if forms != filled.forms:
            names = argument_names(filled.kernel)
            labels = [*names, *map(str, range(len(names), len(forms)))]  # more arguments than names: of *args
            message = next(filter(None, map(differing, labels, filled.forms, forms)))
            raise self._error(message, "give reverse the arguments that forward had, the elements of arrays apart")
        if seeds != filled.seeds:
            message = f"cotangents in front of the tape: {seeds}; this result takes {filled.seeds}"
            remedy = "one for a number, in a batch a tuple with one for each lane; that of an array is put in its shadow"
            raise self._error(message, remedy)

    def _used(self) -> EnzymeError:
        message = "this tape was used by an earlier reverse sweep, which consumed it"
        return EnzymeError(message, where=where_is(self._kernel()), remedy="run forward again")

    def _error(self, message: str, remedy: str) -> AnnotationError:
        return AnnotationError(message, where=where_is(self._kernel()), remedy=remedy)

    def _kernel(self) -> Any:
        return opened(self.function)[0]

    def _annotations(
        self, kernel: Any, held: tuple[Any, ...], given: Sequence[Any]
    ) -> list[Annotation]:
        annotations = [as_annotation(value) for value in given]
        found = tuple(one.activity for one in annotations)
        if found != self.activities:
            expected = ", ".join(one.value for one in self.activities)
            message = f"this thunk was made for ({expected})"
            remedy = "annotate the arguments as in autodiff_thunk"
            raise AnnotationError(message, where=where_is(kernel), remedy=remedy)
        return [*map(Const, held), *annotations]

    def _plan(
        self, kernel: Any, held: int, annotations: Sequence[Annotation], direction: Direction
    ) -> Half:
        width, is_batch = lanes_of(kernel, annotations)
        activities = tuple(one.activity for one in annotations)
        whole = Annotated(kernel, self.mode, activities, width, is_batch, self.result, held, constants_are_said=True)
        return Half(whole, direction)


def _are_same(function: Any, other: Any) -> bool:
    """Tell whether two functions are one; a method is another object each time that it is asked for."""
    return function is other or (isinstance(function, MethodType) and bool(function == other))


def _parts(annotations: Sequence[Annotation]) -> list[Any]:
    return [part for one in annotations for part in (one.primal, *one.shadows)]


def _shadow(tape: Tape, place: tuple[Any, ...], primal: Any) -> Any:
    if place[0] == 0:  # a constant array: what is added to its shadow goes nowhere
        return np.zeros_like(primal)
    return np.asarray(_OnTape(tape, place, primal.dtype))
