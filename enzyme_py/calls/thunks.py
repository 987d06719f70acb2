"""autodiff_thunk: reverse mode in two halves, with a tape between.

The forward half runs the kernel and keeps what the reverse half needs on a tape, which owns its
memory and frees it with the last reference. Each tape is good for one reverse sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme_py.annotations import Annotation, Const, as_annotation
from enzyme_py.calls.annotated_calls import check_apart, lanes_of
from enzyme_py.errors import AnnotationError, EnzymeError
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.modes import Mode
from enzyme_py.request import Activity, Direction
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.split import Half
from enzyme_py.transforms.plans.runners import positional_runner


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
        self.is_used = False
        self.opened: Any = None  # the kernel of the forward half, and what its function held

    def __del__(self) -> None:
        if self._free is not None:
            self._free(self._region)

    @property
    def address(self) -> int:
        """Where the runtime keeps it."""
        from enzyme_py.native.runtime import interface

        return int(interface().cast("intptr_t", self._region))

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
    `autodiff` does.

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

    def forward(self, *given: Any) -> tuple[Tape, Any, Any]:
        """Run the kernel and keep what `reverse` needs: returns (tape, primal, shadow)."""
        kernel, held = opened(self.function)
        annotations = self._annotations(kernel, held, given)
        check_apart(kernel, annotations)
        plan = self._plan(kernel, len(held), annotations, Direction.SPLIT_FORWARD)
        parts = _parts(annotations)
        tape = Tape()
        tape.opened = kernel, held
        *places, primal = positional_runner(plan, 1 + len(parts))(tape.address, *parts)
        shadows = [_shadow(tape, place, primal) for place in places]
        is_batch = plan.annotated.is_batch
        shadow = tuple(shadows) if is_batch and shadows else next(iter(shadows), None)
        return tape, (primal if self.mode.need_primal else None), shadow

    def reverse(self, *given: Any) -> tuple[Any, ...]:
        """Sweep back over a tape: adds to the shadows, returns the gradients of Active ones."""
        *rest, tape = given
        if not isinstance(tape, Tape):
            message = f"the last argument of a reverse half is its tape, not {type(tape).__name__}"
            raise AnnotationError(
                message, where=where_is(self._kernel()), remedy="reverse(*args, tape)"
            )
        if tape.is_used:
            message = "this tape was used by an earlier reverse sweep, which consumed it"
            where = where_is(self._kernel())
            raise EnzymeError(message, where=where, remedy="run forward again")
        count = len(self.activities)
        kernel, held = tape.opened
        annotations = self._annotations(kernel, held, rest[:count])
        plan = self._plan(kernel, len(held), annotations, Direction.SPLIT_REVERSE)
        seeds: list[Any] = []
        for seed in rest[count:]:
            seeds.extend(seed if isinstance(seed, tuple) else (seed,))
        parts = [*_parts(annotations), *seeds]
        runner = positional_runner(plan, 1 + len(parts))
        tape.is_used = True
        returned: tuple[Any, ...] = runner(tape.address, *parts)
        return returned

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
        whole = Annotated(kernel, self.mode, activities, width, is_batch, self.result, held)
        return Half(whole, direction)


def _parts(annotations: Sequence[Annotation]) -> list[Any]:
    return [part for one in annotations for part in (one.primal, *one.shadows)]


def _shadow(tape: Tape, place: tuple[Any, ...], primal: Any) -> Any:
    if place[0] == 0:  # a constant array: what is added to its shadow goes nowhere
        return np.zeros_like(primal)
    return np.asarray(_OnTape(tape, place, primal.dtype))
