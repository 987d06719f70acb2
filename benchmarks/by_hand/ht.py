"""ht by hand, forward: all angles at once, the derivatives innermost.

The Jacobian's columns: two for the points' own coordinates, three for the global rotation, three for the
translation, then the fingers' angles.
"""

from __future__ import annotations

import numpy as np
from gradbench.ht import multiplied, pose_of, rotation_about, times_rotation
from numba import njit

ANGLES, FIRST_BONE = 20, 2


@njit
def slopes_multiplied(a, b, to):
    to[:] = 0.0
    for i in range(4):
        for j in range(4):
            for k in range(4):
                for angle in range(ANGLES):
                    to[i, j, angle] += a[i, k, angle] * b[k, j]


@njit
def slope_of_rotation(base, angles, about_x, to):
    """Base times the slope of the rotation about z after that about x, by one of both angles."""
    cx, sx = np.cos(angles[0]), np.sin(angles[0])
    cz, sz = np.cos(angles[1]), np.sin(angles[1])
    for i in range(4):
        a, b, c = base[i, 0], base[i, 1], base[i, 2]
        if about_x:
            to[i, 0] = 0.0
            to[i, 1] = a * sz * sx - b * cz * sx + c * cx
            to[i, 2] = a * sz * cx - b * cz * cx - c * sx
        else:
            to[i, 0] = -a * sz + b * cz
            to[i, 1] = -a * cz * cx - b * sz * cx
            to[i, 2] = a * cz * sx + b * sz * sx
        to[i, 3] = 0.0


@njit
def angles_of(bone):
    """Which angles move a bone itself: the first, and how many."""
    finger, joint = (bone - FIRST_BONE) // 4, (bone - FIRST_BONE) % 4
    if bone < FIRST_BONE or finger >= 5 or joint == 3:
        return 0, 0
    return (4 * finger + joint + 1, 1) if joint else (4 * finger, 2)


@njit
def transforms(pose, parents, relatives, inverses):
    """Transforms of all bones, and their slopes by all angles."""
    bones = parents.size
    absolute, transform = np.empty((bones, 4, 4)), np.empty((bones, 4, 4))
    by_absolute = np.zeros((bones, 4, 4, ANGLES))
    by_transform = np.empty((bones, 4, 4, ANGLES))
    relative, base, slope = np.empty((4, 4)), np.empty((4, 4)), np.empty((4, 4))
    for bone in range(bones):
        parent, angles = parents[bone], pose[bone + 3]
        times_rotation(relatives[bone], angles, relative)
        if parent < 0:
            absolute[bone] = relative
            base[:] = relatives[bone]
        else:
            multiplied(absolute[parent], relative, absolute[bone])
            multiplied(absolute[parent], relatives[bone], base)
            slopes_multiplied(by_absolute[parent], relative, by_absolute[bone])
        first, count = angles_of(bone)
        for own in range(count):
            slope_of_rotation(base, angles, own == 0, slope)
            by_absolute[bone, :, :, first + own] += slope
        multiplied(absolute[bone], inverses[bone], transform[bone])
        slopes_multiplied(by_absolute[bone], inverses[bone], by_transform[bone])
    return transform, by_transform


@njit
def slopes_of_rotation_about(axis, by):
    """By[p] is the slope of Rodrigues' matrix by the axis's component p."""
    by[:] = 0.0
    angle = np.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    if angle < 1e-4:
        return
    n, c, s = axis / angle, np.cos(angle), np.sin(angle)
    for p in range(3):
        for i in range(3):
            of_i = ((1.0 if p == i else 0.0) - n[i] * n[p]) / angle
            by[p, i, i] = s * (n[i] * n[i] - 1.0) * n[p] + 2.0 * (1.0 - c) * n[i] * of_i
            for j in range(3):
                if i != j:
                    k, sign = 3 - i - j, -1.0 if j == (i + 1) % 3 else 1.0
                    of_j = ((1.0 if p == j else 0.0) - n[j] * n[p]) / angle
                    of_k = ((1.0 if p == k else 0.0) - n[k] * n[p]) / angle
                    by_angle = s * n[i] * n[j] + sign * c * n[k]
                    by[p, i, j] = by_angle * n[p] + sign * s * of_k
                    by[p, i, j] += (1.0 - c) * (of_i * n[j] + n[i] * of_j)


@njit
def skinned(transform, by_transform, at, weights, place, slopes):
    place[:] = 0.0
    slopes[:] = 0.0
    for bone in range(weights.size):
        if weights[bone] != 0.0:
            for i in range(3):
                for j in range(4):
                    w = weights[bone] * at[j]
                    place[i] += w * transform[bone, i, j]
                    for angle in range(ANGLES):
                        slopes[i, angle] += w * by_transform[bone, i, j, angle]


@njit
def gradient(theta, us, model, points, seen, triangles):
    parents, relatives, inverses, base, weights, is_mirrored = model
    pose = pose_of(theta, parents.size)
    transform, by_transform = transforms(pose, parents, relatives, inverses)
    rotation, by_rotation = np.empty((3, 3)), np.empty((3, 3, 3))
    rotation_about(pose[0], rotation)
    slopes_of_rotation_about(pose[0], by_rotation)
    found = np.empty((base.shape[0], 3, 4 + ANGLES))
    place, slopes = np.empty(3), np.empty((3, ANGLES))
    for vertex in range(base.shape[0]):
        skinned(transform, by_transform, base[vertex], weights[vertex], place, slopes)
        if is_mirrored:
            place[0] = -place[0]
            slopes[0] *= -1.0
        for i in range(3):
            to, r = found[vertex, i], rotation[i]
            to[0] = pose[2, i] + r[0] * place[0] + r[1] * place[1] + r[2] * place[2]
            for p in range(3):
                by = by_rotation[p, i]
                to[1 + p] = by[0] * place[0] + by[1] * place[1] + by[2] * place[2]
            for p in range(ANGLES):
                to[4 + p] = r[0] * slopes[0, p] + r[1] * slopes[1, p] + r[2] * slopes[2, p]
    columns = np.empty((8 + ANGLES, 3 * seen.size))
    for point in range(seen.size):
        u, v = us[point]
        for i in range(3):
            a, b = found[triangles[seen[point], 0], i], found[triangles[seen[point], 1], i]
            c, at = found[triangles[seen[point], 2], i], 3 * point + i
            columns[0, at], columns[1, at] = c[0] - a[0], c[0] - b[0]
            for p in range(3):
                columns[5 + p, at] = -(1.0 if p == i else 0.0)
            for p in range(3 + ANGLES):
                row = 2 + p if p < 3 else 5 + p
                columns[row, at] = -u * a[1 + p] - v * b[1 + p] - (1.0 - u - v) * c[1 + p]
    return columns
