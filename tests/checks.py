"""The questions asked of every derivative: is it the written answer, do forward, reverse and
finite differences agree, is everything else left alone, does a second call say the same?

Tolerances depend on the precision alone. Kernels are small and well conditioned: some hundred
operations, each with a relative error of at most one unit in the last place, growing at worst
linearly. So 2**10 units of the largest number in the answer are allowed, 2.3e-13 in float64 and
1.2e-4 in float32; the answer itself is computed in float64 at the same, rounded, point.
Central differences over five points with step 4e-4 err by 2.6e-14 / 30 times the fifth derivative
from truncation and by about 1e-12 of the value from rounding; 1e-8 leaves room for fifth
derivatives in the millions.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.scenarios.modes import (
    Pulled,
    Pushed,
    Way,
    as_written,
    float_kind,
    kernel_of,
    seed_like,
    unit_seed,
)
from tests.scenarios.scenario import (
    Scenario,
    is_number,
    run_plainly,
    widen,
    written_tangent,
    zeros_like,
)
from tests.scenarios.trees import basis, inner, is_floating, leaves, tree_map

STEP = 4e-4
DIFFERENCE_TOLERANCE = 1e-8


class Draw:
    """Random numbers that depend on the scenario only, in its own precision and layout."""

    def __init__(self, case: Scenario) -> None:
        self.case = case
        self.random = np.random.default_rng(zlib.crc32(case.name.encode()))

    def like(self, tree: Any) -> Any:
        """A random tree of the same shapes and types, laid out as the scenario says."""
        return self.case.place(tree_map(self.leaf, tree))

    def leaf(self, leaf: Any) -> Any:
        kind = np.asarray(leaf)
        values = self.random.uniform(0.5, 1.5, kind.shape)
        if kind.dtype.kind == "c":
            values = values + 1j * self.random.uniform(-1.0, 1.0, kind.shape)
        return values.astype(kind.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(values)


def tolerance(case: Scenario) -> float:
    return float(2**10 * np.finfo(float_kind(case)).eps)


def flatten(tree: Any) -> np.ndarray:
    """Every float of a tree in one vector; a complex number is two."""
    parts = [np.atleast_1d(np.asarray(leaf)).ravel() for leaf in leaves(tree) if is_floating(leaf)]
    pairs = [np.ascontiguousarray(p).view(p.real.dtype) for p in parts]
    return np.concatenate([np.zeros(0), *pairs]).astype(np.float64)


def assert_close(got: Any, want: Any, rtol: float, what: str) -> None:
    """Equal to `rtol` of the largest number wanted, or of one where all are smaller."""
    left, right = flatten(got), flatten(want)
    assert left.shape == right.shape, f"{what}: {left.size} numbers, {right.size} expected"
    scale = max(1.0, float(np.max(np.abs(right), initial=0.0)))
    error = np.abs(left - right)
    assert np.all(error <= rtol * scale), f"{what}: got {left}, expected {right}"


# --- the reference: the written answer and finite differences -------------------------------------


def written_gradient(case: Scenario, seed: Any, entry: Sequence[Any]) -> list[np.ndarray]:
    """Per active argument, the gradient of <seed, result> + sum <entry, argument afterwards>."""
    zeros = [zeros_like(arg) for arg in case.args]
    gradients = []
    for i in case.active():
        components = []
        for unit in basis(case.args[i]):
            tangents = tuple(unit if j == i else zero for j, zero in enumerate(zeros))
            components.append(paired(case, seed, entry, tangents))
        gradients.append(np.array(components, dtype=float))
    return gradients


def paired(case: Scenario, seed: Any, entry: Sequence[Any], tangents: tuple[Any, ...]) -> float:
    """<seed, tangent of the result> + sum <entry, tangent of each argument afterwards>."""
    result, *written = written_tangent(case, tangents)
    after = list(tangents)
    for i, tangent in zip(case.writes, written, strict=True):
        after[i] = tangent
    total = inner(seed, result) if seed is not None else 0.0
    return total + sum(inner(entry[i], after[i]) for i in case.active() if entry[i] is not None)


def differences(case: Scenario, tangents: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tangents of the result and of what is written, by central differences over five points."""
    weights = {-2: 1.0, -1: -8.0, 1: 8.0, 2: -1.0}
    return tuple(
        sum(weight * flat for weight, flat in zip(weights.values(), column, strict=True))
        / (12 * STEP)
        for column in zip(*(outputs(moved(case, tangents, k * STEP)) for k in weights), strict=True)
    )


def moved(case: Scenario, tangents: tuple[Any, ...], step: float) -> Scenario:
    def shift(x: Any, t: Any) -> Any:
        return np.asarray(x + step * t) if isinstance(x, np.ndarray) else x + step * t

    args = tuple(
        tree_map(shift, widen(arg), widen(tangents[i])) if i in case.active() else arg
        for i, arg in enumerate(case.args)
    )
    return replace(case, args=args)


