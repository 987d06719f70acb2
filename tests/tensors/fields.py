"""Fields in space and time: stencils of three dimensions, advection, lattices, several levels."""

import math

import numpy as np

from tests.coverage.row import Draw


def heat_3d(x, steps):
    """Two fields change places, as PolyBench has it."""
    a, b = x.copy(), x.copy()
    for step in range(steps):
        for source, target in ((a, b), (b, a)):
            target[1:-1, 1:-1, 1:-1] = (
                0.125 * (source[2:, 1:-1, 1:-1] - 2.0 * source[1:-1, 1:-1, 1:-1] + source[:-2, 1:-1, 1:-1])
                + 0.125 * (source[1:-1, 2:, 1:-1] - 2.0 * source[1:-1, 1:-1, 1:-1] + source[1:-1, :-2, 1:-1])
                + 0.125 * (source[1:-1, 1:-1, 2:] - 2.0 * source[1:-1, 1:-1, 1:-1] + source[1:-1, 1:-1, :-2])
                + source[1:-1, 1:-1, 1:-1]
            )  # fmt: skip
    return a


def heat_3d_by_points(x, rate, steps):
    u = x.copy()
    for step in range(steps):
        new = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                for k in range(1, u.shape[2] - 1):
                    around = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k]
                    around += u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1]
                    new[i, j, k] += rate[i, j, k] * (around - 6.0 * u[i, j, k])
        u = new
    return u


def gauss_seidel_3d(x, steps):
    u = x.copy()
    for step in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                for k in range(1, u.shape[2] - 1):
                    u[i, j, k] = 0.2 * (u[i - 1, j, k] + u[i + 1, j, k] * u[i, j, k]
                                        + u[i, j - 1, k] + u[i, j, k + 1])  # fmt: skip
    return u


