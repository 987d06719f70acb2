"""Normalising over a batch, a layer, a group; softmax over an axis; losses of pictures."""

import math

import numpy as np

from tests.coverage.row import Draw


def batch_norm(x, scale, shift):
    batch, channels, height, width = x.shape
    y = np.empty((batch, channels, height, width))
    for c in range(channels):
        mean = np.mean(x[:, c])
        spread = np.mean((x[:, c] - mean) ** 2)
        y[:, c] = scale[c] * (x[:, c] - mean) / np.sqrt(spread + 1e-3) + shift[c]
    return y


def batch_norm_by_sums(x, scale):
    """The same in NumPy's own words: sums by axes, sizes that are 1."""
    batch, channels, height, width = x.shape
    count = batch * height * width
    mean = np.sum(np.sum(np.sum(x, axis=3), axis=2), axis=0) / count
    apart = x - mean.reshape((1, channels, 1, 1))
    spread = np.sum(np.sum(np.sum(apart * apart, axis=3), axis=2), axis=0) / count
    return apart / np.sqrt(spread + 1e-3).reshape((1, channels, 1, 1)) * scale[:, None, None]


def batch_norm_npbench(x):
    n = x.shape[0]
    mean = np.sum(x, axis=0) / n
    mean = np.reshape(mean, (1, x.shape[1], x.shape[2], x.shape[3]))
    std = np.sqrt(np.sum((x - mean) ** 2, axis=0) / n + 1e-5)
    return (x - mean) / np.reshape(std, (1, x.shape[1], x.shape[2], x.shape[3]))


def layer_norm(x, scale):
    last = x.shape[2]
    mean = np.expand_dims(np.sum(x, axis=2) / last, 2)
    apart = x - mean
    spread = np.expand_dims(np.sum(apart**2, axis=-1) / last, -1)
    return scale * apart / np.sqrt(spread + 1e-3)


def group_norm(x, groups):
    batch, channels, height, width = x.shape
    parts = np.reshape(x, (batch, groups, (channels // groups) * height * width))
    y = np.empty_like(parts)
    for n in range(batch):
        for g in range(groups):
            part = parts[n, g]
            y[n, g] = (part - part.mean()) / math.sqrt(part.var() + 1e-2)
    return y.reshape((batch, channels, height, width))


def softmax_last(x):
    batch, length, width = x.shape
    y = np.empty((batch, length, width))
    for b in range(batch):
        for i in range(length):
            e = np.exp(x[b, i] - np.max(x[b, i]))
            y[b, i] = e / e.sum()
    return y


def softmax_middle(x):
    e = np.exp(x)
    return e / np.expand_dims(np.sum(e, axis=1), 1)


def softmax_npbench(x):
    """The maximum of the last axis is looked for in loops."""
    top = np.empty((x.shape[0], x.shape[1], x.shape[2], 1))
    for i, j, k in np.ndindex(x.shape[:3]):
        top[i, j, k, 0] = np.max(x[i, j, k])
    e = np.exp(x - top)
    return e / np.reshape(np.sum(e, axis=-1), (x.shape[0], x.shape[1], x.shape[2], 1))


def cross_entropy(x, targets, steps):
    """Of each pixel of a batch, with a temperature that falls."""
    batch, classes, height, width = x.shape
    loss = 0.0
    for step in range(steps):
        z = np.reshape(x / (1.0 + step), (batch, classes, height * width))
        e = np.exp(z)
        p = e / np.expand_dims(e.sum(axis=1), 1)
        for n in range(batch):
            for i in range(height * width):
                loss -= np.log(p[n, targets[n, i], i])
    return loss


ARGUMENTS = {
    batch_norm: (Draw((3, 2, 2, 2)), Draw((2,)), Draw((2,))),
    batch_norm_by_sums: (Draw((3, 2, 2, 2)), Draw((2,))),
    batch_norm_npbench: (Draw((3, 2, 2, 2)),),
    layer_norm: (Draw((2, 3, 4)), Draw((4,))),
    group_norm: (Draw((2, 4, 2, 2)), 2),
    softmax_last: (Draw((2, 3, 4)),),
    softmax_middle: (Draw((2, 3, 4)),),
    softmax_npbench: (Draw((2, 2, 2, 3)),),
    cross_entropy: (Draw((2, 3, 2, 2)), np.array([[0, 1, 2, 1], [2, 2, 0, 1]]), 2),
}
