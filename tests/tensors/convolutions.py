"""Convolutions of one to three dimensions: loops over outputs, over weights, unrolled to products, transposed, in groups."""

import numpy as np

from tests.coverage.row import Draw


def conv1d(x, w):
    batch, channels, length = x.shape
    outputs, _, width = w.shape
    y = np.zeros((batch, outputs, length - width + 1))
    for i in range(y.shape[2]):
        for o in range(outputs):
            y[:, o, i] = np.sum(np.sum(x[:, :, i : i + width] * w[o], axis=2), axis=1)
    return y


def conv1d_causal(x, w, dilation):
    batch, channels, length = x.shape
    outputs, _, width = w.shape
    y = np.zeros((batch, outputs, length))
    for k in range(width):
        shift = k * dilation
        for i in range(shift, length):
            for b in range(batch):
                for o in range(outputs):
                    y[b, o, i] += np.dot(w[o, :, k], x[b, :, i - shift])
    return np.tanh(y)


def conv2d(x, w, b):
    batch, channels, height, width = x.shape
    outputs, _, kh, kw = w.shape
    y = np.zeros((batch, outputs, height - kh + 1, width - kw + 1))
    for n in range(batch):
        for o in range(outputs):
            for i in range(y.shape[2]):
                for j in range(y.shape[3]):
                    y[n, o, i, j] = np.sum(x[n, :, i : i + kh, j : j + kw] * w[o]) + b[o]
    return y


