"""Thirteen atoms of argon: the energy is written down, the forces follow.

The energy of Lennard and Jones is a sum over pairs. Its gradient is minus the forces: BFGS falls with it into the icosahedron,
whose energy is known, and a compiled loop moves the warm cluster by Verlet's method, with the gradient inside. Second derivatives
give the frequencies of its vibrations: six of them must be zero, for moving and turning the cluster costs nothing.
"""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np
from scipy.optimize import minimize

import enzyme_py as enzyme

LOWEST = -44.326801  # of thirteen atoms, in units of one pair's energy
DT = 0.005


@enzyme.jit
def energy(x):
    """Return the energy of atoms at x, three numbers each."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            s = 1.0 / (dx * dx + dy * dy + dz * dz)
            s6 = s * s * s
            total += 4.0 * (s6 * s6 - s6)
    return total


@numba.njit
def moved(x, v, steps):
    """Move the atoms; return the energy and the momentum after each step."""
    totals = np.empty((steps, 2))
    slope = enzyme.gradient(energy, x)[0]
    for n in range(steps):
        v -= 0.5 * DT * slope
        x += DT * v
        slope = enzyme.gradient(energy, x)[0]
        v -= 0.5 * DT * slope
        totals[n, 0] = energy(x) + 0.5 * np.sum(v * v)
        totals[n, 1] = np.abs(v.sum())
    return totals


def icosahedron():
    """Return the corners of an icosahedron and its middle."""
    g = 0.5 * (1.0 + np.sqrt(5.0))
    corners = [(0.0, a, b * g) for a in (-1, 1) for b in (-1, 1)]
    corners = [tuple(np.roll(one, k)) for one in corners for k in range(3)]
    return np.array([(0.0, 0.0, 0.0), *corners]) * 0.57


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Let the cluster fall, vibrate and move."""
    random = np.random.default_rng(5)
    start = icosahedron() + 0.1 * random.normal(size=(13, 3))
    slope = enzyme.value_and_grad(energy)

    def flat(x):
        value, gradient = slope(x.reshape(-1, 3))
        return value, gradient.ravel()

    found = minimize(flat, start.ravel(), jac=True, method="BFGS", options={"gtol": 1e-9})
    rest = found.x.reshape(-1, 3)
    curvatures = np.linalg.eigvalsh(enzyme.hessian(energy)(rest).reshape(39, 39))
    v = 0.4 * random.normal(size=rest.shape)
    v -= v.mean(0)
    x = rest.copy()
    begun = energy(x) + 0.5 * np.sum(v * v)
    totals = moved(x, v, 1000 if short else 20_000)
    drift = float(np.max(np.abs(totals[:, 0] - begun)) / abs(begun))
    print(
        f"molecules: energy {found.fun:.6f} (known: {LOWEST}); {np.sum(np.abs(curvatures) < 1e-6)} free motions; "
        f"energy kept to {drift:.1e}, momentum to {totals[:, 1].max():.1e}"
    )
    if picture is not None:
        _draw(picture, rest, curvatures, totals[:, 0] / begun - 1.0)
    return {
        "lowest": float(found.fun),
        "free": float(np.sum(np.abs(curvatures) < 1e-6)),
        "softest": float(curvatures[6]),
        "drift": drift,
        "momentum": float(totals[:, 1].max()),
    }


def _draw(picture, rest, curvatures, drift):
    from examples.gallery import drawing

    figure, (left, middle, right) = drawing.axes(3)
    order = np.argsort(rest[:, 2])
    left.scatter(*rest[order, :2].T, s=500, c=rest[order, 2], cmap="Blues", edgecolors=drawing.GREY)
    left.set(title="the lowest energy", aspect="equal", xticks=[], yticks=[])
    left.margins(0.25)
    middle.plot(np.sqrt(np.maximum(curvatures, 0.0)), ".", color=drawing.ORANGE)
    middle.set(title="frequencies of vibrations")
    right.plot(drift[::40], color=drawing.BLUE, lw=0.7)
    right.set(title="change of the total energy", xlabel="step / 40")
    right.ticklabel_format(axis="y", scilimits=(0, 0))
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