def outputs(case: Scenario) -> list[np.ndarray]:
    result, after = run_plainly(case, case.args)
    return [flatten(tree) for tree in (result, *as_written(case, after))]


def check_answer(case: Scenario) -> None:
    """The answer written by hand agrees with finite differences in every direction."""
    zeros = [zeros_like(arg) for arg in case.args]
    for i in case.active():
        for unit in basis(case.args[i]):
            tangents = tuple(unit if j == i else zero for j, zero in enumerate(zeros))
            by_hand = [flatten(tree) for tree in written_tangent(case, tangents)]
            for hand, difference in zip(by_hand, differences(case, tangents), strict=True):
                assert_close(hand, difference, DIFFERENCE_TOLERANCE, f"{case.name}, argument {i}")


# --- reverse --------------------------------------------------------------------------------------


def check_reverse(case: Scenario, way: Way) -> None:
    """Ask in reverse, with random cotangents wherever the way leaves them free."""
    draw = Draw(case)
    seed = seed_like(case, draw.like) if way.seeds_result else unit_seed(case)
    entries = [entry_shadows(case, way, draw, i) for i in range(len(case.args))]
    args, shadows, pulled = pull(case, way, entries, seed)
    for lane in range(case.width):
        entry = [lanes[lane] for lanes in entries]
        check_gradients(case, pulled.gradients[lane], written_gradient(case, seed, entry))
    check_against_differences(case, pulled, seed, [lanes[0] for lanes in entries])
    check_surroundings(case, args, shadows, pulled)
    again = pull(case, way, entries, seed)[2]
    assert_identical(pulled.gradients, again.gradients, "second call")


def entry_shadows(case: Scenario, way: Way, draw: Draw, i: int) -> list[Any]:
    """What the shadows of argument i hold on entry, one per direction."""
    if i not in case.active() or is_number(case.args[i]) or not way.seeds_shadows:
        return [None] * case.width
    return [draw.like(case.args[i]) for _ in range(case.width)]


def pull(case: Scenario, way: Way, entries: Any, seed: Any) -> tuple[Any, Any, Pulled]:
    args = case.fresh()
    shadows = [[case.place(entry) for entry in lanes] for lanes in entries]
    return args, shadows, way.run(case, args, shadows, seed)


def check_gradients(case: Scenario, got: Sequence[Any], want: list[np.ndarray]) -> None:
    assert len(got) == len(case.args), "one gradient per argument"
    for i, expected in zip(case.active(), want, strict=True):
        assert_same_form(got[i], case.args[i], f"gradient of argument {i}")
        assert_close(got[i], expected, tolerance(case), f"gradient of argument {i}")
    for i in set(range(len(case.args))) - set(case.active()):
        assert got[i] is None, f"argument {i} has no gradient, yet got {got[i]}"


def assert_same_form(got: Any, like: Any, what: str) -> None:
    """A derivative has the shape, the dtype and the tuples of its argument."""
    if isinstance(like, tuple):
        assert type(got) is type(like), f"{what} is a {type(got).__name__}"
    for left, right in zip(leaves(got), leaves(like), strict=True):
        assert np.shape(left) == np.shape(right), f"{what} has shape {np.shape(left)}"
        if isinstance(right, np.ndarray):
            assert left.dtype == right.dtype, f"{what} is {left.dtype}"


def check_against_differences(case: Scenario, pulled: Pulled, seed: Any, entry: Any) -> None:
    """<gradient, t> is the slope along t, for a random t."""
    draw = Draw(case)
    tangents = tuple(draw.like(a) if i in case.active() else None for i, a in enumerate(case.args))
    slope = slope_along(case, tangents, seed, entry)
    got = sum(inner(widen(pulled.gradients[0][i]), widen(tangents[i])) for i in case.active())
    assert_close(
        got, slope, max(tolerance(case) * 10, DIFFERENCE_TOLERANCE), "reverse, differences"
    )


def slope_along(case: Scenario, tangents: tuple[Any, ...], seed: Any, entry: Any) -> float:
    result, *written = differences(case, tangents)
    total = float(flatten(seed) @ result) if seed is not None else 0.0
    after = dict(zip(case.writes, written, strict=True))
    for i in case.active():
        if entry[i] is not None:
            total += float(flatten(entry[i]) @ after.get(i, flatten(tangents[i])))
    return total


# --- forward --------------------------------------------------------------------------------------


