"""Attention: one head, many, with masks, in blocks; a layer of a transformer."""

import math

import numpy as np

from tests.coverage.row import Draw


def one_head(q, k, v):
    batch, length, width = q.shape
    y = np.empty((batch, length, v.shape[2]))
    for b in range(batch):
        scores = q[b] @ np.ascontiguousarray(k[b].T) / math.sqrt(width)
        e = np.exp(scores)
        y[b] = (e / np.expand_dims(e.sum(axis=1), 1)) @ v[b]
    return y


def many_heads(x, wq, wk, wv, heads):
    """The last axis is split into heads and put together again."""
    batch, length, width = x.shape
    own = width // heads
    flat = x.reshape((batch * length, width))
    q = np.transpose((flat @ wq).reshape((batch, length, heads, own)), (0, 2, 1, 3))
    k = np.transpose((flat @ wk).reshape((batch, length, heads, own)), (0, 2, 1, 3))
    v = np.transpose((flat @ wv).reshape((batch, length, heads, own)), (0, 2, 1, 3))
    y = np.empty((batch, length, heads, own))
    for b in range(batch):
        for h in range(heads):
            scores = np.ascontiguousarray(q[b, h]) @ np.ascontiguousarray(k[b, h].T)
            e = np.exp(scores / math.sqrt(own))
            p = e / np.expand_dims(np.sum(e, axis=1), 1)
            y[b, :, h] = p @ np.ascontiguousarray(v[b, h])
    return np.reshape(y, (batch, length, width))


def causal(q, k, v):
    """By broadcast products in place of matrices; what comes later is masked."""
    batch, length, width = q.shape
    scores = np.sum(q[:, :, np.newaxis, :] * k[:, np.newaxis, :, :], axis=3)
    mask = np.zeros((length, length))
    for i in range(length):
        mask[i, i + 1 :] = -1e3
    e = np.exp(scores / math.sqrt(width) + mask)
    p = e / np.expand_dims(np.sum(e, axis=2), 2)
    return np.sum(p[:, :, :, np.newaxis] * v[:, np.newaxis, :, :], axis=2)


def masked_heads(q, k, v, lengths):
    """Sentences of different lengths: four dimensions, the softmax over a part of the last."""
    batch, heads, length, width = q.shape
    y = np.zeros((batch, heads, length, width))
    for b in range(batch):
        seen = lengths[b]
        for h in range(heads):
            for i in range(length):
                e = np.exp(np.sum(q[b, h, i] * k[b, h, :seen], axis=1))
                y[b, h, i] = np.sum(np.expand_dims(e / np.sum(e), 1) * v[b, h, :seen], axis=0)
    return y


def in_blocks(q, k, v, size):
    """A running maximum and a running sum, block after block, as flash attention has it."""
    batch, length, width = q.shape
    y = np.zeros((batch, length, width))
    for b in range(batch):
        top = np.full(length, -1e3)
        total = np.zeros(length)
        for start in range(0, length, size):
            scores = q[b] @ np.ascontiguousarray(k[b, start : start + size].T)
            higher = top.copy()
            for i in range(length):
                higher[i] = max(top[i], np.max(scores[i]))
            e = np.exp(scores - np.expand_dims(higher, 1))
            fade = np.exp(top - higher)
            total = total * fade + e.sum(axis=1)
            y[b] = y[b] * np.expand_dims(fade, 1) + e @ v[b, start : start + size]
            top = higher
        y[b] /= np.expand_dims(total, 1)
    return y


def transformer_layer(x, w, up, down, layers):
    batch, length, width = x.shape
    for layer in range(layers):
        y = np.empty((batch, length, width))
        for b in range(batch):
            scores = (x[b] @ w[layer]) @ np.ascontiguousarray(x[b].T)
            e = np.exp(0.1 * scores)
            y[b] = x[b] + (e / np.expand_dims(e.sum(axis=1), 1)) @ x[b]
        mean = np.expand_dims(np.sum(y, axis=2) / width, 2)
        y = y - mean
        hidden = np.tanh(np.reshape(y, (batch * length, width)) @ up[layer])
        x = y + np.reshape(hidden @ down[layer], (batch, length, width))
    return x


ARGUMENTS = {
    one_head: (Draw((2, 3, 4)), Draw((2, 3, 4)), Draw((2, 3, 2))),
    many_heads: (Draw((2, 3, 4)), Draw((4, 4)), Draw((4, 4)), Draw((4, 4)), 2),
    causal: (Draw((2, 3, 2)), Draw((2, 3, 2)), Draw((2, 3, 2))),
    masked_heads: (Draw((2, 2, 3, 2)), Draw((2, 2, 3, 2)), Draw((2, 2, 3, 2)), np.array([3, 2])),
    in_blocks: (Draw((2, 4, 2)), Draw((2, 4, 2)), Draw((2, 4, 2)), 2),
    transformer_layer: (Draw((2, 2, 3)), Draw((2, 3, 3)), Draw((2, 3, 4)), Draw((2, 4, 3)), 2),
}
