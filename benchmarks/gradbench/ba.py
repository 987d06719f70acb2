"""ba: bundle adjustment, many small errors of cameras, points and weights; a sparse Jacobian by rows.

A camera is 11 numbers: an axis times an angle, the centre, the focal length, the principal point, and two
coefficients of radial distortion. Each observation sees one point by one camera.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py import BatchDuplicated, Const, Reverse

from .evaluation import Evaluation, warmed

CAMERA, POINT = 11, 3
COLUMNS = CAMERA + POINT + 1  # of an observation's two rows


@numba.njit
def rotated(axis, x, y, z):
    """Rodrigues' formula."""
    square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]
    if square == 0.0:
        return (
            x + axis[1] * z - axis[2] * y,
            y + axis[2] * x - axis[0] * z,
            z + axis[0] * y - axis[1] * x,
        )
    angle = np.sqrt(square)
    cosine, sine = np.cos(angle), np.sin(angle)
    a, b, c = axis[0] / angle, axis[1] / angle, axis[2] / angle
    along = (a * x + b * y + c * z) * (1.0 - cosine)
    return (
        x * cosine + (b * z - c * y) * sine + a * along,
        y * cosine + (c * x - a * z) * sine + b * along,
        z * cosine + (a * y - b * x) * sine + c * along,
    )


@numba.njit
def reprojection_error(camera, point, weight, feature, error):
    x, y, z = rotated(camera, point[0] - camera[3], point[1] - camera[4], point[2] - camera[5])
    u, v = x / z, y / z
    radius = u * u + v * v
    distortion = 1.0 + camera[9] * radius + camera[10] * radius * radius
    error[0] = weight[0] * (u * distortion * camera[6] + camera[7] - feature[0])
    error[1] = weight[0] * (v * distortion * camera[6] + camera[8] - feature[1])


@numba.njit
def weight_error(weight):
    return 1.0 - weight * weight


@numba.njit
def errors(cameras, points, weights, seen, features):
    count = weights.size
    reprojections, of_weights = np.empty((count, 2)), np.empty(count)
    for i in range(count):
        camera, point = cameras[seen[i, 0]], points[seen[i, 1]]
        reprojection_error(camera, point, weights[i : i + 1], features[i], reprojections[i])
        of_weights[i] = weight_error(weights[i])
    return reprojections, of_weights


@numba.njit
def empty_jacobian(count):
    """Room for compressed rows: where each begins, columns, values; kept between evaluations."""
    numbers = (2 * COLUMNS + 1) * count
    return np.empty(3 * count + 1, np.int64), np.empty(numbers, np.int64), np.empty(numbers)


@numba.njit
def jacobian(cameras, points, weights, seen, features, room):
    """Compressed rows: two for each observation, one for each weight."""
    count, m = weights.size, points.shape[0]
    starts, columns, values = room
    values[:] = 0.0
    behind_cameras = CAMERA * cameras.shape[0]
    behind_points = behind_cameras + POINT * m
    error = np.empty(2)
    seed_u, seed_v = np.empty(2), np.empty(2)
    for i in range(count):
        camera, point = seen[i, 0], seen[i, 1]
        at = 2 * COLUMNS * i
        u, v = values[at : at + COLUMNS], values[at + COLUMNS : at + 2 * COLUMNS]
        seed_u[0], seed_u[1], seed_v[0], seed_v[1] = 1.0, 0.0, 0.0, 1.0
        enzyme.autodiff(
            Reverse,
            reprojection_error,
            Const,
            BatchDuplicated(cameras[camera], (u[:CAMERA], v[:CAMERA])),
            BatchDuplicated(
                points[point], (u[CAMERA : CAMERA + POINT], v[CAMERA : CAMERA + POINT])
            ),
            BatchDuplicated(weights[i : i + 1], (u[CAMERA + POINT :], v[CAMERA + POINT :])),
            Const(features[i]),
            BatchDuplicated(error, (seed_u, seed_v)),
        )
        for row in range(2):
            starts[2 * i + row] = at + row * COLUMNS
            for j in range(CAMERA):
                columns[at + row * COLUMNS + j] = CAMERA * camera + j
            for j in range(POINT):
                columns[at + row * COLUMNS + CAMERA + j] = behind_cameras + POINT * point + j
            columns[at + row * COLUMNS + CAMERA + POINT] = behind_points + i
    at = 2 * COLUMNS * count
    for i in range(count):
        starts[2 * count + i] = at + i
        columns[at + i] = behind_points + i
        values[at + i] = enzyme.grad(weight_error)(weights[i])
    starts[3 * count] = at + count


_fused_jacobian = enzyme.fused(jacobian)


def _arguments(given: dict[str, Any]) -> tuple[Any, ...]:
    n, m, p = int(given["n"]), int(given["m"]), int(given["p"])
    numbers = np.arange(p)
    return (
        np.tile(np.array(given["cam"], dtype=float), (n, 1)),
        np.tile(np.array(given["x"], dtype=float), (m, 1)),
        np.full(p, float(given["w"])),
        np.stack((numbers % n, numbers % m), axis=1),
        np.tile(np.array(given["feat"], dtype=float), (p, 1)),
    )


def _objective(given: dict[str, Any]) -> Evaluation:
    arguments = _arguments(given)
    return Evaluation(lambda: errors(*arguments), _shown_errors)


def _shown_errors(found: Any) -> dict[str, Any]:
    reprojections, of_weights = found
    return {
        "reproj_error": {"elements": reprojections[0].tolist(), "repeated": len(reprojections)},
        "w_err": {"element": float(of_weights[0]), "repeated": len(of_weights)},
    }


def _jacobian(given: dict[str, Any]) -> Evaluation:
    arguments = _arguments(given)
    room = empty_jacobian(int(given["p"]))

    def evaluated() -> Any:
        _fused_jacobian(*arguments, room)
        return room

    return Evaluation(evaluated, _shown_jacobian)


def _shown_jacobian(found: Any) -> dict[str, Any]:
    """The first observation and the last weight stand for all."""
    shown = [*range(2 * COLUMNS), -1]
    rows, columns, values = found
    return {
        "rows": [int(rows[i]) if i < len(rows) else int(rows[-1]) for i in shown],
        "cols": columns[shown].tolist(),
        "vals": values[shown].tolist(),
    }


FUNCTIONS = {"objective": _objective, "jacobian": _jacobian}


def warm_up() -> None:
    """Compile."""
    camera = [0.1, 0.2, 0.3, 1.0, 2.0, 3.0, 4.0, 0.5, 0.5, 0.01, 0.001]
    example = {"n": 3, "m": 5, "p": 11, "cam": camera, "x": [0.1, 0.2, 0.3], "w": 0.5}
    warmed(FUNCTIONS, {**example, "feat": [1.0, 2.0]})
