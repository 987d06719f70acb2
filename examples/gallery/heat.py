"""What a rod is made of, from how it warms: an inverse problem of heat conduction.

A rod is cold, and kept warm at its left end. Thermometers along it are read a few times. How well does each piece of it
conduct? The kernel solves the heat equation in small steps and sums the squares of what the thermometers differ. The
gradient by all conductivities at once costs a few times as much as one solution; differences would cost one solution
for each piece.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import enzyme_py as enzyme

CELLS, PIECES, STEPS, EVERY = 48, 24, 2400, 100
DT = 0.4 / (CELLS * CELLS) / 2.0  # stable where nothing conducts better than 2


@enzyme.jit
def warming(logs, steps):
    """Return the readings of all thermometers (rows: times) of a rod whose pieces conduct exp(logs)."""
    readings = np.zeros((steps // EVERY, CELLS))
    k = np.exp(logs)
    rod = np.zeros(CELLS)
    flow = np.zeros(CELLS + 1)
    for step in range(steps):
        flow[0] = 2.0 * CELLS * k[0] * (1.0 - rod[0])
        for i in range(1, CELLS):
            between = 0.5 * (k[(i - 1) * PIECES // CELLS] + k[i * PIECES // CELLS])
            flow[i] = CELLS * between * (rod[i - 1] - rod[i])
        for i in range(CELLS):
            rod[i] += DT * CELLS * (flow[i] - flow[i + 1])
        if (step + 1) % EVERY == 0:
            readings[step // EVERY] = rod
    return readings


@enzyme.jit
def misfit(logs, measured):
    """Return the sum of the squares of all differences."""
    off = warming(logs, EVERY * measured.shape[0]) - measured
    return np.sum(off * off)


def true_rod():
    """Return logarithms of conductivities: a good conductor in the middle, a bad one behind it."""
    place = (np.arange(PIECES) + 0.5) / PIECES
    return 0.5 * np.exp(-(((place - 0.35) / 0.12) ** 2)) - 0.6 * np.exp(-(((place - 0.7) / 0.1) ** 2))


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Recover the rod from readings."""
    steps = 1200 if short else STEPS
    true = true_rod()
    measured = warming(true, steps)
    slope = enzyme.value_and_grad(misfit)
    found = minimize(
        lambda logs: slope(logs, measured), np.zeros(PIECES), jac=True, method="L-BFGS-B", options={"maxiter": 400, "ftol": 1e-16, "gtol": 1e-10}
    )
    error = float(np.max(np.abs(np.exp(found.x - true) - 1.0)[: PIECES // 2 if short else PIECES]))
    print(f"heat: misfit {misfit(np.zeros(PIECES), measured):.2e} -> {found.fun:.1e}; conductivities to {100 * error:.2f} %")
    if picture is not None:
        _draw(picture, true, found.x, measured)
    return {"misfit": float(found.fun), "first": float(misfit(np.zeros(PIECES), measured)), "error": error}


def _draw(picture, true, found, measured):
    from examples.gallery import drawing

    figure, (left, right) = drawing.axes(2)
    left.plot(measured[::6].T, color=drawing.BLUE, lw=1)
    left.set(xlabel="thermometer", ylabel="temperature", title="what was read, at four times")
    right.step(np.arange(PIECES), np.exp(true), where="mid", color=drawing.GREY, lw=3, alpha=0.5, label="true")
    right.plot(np.arange(PIECES), np.exp(found), ".", color=drawing.ORANGE, label="found")
    right.axhline(1.0, color=drawing.GREY, ls=":", lw=1)
    right.set(xlabel="piece of the rod", ylabel="conductivity")
    right.legend(frameon=False)
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
