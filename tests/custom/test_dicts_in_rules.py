"""Rules of functions whose arguments are dicts: cotangents are dicts with the same keys, and never taken by their places."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import RuleError


@enzyme.custom_vjp
def energy(p):
    return p["a"] ** 2 + 3.0 * np.sum(p["b"] ** 3)


def forward(p):
    return energy(p), p


def backward(p, c):
    return ({"a": 2.0 * c * p["a"], "b": 9.0 * c * p["b"] ** 2},)


energy.defvjp(forward, backward)
P = {"a": 1.5, "b": np.array([1.0, 2.0])}


def test_a_dict_that_the_rule_writes_down() -> None:
    """d/da = 2 a, d/db = 9 b^2, by the rule; times 10 from outside."""
    for f in (energy, lambda p: energy(p)):
        (found,) = enzyme.gradient(f, P)
        assert found["a"] == 3.0
        np.testing.assert_array_equal(found["b"], 9.0 * P["b"] ** 2)
    (found,) = enzyme.gradient(lambda p: 10.0 * energy(p) + p["a"], P)
    assert found["a"] == 31.0
    slope = enzyme.jvp(energy, (P,), ({"b": np.ones(2), "a": 1.0},))[1]
    assert slope == 3.0 + 45.0


def test_another_order_is_refused() -> None:
    """A rule that wrote its parts for one order had them given to the keys of another."""
    other = {"b": P["b"], "a": P["a"]}
    with pytest.raises(RuleError, match="in the order of the argument's keys"):
        enzyme.gradient(energy, other)


@pytest.mark.parametrize("keys", ["abc", "bca", "cab"])
def test_a_tuple_in_the_place_of_a_dict_is_refused(keys) -> None:
    @enzyme.custom_vjp
    def f(p):
        return p["a"] + 2.0 * p["b"] + 3.0 * p["c"]

    f.defvjp(lambda p: (f(p), 0.0), lambda r, c: ((c, 2.0 * c, 3.0 * c),))
    with pytest.raises(RuleError, match=r"a tuple of 3 .* and the argument is a dict with the keys"):
        enzyme.gradient(f, dict.fromkeys(keys, 1.0))


def test_rules_forward_read_keys() -> None:
    @enzyme.custom_jvp
    def f(p):
        return p["a"] + 2.0 * p["b"]

    @f.defjvp
    def rule(primals, tangents):
        return f(primals[0]), tangents[0]["a"] + 2.0 * tangents[0]["b"]

    for keys in ("ab", "ba"):
        assert enzyme.gradient(f, dict.fromkeys(keys, 1.0)) == ({"a": 1.0, "b": 2.0},)
