"""LeNet in loops over pixels and in NumPy's words, and a block with a bypass."""

import numpy as np

from tests.coverage.row import Draw


def lenet(x, w1, b1, w2, b2, w3, labels):
    """Two convolutions, two poolings, one layer of products, the mean cross entropy."""
    batch = x.shape[0]
    y = np.zeros((batch, w1.shape[0], x.shape[2] - w1.shape[2] + 1, x.shape[3] - w1.shape[3] + 1))
    for n in range(batch):
        for o in range(w1.shape[0]):
            for i in range(y.shape[2]):
                for j in range(y.shape[3]):
                    s = b1[o]
                    for c in range(w1.shape[1]):
                        for k in range(w1.shape[2]):
                            for l in range(w1.shape[3]):
                                s += x[n, c, i + k, j + l] * w1[o, c, k, l]
                    y[n, o, i, j] = np.tanh(s)
    p = np.zeros((batch, y.shape[1], y.shape[2] // 2, y.shape[3] // 2))
    for n, o, i, j in np.ndindex(p.shape):
        p[n, o, i, j] = np.max(y[n, o, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
    k = w2.shape[2]
    z = np.zeros((batch, w2.shape[0], p.shape[2] - k + 1, p.shape[3] - k + 1))
    for n in range(batch):
        for o in range(w2.shape[0]):
            for i in range(z.shape[2]):
                for j in range(z.shape[3]):
                    z[n, o, i, j] = np.sum(p[n, :, i : i + k, j : j + k] * w2[o]) + b2[o]
    flat = np.reshape(np.maximum(z, 0.01 * z), (batch, -1))
    scores = flat @ w3
    loss = 0.0
    for n in range(batch):
        top = np.max(scores[n])
        loss += np.log(np.sum(np.exp(scores[n] - top))) + top - scores[n, labels[n]]
    return loss / batch


def lenet_npbench(x, w1, w2, w3, k):
    """Channels last, broadcast products, as NPBench has it."""
    y = np.empty((x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1, w1.shape[3]))
    for i in range(y.shape[1]):
        for j in range(y.shape[2]):
            part = x[:, i : i + k, j : j + k, :, np.newaxis] * w1[np.newaxis, :, :, :]
            y[:, i, j, :] = np.sum(np.sum(np.sum(part, axis=1), axis=1), axis=1)
    y = np.maximum(y, 0.0)
    p = np.empty((y.shape[0], y.shape[1] // 2, y.shape[2] // 2, y.shape[3]))
    for i in range(p.shape[1]):
        for j in range(p.shape[2]):
            for n in range(y.shape[0]):
                for c in range(y.shape[3]):
                    p[n, i, j, c] = np.max(y[n, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, c])
    z = np.reshape(p, (x.shape[0], p.shape[1] * p.shape[2] * p.shape[3]))
    return np.maximum(np.maximum(z @ w2, 0.0) @ w3, 0.0)


def bypass(x, w1, w2, blocks):
    """Blocks of a residual network: a mean of each picture taken away, two products over channels, what came in added."""
    batch, height, width, channels = x.shape
    for block in range(blocks):
        flat = np.reshape(x, (batch * height * width, channels))
        y = np.maximum(flat @ w1[block], 0.0)
        y = np.reshape(y, (batch, height, width, w1.shape[2]))
        y = y - np.sum(np.sum(y, axis=1), axis=1).reshape((batch, 1, 1, -1)) / (height * width)
        back = y.reshape((batch * height * width, w1.shape[2])) @ w2[block]
        x = x + np.reshape(back, (batch, height, width, channels))
    return x


ARGUMENTS = {
    lenet: (
        Draw((2, 1, 7, 7)), Draw((2, 1, 2, 2), -0.7, 0.7), Draw((2,)), Draw((2, 2, 2, 2), -0.7, 0.7), Draw((2,)),
        Draw((8, 3), -0.7, 0.7), np.array([2, 0]),
    ),
    lenet_npbench: (Draw((2, 5, 5, 1)), Draw((2, 2, 1, 2)), Draw((8, 3)), Draw((3, 2)), 2),
    bypass: (Draw((2, 2, 2, 3)), Draw((2, 3, 4)), Draw((2, 4, 3)), 2),
}  # fmt: skip
