"""Random kernels that call NumPy in loops, of memory that moves (moving.py): what a function has read, another iteration writes over.

Results go to a part of a vector, or to a number. Copies stay, while what was copied changes. Shapes are asked while running: of slices no length is known before.
"""

from __future__ import annotations

from tests.fuzz.guided.moving import COUNTS, LISTS, MOVES, READS, SLICES, WRITES, Moving

OF_VECTORS = (
    "{v}[:4] = np.take({v2}, places) * {v3}[:4]",
    "{v}[:4] = np.take({v2}[:4], order[:4] % 4) * {v3}[:4]",
    "{v}[:4] = {v2}[places] * {v3}[:4]",
    "{v}[:4] *= np.sort({v2}[:4])",
    "{v}[:4] = np.cumsum({v2}[:4]) * {v3}[:4]",
    "{v}[:4] = np.cumprod(0.9 * {v2}[:4])",
    "{v}[:4] = np.outer({v2}[:4], {v3}[:4])[{i}]",
    "{v}[:4] = np.where({v2}[:4] > 0.4321, {v2}[:4] * {v3}[:4], np.sin({v3}[:4]))",
    "{v}[:4] = np.roll({v2}[:4], 1) * {v3}[:4]",
    "{v}[:4] = np.concatenate(({v2}[1:4] * {v3}[:3], {v2}[:1]))",
    "{v}[:4] = np.convolve({v2}[:4], {v3}[:2])[:4]",
    "{v}[:4] = {v2}[:4] / (1.0 + np.sum({v3} * {v3}))",
    "{v}[:4] = np.dot(rows[:4, :4].copy(), {v2}[:4].copy())",
    "{v}[:4] = np.linalg.solve(np.eye(4) * 3.0 + 0.1 * np.outer({v2}[:4], {v3}[:4]), {v2}[:4].copy())",
    "{v}[:3] = np.diff({v2}[:4]) * {v3}[:3]",
    "{v}[:4] = rows[:2, :2].copy().reshape(4) * {v2}[:4]",
    "{v}[:4] = np.array([{v2}[3], {v2}[0] * {v3}[1], {v3}[2], t])",
    "{v}[:4][{v2}[:4] > 0.4321] = {t}",
    "{v}[:4] = np.flip({v2}[:4]) * {v3}[:4]",
    "{v}[:4] = np.sum(rows[:4, :4], axis={i} % 2)",
    "{v}[:4] = {v2}[:4] ** 2 - {v3}[:4].mean()",
    "{v}[:4] = np.minimum({v2}[:4], 0.8 * {v3}[:4])",
)
OF_TABLES = (
    "rows[{i}, :4] = {v}[:4] * {v2}[:4]",
    "rows[:4, {i}] *= {v}[:4]",
    "rows[:] = rows.T * 0.9",
    "rows[:4, :4] = np.outer({v}[:4], {v2}[:4])",
    "rows[{i}][:] = rows[{i2}] * rows[{i3}]",
    "rows *= 1.0 + 0.1 * {v}[{i}]",
)
TO_NUMBERS = (
    "t += np.linalg.norm({v}.copy())",  # Numba takes no step backwards there (docs/limits.md)
    "t += np.interp(0.7, np.arange(4.0), {v}[:4]) * {v2}[{i}]",
    "t += np.var({v}) + np.mean({v2})",
    "t += np.prod({v}[:4])",
    "t += np.linalg.det(np.eye(4) + 0.1 * np.outer({v}[:4], {v2}[:4]))",
    "t += np.sum({v}[{v} > 0.4321] ** 2)",
    "t += np.trace(rows[:4, :4]) * {v}[{i}]",
    "t += np.array([one * one for one in {v}[:4]]).sum()",
    "t = np.tanh(t) + {v}[np.argmax({v}[:4])]",
    "t += np.vdot({v}[:4], {v2}[:4]) / (1.0 + t * t)",
)
COPIES = (
    "kept = {v}[:4].copy(); {v2}[:4] = kept * kept",
    "kept = {v}[:4].copy()",
    "kept = rows[{i}, :4].copy(); rows[{i2}, :4] = kept * {v}[:4]",
    "kept[:] = {v}[:4]",
    "kept[:] = rows[{i}, :4]; rows[{i2}, :4] *= kept",
    "{v}[:4] = kept * kept",
    "rows[{i}] = rows[{i2}] * 0.9",
    "rows[{i}, 1:] = rows[{i2}, :-1]",
    "kept = np.ascontiguousarray(rows[:4, {i}]); rows[{i2}, :4] = kept * kept",
    "t += np.sum(kept * kept) * {v}[{i}]",
    "{v}[{i}] *= kept[{i2}] * kept[{i3}]",
)
INNER_LOOPS = (
    "for one in {v}[:4]: t += one * one * {v2}[{i}]",
    "for q, one in enumerate({v}[:4]): {v2}[q] += 0.1 * one * one",
    "for one, other in zip({v}[:4], {v2}[:4]): t += one * other",
)
MADE = (
    "{p} = np.concatenate(({v}[:3], {v2}[:3]))",
    "{p} = np.append({v}[:4], {v2}[:2])",
    "{p} = np.sin({v}) * {v}",
    "{p} = np.zeros({v}.size) + {v}",
    "{p} = {v2}[order[:4] % 4]",
    "{p} = rows[:4, :4].sum(axis=0)",
    "{p} = np.repeat({v}[:3], 2)",
)


class Applied(Moving):
    """Draws one kernel."""

    NAME = "applied"
    TABLES = (
        (2, "write", WRITES),
        (1, "slice", SLICES),
        (2, "read", READS),
        (3, "move", MOVES),
        (1, "count", COUNTS),
        (0.7, "list", LISTS),
        (5, "applied", OF_VECTORS),
        (2.5, "copy", COPIES),
        (1.5, "table", OF_TABLES),
        (2, "reduced", TO_NUMBERS),
        (0.8, "inner loop", INNER_LOOPS),
        (1, "made", MADE),
    )
    MORE = ("places = np.array([2, 0, 3, 1])", "kept = 0.5 * w[:4]")
