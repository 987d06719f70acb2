"""Views: slices, steps, transposes, reshapes, and two names for one memory."""

from __future__ import annotations

import numpy as np

from tests.scenarios.arrays import BLOCK, MATRIX, SQUARE, TRIPLE, WAVE
from tests.scenarios.scenario import Scenario, scenario

VIEWS: list[Scenario] = []


def neighbours_gradient(x):
    g = np.zeros_like(x)
    g[1:] += x[:-1]
    g[:-1] += x[1:]
    return (g,)


@scenario(VIEWS, args=(WAVE,), grad=neighbours_gradient, any_size=False)
def product_of_neighbours(x):
    return np.sum(x[1:] * x[:-1])


@scenario(
    VIEWS,
    args=(WAVE,),
    grad=lambda x: (np.where(np.arange(x.size) % 2 == 0, 3 * x**2, -1.0),),
    any_size=True,
)
def every_second(x):
    return np.sum(x[::2] ** 3) - np.sum(x[1::2])


@scenario(VIEWS, args=(WAVE,), grad=lambda x: (2 * x[::-1],), any_size=True)
def against_its_reverse(x):
    back = x[::-1]
    total = 0.0
    for i in range(x.size):
        total += x[i] * back[i]
    return total


@scenario(VIEWS, args=(SQUARE,), grad=lambda a: (2 * a.T,))
def against_its_transpose(a):
    return np.sum(a * a.T)


@scenario(
    VIEWS,
    args=(MATRIX,),
    grad=lambda a: (np.arange(6.0).reshape(2, 3) * np.cos(a),),
    any_layout=False,
)
def reshaped(a):
    flat = a.reshape(6)
    total = 0.0
    for i in range(6):
        total += i * np.sin(flat[i])
    return total


@scenario(
    VIEWS,
    args=(BLOCK,),
    grad=lambda b: (2 * b * np.arange(24.0).reshape(2, 3, 4),),
    any_layout=False,
)
def ravelled(b):
    flat = b.ravel()
    return np.sum(flat * flat * np.arange(24))


@scenario(VIEWS, args=(MATRIX,), grad=lambda a: (np.exp(a),), any_size=True)
def flat_iteration(a):
    total = 0.0
    for v in a.flat:
        total += np.exp(v)
    return total


# The middle is doubled through a view, then everything is squared: d = 2x, and 8x in the middle.
def write_through_view_push(x, dx):
    scale = np.where((np.arange(x.size) >= 1) & (np.arange(x.size) < 4), 2.0, 1.0)
    return np.sum(2 * scale**2 * x * dx), scale * dx


@scenario(VIEWS, args=(WAVE,), writes=(0,), push=write_through_view_push)
def write_through_a_view(x):
    middle = x[1:4]
    middle *= 2.0
    return np.sum(x * x)


@scenario(
    VIEWS, args=(WAVE, 0.6), writes=(0,), push=lambda x, a, dx, da: (None, overlap(x, a, dx, da))
)
def overlapping_shift(x, a):
    x[1:] = a * x[:-1]


def overlap(x, a, dx, da):
    return np.concatenate((dx[:1], da * x[:-1] + a * dx[:-1]))


@scenario(VIEWS, args=(MATRIX,), grad=lambda a: (np.array([2.0 * a[0] + a[1], a[0]]),))
def rows(a):
    first = a[0]
    total = 0.0
    for j in range(a.shape[1]):
        total += first[j] * (first[j] + a[1][j])
    return total


@scenario(VIEWS, args=(SQUARE,), writes=(0,), push=lambda a, da: (None, columns_swapped(a, da)))
def column_views(a):
    first = a[:, 0]
    last = a[:, -1]
    for i in range(first.size):
        first[i] *= last[i]


def columns_swapped(a, da):
    out = da.copy()
    out[:, 0] = da[:, 0] * a[:, -1] + a[:, 0] * da[:, -1]
    return out


@scenario(
    VIEWS,
    args=(TRIPLE, WAVE),
    grad=lambda x, y: (
        2 * np.subtract.outer(x, y).sum(axis=1),
        -2 * np.subtract.outer(x, y).sum(axis=0),
    ),
)
def pairwise_by_newaxis(x, y):
    gap = x[:, np.newaxis] - y
    return np.sum(gap * gap)


@scenario(VIEWS, args=(BLOCK,), grad=lambda b: (np.stack((b[1], b[0])),))
def ellipsis(b):
    return np.sum(b[0, ...] * b[1, ...])


# x and its view are passed on to a helper that reads one and writes the other.
def write_first_read_second(out, x):
    for i in range(out.size):
        out[i] += x[i] ** 2


def aliased_push(x, dx):
    out = dx.copy()
    out[3:] += 2 * x[:3] * dx[:3]
    return None, out


@scenario(VIEWS, args=(WAVE,), writes=(0,), push=aliased_push)
def aliased_arguments_of_a_helper(x):
    write_first_read_second(x[3:], x[:3])
