"""Sums of products over axes, as einsum would write them, and decompositions of tensors."""

import numpy as np

from tests.coverage.row import Draw


def batched_product(a, b):
    """bij,bjk->bik."""
    y = np.empty((a.shape[0], a.shape[1], b.shape[2]))
    for n in range(a.shape[0]):
        y[n] = a[n] @ b[n]
    return y


def batched_product_by_broadcast(a, b):
    """bij,bjk->bik."""
    return np.sum(a[:, :, :, np.newaxis] * b[:, np.newaxis, :, :], axis=2)


def two_axes(a, b):
    """ijkl,klm->ijm, by a product of matrices."""
    i, j, k, l = a.shape
    flat = np.reshape(a, (i * j, k * l)) @ np.reshape(b, (k * l, b.shape[2]))
    return np.reshape(flat, (i, j, b.shape[2]))


def three_modes(core, u, v, w):
    """abc,ia,jb,kc->ijk (Tucker), axis by axis."""
    a, b, c = core.shape
    y = (u @ np.reshape(core, (a, b * c))).reshape((u.shape[0], b, c))
    z = np.empty((u.shape[0], v.shape[0], c))
    for i in range(u.shape[0]):
        z[i] = v @ y[i]
    return np.reshape(
        np.reshape(z, (u.shape[0] * v.shape[0], c)) @ np.ascontiguousarray(w.T),
        (u.shape[0], v.shape[0], w.shape[0]),
    )


def parallel_factors(u, v, w, x):
    """The distance of a tensor from a sum of outer products (CP)."""
    found = np.zeros(x.shape)
    for r in range(u.shape[1]):
        found += u[:, r].copy().reshape((-1, 1, 1)) * v[:, r].copy().reshape((1, -1, 1)) * w[:, r]
    return np.sum((found - x) ** 2)


def tensor_train(a, b, c):
    """A chain of cores of three dimensions, for all indices."""
    y = np.zeros((a.shape[1], b.shape[1], c.shape[1]))
    for i, j, k in np.ndindex(y.shape):
        row = a[0, i] @ np.ascontiguousarray(b[:, j])
        y[i, j, k] = row @ c[:, k, 0].copy()
    return y


def stress(c, strain):
    """ijkl,kl->ij in four loops, and the energy."""
    energy = 0.0
    s = np.zeros(strain.shape)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(c.shape[2]):
                for l in range(c.shape[3]):
                    s[i, j] += c[i, j, k, l] * strain[k, l]
            energy += 0.5 * s[i, j] * strain[i, j]
    return energy


def outer_of_three(x, y, z):
    return np.sum((x[:, None, None] * y[None, :, None] * z[None, None, :]) ** 2, axis=1)


def doitgen(a, c):
    """Rows of a tensor are replaced by their products, in place."""
    a = a.copy()
    for r in range(a.shape[0]):
        for q in range(a.shape[1]):
            a[r, q] = a[r, q] @ c
    return a


def bilinear(x, w, y):
    """bi,oij,bj->bo."""
    found = np.empty((x.shape[0], w.shape[0]))
    for o in range(w.shape[0]):
        found[:, o] = np.sum((x @ w[o]) * y, axis=1)
    return found


def power_of_axes(x, n):
    """Axes go round in a loop: each time another one is summed over."""
    total = 0.0
    for i in range(n):
        s = np.sum(x, axis=0)
        x = np.ascontiguousarray(np.transpose(0.2 * x * s, (1, 2, 0)))
        total += np.sum(np.reshape(x, (x.shape[0] * x.shape[1], x.shape[2])) ** 2) * (i + 1)
    return total


ARGUMENTS = {
    batched_product: (Draw((2, 3, 2)), Draw((2, 2, 4))),
    batched_product_by_broadcast: (Draw((2, 3, 2)), Draw((2, 2, 4))),
    two_axes: (Draw((2, 2, 2, 3)), Draw((2, 3, 2))),
    three_modes: (Draw((2, 3, 2)), Draw((3, 2)), Draw((2, 3)), Draw((2, 2))),
    parallel_factors: (Draw((2, 3)), Draw((3, 3)), Draw((2, 3)), Draw((2, 3, 2))),
    tensor_train: (Draw((1, 2, 2)), Draw((2, 3, 2)), Draw((2, 2, 1))),
    stress: (Draw((2, 2, 2, 2)), Draw((2, 2))),
    outer_of_three: (Draw((2,)), Draw((3,)), Draw((4,))),
    doitgen: (Draw((2, 3, 3)), Draw((3, 3))),
    bilinear: (Draw((2, 3)), Draw((2, 3, 2)), Draw((2, 2))),
    power_of_axes: (Draw((2, 2, 2)), 3),
}
