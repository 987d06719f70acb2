"""Dicts, lists and dataclasses as arguments: the same structure comes back."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, ShadowError, UnsupportedTypeError

X = np.array([1.0, 2.0, 3.0])


def weighted(p, x):
    return np.sum(p["weights"] * x**2) * p["scale"]


def parameters() -> dict[str, Any]:
    return {"weights": np.array([0.5, -1.0, 2.0]), "scale": 3.0}


GRADIENT = {"weights": 3 * X**2, "scale": 0.5 - 4.0 + 18.0}


def check_gradient(found: Any) -> None:
    assert list(found) == ["weights", "scale"]
    np.testing.assert_array_equal(found["weights"], GRADIENT["weights"])
    assert found["scale"] == GRADIENT["scale"]


def test_dict_through_grad_and_its_relatives() -> None:
    check_gradient(enzyme.grad(weighted)(parameters(), X))
    value, (by_tree, by_x) = enzyme.value_and_grad(weighted, argnums=(0, 1))(parameters(), X)
    assert value == 3 * 14.5
    check_gradient(by_tree)
    np.testing.assert_array_equal(by_x, 6 * parameters()["weights"] * X)
    check_gradient(enzyme.gradient(weighted, parameters(), X)[0])
    check_gradient(enzyme.gradient(enzyme.Forward, weighted, parameters(), X)[0])


def test_dict_through_jvp_vjp_and_linearize() -> None:
    tangent = {"weights": np.ones(3), "scale": 1.0}
    expected = np.sum(GRADIENT["weights"]) + GRADIENT["scale"]
    value, slope = enzyme.jvp(weighted, (parameters(), X), (tangent, np.zeros(3)))
    assert (value, slope) == (43.5, expected)
    value, pull_back = enzyme.vjp(weighted, parameters(), X)
    check_gradient(pull_back(1.0)[0])
    value, push_forward = enzyme.linearize(weighted, parameters(), X)
    assert (value, push_forward(tangent, np.zeros(3))) == (43.5, expected)


def test_dict_through_jacobians_and_products() -> None:
    def scaled(p, x):
        return p["weights"] * p["scale"] + x

    for found in (
        enzyme.jacobian(scaled, parameters(), X)[0],
        enzyme.jacobian(enzyme.Forward, scaled, parameters(), X)[0],
        enzyme.jacfwd(scaled)(parameters(), X),
        enzyme.jacrev(scaled)(parameters(), X),
    ):
        np.testing.assert_array_equal(found["weights"], 3 * np.eye(3))
        np.testing.assert_array_equal(found["scale"], parameters()["weights"])
    product = enzyme.hvp(weighted, parameters(), {"weights": np.zeros(3), "scale": 1.0}, X)
    np.testing.assert_array_equal(product["weights"], X**2)
    assert product["scale"] == 0.0


def test_list_of_layers_in_a_loop() -> None:
    def network(layers, x):
        for weight, offset in layers:
            x = weight @ x + offset
        return np.sum(x)

    first, second = np.diag([2.0, 3.0, 4.0]), np.ones((3, 3))
    layers = [(first, X), (second, X)]
    found = enzyme.grad(network)(layers, X)
    assert isinstance(found, list)
    np.testing.assert_array_equal(found[1][1], np.ones(3))
    np.testing.assert_array_equal(found[1][0], np.outer(np.ones(3), first @ X + X))
    np.testing.assert_array_equal(found[0][0], np.outer(3 * np.ones(3), X))


@dataclasses.dataclass(frozen=True)
class Line:
    slope: np.ndarray
    offset: float


class Inner(NamedTuple):
    line: Line
    powers: list[float]


def test_nested_structures() -> None:
    def value(inner, factor):
        return (
            (inner.line.slope @ inner.line.slope + inner.line.offset)
            * inner.powers[1]
            * factor["k"]
        )

    given = Inner(Line(X, 1.0), [5.0, 2.0])
    found = enzyme.grad(value)(given, {"k": 3.0})
    assert isinstance(found, Inner)
    assert isinstance(found.line, Line)
    np.testing.assert_array_equal(found.line.slope, 12 * X)
    assert found.line.offset == 6.0
    assert found.powers == [0.0, 45.0]


def test_the_same_keys_in_another_order() -> None:
    turned = dict(reversed(parameters().items()))
    found = enzyme.grad(weighted)(turned, X)
    assert list(found) == ["scale", "weights"]
    np.testing.assert_array_equal(found["weights"], GRADIENT["weights"])


def test_defaults_beside_a_tree() -> None:
    def value(p, power=2.0):
        return p["a"] ** power

    assert enzyme.grad(value)({"a": 3.0}) == {"a": 6.0}
    assert enzyme.grad(value)({"a": 3.0}, power=3.0) == {"a": 27.0}


class TestBadInput:
    def test_a_key_that_is_missing(self) -> None:
        with pytest.raises(
            UnsupportedTypeError, match="reads the key 'scale' of a dict that has 'weights'"
        ):
            enzyme.grad(weighted)({"weights": X}, X)

    def test_keys_that_are_no_strings(self) -> None:
        with pytest.raises(UnsupportedTypeError, match="key 0 cannot go into a kernel"):
            enzyme.grad(weighted)({0: X}, X)

    @pytest.mark.parametrize("tangent", [{"weights": X}, [X, 1.0], X, (X, 1.0)])
    def test_tangents_of_another_structure(self, tangent: Any) -> None:
        with pytest.raises(
            ShadowError, match="where a dict with the keys 'weights', 'scale' belongs"
        ):
            enzyme.jvp(weighted, (parameters(), X), (tangent, X))

    def test_a_field_that_init_does_not_take(self) -> None:
        @dataclasses.dataclass
        class Derived:
            a: float
            b: float = dataclasses.field(init=False, default=1.0)

        with pytest.raises(UnsupportedTypeError, match="fields that its __init__ does not take"):
            enzyme.grad(lambda p: p.a)(Derived(1.0))

    def test_a_leaf_that_is_nothing_for_kernels(self) -> None:
        with pytest.raises(EnzymeError, match="cannot take"):
            enzyme.grad(lambda p: p["a"])({"a": object()})
