"""Functions that copy, assign and take apart arrays."""

from __future__ import annotations

import numpy as np

from tests.copies.row import row

MATRIX, VECTOR, SQUARE = (3, 4), (5,), (3, 3)
FEW = ((0, 4), (1, 4), (3, 0), (1, 1))  # other sizes of a matrix
SHORT = ((0,), (1,), (2,))  # and of a vector


# --- copies ---------------------------------------------------------------------------------------


@row(MATRIX, also=FEW)
def copy(x):
    return x.copy()


@row(MATRIX, also=FEW)
def np_copy(x):
    return np.copy(x)


@row(MATRIX, also=FEW)
def flatten(x):
    return x.flatten()


@row(MATRIX, also=FEW)
def ravel(x):
    return x.ravel()


@row(MATRIX, also=FEW)
def np_ravel(x):
    return np.ravel(x)


@row(MATRIX, also=FEW)
def ascontiguous(x):
    return np.ascontiguousarray(x)


@row(MATRIX, also=FEW)
def asfortran(x):
    return np.asfortranarray(x)


@row((12,), contiguous=True)
def reshape(x):
    return x.reshape((3, 4))


@row((12,), contiguous=True)
def np_reshape(x):
    return np.reshape(x, (2, 6))


@row(MATRIX)
def reshape_of_fortran(x):
    return np.asfortranarray(x).T.reshape(12)


@row(MATRIX, also=FEW)
def transpose(x):
    return x.T.copy()


@row((2, 3, 4))
def transpose_axes(x):
    return np.transpose(x, (2, 0, 1))


@row(MATRIX, also=FEW)
def swapaxes(x):
    return np.swapaxes(x, 0, 1)


@row((2, 3, 4))
def moveaxis(x):
    return np.moveaxis(x, 0, 2)


@row(VECTOR, also=SHORT, single=True, real=True)
def astype(x):
    return x.astype(np.float32).astype(np.float64)


@row(VECTOR, also=SHORT)
def atleast_2d(x):
    return np.atleast_2d(x)


@row(VECTOR, also=SHORT)
def expand_dims(x):
    return np.expand_dims(x, 1) * x


@row(VECTOR, also=SHORT)
def broadcast_to(x):
    return np.broadcast_to(x, (3, x.size)) * 1.0


@row(VECTOR)
def broadcast_view(x):
    return np.broadcast_to(x, (3, 5))


# --- assignment -----------------------------------------------------------------------------------


@row(VECTOR, VECTOR)
def slice_assign(x, y):
    out = np.zeros(8, x.dtype)
    out[1:6] = x
    out[2:7] = y
    return out


@row(MATRIX, MATRIX)
def slice_assign_matrix(x, y):
    out = np.zeros((5, 6), x.dtype)
    out[1:4, 1:5] = x
    out[::2, 0:4] = y
    return out


@row(MATRIX, also=FEW)
def whole_assign(x):
    out = np.empty(x.shape, x.dtype)
    out[...] = x
    return out


@row(MATRIX, also=FEW)
def whole_assign_colon(x):
    out = np.empty_like(x)
    out[:] = x
    return out


@row(MATRIX, (4,))
def broadcast_assign(x, y):
    out = x.copy()
    out[:] = y
    out[1] = x[0]
    return out


@row(VECTOR)
def scalar_assign(x):
    out = np.zeros((3, 4), x.dtype)
    out[:, 1] = x[0]
    out[1, :] = x[1] * x[2]
    return out


@row(VECTOR)
def overlapping_assign(x):
    out = x.copy()
    out[1:] = out[:-1]
    out[0] = x[4]
    return out


@row(VECTOR)
def reversed_self_assign(x):
    out = x.copy()
    out[:] = out[::-1]
    return out


@row(VECTOR, VECTOR)
def assign_in_rows(x, y):
    out = np.zeros((2, 5), x.dtype)
    out[0] += x
    out[1, :] = y
    out[:, 1] *= 2.0
    out[:] = out[::-1]
    return out


