"""Particles: pair forces, planets, distances to centres."""

from __future__ import annotations

import math

import numpy as np

from user_kernels.rows import Row, numbers


def pair_energy(x):
    """Lennard-Jones energy of all pairs."""
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            square = 0.0
            for k in range(3):
                square += (x[i, k] - x[j, k]) ** 2
            near = 1.0 / (square * square * square)
            energy += 4.0 * (near * near - near)
    return energy


def pair_forces(x, steps, dt):
    """Molecules that attract and repel each other: forces of pairs, a step after a step."""
    n = x.shape[0]
    place = x.copy()
    speed = np.zeros_like(x)
    for _ in range(steps):
        force = np.zeros_like(x)
        for i in range(n):
            for j in range(i + 1, n):
                dx = place[i, 0] - place[j, 0]
                dy = place[i, 1] - place[j, 1]
                dz = place[i, 2] - place[j, 2]
                inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 0.1)
                strength = inverse * inverse * (inverse - 0.5)
                force[i, 0] += strength * dx
                force[i, 1] += strength * dy
                force[i, 2] += strength * dz
                force[j, 0] -= strength * dx
                force[j, 1] -= strength * dy
                force[j, 2] -= strength * dz
        for i in range(n):
            for k in range(3):
                speed[i, k] += dt * force[i, k]
                place[i, k] += dt * speed[i, k]
    return np.sum(place * place)


def planets(x, mass, steps, dt):
    """Leapfrog of bodies that attract each other; each looks at all others."""
    n = mass.size
    place = x.copy()
    speed = np.zeros_like(x)
    for _ in range(steps):
        for i in range(n):
            ax, ay, az = 0.0, 0.0, 0.0
            for j in range(n):
                if i != j:
                    dx = place[j, 0] - place[i, 0]
                    dy = place[j, 1] - place[i, 1]
                    dz = place[j, 2] - place[i, 2]
                    square = dx * dx + dy * dy + dz * dz + 0.01
                    pull = mass[j] / (square * math.sqrt(square))
                    ax += pull * dx
                    ay += pull * dy
                    az += pull * dz
            speed[i, 0] += dt * ax
            speed[i, 1] += dt * ay
            speed[i, 2] += dt * az
        for i in range(n):
            for k in range(3):
                place[i, k] += dt * speed[i, k]
    return np.sum(place * place)


def planets_numpy(x, mass, steps, dt):
    """The same bodies, all differences at once."""
    place = x.copy()
    speed = np.zeros_like(x)
    for _ in range(steps):
        apart = place.reshape(1, -1, 3) - place.reshape(-1, 1, 3)
        square = np.sum(apart * apart, axis=2) + 0.01
        pull = mass / (square * np.sqrt(square))
        for k in range(3):
            speed[:, k] += dt * np.sum(pull * apart[:, :, k], axis=1)
        place += dt * speed
    return np.sum(place * place)


def spring_chain(x, steps, dt):
    """A chain of springs with a stiffening term, symplectic Euler."""
    place = x.copy()
    speed = np.zeros(x.size)
    for _ in range(steps):
        for i in range(1, x.size - 1):
            left = place[i] - place[i - 1]
            right = place[i + 1] - place[i]
            speed[i] += dt * (right - left + 0.3 * (right * right - left * left))
        for i in range(1, x.size - 1):
            place[i] += dt * speed[i]
    energy = 0.0
    for i in range(x.size):
        energy += speed[i] * speed[i]
    return 0.5 * energy + np.sum(place)


def k_means(centres, points):
    """The sum of squared distances to the nearest centre."""
    total = 0.0
    for p in range(points.shape[0]):
        best = np.inf
        for c in range(centres.shape[0]):
            square = 0.0
            for k in range(points.shape[1]):
                d = points[p, k] - centres[c, k]
                square += d * d
            best = min(best, square)
        total += best
    return total


POINTS = numbers(100_000, 4)


def k_means_of_global(centres):
    """The same, its points a global array."""
    total = 0.0
    for p in range(POINTS.shape[0]):
        best = np.inf
        for c in range(centres.shape[0]):
            square = 0.0
            for k in range(POINTS.shape[1]):
                d = POINTS[p, k] - centres[c, k]
                square += d * d
            best = min(best, square)
        total += best
    return total


def mixture(centres, points):
    """Minus the log-likelihood of round Gaussians, by log-sum-exp."""
    total = 0.0
    count = centres.shape[0]
    logs = np.empty(count)
    for p in range(points.shape[0]):
        top = -np.inf
        for c in range(count):
            square = 0.0
            for k in range(points.shape[1]):
                square += (points[p, k] - centres[c, k]) ** 2
            logs[c] = -0.5 * square
            top = max(top, logs[c])
        likely = 0.0
        for c in range(count):
            likely += math.exp(logs[c] - top)
        total -= top + math.log(likely)
    return total


def lattice(n):
    """Return places near a cubic lattice: no two are too near."""
    side = math.ceil(n ** (1 / 3))
    grid = np.indices((side, side, side)).reshape(3, -1).T[:n]
    return 1.2 * grid + 0.2 * numbers(n, 3)


ROWS = (
    Row(pair_energy, lambda n: (lattice(n),), 1500, 5),
    Row(pair_forces, lambda n: (lattice(n), 10, 0.01), 300, 5),
    Row(planets, lambda n: (numbers(n, 3), numbers(n), 10, 1e-3), 300, 4),
    Row(planets_numpy, lambda n: (numbers(n, 3), numbers(n), 10, 1e-3), 150, 4, "NumPy"),
    Row(spring_chain, lambda n: (numbers(n), n, 0.01), 2500, 8),
    Row(k_means, lambda n: (numbers(8, 4), numbers(n, 4)), 100_000, 9),
    Row(k_means_of_global, lambda n: (numbers(n, 4),), 8, 2),
    Row(mixture, lambda n: (numbers(8, 4), numbers(n, 4)), 40_000, 9),
)