def conv2d_by_weights(x, w, stride):
    """Sum shifted pictures, each times one weight."""
    batch, channels, height, width = x.shape
    outputs, _, kh, kw = w.shape
    rows, columns = (height - kh) // stride + 1, (width - kw) // stride + 1
    y = np.zeros((batch, outputs, rows, columns))
    for i in range(kh):
        for j in range(kw):
            part = x[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
            for o in range(outputs):
                for c in range(channels):
                    y[:, o] += part[:, c] * w[o, c, i, j]
    return y


def conv2d_padded(x, w, pad):
    batch, channels, height, width = x.shape
    wide = np.zeros((batch, channels, height + 2 * pad, width + 2 * pad))
    wide[:, :, pad : pad + height, pad : pad + width] = x
    outputs, _, kh, kw = w.shape
    y = np.empty((batch, outputs, height + 2 * pad - kh + 1, width + 2 * pad - kw + 1))
    for i in range(y.shape[2]):
        for j in range(y.shape[3]):
            window = wide[:, :, i : i + kh, j : j + kw]
            window = np.expand_dims(window, 1) * w
            y[:, :, i, j] = window.reshape((batch, outputs, -1)).sum(axis=2)
    return y


def conv2d_channels_last(x, w):
    """As TensorFlow and NPBench have it: one broadcast product and three sums for each output."""
    k = w.shape[0]
    rows, columns = x.shape[1] - k + 1, x.shape[2] - k + 1
    y = np.empty((x.shape[0], rows, columns, w.shape[3]), dtype=np.float64)
    for i in range(rows):
        for j in range(columns):
            part = x[:, i : i + k, j : j + k, :, np.newaxis] * w[np.newaxis, :, :, :]
            y[:, i, j, :] = np.sum(np.sum(np.sum(part, axis=1), axis=1), axis=1)
    return y


def conv2d_unrolled(x, w):
    """Windows as rows of a matrix (im2col), one product with all weights."""
    batch, channels, height, width = x.shape
    outputs, _, kh, kw = w.shape
    rows, columns = height - kh + 1, width - kw + 1
    windows = np.empty((batch, rows, columns, channels, kh, kw))
    for i in range(kh):
        for j in range(kw):
            moved = x[:, :, i : i + rows, j : j + columns]
            windows[:, :, :, :, i, j] = np.transpose(moved, (0, 2, 3, 1))
    matrix = windows.reshape((batch * rows * columns, channels * kh * kw))
    y = matrix @ np.ascontiguousarray(w.reshape((outputs, channels * kh * kw)).T)
    return np.ascontiguousarray(
        np.transpose(y.reshape((batch, rows, columns, outputs)), (0, 3, 1, 2))
    )


def conv2d_unrolled_by_example(x, w, steps):
    batch, channels, height, width = x.shape
    outputs, _, kh, kw = w.shape
    rows, columns = height - kh + 1, width - kw + 1
    total = 0.0
    for step in range(steps):
        y = np.zeros((batch, outputs, rows, columns))
        for n in range(batch):
            for i in range(rows):
                for j in range(columns):
                    window = np.ascontiguousarray(x[n, :, i : i + kh, j : j + kw])
                    y[n, :, i, j] = np.reshape(w, (outputs, -1)) @ window.reshape(-1)
        total += np.sum(np.reshape(y, (batch, outputs * rows, columns)) ** 2) * (1 + step)
    return total


def conv2d_transposed(x, w, stride):
    batch, channels, height, width = x.shape
    _, outputs, kh, kw = w.shape
    y = np.zeros((batch, outputs, (height - 1) * stride + kh, (width - 1) * stride + kw))
    for n in range(batch):
        for c in range(channels):
            for i in range(height):
                for j in range(width):
                    top, left = i * stride, j * stride
                    y[n, :, top : top + kh, left : left + kw] += x[n, c, i, j] * w[c]
    return y


def conv2d_depthwise(x, w):
    batch, channels, height, width = x.shape
    kh, kw = w.shape[1:]
    y = np.zeros((batch, channels, height - kh + 1, width - kw + 1))
    for c in range(channels):
        for i in range(kh):
            for j in range(kw):
                y[:, c] += x[:, c, i : i + y.shape[2], j : j + y.shape[3]] * w[c, i, j]
    return y


def conv2d_separable(x, depth, point):
    """Each channel by itself, then a product over channels at each place."""
    batch, channels, height, width = x.shape
    k = depth.shape[1]
    rows, columns = height - k + 1, width - k + 1
    y = np.zeros((batch, channels, rows, columns))
    for i in range(k):
        for j in range(k):
            y += x[:, :, i : i + rows, j : j + columns] * depth[:, i, j].copy().reshape(
                (1, -1, 1, 1)
            )
    flat = y.reshape((batch, channels, rows * columns))
    z = np.empty((batch, point.shape[0], rows * columns))
    for n in range(batch):
        z[n] = point @ flat[n]
    return np.maximum(z - 1.0, 0.1 * z).reshape((batch, point.shape[0], rows, columns))


def conv2d_grouped(x, w, groups):
    batch, channels, height, width = x.shape
    outputs, own, kh, kw = w.shape
    each = outputs // groups
    y = np.zeros((batch, outputs, height - kh + 1, width - kw + 1))
    for g in range(groups):
        part = x[:, g * own : (g + 1) * own]
        for o in range(each):
            for i in range(y.shape[2]):
                for j in range(y.shape[3]):
                    seen = part[:, :, i : i + kh, j : j + kw] * w[g * each + o]
                    y[:, g * each + o, i, j] = seen.reshape((batch, -1)).sum(axis=1)
    return y


def conv3d(x, w):
    batch, depth, height, width = x.shape
    kd, kh, kw = w.shape
    y = np.zeros((batch, depth - kd + 1, height - kh + 1, width - kw + 1))
    for i in range(y.shape[1]):
        for j in range(y.shape[2]):
            for k in range(y.shape[3]):
                window = x[:, i : i + kd, j : j + kh, k : k + kw]
                for n in range(batch):
                    y[n, i, j, k] = np.sum(window[n] * w)
    return y


def conv3d_by_weights(x, w):
    batch, channels, depth, height, width = x.shape
    outputs, _, kd, kh, kw = w.shape
    y = np.zeros((batch, outputs, depth - kd + 1, height - kh + 1, width - kw + 1))
    for o in range(outputs):
        for c in range(channels):
            for i in range(kd):
                for j in range(kh):
                    for k in range(kw):
                        part = x[:, c, i : i + y.shape[2], j : j + y.shape[3], k : k + y.shape[4]]
                        y[:, o] += w[o, c, i, j, k] * part
    return np.tanh(y)


ARGUMENTS = {
    conv1d: (Draw((2, 2, 6)), Draw((3, 2, 3))),
    conv1d_causal: (Draw((2, 2, 6)), Draw((2, 2, 2)), 2),
    conv2d: (Draw((2, 2, 4, 5)), Draw((2, 2, 2, 3)), Draw((2,))),
    conv2d_by_weights: (Draw((2, 2, 5, 6)), Draw((2, 2, 2, 2)), 2),
    conv2d_padded: (Draw((1, 2, 3, 4)), Draw((2, 2, 3, 2)), 1),
    conv2d_channels_last: (Draw((2, 4, 4, 2)), Draw((2, 2, 2, 3))),
    conv2d_unrolled: (Draw((2, 2, 4, 4)), Draw((3, 2, 2, 2))),
    conv2d_unrolled_by_example: (Draw((2, 2, 3, 4)), Draw((2, 2, 2, 2)), 3),
    conv2d_transposed: (Draw((2, 2, 2, 3)), Draw((2, 2, 2, 2)), 2),
    conv2d_depthwise: (Draw((2, 2, 4, 4)), Draw((2, 2, 2))),
    conv2d_separable: (Draw((2, 2, 4, 4)), Draw((2, 2, 2)), Draw((3, 2))),
    conv2d_grouped: (Draw((2, 4, 3, 4)), Draw((4, 2, 2, 2)), 2),
    conv3d: (Draw((2, 3, 3, 4)), Draw((2, 2, 2))),
    conv3d_by_weights: (Draw((1, 2, 3, 3, 3)), Draw((2, 2, 2, 2, 2))),
}
