"""Strings and members of enums beside numbers: in arguments they choose, and have None for a gradient; results hold none."""

from __future__ import annotations

import enum
import sys
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import UnsupportedTypeError


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def power(p: Any) -> Any:
    return p["a"] ** 3 if p["mode"] == "cube" else p["a"] ** 2


P = {"a": 2.0, "mode": "cube"}


def test_a_string_in_a_dict() -> None:
    assert enzyme.grad(power)(P) == {"a": 12.0, "mode": None}
    assert enzyme.grad(power)({"a": 2.0, "mode": "square"}) == {"a": 4.0, "mode": None}
    assert enzyme.jvp(power, (P,), ({"a": 1.0, "mode": ""},)) == (8.0, 12.0)
    assert enzyme.hvp(power, P, {"a": 1.0, "mode": ""}) == {"a": 12.0, "mode": None}
    result, pull_back = enzyme.vjp(power, P)
    assert (result, pull_back(2.0)) == (8.0, ({"a": 24.0, "mode": None},))


def test_in_tuples_beside_arrays_and_as_annotated() -> None:
    def scaled(p: Any) -> Any:
        return np.sum(p[0]) * p[1] if p[2] == "sum" else p[1]

    slope, by_number, none = enzyme.grad(scaled)((np.ones(2), 3.0, "sum"))
    assert (slope.tolist(), by_number, none) == ([3.0, 3.0], 2.0, None)
    slope, none = enzyme.grad(lambda p: np.sum(p[0]) if p[1] == "sum" else 0.0)((np.ones(2), "sum"))
    assert (slope.tolist(), none) == ([1.0, 1.0], None)
    square = enzyme.jit(lambda p: p[0] ** 2 if p[1] == "a" else p[0])
    assert enzyme.autodiff(enzyme.Reverse, square, enzyme.Active, enzyme.Active((2.0, "a"))) == (((4.0, None),),)
    assert enzyme.autodiff(enzyme.Forward, square, enzyme.Duplicated((2.0, "a"), (1.0, "a"))) == (4.0,)


def test_members_of_enums() -> None:
    slope = enzyme.grad(lambda p: p["a"] * 2.0 if p["c"] == Colour.RED else p["a"])
    assert slope({"a": 2.0, "c": Colour.RED}) == {"a": 2.0, "c": None}


def test_tangents_of_results_that_have_none() -> None:
    found, tangent = enzyme.jvp(lambda x: (x * x, Colour.RED, 3, x > 1.0), (2.0,), (1.0,))
    assert found == (4.0, Colour.RED, 3, True)
    assert tangent == (4.0, None, 0, False)
    _, (_, flags) = enzyme.jvp(lambda x: (np.sum(x), x > np.zeros(2)), (np.ones(2),), (np.ones(2),))
    assert flags.tolist() == [False, False]


def test_references_are_given_back() -> None:
    """A string that is made at run time, so that somebody counts its references."""
    word = "cube" * len(P)
    slope = enzyme.grad(power)
    slope({"a": 2.0, "mode": word})
    before = sys.getrefcount(word)
    for _ in range(100):
        slope({"a": 2.0, "mode": word})
    assert sys.getrefcount(word) == before


@pytest.mark.parametrize(
    "run",
    [
        lambda: enzyme.value_and_grad(lambda x, word: (x * x, word), has_aux=True)(3.0, "a"),
        lambda: enzyme.value_and_grad(lambda x: (x * x, {"name": "a", "y": x}), has_aux=True)(3.0),
        lambda: enzyme.jvp(lambda x, word: {"y": x * x, "word": word}, (3.0, "a"), (1.0, "a")),
        lambda: enzyme.vjp(lambda x: (x * x, "a"), 3.0),
        lambda: enzyme.jvp(lambda x: (x * x, slice(1, 2)), (3.0,), (1.0,)),
    ],
    ids=["aux", "aux in a dict", "jvp", "vjp", "slice"],
)
def test_results_hold_none(run: Any) -> None:
    with pytest.raises(UnsupportedTypeError, match=r"holds a value of type (unicode_type|slice)[\s\S]*leave it out"):
        run()
