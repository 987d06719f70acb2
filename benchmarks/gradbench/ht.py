"""ht: hand tracking, how far measured points are from a hand in the pose theta.

theta: the global rotation (an axis times an angle), the translation, and four angles for each of
five fingers. In the complicated variant each point has two barycentric coordinates of its own, us,
on a triangle of the hand. By those the Jacobian is block diagonal: two columns show all of it.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py import BatchDuplicated, Const, Forward

from .evaluation import Evaluation, warmed

LANES = 14  # columns at once: half of them; all take 9 s to compile for 5, and a fifth less time
FINGERS, FIRST_FINGER = 5, 5  # of the pose


@numba.njit
def pose_of(theta, bones):
    """One row of three angles for each bone behind the rows of the global transform."""
    pose = np.zeros((bones + 3, 3))
    pose[0], pose[1], pose[2] = theta[:3], 1.0, theta[3:6]
    row, at = FIRST_FINGER, 6
    for _ in range(FINGERS):
        for joint in range(3):
            pose[row, 0] = theta[at]
            at += 1
            if joint == 0:
                pose[row, 1] = theta[at]
                at += 1
            row += 1
        row += 1
    return pose


@numba.njit
def times_rotation(base, angles, out):
    """Out = base times the rotation by angles about z, y and x, all of it homogeneous."""
    cx, sx = np.cos(angles[0]), np.sin(angles[0])
    cy, sy = np.cos(angles[2]), np.sin(angles[2])
    cz, sz = np.cos(angles[1]), np.sin(angles[1])
    for i in range(4):
        a, b, c = base[i, 0], base[i, 1], base[i, 2]
        out[i, 0] = a * (cz * cy) + b * (sz * cy) - c * sy
        out[i, 1] = a * (cz * sy * sx - sz * cx) + b * (sz * sy * sx + cz * cx) + c * (cy * sx)
        out[i, 2] = a * (cz * sy * cx + sz * sx) + b * (sz * sy * cx - cz * sx) + c * (cy * cx)
        out[i, 3] = base[i, 3]


@numba.njit
def multiplied(a, b, out):
    for i in range(4):
        for j in range(4):
            out[i, j] = (
                a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j] + a[i, 3] * b[3, j]
            )


@numba.njit
def rotation_about(axis, out):
    angle = np.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    out[:] = 0.0
    if angle < 1e-4:
        out[0, 0] = out[1, 1] = out[2, 2] = 1.0
        return
    x, y, z = axis[0] / angle, axis[1] / angle, axis[2] / angle
    c, s = np.cos(angle), np.sin(angle)
    out[0, 0] = x * x + (1.0 - x * x) * c
    out[1, 1] = y * y + (1.0 - y * y) * c
    out[2, 2] = z * z + (1.0 - z * z) * c
    out[0, 1], out[1, 0] = x * y * (1.0 - c) - z * s, x * y * (1.0 - c) + z * s
    out[0, 2], out[2, 0] = x * z * (1.0 - c) + y * s, x * z * (1.0 - c) - y * s
    out[1, 2], out[2, 1] = y * z * (1.0 - c) - x * s, y * z * (1.0 - c) + x * s


@numba.njit
def transforms_of(pose, parents, relatives, inverses):
    """What each bone does to the vertices that hang on it; parents come before their children."""
    bones = parents.size
    absolute, transform = np.empty((bones, 4, 4)), np.empty((bones, 4, 4))
    relative = np.empty((4, 4))
    for bone in range(bones):
        times_rotation(relatives[bone], pose[bone + 3], relative)
        if parents[bone] < 0:
            absolute[bone] = relative
        else:
            multiplied(absolute[parents[bone]], relative, absolute[bone])
        multiplied(absolute[bone], inverses[bone], transform[bone])
    return transform


@numba.njit
def skinned(transform, at, weights, place):
    """Place a vertex between where its bones would take it."""
    place[:] = 0.0
    for bone in range(weights.size):
        if weights[bone] != 0.0:
            for i in range(3):
                along = 0.0
                for j in range(4):
                    along += transform[bone, i, j] * at[j]
                place[i] += weights[bone] * along


@numba.njit
def positions_of(theta, parents, relatives, inverses, base, weights, is_mirrored):
    """Where the vertices of the hand are."""
    pose = pose_of(theta, parents.size)
    transform = transforms_of(pose, parents, relatives, inverses)
    rotation = np.empty((3, 3))
    rotation_about(pose[0], rotation)
    found, place = np.empty((base.shape[0], 3)), np.empty(3)
    for vertex in range(base.shape[0]):
        skinned(transform, base[vertex], weights[vertex], place)
        if is_mirrored:
            place[0] = -place[0]
        for i in range(3):
            total = pose[2, i]
            for j in range(3):
                total += rotation[i, j] * pose[1, j] * place[j]
            found[vertex, i] = total
    return found


@numba.njit
def residuals(theta, us, model, points, seen, triangles, out):
    """How far each point is from its vertex or, with coordinates us, from its place on a triangle."""
    found = positions_of(theta, *model)
    for i in range(seen.size):
        for j in range(3):
            if us.shape[0] == 0:
                place = found[seen[i], j]
            else:
                a, b, c = triangles[seen[i], 0], triangles[seen[i], 1], triangles[seen[i], 2]
                place = us[i, 0] * found[a, j] + us[i, 1] * found[b, j]
                place += (1.0 - us[i, 0] - us[i, 1]) * found[c, j]
            out[3 * i + j] = points[i, j] - place


@numba.njit
def objective(theta, us, model, points, seen, triangles):
    out = np.empty(3 * seen.size)
    residuals(theta, us, model, points, seen, triangles, out)
    return out


@numba.njit
def lanes(a):
    return a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13]


@numba.njit
def jacobian(theta, us, model, points, seen, triangles):
    """Column by column, those of us first: LANES of them at once."""
    compressed = 2 if us.shape[0] else 0
    count = compressed + theta.size
    columns = np.zeros(((count + LANES - 1) // LANES * LANES, 3 * seen.size))
    out = np.empty(3 * seen.size)
    for first in range(0, count, LANES):
        by_theta = np.zeros((LANES, theta.size))
        by_us = np.zeros((LANES, us.shape[0], 2))
        for lane in range(min(LANES, count - first)):
            column = first + lane
            if column < compressed:
                by_us[lane, :, column] = 1.0
            else:
                by_theta[lane, column - compressed] = 1.0
        enzyme.autodiff(
            Forward,
            residuals,
            Const,
            BatchDuplicated(theta, lanes(by_theta)),
            BatchDuplicated(us, lanes(by_us)),
            Const(model),
            Const(points),
            Const(seen),
            Const(triangles),
            BatchDuplicated(out, lanes(columns[first : first + LANES])),
        )
    return columns[:count]


def _arguments(given: dict[str, Any]) -> tuple[Any, ...]:
    data = given["data"]
    hand = data["model"]
    parts = ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")
    floats = [np.array(hand[name], dtype=float) for name in parts]
    model = (np.array(hand["parents"], dtype=np.int64), *floats, bool(hand["is_mirrored"]))
    return (
        np.array(given["theta"], dtype=float),
        np.array(given["us"], dtype=float).reshape(-1, 2),
        model,
        np.array(data["points"], dtype=float),
        np.array(data["correspondences"], dtype=np.int64),
        np.array(hand["triangles"], dtype=np.int64).reshape(-1, 3),
    )


def _objective(given: dict[str, Any]) -> Evaluation:
    arguments = _arguments(given)
    return Evaluation(lambda: objective(*arguments), np.ndarray.tolist)


def _jacobian(given: dict[str, Any]) -> Evaluation:
    arguments = _arguments(given)
    return Evaluation(lambda: jacobian(*arguments), lambda found: found.T.tolist())


FUNCTIONS = {"objective": _objective, "jacobian": _jacobian}


def example(*, is_complicated: bool = True) -> dict[str, Any]:
    """Return a small hand that is none: every bone hangs on the one before."""
    random = np.random.default_rng(11)
    bones, vertices, points = 22, 6, 3

    def drawn(*shape: int) -> Any:
        return random.uniform(-1.0, 1.0, shape).tolist()

    model = {
        "parents": list(range(-1, bones - 1)),
        "base_relatives": drawn(bones, 4, 4),
        "inverse_base_absolutes": drawn(bones, 4, 4),
        "base_positions": drawn(vertices, 4),
        "weights": drawn(vertices, bones),
        "triangles": [[0, 1, 2], [2, 3, 4], [5, 1, 3]],
        "is_mirrored": False,
    }
    data = {"model": model, "correspondences": [0, 2, 1], "points": drawn(points, 3)}
    us = random.uniform(0.1, 0.4, (points, 2)).tolist() if is_complicated else []
    return {"theta": drawn(26), "data": data, "us": us}


def warm_up() -> None:
    """Compile."""
    warmed(FUNCTIONS, example())
