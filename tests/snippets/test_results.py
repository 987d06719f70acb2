"""Dicts, lists and dataclasses as results of kernels, and dataclasses made in them; hand-derived answers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, UnsupportedTypeError

X = np.array([1.0, 2.0, 3.0])
V = np.array([1.0, -1.0, 0.5])


@dataclasses.dataclass
class State:
    position: Any
    speed: Any
    time: float = 0.0


@enzyme.jit
def with_aux(x):
    return np.sum(x**3), {"fit": 2.0 * x, "first": x[0], "rest": [x[1], (x[2], {"deep": x[0] * x[1]})]}


def test_aux_in_a_dict() -> None:
    aux = {"fit": 2.0 * X, "first": 1.0, "rest": [2.0, (3.0, {"deep": 2.0})]}
    slope, found = enzyme.grad(with_aux, has_aux=True)(X)
    np.testing.assert_array_equal(slope, 3 * X**2)
    assert_same(found, aux)
    (value, found), slope = enzyme.value_and_grad(with_aux, has_aux=True)(X)
    assert value == 36.0
    assert_same(found, aux)
    np.testing.assert_array_equal(slope, 3 * X**2)


def assert_same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if dataclasses.is_dataclass(expected):
        found, expected = list(vars(found).values()), list(vars(expected).values())
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def products(x):
    return {"squares": x * x, "pair": [x[0] * x[1], x[2]]}


def step(state, dt):
    return State(state.position + dt * state.speed, speed=state.speed - dt * state.position)


def collected(x):
    out = {}
    out["sum"] = np.sum(x)
    square = x * x
    out["square"] = square
    out["sum"] = out_of(x)
    return out


def out_of(x):
    return x[0] * x[1]


def branches(x):
    if x[0] > 0.0:
        return [x[0] * x[2], x[1]]
    return [x[1], x[2]]


def turned(x):
    pair = [x[0], x[1]]
    for _ in range(3):
        pair = [pair[1] * x[2], pair[0]]
    return pair


def by_name_and_read(x):
    out = {"a": x[0] * x[1], "b": x}
    return out["a"] * x[2], out


# What a kernel returns at X, and its tangent along V.
ALONG: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "dict": (products, {"squares": X**2, "pair": [2.0, 3.0]}, {"squares": 2 * X * V, "pair": [1.0, 0.5]}),
    "collected": (collected, {"sum": 2.0, "square": X**2}, {"sum": 1.0, "square": 2 * X * V}),
    "branches": (branches, [3.0, 2.0], [3.5, -1.0]),
    # (a, b) -> (b z, a), three times: (a, b) becomes (b z^2, a z); along V: -9 + 2 * 2 * 3 / 2, and 3 + 1 / 2
    "turned": (turned, [18.0, 3.0], [-3.0, 3.5]),
    "read": (by_name_and_read, (6.0, {"a": 2.0, "b": X}), (3.0 + 1.0, {"a": 1.0, "b": V})),
    "dataclass": (
        lambda x: State(x, 2.0 * x),
        State(X, 2 * X),
        State(V, 2 * V),
    ),
}


@pytest.mark.parametrize("name", ALONG)
def test_forward_and_backward(name: str) -> None:
    kernel, value, tangent = ALONG[name]
    found = enzyme.jvp(kernel, (X,), (V,))
    assert_same(found, (value, tangent))
    again, back = enzyme.vjp(kernel, X)
    assert_same(again, value)
    # <cotangent, J V> = <J^T cotangent, V>, with the tangent as cotangent
    (pulled,) = back(tangent)
    assert pulled @ V == pytest.approx(squared(tangent), rel=1e-14)


def squared(tree: Any) -> float:
    if isinstance(tree, dict):
        return sum(map(squared, tree.values()))
    if dataclasses.is_dataclass(tree):
        return sum(map(squared, vars(tree).values()))
    if isinstance(tree, (list, tuple)):
        return sum(map(squared, tree))
    return float(np.sum(np.square(tree)))


def test_a_dataclass_goes_through_a_loop() -> None:
    """Four symplectic-free steps of (p, v) -> (p + h v, v - h p) turn and stretch: p4 = Re (1 - i h)^4 p for v = 0."""

    def run(p):
        state = State(p, np.zeros(3))
        for _ in range(4):
            state = step(state, 0.1)
        return np.sum(state.position**2)

    factor = ((1 - 0.1j) ** 4).real
    np.testing.assert_allclose(enzyme.grad(run)(X), 2 * factor**2 * X, rtol=1e-14)


def test_a_dataclass_in_and_out() -> None:
    state = State(X.copy(), V.copy(), 1.0)
    value, back = enzyme.vjp(step, state, 0.1)
    assert_same(value, State(X + 0.1 * V, V - 0.1 * X))
    by_state, by_dt = back(State(np.ones(3), np.zeros(3), 0.0))
    assert_same(by_state, State(np.ones(3), np.full(3, 0.1), 0.0))
    assert by_dt == pytest.approx(np.sum(V))


def test_jacobians_and_annotated_calls() -> None:
    found = enzyme.jacrev(products)(X)
    np.testing.assert_array_equal(found["squares"], np.diag(2 * X))
    np.testing.assert_array_equal(found["pair"][0], [2.0, 1.0, 0.0])
    tangent, value = enzyme.autodiff(enzyme.ForwardWithPrimal, products, enzyme.Duplicated(X.copy(), V.copy()))
    assert_same(value, ALONG["dict"][1])
    assert_same(tangent, ALONG["dict"][2])


def test_captured_arrays_beside() -> None:
    w = np.array([0.5, 2.0, 1.0])
    slope, aux = enzyme.grad(lambda x: (np.sum(w * x), {"w x": w * x}), has_aux=True)(X)
    np.testing.assert_array_equal(slope, w)
    assert_same(aux, {"w x": w * X})


IN_ANOTHER_PROCESS = """
import numpy as np, enzyme_py as enzyme
from tests.snippets.test_results import with_aux, X
from enzyme_py.finished.search import looks
slope, aux = enzyme.grad(with_aux, has_aux=True)(X)
assert np.all(slope == 3 * X**2) and aux["rest"][1][1] == {"deep": 2.0}, aux
print(looks()[-1].outcome)
"""


def test_from_the_disk_cache(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ENZYME_PY_CACHE_DIR", str(tmp_path))
    run = [
        subprocess.run([sys.executable, "-c", IN_ANOTHER_PROCESS], check=True, timeout=120, capture_output=True, text=True)
        for _ in range(2)
    ]
    assert [one.stdout.strip() for one in run] == ["kept", "found"]


def appended(x):
    items = [x[0], x[1]]
    items.append(x[2])
    return items


def by_number(x):
    return {1: x[0], 2: x[1]}


def at_times(x):
    out = {"a": x[0]}
    if x[0] > 0.0:
        out["b"] = x[1]
    return out


def by_place(x):
    out = {"a": x[0], "b": x}
    return out[0], out


@pytest.mark.parametrize("kernel", [appended, by_number, at_times], ids=lambda one: one.__name__)
def test_what_has_no_fixed_parts_says_what_to_do(kernel) -> None:
    with pytest.raises(UnsupportedTypeError, match=r"written where it is returned"):
        enzyme.vjp(kernel, X)


def test_a_dict_is_not_read_by_places() -> None:
    with pytest.raises(EnzymeError):
        enzyme.vjp(by_place, X)


def moved(state):
    later = dataclasses.replace(state, time=state.time + 2.0, position=state.position + 0.5 * state.speed)
    return np.sum(later.position**2) * later.time


def test_dataclasses_with_some_fields_replaced() -> None:
    found = enzyme.grad(moved)(State(X, V, 1.0))
    position = X + 0.5 * V
    np.testing.assert_allclose(found.position, 6.0 * position, rtol=1e-15)
    np.testing.assert_allclose(found.speed, 3.0 * position, rtol=1e-15)
    assert found.time == pytest.approx(np.sum(position**2), rel=1e-15)


class Point(NamedTuple):
    x: Any
    y: Any


def test_named_tuples_with_some_fields_replaced() -> None:
    def product(point):
        other = point._replace(x=point.y**2)
        return other.x * other.y

    assert enzyme.grad(product)(Point(2.0, 3.0)) == (0.0, 27.0)
    with pytest.raises(UnsupportedTypeError, match=r"replaces `z`, and there is x, y"):
        enzyme.grad(lambda point: point._replace(z=1.0).x)(Point(2.0, 3.0))


@dataclasses.dataclass
class Checked:
    value: float

    def __post_init__(self) -> None:
        self.value = abs(self.value)


def checked(x):
    return Checked(x[0])


def written(x):
    state = State(x, x)
    state.time = 1.0
    return np.sum(state.position)


@pytest.mark.parametrize(("kernel", "told"), [(checked, "__post_init__[\\s\\S]*a function that computes"), (written, r"dataclasses\.replace")], ids=["checked", "written"])
def test_what_a_dataclass_does_beyond_its_fields_is_refused(kernel, told) -> None:
    with pytest.raises(EnzymeError, match=told):
        enzyme.jvp(kernel, (X,), (V,))


def test_lists_and_dicts_that_stay_inside_are_as_they_were() -> None:
    def inside(x):
        total, items = 0.0, [x[0], x[1]]
        items.append(x[2])
        table = {"a": x[0]}
        for one in items:
            total += one * one * table["a"]
        return total

    np.testing.assert_allclose(enzyme.grad(inside)(X), [14.0 + 2.0, 4.0, 6.0], rtol=1e-15)


@numba.njit
def scaled(p, x):
    return {"product": p * x, "parts": [x, p * np.ones(2)]}


def made(x):
    return State(x, 2.0 * x)


@pytest.mark.parametrize("threads", [1, 2])
def test_vmap_stacks_them_part_by_part(threads: int) -> None:
    found = enzyme.vmap(scaled, in_axes=(None, 0), threads=threads)(2.0, X)
    assert_same(found, {"product": 2.0 * X, "parts": [X, np.full((3, 2), 2.0)]})
    assert_same(enzyme.vmap(made, threads=threads)(X), State(X, 2.0 * X, np.zeros(3)))


def test_transforms_in_compiled_code_give_what_is_read_by_keys() -> None:
    @numba.njit
    def step(x):
        (value, aux), slope = enzyme.value_and_grad(with_aux, has_aux=True)(x)
        result, tangent = enzyme.jvp(scaled, (2.0, x[1]), (0.0, 1.0))
        stacked = enzyme.vmap(scaled)(x, x)
        is_there = "product" in result and "sum" not in result
        return value, aux["fit"], slope, result["product"], tangent["product"], stacked["product"], is_there

    expected = (36.0, 2.0 * X, 3 * X**2, 4.0, 2.0, X * X, True)
    for one, other in zip(step(X), expected, strict=True):
        np.testing.assert_array_equal(one, other)
