"""Grinding a lens: rays are traced through two surfaces, and their shapes are sought so that all rays meet.

The first surface is a conic (a sphere, an ellipsoid, ...), the second a sphere; a ray meets a conic where a quadratic equation says,
and bends by Snell's law. Descartes found what the optimiser finds here
again: rays that enter glass of index n through an ellipsoid with the conic constant -1/n^2 all meet in one point; behind it the
second surface must be a sphere around that point, which bends nothing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import enzyme_py as enzyme

INDEX, FOCUS, THICK, OPENING = 1.5, 100.0, 20.0, 30.0


@enzyme.jit
def met(y, z, dy, dz, curvature, conic, at):
    """Return where a ray meets a conic surface that crosses the axis at `at`, and the slope of the normal there."""
    a = curvature * (dy * dy + (1.0 + conic) * dz * dz)
    zr = z - at
    b = curvature * (y * dy + (1.0 + conic) * zr * dz) - dz
    c = curvature * (y * y + (1.0 + conic) * zr * zr) - 2.0 * zr
    t = c / (-b + np.sqrt(b * b - a * c))
    y, z = y + t * dy, z + t * dz
    ny, nz = curvature * y, curvature * (1.0 + conic) * (z - at) - 1.0
    return y, z, ny, nz


@enzyme.jit
def bent(dy, dz, ny, nz, ratio):
    """Return the direction behind a surface with a normal (against the ray), by Snell's law; ratio: index before by behind."""
    size = np.sqrt(ny * ny + nz * nz)
    ny, nz = ny / size, nz / size
    cosine = -(dy * ny + dz * nz)
    behind = np.sqrt(1.0 - ratio * ratio * (1.0 - cosine * cosine))
    k = ratio * cosine - behind
    return ratio * dy + k * ny, ratio * dz + k * nz


@enzyme.jit
def landed(shape, height):
    """Return how far from the axis a ray, which comes along it at some height, meets the plane of the focus."""
    y, z, ny, nz = met(height, -10.0, 0.0, 1.0, shape[0] / FOCUS, shape[1], 0.0)
    dy, dz = bent(0.0, 1.0, ny, nz, 1.0 / INDEX)
    y, z, ny, nz = met(y, z, dy, dz, shape[2] / FOCUS, 0.0, THICK)
    dy, dz = bent(dy, dz, ny, nz, INDEX)
    return y + (FOCUS - z) * dy / dz


@enzyme.jit
def offsets(shape, heights):
    """Return how far from the axis each ray lands."""
    out = np.empty(heights.size)
    for i in range(heights.size):
        out[i] = landed(shape, heights[i])
    return out


def ground(shape, free, heights):
    """Return the shape after least squares in those of its three numbers that are free."""
    slopes = enzyme.jacfwd(offsets)

    def at(values):
        new = shape.copy()
        new[free] = values
        return new

    found = least_squares(
        lambda values: offsets(at(values), heights),
        shape[free],
        jac=lambda values: slopes(at(values), heights)[:, free],
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    return at(found.x)


def blur(shape, heights):
    """Return the root of the mean square of the offsets."""
    return float(np.sqrt(np.mean(offsets(shape, heights) ** 2)))


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Grind the best sphere, then the best lens."""
    heights = np.linspace(2.0, OPENING, 8 if short else 40)
    start = np.array([2.0, 0.0, 0.0])
    spheres = ground(start, [0, 2], heights)
    found = ground(spheres, [0, 1, 2], heights)
    blurs = [blur(shape, heights) for shape in (start, spheres, found)]
    print(
        f"lenses: blur {blurs[0]:.2f} -> spheres {blurs[1]:.3f} -> conic {blurs[2]:.1e} mm; "
        f"conic constant {found[1]:.6f} (Descartes: {-1.0 / INDEX**2:.6f})"
    )
    if picture is not None:
        _draw(picture, spheres, found)
    return {"blur_spheres": blurs[1], "blur": blurs[2], "conic": float(found[1]), "descartes": -1.0 / INDEX**2, "second": float(found[2]), "concentric": FOCUS / (FOCUS - THICK)}


def _draw(picture, spheres, found):
    from examples.gallery import drawing

    figure, parts = drawing.axes(2)
    for axes, shape, title in zip(parts, (spheres, found), ("two spheres", "an ellipsoid and a sphere"), strict=True):
        edge = np.linspace(-OPENING, OPENING, 101)
        for curvature, conic, at in ((shape[0], shape[1], 0.0), (shape[2], 0.0, THICK)):
            c = curvature / FOCUS
            sag = c * edge**2 / (1.0 + np.sqrt(1.0 - (1.0 + conic) * c * c * edge**2))
            axes.plot(at + sag, edge, color=drawing.GREY, lw=1)
        for height in np.linspace(-OPENING + 1, OPENING - 1, 15):
            y1, z1, ny, nz = met(height, -10.0, 0.0, 1.0, shape[0] / FOCUS, shape[1], 0.0)
            dy, dz = bent(0.0, 1.0, ny, nz, 1.0 / INDEX)
            y2, z2, _, _ = met(y1, z1, dy, dz, shape[2] / FOCUS, 0.0, THICK)
            axes.plot([-20.0, z1, z2, FOCUS], [height, y1, y2, landed(shape, height)], color=drawing.ORANGE, lw=0.6)
        axes.set(title=title, xlabel="mm")
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
