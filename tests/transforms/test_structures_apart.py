"""Dicts, dataclasses and lists that differ are different types, whatever they are called.

Numba's C code knows a class of named tuples by its name and its fields. So a dict with the same keys in another order had the
derivative of the first, and so had a dataclass that was defined anew under its name, or one of another module.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Const, Reverse
from enzyme_py.errors import ShadowError, UnsupportedTypeError
from enzyme_py.foundations.trees import Structure, tuple_class

MODEL = """
@dataclasses.dataclass
class Model:
    k: float
    n: float = 2.0

    def energy(self, x):
        return {} * self.k * x * x
"""


def model(factor: float) -> Any:
    """Return a class as a cell of a notebook defines it, under the same name each time."""
    scope = {"dataclasses": dataclasses, "__name__": __name__}
    exec(MODEL.format(factor), scope)
    return scope["Model"]


def use(x, m):
    return m.energy(x)


def weighted(x, p):
    return p["a"] * x + 10.0 * p["b"] * p["c"] * x


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("orders", [("abc", "cab"), pytest.param(("abc", "cab", "cba"), marks=pytest.mark.full)], ids=len)
def test_dicts_with_keys_in_another_order(jitted, orders) -> None:
    f = enzyme.jit(weighted) if jitted else weighted
    df, both = enzyme.grad(f), enzyme.value_and_grad(f, argnums=(0, 1))
    values = {"a": 1.0, "b": 2.0, "c": 3.0}
    for keys in orders:
        p = {key: values[key] for key in keys}
        assert df(2.0, p) == 61.0
        value, (by_x, by_p) = both(2.0, p)
        assert (value, by_x) == (122.0, 61.0)
        assert by_p == {"a": 2.0, "b": 60.0, "c": 40.0}
        assert list(by_p) == list(keys)
        assert enzyme.gradient(f, 2.0, p)[1] == by_p
        assert enzyme.jvp(f, (2.0, p), (1.0, dict.fromkeys(keys, 0.0))) == (122.0, 61.0)
        assert enzyme.autodiff(Reverse, f, Active, Active(2.0), Const(p))[0][0] == 61.0


def test_dicts_in_dicts_and_lists() -> None:
    df = enzyme.grad(lambda x, p: x * p["w"][0]["a"] + x * p["b"])
    first, second = {"a": 3.0, "z": 5.0}, {"z": 5.0, "a": 3.0}
    for inner in (first, second):
        assert df(1.0, {"w": [inner], "b": 7.0}) == 10.0
        assert df(1.0, {"b": 7.0, "w": [inner]}) == 10.0


def test_a_dataclass_defined_anew() -> None:
    df = enzyme.grad(use)
    kinds = [model(factor) for factor in (1.0, 2.0, 5.0)]
    for _ in range(2):
        for kind, factor in zip(kinds, (1.0, 2.0, 5.0), strict=True):
            assert df(3.0, kind(1.0)) == 6.0 * factor
            assert enzyme.grad(use)(3.0, kind(1.0)) == 6.0 * factor
            by_x, by_m = enzyme.gradient(use, 3.0, kind(1.0))
            assert by_x == 6.0 * factor
            assert type(by_m) is kind
            assert by_m == kind(9.0 * factor, 0.0)


def test_a_method_put_in_and_a_global_that_one_names() -> None:
    scope = {"dataclasses": dataclasses, "__name__": __name__, "np": np}
    text = MODEL + "\ndef helper(y):\n    return scale * y\nscale = 1.0\n"
    exec(text.format(1.0).replace("return 1.0 *", "return helper(1.0) *"), scope)
    kind, df = scope["Model"], enzyme.grad(use)
    for scale in (1.0, 4.0, 1.0):
        scope["scale"] = scale
        for _ in range(2):
            assert df(3.0, kind(1.0)) == enzyme.gradient(use, 3.0, kind(1.0))[0] == 6.0 * scale
    exec("def helper(y):\n    return 7.0 * y\n", scope)
    assert df(3.0, kind(1.0)) == 42.0

    def energy(self, x):
        return self.k * np.sin(x)

    kind.energy = energy
    assert df(3.0, kind(1.0)) == np.cos(3.0)
    kind.energy = property(lambda self: self.k)
    assert enzyme.grad(lambda x, m: m.energy * x)(3.0, kind(8.0)) == 8.0


def test_names() -> None:
    """One class for one structure; no two with a name; the same name in each process, but for what is defined twice."""
    structures = [
        Structure(dict, ("a", "b")),
        Structure(dict, ("b", "a")),
        Structure(list, ("", "")),
        *(Structure(model(1.0), ("k", "n"), state) for state in (0, 1)),
        Structure(model(1.0), ("k", "n")),
    ]
    names = [tuple_class(one).__name__ for one in structures]
    assert len(set(names)) == len(names)
    assert [tuple_class(one).__name__ for one in structures] == names
    assert names[0].startswith("TreeDict_")


def both(x):
    return {"a": x, "b": [2.0 * x, {"z": 5.0 * x, "y": 7.0 * x}]}


@pytest.mark.parametrize(
    "cotangent",
    [
        {"a": 1.0, "b": [10.0, {"z": 100.0, "y": 1000.0}]},
        {"b": [10.0, {"z": 100.0, "y": 1000.0}], "a": 1.0},
        {"b": [10.0, {"y": 1000.0, "z": 100.0}], "a": 1.0},
    ],
)
def test_directions_go_by_keys(cotangent) -> None:
    value, pull = enzyme.vjp(both, 1.0)
    assert value == {"a": 1.0, "b": [2.0, {"z": 5.0, "y": 7.0}]}
    assert pull(cotangent) == (1.0 + 20.0 + 500.0 + 7000.0,)

    def summed(p):
        return p["a"] ** 2 + 3.0 * p["b"][0] ** 2 + 5.0 * p["b"][1]["z"] ** 2 + 7.0 * p["b"][1]["y"] ** 2

    expected = 2.0 * (1.0 + 3.0 * 2.0 * 10.0 + 5.0 * 5.0 * 100.0 + 7.0 * 7.0 * 1000.0)
    assert enzyme.jvp(summed, (value,), (cotangent,))[1] == expected
    assert enzyme.linearize(summed, value)[1](cotangent) == expected
    product = enzyme.hvp(summed, value, cotangent)
    assert product == {"a": 2.0, "b": [60.0, {"z": 1000.0, "y": 14000.0}]}
    assert enzyme.vhp(summed, value, cotangent) == product
    assert enzyme.hvp_and_gradient(summed, value, cotangent)[0] == product


@pytest.mark.parametrize(
    "cotangent",
    [
        {"a": 1.0},
        {"a": 1.0, "b": 1.0},
        {"a": 1.0, "b": [1.0, {"z": 1.0, "y": 1.0}], "c": 1.0},
        {"a": 1.0, "c": [1.0, {"z": 1.0, "y": 1.0}]},
        {"a": 1.0, "b": [1.0, {"z": 1.0, "x": 1.0}]},
        {"a": 1.0, "b": [1.0, {"z": 1.0, "y": 1j}]},
        {"a": 1.0, "b": (1.0, {"z": 1.0, "y": 1.0})},
        {"a": 1.0, "b": [1.0, {"z": 1.0, "y": 1.0}, 1.0]},
        (1.0, [1.0, (1.0, 1.0)]),
        1.0,
        None,
    ],
)
def test_a_cotangent_of_another_structure_is_refused(cotangent) -> None:
    """Of a dict or a list as the result it was taken by its places, and what was too much was dropped without a word."""
    with pytest.raises(ShadowError, match="cotangent"):
        enzyme.vjp(both, 1.0)[1](cotangent)


def test_cotangents_of_lists_and_dataclasses() -> None:
    kind = model(1.0)
    _, pull = enzyme.vjp(lambda x: [x, 3.0 * x], 1.0)
    assert pull([1.0, 10.0]) == (31.0,)
    with pytest.raises(ShadowError):
        pull([1.0, 10.0, 100.0])
    _, pull = enzyme.vjp(lambda x: kind(x, 3.0 * x), 1.0)
    assert pull(kind(1.0, 10.0)) == (31.0,)
    with pytest.raises(ShadowError):
        pull(model(1.0)(1.0, 10.0))


@dataclasses.dataclass
class Shares:
    """Its numbers are shares of their sum, and none may be negative."""

    a: float
    w: Any

    def __post_init__(self):
        if self.a < 0.0:
            raise ValueError("a share is not negative")
        total = self.a + np.sum(self.w)
        self.a, self.w = self.a / total, np.asarray(self.w) / total


def test_slopes_do_not_go_through_a_post_init() -> None:
    """They were divided by their sum, without a word."""
    shares = Shares(1.0, np.array([1.0, 2.0]))

    def f(p):
        return -20.0 * p.a + np.sum(p.w * p.w)

    (found,) = enzyme.gradient(f, shares)
    assert type(found) is Shares
    assert found.a == -20.0
    np.testing.assert_array_equal(found.w, 2.0 * shares.w)
    (found,) = enzyme.gradient(enzyme.Forward, f, shares)
    assert found.a == -20.0
    zero = enzyme.make_zero(shares)
    assert (zero.a, zero.w.tolist()) == (0.0, [0.0, 0.0])
    zero.a = 1.0
    assert enzyme.jvp(f, (shares,), (zero,))[1] == -20.0
    assert enzyme.hvp(f, shares, zero).a == 0.0
    same, pull = enzyme.vjp(lambda p: p, shares)
    assert same.a == shares.a
    assert pull(zero)[0].a == 1.0


@dataclasses.dataclass
class Scaled:
    a: float
    factor: dataclasses.InitVar[float] = 2.0

    def __post_init__(self, factor):
        self.a *= factor


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: float


def test_other_dataclasses() -> None:
    for one in (Scaled(3.0), Frozen(6.0)):
        (found,) = enzyme.gradient(lambda p: p.a**2, one)
        assert type(found) is type(one)
        assert found.a == 12.0
        assert enzyme.make_zero(one).a == 0.0


class Pair(NamedTuple):
    a: float
    b: float


class Normalised(Pair):
    def __new__(cls, a, b):
        return super().__new__(cls, a / (a + b), b / (a + b))


def test_a_named_tuple_that_changes_its_parts_is_refused() -> None:
    """Numba makes results by calling the class: slopes were divided by their sum."""
    for f, given in ((lambda p: p.a + p.b, Normalised(1.0, 2.0)), (lambda q: q[0].a * q[1], (Normalised(1.0, 2.0), 2.0))):
        with pytest.raises(UnsupportedTypeError, match="__new__ would change its slopes"):
            enzyme.gradient(f, given)


def weighed(p):
    return 2.0 * p["a"] + 30.0 * p["b"]


def of_squares(p):
    return p["a"] ** 2 + 10.0 * p["b"] ** 2


IN_KERNELS = {
    "jvp": lambda p, t: enzyme.jvp(weighed, (p,), (t,))[1],
    "linearize": lambda p, t: enzyme.linearize(weighed, p)[1](t),
    "autodiff": lambda p, t: enzyme.autodiff(enzyme.Forward, weighed, enzyme.Duplicated(p, t))[0],
    "hvp": lambda p, t: enzyme.hvp(of_squares, p, t)["a"],
    "vjp": lambda p, t: 2.0 * enzyme.vjp(lambda q: q, p)[1](t)[0]["a"],
}


@pytest.mark.parametrize("name", IN_KERNELS)
def test_directions_in_kernels_have_the_same_keys_in_the_same_order(name: str) -> None:
    """Another order was taken by its places, without a word. In compiled code it is refused."""
    f, p = IN_KERNELS[name], {"a": 1.0, "b": 2.0}
    assert enzyme.value_and_grad(f)(p, {"a": 1.0, "b": 0.0})[0] == 2.0
    with pytest.raises(ShadowError, match="a dict with the keys 'b', 'a', where a dict with the keys 'a', 'b' belongs"):
        enzyme.value_and_grad(f)(p, {"b": 0.0, "a": 1.0})