def horizontal_diffusion(x, c):
    """A limited flux of a Laplacian, as weather models have it."""
    lap = 4.0 * x[1:-1, 1:-1] - (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
    along = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flux = np.where(along * (x[2:-1, 2:-2] - x[1:-2, 2:-2]) > 0, 0.0, along)
    across = lap[1:-1, 1:] - lap[1:-1, :-1]
    other = np.where(across * (x[2:-2, 2:-1] - x[2:-2, 1:-2]) > 0, 0.0, across)
    return x[2:-2, 2:-2] - c * (flux[1:] - flux[:-1] + other[:, 1:] - other[:, :-1])


def vertical_advection(x, w):
    """A tridiagonal system in the last axis of every column, all columns at once."""
    levels = x.shape[2]
    c, d = np.zeros(x.shape), np.zeros(x.shape)
    c[:, :, 0] = 0.3 * w[:, :, 0] / 2.0
    d[:, :, 0] = x[:, :, 0] / 2.0
    for k in range(1, levels):
        over = 1.0 / (2.0 - 0.3 * w[:, :, k] * c[:, :, k - 1])
        c[:, :, k] = 0.3 * w[:, :, k] * over
        d[:, :, k] = (x[:, :, k] + 0.3 * w[:, :, k] * d[:, :, k - 1]) * over
    y = np.zeros(x.shape)
    y[:, :, levels - 1] = d[:, :, levels - 1]
    for k in range(levels - 2, -1, -1):
        y[:, :, k] = d[:, :, k] - c[:, :, k] * y[:, :, k + 1]
    return y


def lattice_boltzmann(f, steps):
    """Nine densities at each place move on and mix."""
    ways = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
    weights = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    f = f.copy()
    height, width = f.shape[1], f.shape[2]
    for step in range(steps):
        moved = np.empty_like(f)
        for q in range(9):
            for i in range(height):
                for j in range(width):
                    moved[q, (i + ways[q, 0]) % height, (j + ways[q, 1]) % width] = f[q, i, j]
        density = np.sum(moved, axis=0)
        for q in range(9):
            moved[q] += 0.6 * (weights[q] * density * density - moved[q])
        f = moved
    return f


def wave_3d(x, steps):
    """Three fields of time in one array of four dimensions."""
    u = np.zeros((steps + 2, x.shape[0], x.shape[1], x.shape[2]))
    u[0] = x
    u[1] = x * 0.9
    for t in range(1, steps + 1):
        inner = u[t, 1:-1, 1:-1, 1:-1]
        lap = u[t, 2:, 1:-1, 1:-1] + u[t, :-2, 1:-1, 1:-1] + u[t, 1:-1, 2:, 1:-1] - 3.0 * inner
        u[t + 1, 1:-1, 1:-1, 1:-1] = 2.0 * inner - u[t - 1, 1:-1, 1:-1, 1:-1] + 0.1 * lap * inner
    return u[steps + 1]


def coarser_and_finer(x):
    """One grid down and up again: means of cubes, and what they left."""
    a, b, c = x.shape[0] // 2, x.shape[1] // 2, x.shape[2] // 2
    coarse = np.zeros((a, b, c))
    for i, j, k in np.ndindex((2, 2, 2)):
        coarse += x[i::2, j::2, k::2] / 8
    fine = np.zeros((2 * a, 2 * b, 2 * c))
    for i, j, k in np.ndindex(2, 2, 2):
        fine[i::2, j::2, k::2] = coarse * coarse
    return x - fine


def cloud_of_points(points, masses):
    """Forces between all points of clouds: batch, point, point, axis."""
    apart = points[:, :, np.newaxis, :] - points[:, np.newaxis, :, :]
    near = np.sum(apart * apart, axis=3) + 0.5
    weight = masses[:, np.newaxis, :] / (near * np.sqrt(near))
    return np.sum(np.expand_dims(weight, 3) * apart, axis=2)


def scattering(g, d, dh):
    """As NPBench has it: products of small matrices in loops over energies and atoms."""
    sigma = np.zeros(g.shape)
    for k in range(g.shape[0]):
        for e in range(g.shape[1]):
            for w in range(d.shape[0]):
                if e - w >= 0:
                    sigma[k, e] += (dh[w] @ g[k, e - w]) @ dh[w] * d[w, 0, 0]
    return sigma


def histogram_of_gradients(x, bins):
    """Soft bins of directions of a picture's slopes, in cells."""
    height, width = x.shape[1], x.shape[2]
    y = np.zeros((x.shape[0], 2, 2, bins))
    for n in range(x.shape[0]):
        for i in range(1, height - 1):
            for j in range(1, width - 1):
                u, v = x[n, i + 1, j] - x[n, i - 1, j], x[n, i, j + 1] - x[n, i, j - 1]
                size = math.sqrt(u * u + v * v + 1e-2)
                for k in range(bins):
                    near = math.exp(u * math.cos(k) + v * math.sin(k))
                    y[n, (2 * i) // height, (2 * j) // width, k] += size * near
    return y


ARGUMENTS = {
    heat_3d: (Draw((4, 4, 3)), 2),
    heat_3d_by_points: (Draw((4, 4, 3)), Draw((4, 4, 3), 0.05, 0.1), 2),
    gauss_seidel_3d: (Draw((4, 4, 3)), 2),
    horizontal_diffusion: (Draw((6, 6, 2)), Draw((2, 2, 2))),
    vertical_advection: (Draw((2, 2, 4)), Draw((2, 2, 4))),
    lattice_boltzmann: (Draw((9, 2, 3)), 2),
    wave_3d: (Draw((4, 4, 3)), 3),
    coarser_and_finer: (Draw((2, 4, 2)),),
    cloud_of_points: (Draw((2, 3, 2)), Draw((2, 3))),
    scattering: (Draw((2, 3, 2, 2)), Draw((2, 2, 2)), Draw((2, 2, 2))),
    histogram_of_gradients: (Draw((1, 4, 4)), 3),
}
