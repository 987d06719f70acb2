"""Kernels that grow an array, and one that must not be rewritten for each reason not to.

All are scalar functions of two vectors.
"""

from __future__ import annotations

import numpy as np

# -- rewritten -------------------------------------------------------------------------------------


def joined(x, w):
    y = np.zeros(0)
    for t in range(x.size):
        y = np.concatenate((y, np.sin(w * x[t])))
    return np.mean(y * y)


def recurrent(x, w):
    h = np.zeros(w.size)
    y = np.zeros(0)
    for t in range(x.size):
        h = np.tanh(w * h + x[t])
        y = np.concatenate((y, h))
    return np.mean(y * y)


def appended(x, w):
    y = w * w
    for t in range(x.size):
        y = np.append(y, np.sin(x[t]) * w[0])
    return np.sum(y**3)


def appended_twice(x, w):
    y = np.zeros(1)
    for t in range(x.size):
        y = np.append(y, np.sin(w * x[t]))
        y = np.append(y, 1)
    return np.sum(np.exp(0.1 * y))


def stacked_flat(x, w):
    y = np.ones(3)
    for t in range(x.size):
        y = np.hstack((y, w * x[t], np.cos(w)))
    return np.sum(y * y * y)


def from_argument(x, w):
    y = w
    for t in range(x.size):
        y = np.concatenate((y, x[t : t + 1] ** 2))
    return np.sum(y * y)


def strided(x, w):
    y = w[::-1]
    for _t in range(x.size):
        y = np.concatenate((y, x[::2] * w[0], x[::-3]))
    return np.sum(np.sin(y))


def read_in_the_loop(x, w):
    y = w * w
    s = 0.0
    for t in range(x.size):
        y = np.concatenate((y, w * x[t]))
        s += y[t] * y[-1] + np.sum(np.sin(y)) * len(y) + y.sum() / y.size
    return s


def recurrent_on_itself(x, w):
    y = w * 1.0
    for t in range(x.size):
        y = np.append(y, np.sin(y[y.size - 2]) * x[t])
        y = np.append(y, 0.1 * np.sum(y * y))
    return np.sum(y)


def doubled(x, w):
    y = w * x[0]
    for _ in range(4):
        y = np.concatenate((y, y))
    return np.sum(y * y)


def varying(x, w):
    y = np.zeros(0)
    for t in range(x.size):
        y = np.concatenate((y, x[:t] * w[0], x[t:t]))
    return np.sum(y * y * y)


def branching(x, w):
    y = np.zeros(0)
    for t in range(x.size):
        if x[t] > 1.0:
            y = np.append(y, x[t] * w)
        elif t % 5 == 4:
            y = w * 2.0
        else:
            y = np.concatenate((y, w, w[:1]))
    return np.sum(y * y)


def sometimes(x, w):
    y = np.zeros(0)
    for t in range(x.size):
        if x[t] > 1.0:
            y = np.append(y, x[t])
        elif t % 5 == 4:
            y = w * 2.0
        else:
            y = np.concatenate((y, w))
    return np.sum(y * y)


def two_at_once(x, w):
    y = np.zeros(0)
    z = np.ones(1)
    for t in range(x.size):
        y = np.append(y, w * x[t])
        z = np.concatenate((z, x[:2] * w[0]))
    return np.sum(y * y) * np.sum(z * z)


def one_feeds_the_other(x, w):
    y = np.zeros(0)
    z = np.ones(1)
    for t in range(x.size):
        y = np.append(y, w * x[t])
        z = np.concatenate((z, np.sin(y)))
    return np.sum(y * y) + np.sum(z * z)


def nested_loops(x, w):
    y = np.zeros(0)
    for t in range(x.size):
        for k in range(t % 3):
            y = np.append(y, np.sin(x[t] * w[0]) * (k + 1))
        y = np.concatenate((y, w))
    return np.sum(y * y)


def begun_in_a_loop(x, w):
    s = 0.0
    for t in range(3):
        y = w[:t] * x[t]
        for k in range(x.size):
            y = np.append(y, x[k] * y.size * w[0])
        s += np.sum(np.cos(y))
    return s


def iterated(x, w):
    y = w * w
    s = 0.0
    for v in y:
        y = np.append(y, v * x)
        for _i, u in enumerate(y):
            s += u * v
    return s + np.dot(y, y)


def forked(x, w):
    y = w * 1.0
    s = 0.0
    for t in range(x.size):
        z = np.append(y, x[t] * 2.0)
        y = np.append(y, x[t])
        s += np.sum(z) * z[-1]
    return s + np.sum(y * y)


def history(x, w):
    y = np.zeros(0)
    for t in range(x.size):
        y = np.concatenate((y, np.sin(w * x[t])))
    return y


def in_a_helper(x, w):
    return np.sum(history(x, w) ** 2) + np.mean(history(w, x))


