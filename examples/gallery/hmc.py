"""Samples of a bent distribution, by Hamiltonian Monte Carlo that is compiled as a whole, gradient and all.

The density is a banana: x is normal, and y is normal around x^2. Its moments are known: E x = 0, E x^2 = 1, E y = 1, Var y = 2 + S^2. The
sampler is an ordinary @njit loop; `enzyme.gradient` in it is a call of compiled code, which takes a fraction of a microsecond.
"""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np

import enzyme_py as enzyme

S = 1.0  # standard deviation of y around x^2


@enzyme.jit
def energy(q):
    """Return minus the logarithm of the density, but for a constant."""
    bend = (q[1] - q[0] * q[0]) / S
    return 0.5 * (q[0] * q[0] + bend * bend)


@numba.njit
def sampled(start, count, step, leaps, random):
    """Return samples, and how many proposals were taken."""
    q = start.copy()
    samples = np.empty((count, q.size))
    taken = 0
    for n in range(count):
        p = random.normal(0.0, 1.0, q.size)
        before = energy(q) + 0.5 * np.sum(p * p)
        new = q.copy()
        size = step * (0.8 + 0.4 * random.random())
        p -= 0.5 * size * enzyme.gradient(energy, new)[0]
        for leap in range(leaps):
            new += size * p
            half = 0.5 if leap == leaps - 1 else 1.0
            p -= half * size * enzyme.gradient(energy, new)[0]
        if np.log(random.random()) < before - energy(new) - 0.5 * np.sum(p * p):
            q = new
            taken += 1
        samples[n] = q
    return samples, taken


def off(values, expected):
    """Return how many standard errors a mean is off, from the means of 50 blocks of the chain."""
    blocks = values[: len(values) // 50 * 50].reshape(50, -1).mean(1)
    return float(abs(blocks.mean() - expected) / (blocks.std(ddof=1) / np.sqrt(50)))


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Sample, and compare moments with the known ones."""
    samples, taken = sampled(np.zeros(2), 20_000 if short else 200_000, 0.12, 16, np.random.default_rng(7))
    x, y = samples.T
    pulls = {
        "x": off(x, 0.0),
        "x2": off(x * x, 1.0),
        "y": off(y, 1.0),
        "y2": off((y - 1.0) ** 2, 2.0 + S * S),
    }
    rate = taken / len(samples)
    print(f"hmc: {len(samples)} samples, {100 * rate:.0f} % taken; E y = {y.mean():.3f}, Var y = {y.var():.3f} (known: 1, {2 + S * S})")
    if picture is not None:
        _draw(picture, samples)
    return {"rate": rate, "mean": float(y.mean()), "variance": float(y.var()), **pulls}


def _draw(picture, samples):
    from examples.gallery import drawing

    figure, (left, right) = drawing.axes(2)
    left.plot(*samples[:3000:2].T, ".", ms=1.5, color=drawing.BLUE)
    left.plot(*samples[:25].T, "-", lw=1, color=drawing.ORANGE)
    left.set(title="samples, and the first 25 jumps", xlabel="x", ylabel="y")
    right.hist(samples[:, 0], 60, density=True, color=drawing.BLUE, alpha=0.5)
    grid = np.linspace(-4, 4, 100)
    right.plot(grid, np.exp(-0.5 * grid * grid) / np.sqrt(2 * np.pi), color=drawing.ORANGE)
    right.set(title="x, and its known density")
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
