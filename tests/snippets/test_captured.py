"""What a function captures, or finds in globals: lists, tuples, dicts, dataclasses, objects. f = k sum(w x^2) in each.

By hand: gradient 2 k w x; Hessian diag(2 k w); its product with v is 2 k w v.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, UnsupportedTypeError

W = np.array([1.0, -2.0, 3.0])
K = 0.5
X = np.array([0.3, 0.7, -1.1])
V = np.array([1.0, 2.0, -0.5])
Pair = collections.namedtuple("Pair", "w k")  # noqa: PYI024  (as users write it)


@dataclasses.dataclass
class Weighted:
    w: Any
    k: float


class Model:
    def __init__(self, w: Any, k: float) -> None:
        self.w = w
        self.k = k
        self.name = "model"
        self.log = open  # nothing that a kernel could hold, and not read


def from_list(w: Any, k: float) -> Any:
    held = [w, k]
    return lambda x: np.sum(held[0] * x * x) * held[1]


def from_tuple(w: Any, k: float) -> Any:
    held = (w, k)
    return lambda x: np.sum(held[0] * x * x) * held[1]


def from_nested(w: Any, k: float) -> Any:
    held = ([w, {"k": k}],)
    return lambda x: np.sum(held[0][0] * x * x) * held[0][1]["k"]


def from_dict(w: Any, k: float) -> Any:
    held = {"w": w, "k": k, "n": 3, "what": "unread"}
    return lambda x: np.sum(held["w"] * x * x) * held["k"] * (held["n"] - 2)


def from_named(w: Any, k: float) -> Any:
    held = Pair(w, k)
    return lambda x: np.sum(held.w * x * x) * held.k


def from_dataclass(w: Any, k: float) -> Any:
    held = Weighted(w, k)
    return lambda x: np.sum(held.w * x * x) * held.k


def from_object(w: Any, k: float) -> Any:
    held = Model(w, k)
    return lambda x: np.sum(held.w * x * x) * held.k


def from_dict_and_object(w: Any, k: float) -> Any:
    d, model = {"w": w}, Model(w, k)
    return lambda x: np.sum(d["w"] @ (x * x)) * model.k


def from_objects_in_objects(w: Any, k: float) -> Any:
    held = Model(Weighted([w], k), k)
    return lambda x: np.sum(held.w.w[0] * x * x) * held.w.k


def from_a_loop_over_a_list(w: Any, k: float) -> Any:
    held = [w, w * 0.5]

    def f(x: Any) -> Any:
        total = 0.0
        for one in held:
            total += np.sum(one * x * x)
        return total * k / 1.5

    return f


def from_keyword_only(w: Any, k: float) -> Any:
    held = {"w": w}

    def f(x: Any, *, scale: float = 2.0) -> Any:
        return np.sum(held["w"] * x * x) * k * scale / 2.0

    return f


MAKERS = [
    from_list,
    from_tuple,
    from_nested,
    from_dict,
    from_named,
    from_dataclass,
    from_object,
    from_dict_and_object,
    from_objects_in_objects,
    from_a_loop_over_a_list,
    from_keyword_only,
]

parameters = {"w": W, "k": K}
weighted = Weighted(W, K)
model = Model(W, K)
numbers = [1.0, K]


def of_global_dict(x):
    return np.sum(parameters["w"] * x * x) * parameters["k"]


def of_global_dataclass(x):
    return np.sum(weighted.w * x * x) * weighted.k


def of_global_object(x):
    return np.sum(model.w * x * x) * model.k


def of_global_list(x):
    return np.sum(W * x * x) * numbers[1]


def of_two_globals(x):
    return np.sum(parameters["w"] * x * x) * model.k


GLOBALS = [of_global_dict, of_global_dataclass, of_global_object, of_global_list, of_two_globals]


@pytest.mark.parametrize("f", [*(make(W, K) for make in MAKERS), *GLOBALS], ids=lambda f: f.__qualname__)
def test_all_orders_by_hand(f: Callable[[Any], Any]) -> None:
    slope, value = 2 * K * W * X, K * np.sum(W * X * X)
    np.testing.assert_allclose(enzyme.grad(f)(X), slope, rtol=1e-14)
    found, gradient = enzyme.value_and_grad(f)(X)
    assert found == pytest.approx(value, rel=1e-14)
    np.testing.assert_allclose(gradient, slope, rtol=1e-14)
    assert enzyme.jvp(f, (X,), (V,))[1] == pytest.approx(slope @ V, rel=1e-14)
    result, pull = enzyme.vjp(f, X)
    assert result == pytest.approx(value, rel=1e-14)
    np.testing.assert_allclose(pull(1.0)[0], slope, rtol=1e-14)
    np.testing.assert_allclose(enzyme.gradient(f, X)[0], slope, rtol=1e-14)


SECOND = (
    pytest.param(from_dict(W, K), marks=pytest.mark.full),
    pytest.param(from_object(W, K), marks=pytest.mark.full),
    of_two_globals,
)


@pytest.mark.parametrize("f", SECOND, ids=lambda f: f.__qualname__)
def test_second_orders(f: Callable[[Any], Any]) -> None:
    hessian, along = np.diag(2 * K * W), 2 * K * W * V
    np.testing.assert_allclose(enzyme.hessian(f)(X), hessian, atol=1e-14)
    np.testing.assert_allclose(enzyme.hvp(f, X, V), along, rtol=1e-13)
    for outer in (enzyme.jacfwd, enzyme.jacrev):  # over reverse; by one slope, over forward
        np.testing.assert_allclose(outer(enzyme.grad(f))(X), hessian, atol=1e-14)
        np.testing.assert_allclose(outer(enzyme.jacfwd(f))(X), hessian, atol=1e-14)


def test_rows_of_a_batch() -> None:
    rows = np.stack([X, V])
    found = enzyme.vmap(enzyme.grad(from_dict(W, K)))(rows)
    np.testing.assert_allclose(found, 2 * K * W * rows, rtol=1e-14)


def test_changes_are_seen_at_the_next_call() -> None:
    d, one, items = {"w": W.copy(), "k": K}, Model(W.copy(), K), [W.copy(), K]
    gradient = enzyme.grad(lambda x: np.sum(d["w"] * x * x) * d["k"])
    of_object = enzyme.grad(lambda x: np.sum(one.w * x * x) * one.k)
    of_list = enzyme.grad(lambda x: np.sum(items[0] * x * x) * items[1])
    for each in (gradient, of_object, of_list):
        np.testing.assert_allclose(each(X), 2 * K * W * X)
    d["k"], one.k, items[1] = 3.0, 3.0, 3.0
    for each in (gradient, of_object, of_list):
        np.testing.assert_allclose(each(X), 6 * W * X)
    d["w"][:], one.w[:], items[0][:] = 1.0, 1.0, 1.0  # in place
    for each in (gradient, of_object, of_list):
        np.testing.assert_allclose(each(X), 6 * X)
    d["k"], one.k, items[1] = 3, 3, 3  # another type
    for each in (gradient, of_object, of_list):
        np.testing.assert_allclose(each(X), 6 * X)


def test_changes_of_globals_are_seen() -> None:
    gradient = enzyme.grad(of_two_globals)
    np.testing.assert_allclose(gradient(X), 2 * K * W * X)
    try:
        model.k, parameters["w"] = 2.0, np.ones(3)
        np.testing.assert_allclose(gradient(X), 4 * X)
        globals()["model"] = Model(W, 5.0)
        np.testing.assert_allclose(gradient(X), 10 * X)
    finally:
        globals()["model"] = Model(W, K)
        parameters["w"] = W


def test_what_decides_is_read_at_each_call() -> None:
    d: dict[str, Any] = {"n": 2, "which": "square", "on": True, "none": None}

    def f(x: float) -> float:
        total = 0.0
        for _ in range(d["n"]):
            total += x * x if d["which"] == "square" else x
        return total if d["on"] else 0.0

    assert enzyme.grad(f)(3.0) == 12.0
    d["n"] = 3
    assert enzyme.grad(f)(3.0) == 18.0
    d["which"] = "plain"
    assert enzyme.grad(f)(3.0) == 3.0
    d["on"] = False
    assert enzyme.grad(f)(3.0) == 0.0


def test_functions_in_dicts() -> None:
    layers = {"act": np.tanh, "scale": lambda x: 3.0 * x}
    found = enzyme.grad(lambda x: layers["act"](layers["scale"](x)))(0.2)
    assert found == pytest.approx(3.0 / np.cosh(0.6) ** 2, rel=1e-14)


def test_derivatives_around_the_whole_see_what_is_captured() -> None:
    # d/dk of sum of d/dx k sum(w x^2) is sum of 2 w x.
    def outer(k: float, x: Any) -> Any:
        d = (W, k)
        return np.sum(enzyme.grad(lambda z: np.sum(d[0] * z * z) * d[1])(x))

    assert enzyme.grad(outer)(K, X) == pytest.approx(np.sum(2 * W * X), rel=1e-13)


def test_what_is_captured_cannot_be_written() -> None:
    d = {"w": W.copy()}

    def writes(x: Any) -> Any:
        d["w"][0] = x[0]
        return np.sum(d["w"] * x)

    with pytest.raises(EnzymeError, match=r"readonly|read-only|Cannot modify"):
        enzyme.grad(writes)(X)


def test_keys_that_are_no_strings_are_refused() -> None:
    d = {1: W}
    with pytest.raises(UnsupportedTypeError, match=r"dict with the key 1[\s\S]*use strings as keys"):
        enzyme.grad(lambda x: np.sum(d[1] * x))(X)


def test_what_holds_itself_is_refused() -> None:
    items: list[Any] = [1.0]
    items.append(items)
    with pytest.raises(UnsupportedTypeError, match="holds itself"):
        enzyme.grad(lambda x: np.sum(x) * items[0])(X)