@row(VECTOR, VECTOR, real=True, single=True)
def narrowing_assign(x, y):
    out = np.zeros(5, np.float32)
    out[:] = x
    wide = np.zeros(5)
    wide[1:] = out[:-1]
    return wide * y


@row(VECTOR, (3,))
def fancy_assign(x, y):
    out = x.copy()
    out[np.array([1, 0, 4])] = y
    return out


@row(VECTOR)
def mask_assign(x):
    out = x.copy()
    out[np.array([True, False, True, True, False])] = x[0]
    return out


@row(VECTOR)
def pad(x):
    out = np.zeros(x.size + 4, x.dtype)
    out[2:-2] = x
    out[:2] = x[0]
    out[-2:] = x[-1]
    return out


@row(MATRIX, also=((1, 1), (2, 3)))
def pad_matrix(x):
    n, m = x.shape
    out = np.zeros((n + 2, m + 2), x.dtype)
    out[1:-1, 1:-1] = x
    out[0, 1:-1] = x[0]
    out[-1, 1:-1] = x[-1]
    out[:, 0] = out[:, 1]
    out[:, -1] = out[:, -2]
    return out


# --- made of one number ---------------------------------------------------------------------------


@row(VECTOR)
def full(x):
    return np.full(4, x[1])


@row(VECTOR)
def full_matrix(x):
    return np.full((2, 3), x[1] * x[0])


@row(VECTOR)
def full_like(x):
    return np.full_like(x, x[2])


@row(VECTOR)
def fill(x):
    out = np.empty(4, x.dtype)
    out.fill(x[1] * x[2])
    return out


@row(SQUARE)
def eye(x):
    return np.eye(3) * x[0, 0] + x


@row(SQUARE)
def identity(x):
    return np.identity(3) * x


# --- parts ----------------------------------------------------------------------------------------


@row(VECTOR)
def diag(x):
    return np.diag(x)


@row(VECTOR)
def diag_above(x):
    return np.diag(x, 1)


@row(SQUARE)
def diag_of(x):
    return np.diag(x)


@row(SQUARE)
def diag_of_below(x):
    return np.diag(x, k=-1)


@row(MATRIX)
def triu(x):
    return np.triu(x)


@row(MATRIX)
def triu_above(x):
    return np.triu(x, 1)


@row(MATRIX)
def tril(x):
    return np.tril(x)


@row(MATRIX)
def tril_below(x):
    return np.tril(x, -1)


@row(VECTOR)
def take(x):
    return np.take(x, np.array([0, 4, 4, 1]))


@row(VECTOR)
def fancy(x):
    return x[np.array([0, 4, 4, 1])]


@row(VECTOR)
def mask(x):
    return x[np.array([True, False, True, True, False])]


@row(VECTOR, VECTOR)
def where(x, y):
    return np.where(np.arange(5) % 2 == 0, x, 2.0 * y)


@row(VECTOR)
def delete(x):
    return np.delete(x, 2)


@row(VECTOR)
def delete_many(x):
    return np.delete(x, np.array([0, 3]))


@row((6,), also=((0,), (3,)))
def split(x):
    a, b, c = np.split(x, 3)
    return a * b + c


@row((6,))
def split_list(x):
    parts = np.split(x, 3)
    out = np.zeros(2, x.dtype)
    for part in parts:
        out = out + out + part
    return out


@row((7,))
def array_split(x):
    parts = np.array_split(x, 3)
    out = np.zeros(2, x.dtype)
    for part in parts:
        out += part[:2] * part[-1]
    return out


@row((6,))
def split_at(x):
    parts = np.split(x, np.array([2, 3]))
    return np.concatenate((parts[2], parts[0] * 2, parts[1]))


@row((4, 4))
def hsplit(x):
    parts = np.hsplit(x, 2)
    return parts[0] * parts[1]


@row((4, 4))
def vsplit(x):
    parts = np.vsplit(x, 2)
    return parts[0] * parts[1]


@row((2, 2, 4))
def dsplit(x):
    parts = np.dsplit(x, 2)
    return parts[0] * parts[1]
