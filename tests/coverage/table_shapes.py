"""Arrays: indexing, making, joining, splitting and shaping them."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from tests.coverage.row import Draw, Table

V = Draw((6,))
M = Draw((3, 4))
CUBE = Draw((2, 3, 4))
SQUARE = Draw((3, 3))
COMPLEX = Draw((5,), dtype="complex128")
PLACES = np.array([4, 0, 2, 2, -1])
MASK = np.array([True, False, True, True, False, True])
CONDITIONS = np.array(
    [[True, False, True, False], [False, False, True, True], [True, True, False, True]]
)

row = Table("indexing")


def _set_fancy(x, y, places):
    z = x * 1.0
    z[places] = y
    return z


def _set_mask(x, mask):
    z = x * 2.0
    z[mask] = 3.0
    return z


def _add_fancy(x, y, places):
    z = x * 1.0
    z[places] += y
    return z


def _set_slice(x, y):
    z = x * 1.0
    z[1:3, ::2] = y
    z[0] = 2.0
    return z


def _set_flat(x):
    z = x * 1.0
    z.flat[3] = x[0, 0] ** 2
    return z


def _fill(x):
    z = np.empty(4)
    z.fill(x)
    return z


def _fill_diagonal(x, v):
    z = x * 1.0
    np.fill_diagonal(z, v)
    return z


def _nditer(x):
    total = 0.0
    for one in np.nditer(x):
        total += one.item() ** 2
    return total


def _nditer_of_two(x, y):
    total = 0.0
    for a, b in np.nditer((x, y)):
        total += a.item() * b.item()
    return total


def _ndenumerate(x):
    total = 0.0
    for (i, j), one in np.ndenumerate(x):
        total += one * (i + 2 * j)
    return total


def _ndindex(x):
    total = 0.0
    for i, j in np.ndindex(x.shape):
        total += x[i, j] ** (i + 1)
    return total


def _flat(x):
    total = 0.0
    for one in x.flat:
        total += one**2
    return total


def _view(x):
    y = x * 2.0
    return y.view(np.complex128)


row("operator.getitem", lambda x: x[1, 2] * x[-1, 0], M)
row("operator.getitem of slices", lambda x: x[1:, ::-2], M)
row("operator.getitem with newaxis", lambda x: x[:, np.newaxis] * x[np.newaxis, :], V)
row("operator.getitem with ellipsis", lambda x: x[..., 1], CUBE)
row("operator.getitem of places", lambda x, k: x[k], V, PLACES)
row("operator.getitem of places and slices", lambda x, k: x[k, 1:], Draw((5, 3)), PLACES)
row("operator.getitem of slices and places", lambda x, k: x[:, k], Draw((3, 5)), PLACES)
row("operator.getitem of a list of places", lambda x: x[np.array([1, 0])], M)
row("operator.getitem of a mask", lambda x, m: x[m], V, MASK)
row("operator.getitem of a condition", lambda x: x[x > 1.0], V)
row("operator.getitem of a condition of a matrix", lambda x, m: x[m], M, CONDITIONS)
row("operator.setitem of places", _set_fancy, V, Draw((3,)), np.array([4, 0, 2]))
row("operator.setitem of a mask", _set_mask, V, MASK)
row("operator.setitem added to places", _add_fancy, V, Draw((3,)), np.array([4, 0, 2]))
row("operator.setitem of slices", _set_slice, M, Draw((2, 2)))
row("ndarray.flat setitem", _set_flat, M)
row("ndarray.flat", _flat, M)
row("ndarray.fill", _fill, Draw(None))
row("ndarray.item", lambda x: x[:1].item() * 2.0, V)
row("ndarray.view", _view, V)
row("ndarray.T", lambda x: x.T * 2.0, M)
row("ndarray.size", lambda x: x * x.size * x.ndim * x.shape[0], V)
row("np.take", lambda x, k: np.take(x, k), V, PLACES)
row("np.take over an axis", lambda x, k: np.take(x, k, axis=1), Draw((3, 5)), PLACES)
row("np.take of one", lambda x: np.take(x, 2), V)
row("ndarray.take", lambda x, k: x.take(k), V, PLACES)
row(
    "np.take_along_axis",
    lambda x: np.take_along_axis(x, np.array([[1, 0, 2], [0, 0, 3]]), 1),
    Draw((2, 4)),
)
row("np.where", lambda x, y, m: np.where(m, x, y), V, V, MASK)
row("np.where of a condition", lambda x, y: np.where(x > y, x * y, y), V, V)
row("np.where of numbers", lambda x, y: np.where(x > 1.0, x, y), V, Draw(None))
row("np.where broadcast", lambda x, y: np.where(x > 1.0, x, y), M, Draw((4,)))
row("np.where of complex128", lambda x, y: np.where(x.real > 1.0, x, y), COMPLEX, COMPLEX)
row("np.where of one number", lambda x, y: np.where(x > 1.0, x, y), Draw(None), Draw(None))
row("np.select", lambda x: np.select([x > 1.2, x > 0.8], [x * x, np.sin(x)], 0.5), V)
row("np.clip", lambda x: np.clip(x, 0.6, 1.3), V)
row(
    "np.clip by arrays",
    lambda x, a, b: np.clip(x, a, b),
    V,
    Draw((6,), 0.5, 0.8),
    Draw((6,), 1.0, 1.3),
)
row("np.clip from one side", lambda x: np.clip(x, 0.6, None), V)
row("ndarray.clip", lambda x: x.clip(0.6, 1.3), V)
row("np.extract", lambda x: np.extract(x > 1.0, x), V)
row("np.fill_diagonal", _fill_diagonal, SQUARE, Draw(None))
row("np.delete", lambda x: np.delete(x, 2), V)
row("np.delete of several", lambda x: np.delete(x, np.array([1, 3])), V)
row("np.insert", lambda x, v: np.insert(x, 2, v), V, Draw(None))
row("np.trim_zeros", lambda x, h: np.trim_zeros(x * h), V, np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0]))
row("np.nditer", _nditer, M)
row("np.nditer of two", _nditer_of_two, M, M)
row("np.ndenumerate", _ndenumerate, M)
row("np.ndindex", _ndindex, M)
row("np.diag", lambda x: np.diag(x), V)
row("np.diag of a matrix", lambda x: np.diag(x), SQUARE)
row("np.diagflat", lambda x: np.diagflat(x), V)
row("np.tril", lambda x: np.tril(x), SQUARE)
row("np.triu", lambda x: np.triu(x, 1), M)
row("np.tril_indices", lambda x: x[np.tril_indices(3)[0]] * 2.0, V)
row("np.triu_indices", lambda x: x[np.triu_indices(3)[1]] * 2.0, V)
row("np.tril_indices_from", lambda x: x[np.tril_indices_from(x)[0], 0], SQUARE)
row("np.triu_indices_from", lambda x: x[np.triu_indices_from(x)[1], 0], SQUARE)
row("np.indices", lambda x: x * np.indices((3, 4))[1], M)

row = Table("making, joining and shaping")


def _made(x, n):
    z = np.zeros(n)
    o = np.ones(n)
    e = np.empty(n)
    e[:] = x
    return z + o * e


def _made_like(x):
    y = np.empty_like(x)
    y[:] = x * x
    return y


row("np.zeros", _made, V, 6)
row("np.zeros_like", lambda x: np.zeros_like(x) + x * x, M)
row("np.ones", lambda x: np.ones((3, 4)) * x, M)
row("np.ones_like", lambda x: np.ones_like(x) * x, M)
row("np.empty", _made, Draw(None), 4)
row("np.empty_like", _made_like, M)
row("np.full", lambda v: np.full((2, 3), v), Draw(None))
row("np.full_like", lambda x, v: np.full_like(x, v) * x, M, Draw(None))
row("np.eye", lambda x: np.eye(3) * x, SQUARE)
row("np.identity", lambda x: np.identity(3) * x, SQUARE)
row("np.tri", lambda x: np.tri(3) * x, SQUARE)
row("np.arange", lambda x: np.arange(6) * x, V)
row("np.arange of floats", lambda a: np.arange(a, a + 2.9, 0.5), Draw(None))
row("np.linspace", lambda a, b: np.linspace(a, b, 5), Draw(None), Draw(None))
row("np.logspace", lambda a, b: np.logspace(a, b, 5), Draw(None), Draw(None))
row("np.geomspace", lambda a, b: np.geomspace(a, b, 5), Draw(None, 0.3, 0.5), Draw(None, 1.0, 2.0))
row("np.array", lambda x, y: np.array([x, y, x * y]), Draw(None), Draw(None))
row("np.array of rows", lambda x, y: np.array([[x, y], [x * y, 1.0]]), Draw(None), Draw(None))
row("np.asarray", lambda x: np.asarray(x) * x, V)
row("np.asarray of a tuple", lambda x, y: np.asarray((x, y)), Draw(None), Draw(None))
row("np.asarray_chkfinite", lambda x: np.asarray_chkfinite(x) * x, V)
row("np.asfortranarray", lambda x: np.asfortranarray(x) * x, M)
row("np.ascontiguousarray", lambda x: np.ascontiguousarray(x.T) * 2.0, M)
row("np.copy", lambda x: np.copy(x) * x, M)
row("ndarray.copy", lambda x: x.copy() * x, M)
row("ndarray.astype", lambda x: x.astype(np.complex128) * x, V)
row("ndarray.astype to float32", lambda x: x.astype(np.float64) * 2.0, Draw((5,), dtype="float32"))
row("np.atleast_1d", lambda x: np.atleast_1d(x) * x, V)
row("np.atleast_2d", lambda x: np.atleast_2d(x) * x, V)
row("np.atleast_3d", lambda x: np.atleast_3d(x) * 2.0, V)
row("np.expand_dims", lambda x: np.expand_dims(x, 1) * x, V)
row("np.squeeze by reshape", lambda x: x.reshape(6) * 2.0, Draw((6, 1)))
row("np.reshape", lambda x: np.reshape(x, (2, 6)), M)
row("ndarray.reshape", lambda x: x.reshape(4, 3), M)
row("ndarray.reshape with a free length", lambda x: x.reshape((2, -1)), M)
row("np.ravel", lambda x: np.ravel(x), M)
row("ndarray.ravel", lambda x: x.T.ravel(), M)
row("ndarray.flatten", lambda x: x.flatten(), M)
row("np.resize", lambda x: np.resize(x, (3, 3)), V)
row("np.transpose", lambda x: np.transpose(x), M)
row("np.transpose of axes", lambda x: np.transpose(x, (2, 0, 1)), CUBE)
row("ndarray.transpose", lambda x: x.transpose(), M)
row("np.swapaxes", lambda x: np.swapaxes(x, 0, 1), M)
row("np.moveaxis", lambda x: np.moveaxis(x, 0, 2), CUBE)
row("np.flip", lambda x: np.flip(x), M)
row("np.fliplr", lambda x: np.fliplr(x), M)
row("np.flipud", lambda x: np.flipud(x), M)
row("np.rot90", lambda x: np.rot90(x), M)
row("np.roll", lambda x: np.roll(x, 2), V)
row("np.repeat", lambda x: np.repeat(x, 2), V)
row("np.repeat by counts", lambda x: np.repeat(x, np.array([1, 0, 2, 1, 3, 1])), V)
row("ndarray.repeat", lambda x: x.repeat(2), V)
row("np.append", lambda x, y: np.append(x, y), V, V)
row("np.concatenate", lambda x, y: np.concatenate((x, y * x, y)), V, V)
row("np.concatenate over an axis", lambda x, y: np.concatenate((x, y), axis=1), M, Draw((3, 2)))
row("np.stack", lambda x, y: np.stack((x, y)), V, V)
row("np.stack over an axis", lambda x, y: np.stack((x, y), 1), M, M)
row("np.hstack", lambda x, y: np.hstack((x, y)), M, M)
row("np.vstack", lambda x, y: np.vstack((x, y)), M, M)
row("np.dstack", lambda x, y: np.dstack((x, y)), M, M)
row("np.row_stack", lambda x, y: np.vstack((x, y)), V, V)
row("np.column_stack", lambda x, y: np.column_stack((x, y)), V, V)
row("np.split", lambda x: np.split(x, 3)[1] * np.split(x, 3)[2], V)
row("np.split at places", lambda x: np.split(x, [2, 5])[1] * 2.0, V)
row("np.array_split", lambda x: np.array_split(x, 4)[1] * 2.0, V)
row("np.hsplit", lambda x: np.hsplit(x, 2)[1] * 2.0, M)
row("np.vsplit", lambda x: np.vsplit(x, 3)[1] * 2.0, M)
row("np.dsplit", lambda x: np.dsplit(x, 2)[1] * 2.0, CUBE)
row("np.broadcast_to", lambda x: np.broadcast_to(x, (3, 6)) * 2.0, V)
row(
    "np.broadcast_arrays",
    lambda x, y: np.broadcast_arrays(x, y)[0] * np.broadcast_arrays(x, y)[1],
    Draw((3, 1)),
    V,
)
row("np.broadcast_shapes", lambda x: x * np.broadcast_shapes((3, 1), (1, 4))[1], V)
row("np.lib.stride_tricks.sliding_window_view", lambda x: sliding_window_view(x, 3) * 2.0, V)
row("np.lib.stride_tricks.as_strided", lambda x: as_strided(x, (4, 3), (8, 8)) * 2.0, V)
row("np.round", lambda x: np.round(x) * x, V)
row("np.round to digits", lambda x: np.round(x, 1) * x, V)
row("np.around", lambda x: np.around(x) * x, V)
row("np.shape", lambda x: x * np.shape(x)[0], V)
row("np.size", lambda x: x * np.size(x), V)
row("np.isscalar", lambda x: x * np.isscalar(x), Draw(None))
row("np.iscomplexobj", lambda x: x * np.iscomplexobj(x), V)
row("np.isrealobj", lambda x: x * np.isrealobj(x), V)
row("np.finfo", lambda x: x * np.finfo(np.float64).eps * 1e16, V)
row("np.iinfo", lambda x: x * np.iinfo(np.int32).max, V)
