"""ht for libraries of arrays: the bones in a loop, all vertices at once; with NumPy's names, which both have."""

from __future__ import annotations

from typing import Any

import numpy as np


def arguments_of(given: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the arrays, theta and us first, and what is known beforehand."""
    data = given["data"]
    hand = data["model"]
    corners = np.asarray(hand["triangles"])[data["correspondences"]]
    names = ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")
    arrays = (given["theta"], given["us"], *(hand[name] for name in names), data["points"], corners)
    return arrays, (tuple(hand["parents"]),)


def rotation(xp: Any, ax: Any, az: Any) -> Any:
    """Rotate about x, then about z."""
    cx, sx, cz, sz = xp.cos(ax), xp.sin(ax), xp.cos(az), xp.sin(az)
    one, zero = xp.ones_like(cx), xp.zeros_like(cx)
    rows = (
        (cz, -sz * cx, sz * sx, zero),
        (sz, cz * cx, -cz * sx, zero),
        (zero, sx, cx, zero),
        (zero, zero, zero, one),
    )
    return xp.stack([xp.stack(row) for row in rows])


def rotation_about(xp: Any, axis: Any) -> Any:
    """Rodrigues' matrix; the angle is not small here."""
    angle = xp.sqrt(xp.sum(axis * axis))
    x, y, z = axis / angle
    c, s = xp.cos(angle), xp.sin(angle)
    rest = 1.0 - c
    rows = (
        (c + x * x * rest, x * y * rest - z * s, x * z * rest + y * s),
        (x * y * rest + z * s, c + y * y * rest, y * z * rest - x * s),
        (x * z * rest - y * s, y * z * rest + x * s, c + z * z * rest),
    )
    return xp.stack([xp.stack(row) for row in rows])


def bone_angles(xp: Any, theta: Any, bone: int) -> tuple[Any, Any]:
    """Return the two angles that move a bone."""
    nothing = xp.zeros_like(theta[0])
    finger, joint = divmod(bone - 2, 4)
    if bone < 2 or finger >= 5 or joint == 3:
        return nothing, nothing
    first = 6 + 4 * finger + (joint + 1 if joint else 0)
    return theta[first], nothing if joint else theta[first + 1]


def residuals(
    xp: Any,
    theta: Any,
    us: Any,
    relatives: Any,
    inverses: Any,
    base: Any,
    weights: Any,
    points: Any,
    corners: Any,
    parents: tuple[int, ...],
) -> Any:
    """How far each point is from its place on a triangle."""
    absolute: list[Any] = []
    for bone, parent in enumerate(parents):
        relative = relatives[bone] @ rotation(xp, *bone_angles(xp, theta, bone))
        absolute.append(relative if parent < 0 else absolute[parent] @ relative)
    transform = (xp.stack(absolute) @ inverses)[:, :3]
    # A matrix product, of weighted transforms for each vertex, then their products with the vertices.
    of_vertex = (weights @ transform.reshape(len(parents), 12)).reshape(-1, 3, 4)
    place = xp.sum(of_vertex * base[:, None, :], 2)
    found = place @ rotation_about(xp, theta[:3]).T + theta[3:6]
    u, v = us[:, :1], us[:, 1:]
    at = u * found[corners[:, 0]] + v * found[corners[:, 1]] + (1.0 - u - v) * found[corners[:, 2]]
    return (points - at).reshape(-1)