def check_forward(case: Scenario, way: Way) -> None:
    """Ask forward along random directions."""
    draw = Draw(case)
    entries = [
        [draw.like(arg) for _ in range(case.width)] if i in case.active() else []
        for i, arg in enumerate(case.args)
    ]
    args, shadows, pushed = push(case, way, entries)
    for lane in range(case.width):
        tangents = tuple(lanes[lane] if lanes else None for lanes in entries)
        got = [pushed.tangents[lane], *(shadows[i][lane] for i in case.writes)]
        check_tangents(case, got, tangents, native_result(case, pushed))
    check_surroundings(case, args, shadows, pushed)
    again_shadows, again = push(case, way, entries)[1:]
    assert_identical(pushed.tangents, again.tangents, "second call")
    assert_identical(shadows, again_shadows, "shadows of the second call")


def push(case: Scenario, way: Way, entries: Any) -> tuple[Any, Any, Pushed]:
    args = case.fresh()
    shadows = [[case.place(entry) for entry in lanes] for lanes in entries]
    return args, shadows, way.run(case, args, shadows)


def check_tangents(case: Scenario, got: list[Any], tangents: tuple[Any, ...], primal: Any) -> None:
    if got[0] is not None:
        assert_same_form(got[0], primal, "tangent of the result")
    wanted = written_tangent(case, tangents)
    for tangent, want, difference in zip(got, wanted, differences(case, tangents), strict=True):
        assert_close(tangent, want, tolerance(case), "tangent")
        rtol = max(tolerance(case) * 10, DIFFERENCE_TOLERANCE)
        assert_close(tangent, difference, rtol, "forward, differences")


def native_result(case: Scenario, pushed: Pushed) -> Any:
    """The primal result in the precision that compiled code gives it, which Python's is not."""
    if pushed.has_primal or is_number(case.result()):
        return pushed.primal if pushed.has_primal else case.result()
    return kernel_of(case)(*case.fresh())


# --- forward against reverse ----------------------------------------------------------------------


def check_forward_against_reverse(case: Scenario, forward: Way, reverse: Way) -> None:
    """<cotangent, J t> = <J' cotangent, t>, both sides from the package."""
    draw = Draw(case)
    seed = seed_like(case, draw.like) if reverse.seeds_result else unit_seed(case)
    entries = [entry_shadows(case, reverse, draw, i) for i in range(len(case.args))]
    tangents = [[draw.like(a)] if i in case.active() else [] for i, a in enumerate(case.args)]
    pulled = pull(case, reverse, entries, seed)[2]
    after, pushed = push(case, forward, tangents)[1:]
    left = inner(seed, pushed.tangents[0]) if seed is not None else 0.0
    left += sum(
        inner(entries[i][0], after[i][0]) for i in case.active() if entries[i][0] is not None
    )
    right = sum(inner(pulled.gradients[0][i], tangents[i][0]) for i in case.active())
    assert_close(left, right, 10 * tolerance(case), "forward against reverse")


# --- everything else is left alone ----------------------------------------------------------------


def check_surroundings(case: Scenario, args: Any, shadows: Any, report: Pulled | Pushed) -> None:
    """The primal is right, unwritten arguments keep every byte, gaps between elements too."""
    result, after = run_plainly(case, case.args)
    if report.has_primal and result is not None:
        assert_close(report.primal, result, tolerance(case), "primal result")
    for i, (arg, untouched) in enumerate(zip(args, case.fresh(), strict=True)):
        if i in case.writes:
            assert_close(arg, after[i], tolerance(case), f"argument {i} afterwards")
            assert gaps(arg) == gaps(untouched), f"the gaps of argument {i} were written"
        else:
            assert memory(arg) == memory(untouched), f"argument {i} was written"
        for shadow in shadows[i]:
            if shadow is not None and not is_number(shadow):
                assert gaps(shadow) == gaps(untouched), f"the gaps of shadow {i} were written"


def memory(tree: Any) -> list[bytes]:
    """The bytes of every leaf, with whatever lies between the elements of an array."""
    return [np.asarray(whole(leaf)).tobytes() for leaf in leaves(tree)]


def gaps(tree: Any) -> list[bytes]:
    """The bytes between the elements of the arrays of a tree."""
    return [gap_of(leaf) for leaf in leaves(tree) if isinstance(leaf, np.ndarray)]


def gap_of(x: np.ndarray) -> bytes:
    kept = x.copy()
    x[...] = 0
    found = bytes(np.asarray(whole(x)).tobytes())
    x[...] = kept
    return found


def whole(leaf: Any) -> Any:
    """The buffer that an array is a view of, or the leaf itself."""
    return leaf if getattr(leaf, "base", None) is None else leaf.base


def assert_identical(left: Any, right: Any, what: str) -> None:
    """Bit for bit the same floats."""
    assert flatten(as_tuple(left)).tobytes() == flatten(as_tuple(right)).tobytes(), what


def as_tuple(tree: Any) -> Any:
    return tuple(as_tuple(branch) for branch in tree) if isinstance(tree, (list, tuple)) else tree
