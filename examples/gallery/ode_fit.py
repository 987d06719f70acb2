"""Hares and lynxes: the four rates of the Lotka-Volterra equations, from counts of both.

The kernel integrates the equations with Runge and Kutta's method and returns how far each count is off, in units of its
error. Four parameters and many residuals: forward mode gives the whole Jacobian in one sweep of four tangents, and
SciPy's least squares does the rest. The Jacobian also tells how well each rate is known.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import enzyme_py as enzyme

TRUE = np.array([0.55, 0.028, 0.84, 0.026])
FIRST = np.array([30.0, 4.0])
NOISE = 0.05  # of the logarithm of a count
STEPS = 20  # of the method, a year


@enzyme.jit
def rates(p, hares, lynxes):
    """Return how fast both numbers change."""
    return p[0] * hares - p[1] * hares * lynxes, p[3] * hares * lynxes - p[2] * lynxes


@enzyme.jit
def counts(p, years):
    """Return the logarithms of both numbers, year by year."""
    out = np.empty((years, 2))
    h, l = FIRST[0], FIRST[1]  # noqa: E741
    dt = 1.0 / STEPS
    for year in range(years):
        for _ in range(STEPS):
            h1, l1 = rates(p, h, l)
            h2, l2 = rates(p, h + 0.5 * dt * h1, l + 0.5 * dt * l1)
            h3, l3 = rates(p, h + 0.5 * dt * h2, l + 0.5 * dt * l2)
            h4, l4 = rates(p, h + dt * h3, l + dt * l3)
            h += dt / 6.0 * (h1 + 2.0 * h2 + 2.0 * h3 + h4)
            l += dt / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)  # noqa: E741
        out[year, 0] = np.log(h)
        out[year, 1] = np.log(l)
    return out


@enzyme.jit
def misfit(p, data):
    """Return how far each count is off, in units of its error."""
    return ((counts(p, data.shape[0]) - data) / NOISE).ravel()


def fitted(data):
    """Return the fit that starts at rates that are 20 % off."""
    jacobian = enzyme.jacfwd(misfit)
    return least_squares(
        misfit, TRUE * np.array([1.2, 0.8, 0.8, 1.2]), jac=jacobian, args=(data,), x_scale=TRUE, xtol=1e-14, gtol=1e-12
    )


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Fit counts without noise, which must give the rates back, and counts with noise."""
    years = 10 if short else 30
    exact = counts(TRUE, years)
    clean = fitted(exact).x
    noisy = exact + NOISE * np.random.default_rng(2).normal(size=exact.shape)
    found = fitted(noisy)
    errors = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    pulls = (found.x - TRUE) / errors
    print("ode_fit:", ", ".join(f"{v:.4f} +- {e:.4f}" for v, e in zip(found.x, errors, strict=True)), "for", TRUE)
    if picture is not None:
        _draw(picture, noisy, counts(found.x, years), counts(TRUE * np.array([1.2, 0.8, 0.8, 1.2]), years))
    return {
        "clean": float(np.max(np.abs(clean / TRUE - 1.0))),
        "pull": float(np.max(np.abs(pulls))),
        "chi2": float(2.0 * found.cost / (noisy.size - 4)),
    }


def _draw(picture, data, fit, guess):
    from examples.gallery import drawing

    figure, axes = drawing.axes(1)
    year = 1 + np.arange(data.shape[0])
    for k, (name, colour) in enumerate((("hares", drawing.BLUE), ("lynxes", drawing.ORANGE))):
        axes.plot(year, np.exp(data[:, k]), "o", ms=4, color=colour, label=name)
        axes.plot(year, np.exp(fit[:, k]), color=colour)
        axes.plot(year, np.exp(guess[:, k]), color=colour, ls=":", lw=1)
    axes.set(xlabel="year", ylabel="thousands", title="counts, the fit, and (dotted) where it began")
    axes.legend(frameon=False)
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
