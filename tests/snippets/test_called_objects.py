"""Objects that a kernel calls: `net(x)` of a class with `__call__`, captured, in globals, held by another, or an argument."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import LoweringError

X = np.array([0.3, -0.2, 0.5])


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


class Net:
    def __init__(self, *layers):
        self.layers, self.first = list(layers), layers[0]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def twice(self, x):
        return self.first(self.first(x))


@dataclasses.dataclass
class Square:
    k: float
    w: object = None

    def __call__(self, x):
        return self.k * x * x

    def scaled(self, x):
        return self(x) * 2.0


def layers(count):
    draws = np.random.default_rng(3)
    return [Layer(draws.standard_normal((3, 3)), draws.standard_normal(3)) for _ in range(count)]


def slope_of(chain, x):
    """By hand: of the sum, the product of diag(1 - tanh^2) w of all layers, from the last to the first."""
    values = []
    for one in chain:
        x = np.tanh(one.w @ x + one.b)
        values.append(x)
    slope = np.ones(len(x))
    for one, value in zip(chain[::-1], values[::-1], strict=True):
        slope = one.w.T @ (slope * (1.0 - value**2))
    return slope


net = Net(*layers(3))
square = Square(2.0)


def of_global(x):
    return np.sum(net(x))


def of_method(x):
    return np.sum(net.twice(x))


def applied(f, x):
    return f(x)


def handed_on(x):
    return np.sum(applied(net, x))


@pytest.mark.parametrize("counts", [(3, 1), pytest.param((3, 1, 2), marks=pytest.mark.full)], ids=len)
def test_a_network_in_a_global(counts, monkeypatch) -> None:
    for count in counts:
        monkeypatch.setitem(globals(), "net", Net(*layers(count)))
        np.testing.assert_allclose(enzyme.gradient(of_global, X)[0], slope_of(net.layers, X), rtol=1e-13)
        np.testing.assert_allclose(enzyme.gradient(handed_on, X)[0], slope_of(net.layers, X), rtol=1e-13)
        np.testing.assert_allclose(enzyme.gradient(of_method, X)[0], slope_of(2 * [net.first], X), rtol=1e-13)
        net.first.w = net.first.w * 0.5
        np.testing.assert_allclose(enzyme.gradient(of_global, X)[0], slope_of(net.layers, X), rtol=1e-13)
        np.testing.assert_allclose(enzyme.jvp(of_global, (X,), (X,))[1], slope_of(net.layers, X) @ X, rtol=1e-13)


def test_captured_and_as_an_argument() -> None:
    own = Net(*layers(2))
    np.testing.assert_allclose(enzyme.grad(lambda x: np.sum(own(x)))(X), slope_of(own.layers, X), rtol=1e-13)
    single = own.first
    by_x, by_layer = enzyme.gradient(lambda x, f: np.sum(f(x)), X, single)
    np.testing.assert_allclose(by_x, slope_of([single], X), rtol=1e-13)
    assert by_layer is None


def of_square(x):
    return square(x)


def of_its_method(x):
    return square.scaled(x)


def of_captured(own):
    return (lambda x: own(x)), (lambda x: own(x) + own.k * own.w[0])


def test_dataclasses(monkeypatch) -> None:
    """k x^2 has the slopes 2 k x and x^2."""
    for k in (2.0, 5.0):
        monkeypatch.setitem(globals(), "square", Square(k))
        assert enzyme.gradient(of_square, 3.0) == (6.0 * k,)
        assert enzyme.gradient(of_its_method, 3.0) == (12.0 * k,)
        for f in of_captured(Square(k, np.ones(2))):
            assert enzyme.gradient(f, 3.0) == (6.0 * k,)
    by_x, by_f = enzyme.gradient(applied_to, 3.0, Square(4.0, np.ones(2)))
    assert by_x == 24.0
    assert by_f.k == 9.0
    np.testing.assert_array_equal(by_f.w, np.zeros(2))


def applied_to(x, f):
    return f(x)


def test_called_and_read() -> None:
    """Refused in words; by a method of a name it is right."""
    own = net.first
    with pytest.raises(LoweringError, match="needs a name"):
        enzyme.gradient(lambda x: np.sum(own(x)) + np.sum(own.w), X)


class Module:
    """As libraries of networks have it: a call goes to a method of the class below."""

    def __call__(self, x):
        return self.forward(x)


class Scale(Module):
    def __init__(self, w):
        self.w = w

    def forward(self, x):
        return self.w * x


class Squared(Module):
    def forward(self, x):
        return x * x


class Chain(Module):
    def __init__(self, first, second, third):
        self.first, self.second, self.third = first, second, third

    def forward(self, x):
        return self.third(self.second(self.first(x)))


def test_calls_that_go_to_a_method_of_the_class_below() -> None:
    """3 (2 x)^2 has the slope 24 x. `forward` of Squared reads nothing of its object: its `self` is no call of it again."""
    chain = Chain(Scale(2.0), Squared(), Scale(3.0))
    for f in (lambda x: chain(x), chain, chain.forward):
        assert enzyme.gradient(f, 1.5) == (36.0,)
    single = Squared()
    assert enzyme.gradient(lambda x: single(x), 3.0) == (6.0,)
    assert enzyme.gradient(single, 3.0) == (6.0,)
