"""Classes and namespaces of constants, in globals or captured: `Constants.g`, looked at in every call."""

from __future__ import annotations

import argparse
import types
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import LoweringError, UnsupportedTypeError


class Constants:
    """What a file of constants has."""

    g = 9.81
    steps = 3
    weights = np.array([1.0, 2.0])

    class Water:
        density = 1000.0

    @staticmethod
    def square(x):
        return x * x


class Derived(Constants):
    g = 1.0


settings = types.SimpleNamespace(k=2.0, inner=types.SimpleNamespace(k=3.0))
options = argparse.Namespace(rate=0.5)
table = {"a": 2.0}


def of_class(x):
    total = Constants.g * x
    for _ in range(Constants.steps):
        total += Constants.weights[1] * Constants.square(x) + Constants.Water.density
    return total


def of_namespaces(x):
    return settings.k * settings.inner.k * options.rate * x


def of_derived(x):
    return Derived.g * x + Derived.weights[0] * x


def test_a_class_of_constants(monkeypatch) -> None:
    """g + 2 steps w x, by hand."""
    assert enzyme.gradient(of_class, 3.0)[0] == pytest.approx(9.81 + 3 * 2.0 * 2.0 * 3.0, rel=1e-15)
    monkeypatch.setattr(Constants, "g", 1.0)
    monkeypatch.setattr(Constants, "weights", np.array([0.0, 5.0]))
    assert enzyme.gradient(of_class, 3.0) == enzyme.gradient(of_class, 3.0) == (1.0 + 3 * 5.0 * 2.0 * 3.0,)
    monkeypatch.setattr(Constants, "steps", 1)
    monkeypatch.setattr(Constants, "square", staticmethod(lambda x: 4.0 * x))
    assert enzyme.grad(of_class)(3.0) == 1.0 + 5.0 * 4.0
    assert enzyme.gradient(of_derived, 3.0) == (1.0,)
    assert enzyme.hvp(lambda x: Constants.g * x**3, 2.0, 1.0) == 12.0


def test_namespaces(monkeypatch) -> None:
    assert enzyme.gradient(of_namespaces, 1.0) == (3.0,)
    monkeypatch.setattr(settings.inner, "k", 10.0)
    monkeypatch.setattr(options, "rate", 1.0)
    assert enzyme.gradient(of_namespaces, 1.0) == (20.0,)
    own: Any = types.SimpleNamespace(f=lambda x: x * x, k=3.0)
    assert enzyme.grad(lambda x: own.f(x) * own.k)(2.0) == 12.0


def test_in_a_helper_it_is_told() -> None:
    for helper in (lambda x: x * table["a"], lambda x: x * settings.k):
        with pytest.raises(LoweringError, match="pass it to helpers"):
            enzyme.gradient(enzyme.jit(helper), 1.0)


class Point:
    def __init__(self, x):
        self.x = x


def makes_an_object(x):
    return Point(x).x


def test_a_class_whose_objects_are_made_is_told() -> None:
    for f in (makes_an_object, lambda x: Point(x) * 1.0):
        with pytest.raises(UnsupportedTypeError, match=r"the class Point[\s\S]*in kernel[\s\S]*dataclass"):
            enzyme.gradient(f, 1.0)
