"""A mixture of Gaussians fitted by maximum likelihood, with Newton-like steps instead of expectation-maximisation.

The log-likelihood is written as on paper: weights as a softmax, each covariance by its Cholesky factor, the sum by
log-sum-exp. At its maximum a step of expectation-maximisation, which is written down beside it, changes nothing: a test of
the gradient that knows nothing of derivatives.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import enzyme_py as enzyme

PARTS = 3
MEANS = np.array([[-2.0, 0.0], [1.5, 1.5], [1.0, -2.0]])
WEIGHTS = np.array([0.5, 0.3, 0.2])
FACTORS = np.array([[[0.8, 0.0], [0.5, 0.4]], [[0.5, 0.0], [-0.2, 0.7]], [[0.4, 0.0], [0.0, 0.4]]])


@enzyme.jit
def loss(p, data):
    """Return minus the mean log-likelihood; of each part 6 numbers: weight, mean, and the Cholesky factor of its precision."""
    n = data.shape[0]
    terms = np.empty(PARTS)
    total = 0.0
    weights = 0.0
    for k in range(PARTS):
        weights += np.exp(p[6 * k])
    for i in range(n):
        largest = -np.inf
        for k in range(PARTS):
            x = data[i, 0] - p[6 * k + 1]
            y = data[i, 1] - p[6 * k + 2]
            u = np.exp(p[6 * k + 3]) * x
            v = p[6 * k + 4] * x + np.exp(p[6 * k + 5]) * y
            terms[k] = p[6 * k] + p[6 * k + 3] + p[6 * k + 5] - 0.5 * (u * u + v * v)
            largest = max(largest, terms[k])
        total += largest + np.log(np.sum(np.exp(terms - largest)))
    return np.log(weights) + np.log(2.0 * np.pi) - total / n


def sampled(n):
    """Return points, and the part that each came from."""
    random = np.random.default_rng(1)
    which = random.choice(PARTS, size=n, p=WEIGHTS)
    return MEANS[which] + np.einsum("nij,nj->ni", FACTORS[which], random.normal(size=(n, 2))), which


def read(p):
    """Return weights, means and covariances of a parameter vector."""
    rows = p.reshape(PARTS, 6)
    weights = np.exp(rows[:, 0]) / np.exp(rows[:, 0]).sum()
    roots = np.zeros((PARTS, 2, 2))
    roots[:, 0, 0], roots[:, 1, 0], roots[:, 1, 1] = np.exp(rows[:, 3]), rows[:, 4], np.exp(rows[:, 5])
    return weights, rows[:, 1:3], np.linalg.inv(np.swapaxes(roots, 1, 2) @ roots)


def one_step_of_em(p, data):
    """Return weights, means and covariances after one step of expectation-maximisation."""
    weights, means, covariances = read(p)
    off = data[:, None, :] - means
    exponents = np.einsum("nki,kij,nkj->nk", off, np.linalg.inv(covariances), off)
    shares = weights * np.exp(-0.5 * exponents) / np.sqrt(np.linalg.det(covariances))
    shares /= shares.sum(1, keepdims=True)
    mass = shares.sum(0)
    means = shares.T @ data / mass[:, None]
    off = data[:, None, :] - means
    return mass / len(data), means, np.einsum("nk,nki,nkj->kij", shares, off, off) / mass[:, None, None]


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Fit points of three parts."""
    data, _which = sampled(300 if short else 3000)
    slope = enzyme.value_and_grad(loss)
    begin = np.zeros((PARTS, 6))
    begin[:, 1:3] = [[-1.0, 0.5], [0.5, 1.0], [0.5, -1.0]]
    found = minimize(lambda p: slope(p, data), begin.ravel(), jac=True, method="BFGS", options={"gtol": 1e-9})
    weights, means, covariances = read(found.x)
    again = one_step_of_em(found.x, data)
    moved = max(float(np.max(np.abs(a - b))) for a, b in zip((weights, means, covariances), again, strict=True))
    off = float(np.max(np.abs(means - MEANS)))
    print(f"mixture: means to {off:.3f}, weights {weights.round(3)}; a step of EM moves it by {moved:.1e}")
    if picture is not None:
        _draw(picture, data, means, covariances)
    return {"off": off, "weights": float(np.max(np.abs(weights - WEIGHTS))), "moved": moved}


def _draw(picture, data, means, covariances):
    from examples.gallery import drawing

    figure, axes = drawing.axes(1, width=5.0)
    axes.plot(*data[:900].T, ".", ms=2, color=drawing.GREY)
    circle = np.array([np.cos(np.linspace(0, 2 * np.pi, 80)), np.sin(np.linspace(0, 2 * np.pi, 80))])
    for mean, covariance in zip(means, covariances, strict=True):
        for sigmas in (1.0, 2.0):
            axes.plot(*(mean[:, None] + sigmas * np.linalg.cholesky(covariance) @ circle), color=drawing.ORANGE)
    axes.set(title="points, and the parts at one and two standard deviations", aspect="equal")
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
