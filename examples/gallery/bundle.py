"""Bundle adjustment: where cameras stood and where points are, from photographs of the points.

Each photograph of a point gives two residuals, and each depends on five of the six numbers of one camera and on three of
one point: the Jacobian is nearly empty. `enzyme.sparse` finds its pattern by itself and computes it in few products of forward mode; SciPy's
sparse solver makes Gauss-Newton steps of it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import eye_array
from scipy.sparse.linalg import spsolve

import enzyme_py as enzyme


@enzyme.jit
def residuals(unknown, cameras, seen, pixels):
    """Return where each point is seen, less where it was seen: two numbers for each row of `seen` (camera, point)."""
    out = np.empty(2 * seen.shape[0])
    for row in range(seen.shape[0]):
        c = 6 * seen[row, 0]
        p = 6 * cameras + 3 * seen[row, 1]
        rx, ry, rz = unknown[c], unknown[c + 1], unknown[c + 2]
        x, y, z = unknown[p], unknown[p + 1], unknown[p + 2]
        angle2 = rx * rx + ry * ry + rz * rz  # Rodrigues' formula, near no rotation by its series
        if angle2 > 1e-8:
            angle = np.sqrt(angle2)
            first, second = np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle2
        else:
            first, second = 1.0 - angle2 / 6.0, 0.5 - angle2 / 24.0
        cx, cy, cz = ry * z - rz * y, rz * x - rx * z, rx * y - ry * x
        u = x + first * cx + second * (ry * cz - rz * cy) + unknown[c + 3]
        v = y + first * cy + second * (rz * cx - rx * cz) + unknown[c + 4]
        w = z + first * cz + second * (rx * cy - ry * cx) + unknown[c + 5]
        out[2 * row] = u / w - pixels[row, 0]
        out[2 * row + 1] = v / w - pixels[row, 1]
    return out


def scene(cameras, points):
    """Return true unknowns and who sees what: each camera two thirds of the points."""
    random = np.random.default_rng(3)
    poses = np.zeros((cameras, 6))
    poses[:, 1] = np.linspace(-0.5, 0.5, cameras)  # turned to the left, to the right
    poses[:, 0] = 0.05 * random.normal(size=cameras)
    poses[:, 3] = -4.0 * np.sin(poses[:, 1])
    poses[:, 5] = 4.0
    places = random.uniform(-1.0, 1.0, (points, 3))
    pairs = [(c, p) for c in range(cameras) for p in range(points) if (c + p) % 3]
    return np.concatenate([poses.ravel(), places.ravel()]), np.array(pairs)


def adjusted(start, cameras, seen, pixels, turns=30):
    """Return the unknowns after damped Gauss-Newton steps, and the Jacobian's function."""
    jacobian = enzyme.sparse.jacobian(residuals)
    x, damping = start.copy(), 1e-3
    r = residuals(x, cameras, seen, pixels)
    for _ in range(turns):
        J = jacobian(x, cameras, seen, pixels)
        moved = x - spsolve((J.T @ J + damping * eye_array(x.size)).tocsc(), J.T @ r)
        new = residuals(moved, cameras, seen, pixels)
        if new @ new < r @ r:
            x, r, damping = moved, new, max(damping / 10.0, 1e-9)
        else:
            damping *= 10.0
        if r @ r < 1e-24:
            break
    return x, r, J, jacobian.colours


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Move all cameras and points, and let them find back."""
    cameras, points = (4, 20) if short else (8, 120)
    true, seen = scene(cameras, points)
    pixels = residuals(true, cameras, seen, np.zeros((len(seen), 2))).reshape(-1, 2)
    start = true + 0.05 * np.random.default_rng(4).normal(size=true.size)
    first = residuals(start, cameras, seen, pixels)
    x, r, J, colours = adjusted(start, cameras, seen, pixels)
    shape = _distances(x[6 * cameras :].reshape(-1, 3)), _distances(true[6 * cameras :].reshape(-1, 3))
    off = float(np.max(np.abs(shape[0] / shape[0].mean() - shape[1] / shape[1].mean())))
    rms = float(np.sqrt(np.mean(r * r)))
    print(
        f"bundle: {J.shape[0]} x {J.shape[1]} with {J.nnz} entries in {sum(colours)} products; "
        f"error {np.sqrt(np.mean(first * first)):.3f} -> {rms:.1e}; shape to {off:.1e}"
    )
    if picture is not None:
        _draw(picture, J, true[6 * cameras :].reshape(-1, 3), start[6 * cameras :].reshape(-1, 3), x[6 * cameras :].reshape(-1, 3))
    return {"rms": rms, "off": off, "entries": float(J.nnz), "expected": 2.0 * 8.0 * len(seen), "products": float(sum(colours)), "columns": float(x.size)}


def _distances(points):
    """Return all distances between points: what does not change when the scene is moved or turned."""
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def _draw(picture, J, true, start, found):
    from examples.gallery import drawing

    figure, (left, right) = drawing.axes(2)
    left.spy(J[:400, :], markersize=0.3, color=drawing.BLUE, aspect="auto")
    left.set(title="where the Jacobian has entries (first rows)", xticks=[], yticks=[])
    right.plot(*start[:, :2].T, "x", ms=4, color=drawing.GREY, label="start")
    right.plot(*_onto(found, true)[:, :2].T, ".", color=drawing.ORANGE, label="found")
    right.plot(*true[:, :2].T, "o", ms=6, mfc="none", color=drawing.BLUE, label="true")
    right.legend(frameon=False, fontsize=7)
    right.set(title="points from the front", aspect="equal")
    drawing.save(figure, picture)


def _onto(points, others):
    """Return points turned, moved and scaled as near to others as can be."""
    a, b = points - points.mean(0), others - others.mean(0)
    u, s, v = np.linalg.svd(a.T @ b)
    return a @ u @ v * (s.sum() / (a * a).sum()) + others.mean(0)


if __name__ == "__main__":
    main()
