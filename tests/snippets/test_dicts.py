"""Dicts as arguments and captured: read by keys as in Python, refused where the tuple behind would mean something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import UnsupportedTypeError

P = {"a": 2.0, "b": 3.0}
SETTINGS = {"scale": 2.0, "squares": True}


def test_values() -> None:
    def squares(p: Any) -> Any:
        total = 0.0
        for value in p.values():
            total += value * value
        return total

    assert enzyme.grad(squares)(P) == {"a": 4.0, "b": 6.0}
    assert enzyme.grad(lambda p: sum(p.values()) * len(p))(P) == {"a": 2.0, "b": 2.0}

    def product(p: Any) -> Any:
        one, other = p.values()
        return one * np.sum(other)

    found = enzyme.grad(product)({"w": 2.0, "x": np.ones(3)})
    assert found["w"] == 3.0
    assert found["x"].tolist() == [2.0] * 3


def test_keys_that_are_there_and_not() -> None:
    assert enzyme.grad(lambda p: p["a"] * p["a"] if "a" in p else 7.0)(P) == {"a": 4.0, "b": 0.0}
    assert enzyme.grad(lambda p: p["a"] if "c" not in p else 7.0)(P) == {"a": 1.0, "b": 0.0}
    scaled = enzyme.grad(lambda x: SETTINGS["scale"] * x if SETTINGS["squares"] and "scale" in SETTINGS else 0.0)
    assert scaled(3.0) == 2.0
    among = enzyme.grad(lambda x: x if 2 in (1, 2) and x in (3.0, 4.0) else 0.0)  # other things are asked as ever
    assert (among(3.0), among(5.0)) == (1.0, 0.0)


def keys(p: Any) -> Any:
    total = 0.0
    for key in p:
        total += p[key]
    return total


def parts(p: Any) -> Any:
    total = 0.0
    for part in p:
        total += part
    return total


def items(p: Any) -> Any:
    total = 0.0
    for key, value in p.items():
        total += value * len(key)
    return total


def unpacked(p: Any) -> Any:
    one, other = p
    return one * other


REFUSED = {
    "keys": (keys, r"p\.values\(\)"),
    "parts": (parts, r"goes through a dict with the keys 'a', 'b'[\s\S]*p\.values\(\)"),
    "items": (items, r"`items` of a dict[\s\S]*p\['name'\]"),
    "get": (lambda p: p.get("a", 1.0), r"`get` of a dict[\s\S]*p\['name'\]"),
    "unpacked": (unpacked, r"goes through a dict"),
    "place": (lambda p: p[0], r"reads a place of a dict[\s\S]*p\['name'\]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_mean_something_else_is_refused(name: str) -> None:
    kernel, told = REFUSED[name]
    with pytest.raises(UnsupportedTypeError, match=told):
        enzyme.grad(kernel)(P)


def test_lists_are_read_by_places() -> None:
    def product(p: Any) -> Any:
        one, other = p
        return one * other * p[0]

    assert enzyme.grad(product)([2.0, 3.0]) == [12.0, 4.0]
