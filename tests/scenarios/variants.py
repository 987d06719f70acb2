"""Functions from scenario to scenario; None where the variant changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from tests.scenarios.scenario import Scenario, is_number
from tests.scenarios.trees import is_floating, leaves, tree_map

Variant = Callable[[Scenario], Scenario | None]


def base(case: Scenario) -> Scenario:
    """The scenario itself."""
    return case


def float32(case: Scenario) -> Scenario | None:
    """Every float single, every complex number complex64."""
    return replace(case, args=tree_map(single, case.args)) if case.any_dtype else None


def single(leaf: Any) -> Any:
    if not is_floating(leaf):
        return leaf
    kind = np.complex64 if np.iscomplexobj(leaf) else np.float32
    return leaf.astype(kind) if isinstance(leaf, np.ndarray) else kind(leaf)


def every_other(x: np.ndarray) -> np.ndarray:
    """A copy in every second place of a larger buffer; NaN in the gaps would show any misread."""
    gaps = np.full([2 * n for n in x.shape], np.nan if is_floating(x) else -1, dtype=x.dtype)
    view = gaps[(slice(None, None, 2),) * x.ndim]
    view[...] = x
    return view


def backwards(x: np.ndarray) -> np.ndarray:
    """A copy whose every stride is negative."""
    turn = (slice(None, None, -1),) * x.ndim
    return x[turn].copy()[turn]


def strided(case: Scenario) -> Scenario | None:
    """Arrays are every second element of larger buffers."""
    return with_layout(case, every_other, 1)


def negative_stride(case: Scenario) -> Scenario | None:
    """Arrays run backwards through memory."""
    return with_layout(case, backwards, 1)


def fortran_order(case: Scenario) -> Scenario | None:
    """Matrices lie column by column."""
    return with_layout(case, lambda x: np.array(x, order="F", copy=True), 2)


def with_layout(case: Scenario, layout: Callable[..., Any], ndim: int) -> Scenario | None:
    if not case.any_layout or not any(np.ndim(leaf) >= ndim for leaf in leaves(case.args)):
        return None
    return replace(case, layout=layout)


def zero_size(case: Scenario) -> Scenario | None:
    """Every array empty."""
    if not case.any_size:
        return None
    return replace(case, args=tree_map(emptied, case.args))


def emptied(leaf: Any) -> Any:
    return leaf[..., :0] if isinstance(leaf, np.ndarray) else leaf


def batched(case: Scenario) -> Scenario:
    """Two directions at once."""
    return replace(case, width=2)


def inside_njit(case: Scenario) -> Scenario:
    """The derivative is asked for by @njit code."""
    return replace(case, inside_njit=True)


def reloaded(case: Scenario) -> Scenario:
    """A second kernel of the same source takes the finished derivative from the disk cache."""
    return replace(case, reload=True)


def constant(positions: frozenset[int]) -> Variant:
    """A variant that annotates these arguments Const."""

    def variant(case: Scenario) -> Scenario | None:
        active, written = set(case.active()), set(case.writes)
        if not positions < active or positions & written:
            return None
        return replace(case, constant=positions)

    return variant


def strided_constant(case: Scenario) -> Scenario | None:
    """Strided arrays, the first of them Const: Numba's own contiguous copies of it have shadows."""
    varied = strided(case)
    return None if varied is None else constant(frozenset({0}))(varied)


def constant_mixes(most: int) -> Iterator[tuple[str, Variant]]:
    """Every choice of Const arguments among the first `most`."""
    for size in range(1, most):
        for positions in combinations(range(most), size):
            name = "const_" + "".join(map(str, positions))
            yield name, constant(frozenset(positions))


VARIANTS: dict[str, Variant] = {
    "base": base,
    "float32": float32,
    "strided": strided,
    "negative_stride": negative_stride,
    "fortran_order": fortran_order,
    "zero_size": zero_size,
    "batched": batched,
    "inside_njit": inside_njit,
    "reloaded": reloaded,
    "strided_constant": strided_constant,
    **dict(constant_mixes(4)),
}


def passes_by_value(case: Scenario) -> bool:
    """Whether no active argument is an array, so that reverse mode has no shadow to widen."""
    return all(is_number(case.args[i]) for i in case.active())
