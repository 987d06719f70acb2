"""Functions that join, repeat and turn arrays."""

from __future__ import annotations

import numpy as np
from numba.typed import List

from tests.copies.copying import FEW, MATRIX, SHORT, SQUARE, VECTOR
from tests.copies.row import row

PAIRS = tuple((size, size) for size in FEW)
SHORT_PAIRS = (((0,), (0,)), ((1,), (1,)), ((0,), (3,)), ((2,), (0,)))


@row(VECTOR, VECTOR, also=SHORT_PAIRS)
def concatenate(x, y):
    return np.concatenate((x, y, x))


@row(MATRIX, MATRIX, also=PAIRS)
def concatenate_rows(x, y):
    return np.concatenate((x, y), axis=0)


@row(MATRIX, MATRIX, also=PAIRS)
def concatenate_columns(x, y):
    return np.concatenate((x, y), axis=1)


@row(MATRIX, MATRIX)
def concatenate_backwards(x, y):
    return np.concatenate((x, y[::-1]), axis=-1)


@row((2, 2, 3), (2, 1, 3))
def concatenate_middle(x, y):
    return np.concatenate((x, y), axis=1)


@row(MATRIX, MATRIX)
def concatenate_layouts(x, y):
    return np.concatenate((x, np.asfortranarray(y)), axis=0)


@row(VECTOR, VECTOR, real=True, single=True)
def concatenate_dtypes(x, y):
    return np.concatenate((x.astype(np.float32), y))


@row(VECTOR, VECTOR, also=SHORT_PAIRS[:2])
def stack(x, y):
    return np.stack((x, y))


@row(MATRIX, MATRIX, also=PAIRS)
def stack_middle(x, y):
    return np.stack((x, y), axis=1)


@row(MATRIX, MATRIX, also=PAIRS)
def stack_last(x, y):
    return np.stack((x, y), axis=-1)


@row(VECTOR, VECTOR, also=SHORT_PAIRS)
def hstack(x, y):
    return np.hstack((x, y))


@row(MATRIX, MATRIX, also=PAIRS)
def hstack_matrices(x, y):
    return np.hstack((x, y))


@row(VECTOR, VECTOR, also=SHORT_PAIRS[:2])
def vstack(x, y):
    return np.vstack((x, y))


@row(MATRIX, MATRIX, also=PAIRS)
def vstack_matrices(x, y):
    return np.vstack((x, y))


@row(VECTOR, VECTOR)
def dstack(x, y):
    return np.dstack((x, y))


@row(MATRIX, MATRIX)
def dstack_matrices(x, y):
    return np.dstack((x, y))


@row(VECTOR, VECTOR, also=SHORT_PAIRS[:2])
def column_stack(x, y):
    return np.column_stack((x, y))


@row(MATRIX, (3,))
def column_stack_mixed(x, y):
    return np.column_stack((x, y))


@row(VECTOR, VECTOR, also=SHORT_PAIRS)
def append(x, y):
    return np.append(x, y)


@row(VECTOR)
def append_number(x):
    return np.append(x, x[1] * x[2])


@row(MATRIX, (2, 4))
def append_rows(x, y):
    return np.append(x, y, axis=0)


@row(VECTOR, also=SHORT)
def repeat(x):
    return np.repeat(x, 3)


@row(VECTOR)
def repeat_each(x):
    return np.repeat(x, np.array([0, 1, 2, 0, 3]))


@row(MATRIX, also=FEW)
def repeat_matrix(x):
    return np.repeat(x, 2)


@row(VECTOR, also=SHORT)
def repeat_method(x):
    return x.repeat(2)


@row(VECTOR, also=SHORT[1:])
def roll(x):
    return np.roll(x, 2)


@row(MATRIX)
def roll_matrix(x):
    return np.roll(x, 5)


@row(MATRIX, also=FEW)
def flip(x):
    return np.flip(x).copy()


@row(MATRIX, also=FEW)
def flip_view(x):
    return np.flip(x)


@row(MATRIX, also=FEW)
def flipud(x):
    return np.flipud(x)


@row(MATRIX, also=FEW)
def fliplr(x):
    return np.fliplr(x)


@row(MATRIX, also=FEW)
def rot90(x):
    return np.rot90(x)


@row(MATRIX, also=FEW)
def rot90_thrice(x):
    return np.rot90(x, 3)


@row((2, 2), (2, 3), contiguous=True)
def kron(x, y):
    return np.kron(x, y)


@row(VECTOR, (3,), contiguous=True)
def kron_vectors(x, y):
    return np.kron(x, y)


@row(VECTOR)
def vander(x):
    return np.vander(x, 3)


# --- lists, tuples and loops ----------------------------------------------------------------------


@row(VECTOR, VECTOR, also=SHORT_PAIRS[:2])
def list_joined(x, y):
    parts = [x.copy(), y.copy(), x * y]
    out = np.zeros(0, x.dtype)
    for part in parts:
        out = np.concatenate((out, part))
    return out


@row(VECTOR, VECTOR, plain=lambda x, y: np.concatenate((x, x * y)))
def typed_list_joined(x, y):
    parts = List()
    parts.append(x.copy())
    parts.append(x * y)
    out = np.zeros(0, x.dtype)
    for part in parts:
        out = np.concatenate((out, part))
    return out


@row(VECTOR, also=SHORT)
def comprehension(x):
    parts = [x * (i + 1.0) for i in range(3)]
    return parts[0] * parts[1] + parts[2]


@row(VECTOR, also=SHORT, plain=lambda x: x * x)
def comprehension_array(x):
    return np.array([x[i] * x[i] for i in range(x.size)])


@row(VECTOR, VECTOR)
def array_of_rows(x, y):
    parts = [x * (i + 1.0) for i in range(3)]
    out = np.empty((3, x.size), x.dtype)
    for i in range(3):
        out[i] = parts[i] * y
    return out


@row(VECTOR, VECTOR)
def tuple_of_arrays(x, y):
    out = np.zeros(5, x.dtype)
    for part in (x.copy(), y + y, x * y):
        out = out + out + part
    return out


@row(VECTOR)
def array_of_list(x):
    return np.array([x[0], x[1] * x[2], x[3] + 3.0])


@row(VECTOR)
def array_of_nested(x):
    return np.array([[x[0], x[1]], [x[2] * x[3], x[4]]])


@row(VECTOR, also=SHORT)
def grow(x):
    out = np.zeros(0, x.dtype)
    for i in range(x.size):
        out = np.concatenate((out, x[i : i + 1] * x[i : i + 1]))
    return out


@row(VECTOR, also=SHORT)
def grow_in_a_list(x):
    parts = [x[0:1] * 1.0]
    for i in range(x.size):
        parts.append(np.concatenate((parts[-1], x[i : i + 1])))
    return parts[-1]


@row((0,), VECTOR, also=SHORT_PAIRS[:2])
def concatenate_nothing(x, y):
    return np.concatenate((x, y))


@row(SQUARE, SQUARE)
def copy_in_a_loop(x, y):
    out = x.copy()
    for i in range(3):
        kept = out.copy()
        out[i] = kept[0] + y[i]
        out[:, i] = kept[:, 2 - i]
    return out
