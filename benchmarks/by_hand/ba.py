"""ba by hand: the two rows of an observation from one rotation and its chain rule."""

from __future__ import annotations

import numpy as np
from gradbench.ba import CAMERA, COLUMNS, POINT
from numba import njit


@njit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit
def rotated_backward(n, angle, c, s, y, g, by_axis):
    """From g, the adjoint of the rotated y, those of the axis and of y."""
    n_g, n_y, rest = dot(n, g), dot(n, y), 1.0 - c
    axis_g, y_g = cross(n, g), cross(y, g)
    by_y = (
        g[0] * c - axis_g[0] * s + n[0] * n_g * rest,
        g[1] * c - axis_g[1] * s + n[1] * n_g * rest,
        g[2] * c - axis_g[2] * s + n[2] * n_g * rest,
    )
    if angle == 0.0:
        by_axis[0], by_axis[1], by_axis[2] = y_g
        return by_y
    by_angle = c * dot(n, y_g) - s * dot(g, y) + s * n_g * n_y
    by_n = (
        s * y_g[0] + rest * (g[0] * n_y + n_g * y[0]),
        s * y_g[1] + rest * (g[1] * n_y + n_g * y[1]),
        s * y_g[2] + rest * (g[2] * n_y + n_g * y[2]),
    )
    along = dot(n, by_n)
    for i in range(3):
        by_axis[i] = by_angle * n[i] + (by_n[i] - n[i] * along) / angle
    return by_y


@njit
def observation(camera, point, w, feature, values):
    y = point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]
    n, c, s = (camera[0], camera[1], camera[2]), 1.0, 1.0
    angle = np.sqrt(dot(n, n))
    if angle != 0.0:
        n = n[0] / angle, n[1] / angle, n[2] / angle
        c, s = np.cos(angle), np.sin(angle)
    crossed, along = cross(n, y), (1.0 - c) * dot(n, y)
    near = 1.0 / (y[2] * c + crossed[2] * s + n[2] * along)
    seen = (
        (y[0] * c + crossed[0] * s + n[0] * along) * near,
        (y[1] * c + crossed[1] * s + n[1] * along) * near,
    )
    radius, focal = seen[0] * seen[0] + seen[1] * seen[1], camera[6]
    distortion = 1.0 + (camera[9] + camera[10] * radius) * radius
    slope = 2.0 * (camera[9] + 2.0 * camera[10] * radius)
    for row in range(2):
        to = values[row * COLUMNS : (row + 1) * COLUMNS]
        scaled, own = w * focal * seen[row], w * focal * distortion
        g0, g1 = scaled * slope * seen[0], scaled * slope * seen[1]
        g0, g1 = (g0 + own, g1) if row == 0 else (g0, g1 + own)
        g = g0 * near, g1 * near, -(g0 * seen[0] + g1 * seen[1]) * near
        by_y = rotated_backward(n, angle, c, s, y, g, to)
        to[3], to[4], to[5] = -by_y[0], -by_y[1], -by_y[2]
        to[6] = w * seen[row] * distortion
        to[7], to[8] = (w, 0.0) if row == 0 else (0.0, w)
        to[9], to[10] = scaled * radius, scaled * radius * radius
        to[11], to[12], to[13] = by_y
        to[14] = seen[row] * distortion * focal + camera[7 + row] - feature[row]


@njit
def gradient(cameras, points, weights, seen, features):
    """Compressed rows: two for each observation, one for each weight."""
    count = weights.size
    starts = np.empty(3 * count + 1, np.int64)
    columns = np.empty((2 * COLUMNS + 1) * count, np.int64)
    values = np.empty((2 * COLUMNS + 1) * count)
    behind_cameras = CAMERA * cameras.shape[0]
    behind_points = behind_cameras + POINT * points.shape[0]
    for i in range(count):
        camera, point, at = seen[i, 0], seen[i, 1], 2 * COLUMNS * i
        observation(cameras[camera], points[point], weights[i], features[i], values[at:])
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
        values[at + i] = -2.0 * weights[i]
    starts[3 * count] = at + count
    return starts, columns, values