def helper_grown_further(x, w):
    y = history(x, w)
    z = y * 1.0
    for t in range(x.size):
        z = np.append(z, x[t] * w[0])
    return np.sum(y * y) + np.sum(z * z * z)


def until_enough(x, w):
    y = np.zeros(0)
    t = 0
    while y.size < 40:
        y = np.concatenate((y, x * w[t % w.size]))
        t += 1
    return np.sum(y * y)


def copied_elsewhere(x, w):
    y = np.zeros(0)
    buffer = np.zeros(w.size * x.size)
    for t in range(x.size):
        y = np.concatenate((y, w * x[t]))
        buffer[: y.size] = y
        buffer[0] += np.max(y)
    return np.sum(buffer * buffer)


GROWN = (
    joined,
    recurrent,
    appended,
    appended_twice,
    stacked_flat,
    from_argument,
    strided,
    read_in_the_loop,
    recurrent_on_itself,
    doubled,
    varying,
    sometimes,
    forked,
    two_at_once,
    one_feeds_the_other,
    nested_loops,
    begun_in_a_loop,
    iterated,
    in_a_helper,
    helper_grown_further,
    until_enough,
    copied_elsewhere,
)

# -- left as they are ------------------------------------------------------------------------------


def alias_written_later(x, w):
    y = w * 1.0
    z = y
    for t in range(x.size):
        y = np.concatenate((y, w * x[t]))
        z[0] += y[-1]
        if t % 3 == 0:
            z = y
    return np.sum(y * y) + z[0]


def slice_kept_and_written(x, w):
    y = w * 1.0
    s = 0.0
    for t in range(x.size):
        y = np.concatenate((y, w * x[t]))
        head = y[0:2]
        y = np.append(y, x[t])
        head[0] = 7.0 * x[t]
        s += y[0] * head[0]
    return s + np.sum(y * y)


def written_by_index(x, w):
    y = w * 1.0
    for t in range(x.size):
        y = np.concatenate((y, w * x[t]))
        y[t] = x[t] ** 2
    return np.sum(y * y)


def written_in_place(x, w):
    y = w * 1.0
    for t in range(x.size):
        y = np.concatenate((y, w * x[t]))
        y *= 0.9
    return np.sum(y * y)


def taken_as_out(x, w):
    y = w * 1.0
    for t in range(x.size):
        y = np.append(y, x[t])
        np.sin(y, y)
    return np.sum(y * y)


def sorted_in_place(x, w):
    y = w * 1.0
    for t in range(x.size):
        y = np.append(y, x[t])
        y.sort()
    return np.sum(y * y) + y[0]


def collected(x, w):
    y = w * 1.0
    rows = [y]
    for t in range(x.size):
        y = np.append(y, x[t])
        rows.append(y)
    s = 0.0
    for row in rows:
        row[0] *= 1.1
        s += np.sum(row)
    return s


def in_a_tuple(x, w):
    y = w * 1.0
    pair = (y, y)
    for t in range(x.size):
        pair = (y, pair[0])
        y = np.append(y, x[t])
        pair[0][0] *= x[t]
    return np.sum(y * y) + pair[1][0]


def tripled(v):
    v *= 3.0
    return v[0]


def passed_on(x, w):
    y = w * 1.0
    s = 0.0
    for t in range(x.size):
        y = np.append(y, x[t])
        s += tripled(y)
    return s


def passed_to_a_closure(x, w):
    y = w * 1.0
    s = 0.0
    for t in range(x.size):
        y = np.append(y, x[t])

        def first():
            return y[0] * 2.0  # noqa: B023  # called in the same turn

        s += first()
    return s + np.sum(y * y)


def put_in_front(x, w):
    y = w * 1.0
    for t in range(x.size):
        y = np.concatenate((w * x[t], y))
    return np.sum(y * y) + y[-1]


def viewed_flat(x, w):
    y = w * 1.0
    for t in range(x.size):
        v = y.ravel()
        y = np.append(y, x[t])
        v[0] *= 1.5
    return np.sum(y * y)


def of_two_dimensions(x, w):
    y = np.zeros((1, w.size))
    for t in range(x.size):
        y = np.concatenate((y, (w * x[t]).reshape(1, w.size)))
    return np.sum(y * y)


def not_in_a_loop(x, w):
    y = w * 1.0
    if x[0] > 0.0:
        y = np.append(y, x[0])
    return np.sum(y * y)


REFUSED = (
    alias_written_later,
    slice_kept_and_written,
    written_by_index,
    written_in_place,
    taken_as_out,
    sorted_in_place,
    collected,
    in_a_tuple,
    passed_on,
    passed_to_a_closure,
    put_in_front,
    viewed_flat,
    of_two_dimensions,
    not_in_a_loop,
    branching,
)
