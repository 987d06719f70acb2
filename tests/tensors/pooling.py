"""Pooling and upsampling, embeddings, pictures that are bent."""

import math

import numpy as np

from tests.coverage.row import Draw


def max_pool(x, k):
    batch, channels, height, width = x.shape
    y = np.empty((batch, channels, height // k, width // k))
    for i in range(y.shape[2]):
        for j in range(y.shape[3]):
            for n in range(batch):
                for c in range(channels):
                    y[n, c, i, j] = np.max(x[n, c, i * k : (i + 1) * k, j * k : (j + 1) * k])
    return y


def max_pool_channels_last(x, k):
    """As NPBench has it."""
    y = np.empty((x.shape[0], x.shape[1] // k, x.shape[2] // k, x.shape[3]))
    for i in range(y.shape[1]):
        for j in range(y.shape[2]):
            for n in range(x.shape[0]):
                for c in range(x.shape[3]):
                    y[n, i, j, c] = np.max(x[n, k * i : k * i + k, k * j : k * j + k, c])
    return y


def max_pool_by_comparison(x, k):
    """The running maximum of shifted pictures."""
    y = x[:, :, ::k, ::k].copy()
    for i in range(k):
        for j in range(k):
            y = np.maximum(y, x[:, :, i::k, j::k])
    return y


def max_pool_of_reshaped(x, k):
    batch, channels, height, width = x.shape
    blocks = x.reshape((batch, channels, height // k, k, width // k, k))
    y = np.empty((batch, channels, height // k, width // k))
    for n, c, i, j in np.ndindex(y.shape):
        y[n, c, i, j] = blocks[n, c, i, :, j].max()
    return y


def average_pool(x, k):
    batch, channels, height, width = x.shape
    blocks = np.reshape(x, (batch, channels, height // k, k, width // k, k))
    return np.sum(np.sum(blocks, axis=5), axis=3) / (k * k)


def average_pool_global(x):
    batch, channels = x.shape[:2]
    return np.exp(np.reshape(x, (batch, channels, -1)).sum(axis=2) / (x.shape[2] * x.shape[3]))


def average_pool_3d(x, k):
    y = np.zeros((x.shape[0], x.shape[1] // k, x.shape[2] // k, x.shape[3] // k))
    for a in range(k):
        for b in range(k):
            for c in range(k):
                y += x[:, a::k, b::k, c::k] ** 2
    return np.sqrt(y / k**3)


def upsample_nearest(x, k):
    batch, channels, height, width = x.shape
    y = np.zeros((batch, channels, height, k, width, k))
    y += x.reshape((batch, channels, height, 1, width, 1))
    return y.reshape((batch, channels, height * k, width * k))


def upsample_bilinear(x, k):
    batch, channels, height, width = x.shape
    y = np.zeros((batch, channels, (height - 1) * k + 1, (width - 1) * k + 1))
    for i in range(y.shape[2]):
        for j in range(y.shape[3]):
            top, left = min(i // k, height - 2), min(j // k, width - 2)
            u, v = i / k - top, j / k - left
            upper = (1 - v) * x[:, :, top, left] + v * x[:, :, top, left + 1]
            lower = (1 - v) * x[:, :, top + 1, left] + v * x[:, :, top + 1, left + 1]
            y[:, :, i, j] = (1 - u) * upper + u * lower
    return y


def embedding(table, words, weights):
    """Vectors of the words of sentences, scaled, added up."""
    batch, length = words.shape
    y = np.empty((batch, length, table.shape[1]))
    for b in range(batch):
        for i in range(length):
            y[b, i] = table[words[b, i]]
    return np.sum(y * weights.reshape((1, length, 1)), axis=1)


def warp(x, move):
    """A picture of several channels, read at places that are moved by a field."""
    channels, height, width = x.shape
    y = np.zeros((channels, height, width))
    for i in range(height):
        for j in range(width):
            u = min(max(i + 0.3 * math.sin(move[0, i, j]), 0.05), height - 1.05)
            v = min(max(j + 0.3 * math.cos(move[1, i, j]), 0.05), width - 1.05)
            top, left = int(u), int(v)
            a, b = u - top, v - left
            part = x[:, top : top + 2, left : left + 2]
            weights = np.array([[(1 - a) * (1 - b), (1 - a) * b], [a * (1 - b), a * b]])
            y[:, i, j] = np.sum(np.sum(part * weights, axis=2), axis=1)
    return y


ARGUMENTS = {
    max_pool: (Draw((2, 2, 4, 6)), 2),
    max_pool_channels_last: (Draw((2, 4, 6, 2)), 2),
    max_pool_by_comparison: (Draw((2, 2, 4, 6)), 2),
    max_pool_of_reshaped: (Draw((2, 2, 4, 6)), 2),
    average_pool: (Draw((2, 2, 4, 6)), 2),
    average_pool_global: (Draw((2, 2, 3, 2)),),
    average_pool_3d: (Draw((2, 4, 4, 2)), 2),
    upsample_nearest: (Draw((2, 2, 2, 3)), 2),
    upsample_bilinear: (Draw((2, 2, 3, 3)), 2),
    embedding: (Draw((5, 3)), np.array([[0, 3, 3], [4, 1, 0]]), Draw((3,))),
    warp: (Draw((2, 4, 4)), Draw((2, 4, 4))),
}
