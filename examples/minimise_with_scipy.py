"""Hand a value and its exact gradient to an optimiser of SciPy: the shape of a hanging chain.

Links of fixed stiffness hang between two nails; the energy is a loop over links. At rest every
mass is in balance, which is checked at the end without any derivative.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

import enzyme_py as enzyme

LINKS = 40
STIFFNESS = 2000.0
WEIGHT = 0.25
RIGHT_NAIL = (2.0, 0.3)


@enzyme.jit
def energy(masses):
    """Weight and stretching energy of the chain; `masses` holds x and y of every mass in turn."""
    rest = 3.0 / LINKS
    total = 0.0
    x0, y0 = 0.0, 0.0
    for i in range(LINKS):
        if i < LINKS - 1:
            x1, y1 = masses[2 * i], masses[2 * i + 1]
            total += WEIGHT * y1
        else:
            x1, y1 = RIGHT_NAIL
        length = np.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
        total += 0.5 * STIFFNESS * (length - rest) ** 2
        x0, y0 = x1, y1
    return total


def start() -> np.ndarray:
    """Masses on the straight line between the nails, a little below it."""
    along = np.linspace(0.0, 1.0, LINKS + 1)[1:-1]
    sag = along * (1.0 - along)
    return np.column_stack((along * RIGHT_NAIL[0], along * RIGHT_NAIL[1] - sag)).ravel()


def imbalance(masses: np.ndarray) -> float:
    """The largest force left on any mass, from the law of the spring."""
    points = np.vstack(([0.0, 0.0], masses.reshape(-1, 2), RIGHT_NAIL))
    links = np.diff(points, axis=0)
    lengths = np.linalg.norm(links, axis=1, keepdims=True)
    pull = STIFFNESS * (lengths - 3.0 / LINKS) * links / lengths
    force = pull[1:] - pull[:-1]
    force[:, 1] -= WEIGHT
    return float(np.abs(force).max())


def main() -> None:
    value_and_gradient = enzyme.value_and_grad(energy)
    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-8}
    found = minimize(value_and_gradient, start(), jac=True, method="L-BFGS-B", options=options)
    print(f"energy {energy(start()):.6f} -> {found.fun:.6f} in {found.nfev} evaluations")
    print(f"lowest mass at height {found.x[1::2].min():.4f}")
    print(f"largest force left on a mass {imbalance(found.x):.1e}, its weight is {WEIGHT}")
    if imbalance(found.x) > 1e-3 * WEIGHT:
        raise SystemExit("the chain is not at rest")


if __name__ == "__main__":
    main()
