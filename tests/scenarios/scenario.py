"""A scenario is a kernel, its arguments, and a derivative written by hand.

Answers come from mathematics, never from another tool or from a first green run. A kernel that
returns a real number carries `grad(*args)`, one gradient per argument, None for one without
derivative. Any other kernel carries `push(*args, *tangents)`, the tangents of what it returns and of
every argument that it writes: `(tangent_of_result, *tangents_of_written)`. Both are plain NumPy
formulas in float64, evaluated at the very arguments under test, so that a float32 variant is
compared with the exact derivative at the rounded point.

The gradient with respect to a complex number z is dL/dRe(z) + i dL/dIm(z), Enzyme's own view of a
complex number as a pair of reals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.scenarios.trees import inner, is_floating, leaves, tree_map

Kernel = Callable[..., Any]


def contiguous(x: np.ndarray) -> np.ndarray:
    """The layout of a plain array: a C-ordered copy."""
    return np.array(x, order="C", copy=True)


@dataclass(frozen=True)
class Scenario:
    """A kernel with arguments and its answer; the lower half is set by variants only."""

    name: str
    kernel: Kernel = field(repr=False)
    args: tuple[Any, ...] = field(repr=False)
    grad: Callable[..., tuple[Any, ...]] | None = field(default=None, repr=False)
    push: Callable[..., tuple[Any, ...]] | None = field(default=None, repr=False)
    writes: tuple[int, ...] = ()  # positions of the arguments that the kernel changes
    any_layout: bool = True  # False: the kernel asks for contiguous memory, say by reshape
    any_size: bool = False  # True: empty arrays mean something
    any_dtype: bool = True  # False: the kernel mixes precisions on purpose

    layout: Callable[[np.ndarray], np.ndarray] = field(default=contiguous, repr=False)
    constant: frozenset[int] = frozenset()  # positions annotated Const
    width: int = 1  # directions differentiated at once
    inside_njit: bool = False  # the derivative is asked for by @njit code
    reload: bool = False  # from the disk cache, through a kernel that was never compiled

    def fresh(self) -> tuple[Any, ...]:
        """The arguments, copied: a case never sees what another one wrote."""
        return tuple(self.place(arg) for arg in self.args)

    def place(self, arg: Any) -> Any:
        """A copy of a tree in this scenario's memory layout."""
        return tree_map(lambda x: self.layout(x) if isinstance(x, np.ndarray) else x, arg)

    def active(self) -> tuple[int, ...]:
        """The positions that are differentiated: floating point, and not Const."""
        return tuple(
            i for i, arg in enumerate(self.args) if is_active(arg) and i not in self.constant
        )

    def result(self) -> Any:
        """What plain Python returns for the arguments."""
        return run_plainly(self, self.fresh())[0]


def is_active(arg: Any) -> bool:
    """Whether an argument can carry a derivative: all of its leaves are floating point."""
    return all(is_floating(leaf) for leaf in leaves(arg))


def is_array(arg: Any) -> bool:
    """Whether an argument is memory all through: an array, or a tuple of nothing else."""
    return all(isinstance(leaf, np.ndarray) for leaf in leaves(arg))


def is_number(arg: Any) -> bool:
    """Whether an argument is passed by value all through."""
    return not any(isinstance(leaf, np.ndarray) for leaf in leaves(arg))


def is_real_scalar(value: Any) -> bool:
    return isinstance(value, (float, np.floating))


def scenario(
    into: list[Scenario], args: tuple[Any, ...], **rest: Any
) -> Callable[[Kernel], Kernel]:
    """Decorator that adds the kernel to a list, with the answer written above it."""

    def add(kernel: Kernel) -> Kernel:
        into.append(Scenario(kernel.__name__, kernel, args, **rest))
        return kernel

    return add


def widen(tree: Any) -> Any:
    """A contiguous copy in float64 or complex128; integers and bools stay as they are."""

    def leaf(x: Any) -> Any:
        if not is_floating(x):
            return np.copy(x) if isinstance(x, np.ndarray) else x
        wide = np.array(x, dtype=np.complex128 if np.iscomplexobj(x) else np.float64, order="C")
        return wide if isinstance(x, np.ndarray) else wide[()].item()

    return tree_map(leaf, tree)


def run_plainly(case: Scenario, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """The kernel as plain Python in float64: what it returns, and its arguments afterwards."""
    after = tuple(widen(arg) for arg in args)
    with np.errstate(all="ignore"):
        result = case.kernel(*after)
    return result, after


def written_tangent(case: Scenario, tangents: tuple[Any, ...]) -> tuple[Any, ...]:
    """The hand-written answer of forward mode: tangent of the result, then of each written."""
    args = tuple(widen(arg) for arg in case.args)
    full = tuple(
        widen(t) if i in case.active() else zeros_like(arg)
        for i, (t, arg) in enumerate(zip(tangents, args, strict=True))
    )
    if case.push is not None:
        return case.push(*args, *full)
    gradients = case.grad(*args)
    return (sum(inner(gradients[i], full[i]) for i in case.active()),)


def zeros_like(arg: Any) -> Any:
    """A zero tangent; None for an argument that has no tangents."""
    return tree_map(lambda x: np.zeros_like(x)[()], widen(arg)) if is_active(arg) else None
