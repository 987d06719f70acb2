"""Arrays of three to five dimensions: a few rows of the table of sizes, a few of the kernels, adjoints by hand, LeNet in training.

`python -m tests.coverage --shapes` and `python -m tests.tensors` ask all.
"""

from __future__ import annotations

import datetime as dt

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.coverage.measure import ALL_ORDERS, measure
from tests.coverage.of_sizes import names, twin
from tests.coverage.oracle import differences
from tests.tensors import KERNELS, attention, contractions, convolutions, lenet, normalising

DAY = dt.datetime.now(tz=dt.UTC).toordinal()  # others each day
FITS = ("works", "refused", "uncompiled")


def _told(row, orders):
    return [str(found) for found in measure(row, orders) if found.status not in FITS]


@pytest.mark.parametrize("name", names()[DAY % 797 :: 797])
def test_rows_of_sizes(name):
    assert _told(twin(name), ("R", "F")) == []


@pytest.mark.parametrize("name", list(KERNELS)[DAY % 23 :: 23])
def test_kernels(name):
    assert _told(KERNELS[name], ("R",)) == []


def test_a_row_in_all_orders():
    name = "np.reshape of a tuple @ 3d, in a loop, C, float64"
    found = list(measure(twin(name), tuple(ALL_ORDERS)))
    assert [one.status for one in found] == ["works"] * len(ALL_ORDERS)


def test_each_row_meets_all_choices():
    """No choice of place, layout, dtype or dimensions is left out by the way in which they go round."""
    seen = {choice for name in names() for choice in name.partition(" @ ")[2].split(", ")}
    assert len(seen) == 3 + 4 + 5 + 3
    by_row: dict[str, set[str]] = {}
    for name in names():
        row, _, choices = name.partition(" @ ")
        by_row.setdefault(row, set()).update(choices.split(", "))
    assert {len(choices) for choices in by_row.values()} == {15}


def _drawn(row):
    random = np.random.default_rng(4)
    return [arg.draw(random) if hasattr(arg, "draw") else arg for arg in KERNELS[row].args]


def _adjoint_of_conv2d(x, w, b, seed):
    """The adjoint by hand: each output gives its seed to its window and to the weights."""
    gx, gw = np.zeros_like(x), np.zeros_like(w)
    for n, o, i, j in np.ndindex(seed.shape):
        window = (n, slice(None), slice(i, i + w.shape[2]), slice(j, j + w.shape[3]))
        gx[window] += seed[n, o, i, j] * w[o]
        gw[o] += seed[n, o, i, j] * x[window]
    return gx, gw, seed.sum(axis=(0, 2, 3))


def _adjoint_of_softmax(x, seed):
    e = np.exp(x)
    p = e / e.sum(axis=1, keepdims=True)
    return (p * (seed - (p * seed).sum(axis=1, keepdims=True)),)


def _adjoint_of_layer_norm(x, scale, seed):
    apart = x - x.mean(axis=2, keepdims=True)
    spread = np.sqrt((apart**2).mean(axis=2, keepdims=True) + 1e-3)
    y, g = apart / spread, seed * scale
    own = g - g.mean(axis=2, keepdims=True) - y * (g * y).mean(axis=2, keepdims=True)
    return own / spread, (seed * y).sum(axis=(0, 1))


def _adjoint_of_two_axes(a, b, seed):
    return np.einsum("ijm,klm->ijkl", seed, b), np.einsum("ijkl,ijm->klm", a, seed)


def _adjoint_of_one_head(q, k, v, seed):
    e = np.exp(np.einsum("bid,bjd->bij", q, k) / np.sqrt(q.shape[2]))
    p = e / e.sum(axis=2, keepdims=True)
    gp = np.einsum("bie,bje->bij", seed, v)
    gs = p * (gp - (gp * p).sum(axis=2, keepdims=True)) / np.sqrt(q.shape[2])
    gq, gk = np.einsum("bij,bjd->bid", gs, k), np.einsum("bij,bid->bjd", gs, q)
    return gq, gk, np.einsum("bij,bie->bje", p, seed)


@pytest.mark.parametrize(
    ("kernel", "adjoint"),
    [
        (convolutions.conv2d, _adjoint_of_conv2d),
        (normalising.softmax_middle, _adjoint_of_softmax),
        (normalising.layer_norm, _adjoint_of_layer_norm),
        (contractions.two_axes, _adjoint_of_two_axes),
        (attention.one_head, _adjoint_of_one_head),
    ],
)
def test_adjoints_by_hand(kernel, adjoint):
    room = kernel.__module__.rpartition(".")[2]
    args = _drawn(f"{room}.{kernel.__name__}")
    seed = np.random.default_rng(9).normal(size=kernel(*args).shape)
    own = numba.njit(kernel)
    parameters = ", ".join(f"a{i}" for i in range(len(args)))
    scope = {"own": own, "np": np}
    text = f"def loss(seed, {parameters}):\n    return np.sum(seed * own({parameters}))"
    exec(text, scope)
    places = tuple(range(1, len(args) + 1))
    found = enzyme.grad(enzyme.jit(scope["loss"]), argnums=places)(seed, *args)
    want = adjoint(*args, seed)
    for one, other in zip(found, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_lenet_learns():
    """Ten steps down the gradient make the loss fall; the gradient itself agrees with differences in three directions."""
    args = _drawn("lenet.lenet")
    weights = (1, 2, 3, 4, 5)
    run = numba.njit(lenet.lenet)
    gradient = enzyme.grad(lenet.lenet, argnums=weights)
    found = gradient(*args)
    random = np.random.default_rng(2)
    for _ in range(3):
        ways = [random.normal(size=args[place].shape) for place in weights]

        def along(t, ways=ways):
            moved = list(args)
            for place, way in zip(weights, ways, strict=True):
                moved[place] = args[place] + t * way
            return run(*moved)

        want = differences(along, 1e-3)
        got = sum(np.sum(one * way) for one, way in zip(found, ways, strict=True))
        assert got == pytest.approx(want.value, rel=1e-7)
    losses = [run(*args)]
    for _ in range(10):
        for place, slope in zip(weights, gradient(*args), strict=True):
            args[place] = args[place] - 0.1 * slope
        losses.append(run(*args))
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.8 * losses[0]


def _own_and_given(x, rows, columns):
    given = np.reshape(x, (x.shape[0] * rows, columns))
    own = np.empty((x.shape[0], rows, columns))
    own[:] = x * x
    for i in range(rows):
        own[:, i] += x[:, 0]
    return np.sum(given * np.reshape(own, (x.shape[0] * rows, columns)))


def test_an_argument_and_an_own_array_are_reshaped():
    """The tangent was zero without a word: see assembly/inlining.py."""
    x = np.random.default_rng(1).normal(size=(2, 3, 4))
    v = np.random.default_rng(2).normal(size=(2, 3, 4))
    want = np.sum(v * (x * x + x[:, :1])) + np.sum(x * (2 * x * v + v[:, :1]))
    assert enzyme.jvp(_own_and_given, (x, 3, 4), (v, None, None))[1] == pytest.approx(want)
    assert np.sum(enzyme.grad(_own_and_given)(x, 3, 4) * v) == pytest.approx(want)
