"""Structured arrays as arguments: their float fields are active, gradients are arrays of the same type; answers by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, SharedMemoryError, UnsupportedTypeError

MIXED = np.dtype([("number", np.int64), ("x", float), ("mass", np.float32), ("v", float, (2,)), ("flag", bool)])
PAIRS = np.dtype([("a", float), ("b", float)])
UNEVEN = np.dtype([("x", float), ("mass", np.float32)])
KINDS = {"packed": MIXED, "aligned": np.dtype(MIXED.descr, align=True)}


def particles(kind: Any = MIXED) -> np.ndarray:
    made = np.zeros(4, kind)
    made["number"] = [1, 2, 3, 4]
    made["x"] = [0.5, -1.0, 0.25, 2.0]
    made["mass"] = [1.0, 2.0, 4.0, 0.5]
    made["v"] = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.0], [1.5, 1.0]]
    return made


def energy(p):
    total = 0.0
    for i in range(p.size):
        total += p[i].x * p[i].x * p[i].mass * p[i].number + p[i].v[0] * p[i].v[1] * p[i].x
    return total


def slope_of_energy(p: np.ndarray) -> np.ndarray:
    """Return (2 x m k + v0 v1, x^2 k, (v1 x, v0 x)) in a record, zeros in the other fields."""
    made = np.zeros_like(p)
    x, m, k, v = p["x"], p["mass"], p["number"], p["v"]
    made["x"] = 2 * x * m * k + v[:, 0] * v[:, 1]
    made["mass"] = x * x * k
    made["v"] = v[:, ::-1] * x[:, None]
    return made


def turned_energy(p: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return the Hessian of the energy times a direction."""
    made = np.zeros_like(p)
    x, m, k, v = p["x"], p["mass"], p["number"], p["v"]
    made["x"] = 2 * m * k * d["x"] + 2 * x * k * d["mass"] + v[:, 1] * d["v"][:, 0] + v[:, 0] * d["v"][:, 1]
    made["mass"] = 2 * x * k * d["x"]
    made["v"] = d["v"][:, ::-1] * x[:, None] + v[:, ::-1] * d["x"][:, None]
    return made


def direction(kind: Any = MIXED) -> np.ndarray:
    made = np.zeros(4, kind)
    made["x"], made["mass"] = [1.0, 0.5, -1.0, 0.25], [0.5, 1.0, 2.0, -1.0]
    made["v"] = [[1.0, 0.0], [0.5, 1.0], [-1.0, 2.0], [0.0, 1.0]]
    return made


def assert_same(found: np.ndarray, expected: np.ndarray, rtol: float = 1e-14) -> None:
    assert found.dtype == expected.dtype
    for name in expected.dtype.names:
        # A float32 field is rounded once, where it is stored.
        np.testing.assert_allclose(found[name], expected[name], rtol=2e-7 if name == "mass" else rtol)


@pytest.mark.parametrize(
    "kind",
    [pytest.param(MIXED, id="packed"), pytest.param(KINDS["aligned"], id="aligned", marks=pytest.mark.full)],
)
def test_all_ways(kind: Any) -> None:
    p, d = particles(kind), direction(kind)
    slope = slope_of_energy(p)
    along = sum(np.sum(slope[name] * d[name]) for name in ("x", "mass", "v"))
    assert_same(enzyme.grad(energy)(p), slope)
    value, found = enzyme.value_and_grad(energy)(p)
    assert value == pytest.approx(energy(p.view(np.recarray)), rel=1e-15)
    assert_same(found, slope)
    assert enzyme.jvp(energy, (p,), (d,))[1] == pytest.approx(along, rel=1e-13)
    assert enzyme.jvp(energy, (p,), (p,))[1] == enzyme.jvp(energy, (p,), (p.copy(),))[1]
    assert_same(enzyme.vjp(energy, p)[1](1.0)[0], slope)
    assert_same(enzyme.jacrev(energy)(p), slope)
    turned = turned_energy(p, d)
    assert_same(enzyme.hvp(energy, p, d), turned)
    assert_same(enzyme.vhp(energy, p, d), turned)
    assert_same(enzyme.grad(energy)(np.repeat(p, 2)[::2]), slope)
    shadow = enzyme.make_zero(p)
    enzyme.autodiff(enzyme.Reverse, energy, enzyme.Active, enzyme.Duplicated(p, shadow))
    assert_same(shadow, slope)


def moved(p, steps):
    for _ in range(steps):
        for i in range(p.size):
            p[i].a += 0.1 * p[i].b
            p[i].b -= 0.1 * p[i].a
    return np.sum(p["a"] ** 2)


def test_fields_that_are_written() -> None:
    """Each step is a matrix, (a, b) -> (a + h b, b - h (a + h b)), whose power has the slopes."""
    p = np.array([(1.0, 0.5), (-2.0, 1.0)], PAIRS)
    step = np.array([[1.0, 0.1], [-0.1, 1.0 - 0.01]])
    (by_a, by_b), _ = np.linalg.matrix_power(step, 7)
    last = by_a * p["a"] + by_b * p["b"]
    found = enzyme.grad(moved)(p.copy(), 7)
    np.testing.assert_allclose(found["a"], 2 * last * by_a, rtol=1e-13)
    np.testing.assert_allclose(found["b"], 2 * last * by_b, rtol=1e-13)


def copied_and_read(x, s, n):
    made = np.zeros(n, UNEVEN)
    for i in range(n):
        made[i].x = x[i] * s
        made[i].mass = 0.5
    other = made.copy()
    total = 0.0
    for i in range(n):
        total += made[i].x * 2.0 + other[i].x * other[i].x + other[i].mass
    return total


def test_both_arrays_of_a_copy_are_read() -> None:
    """Of the sum of 2 s x + (s x)^2: 2 s + 2 s^2 x, and of s the sum of 2 x + 2 s x^2. Found while the fuzzer learnt of records."""
    x, s = np.array([0.1, 0.7, -0.3]), 0.4
    by_x, by_s = enzyme.grad(copied_and_read, argnums=(0, 1))(x, s, 3)
    np.testing.assert_allclose(by_x, 2 * s + 2 * s * s * x, rtol=1e-14)
    assert by_s == pytest.approx(np.sum(2 * x + 2 * s * x * x), rel=1e-14)
    tangent = enzyme.jvp(copied_and_read, (x, s, 3), (np.ones(3), 0.0, 0))[1]
    assert tangent == pytest.approx(np.sum(by_x), rel=1e-14)


def turned_and_weighted(x, s, n):
    made = np.zeros(n, UNEVEN)
    for i in range(n):
        made[i].x = x[i] * s
        made[i].mass = 0.5
    made[:] = made[::-1]
    return np.sum(made.x * x)


def moved_up(x, s, n):
    made = np.zeros(n, UNEVEN)
    made["x"][:] = x * s
    made[1:] = made[:-1]
    return np.sum(made.x * made.x)


def test_records_are_assigned_to_slices_of_their_own_array() -> None:
    """Numba copies the source as bytes where the two overlap: half of the first gradient was lost, without a word."""
    x, s = np.array([0.1, 0.7, -0.3]), 0.4
    by_x, by_s = enzyme.grad(turned_and_weighted, argnums=(0, 1))(x, s, 3)  # s times the sum of x_i x_(2 - i)
    np.testing.assert_allclose(by_x, 2 * s * x[::-1], rtol=1e-14)
    assert by_s == pytest.approx(np.sum(x * x[::-1]), rel=1e-14)
    by_x, by_s = enzyme.grad(moved_up, argnums=(0, 1))(x, s, 3)  # s^2 (2 x_0^2 + x_1^2)
    np.testing.assert_allclose(by_x, 2 * s * s * x * [2, 1, 0], rtol=1e-14)
    assert by_s == pytest.approx(2 * s * (2 * x[0] ** 2 + x[1] ** 2), rel=1e-14)


def squared(p):
    made = p.copy()
    for i in range(p.size):
        made[i].a = p[i].a * p[i].b
    return made


def test_records_as_results() -> None:
    p = np.array([(1.0, 0.5), (-2.0, 3.0)], PAIRS)
    d, c = np.array([(1.0, 2.0), (0.5, 0.0)], PAIRS), np.array([(2.0, 1.0), (1.0, -1.0)], PAIRS)
    value, tangent = enzyme.jvp(squared, (p,), (d,))
    np.testing.assert_array_equal(value["a"], p["a"] * p["b"])
    np.testing.assert_array_equal(value["b"], p["b"])
    np.testing.assert_array_equal(tangent["a"], d["a"] * p["b"] + p["a"] * d["b"])
    np.testing.assert_array_equal(tangent["b"], d["b"])
    (pulled,) = enzyme.vjp(squared, p)[1](c)
    np.testing.assert_array_equal(pulled["a"], c["a"] * p["b"])
    np.testing.assert_array_equal(pulled["b"], c["a"] * p["a"] + c["b"])


def test_in_a_dict_beside_numbers_and_captured() -> None:
    p = particles()
    found = enzyme.grad(lambda d: np.sum(d["p"]["x"] ** 3) * d["s"])({"p": p, "s": 2.0})
    np.testing.assert_allclose(found["p"]["x"], 6 * p["x"] ** 2, rtol=1e-15)
    assert found["s"] == pytest.approx(np.sum(p["x"] ** 3))
    weighted = enzyme.grad(lambda q: np.sum(q * p["x"]))
    for factor in (1.0, 3.0):  # looked at in each call
        p["x"] *= factor
        np.testing.assert_array_equal(weighted(np.ones(4)), p["x"])
    swapped = np.array([(1.0, 2.0)], [("a", ">f8"), ("b", ">f8")])
    assert enzyme.grad(lambda q: q[0].a * q[0].b)(swapped)[0].tolist() == (2.0, 1.0)


def turned(p):
    made = np.zeros_like(p)
    for i in range(p.size):
        made[i] = p[p.size - 1 - i]
    total = 0.0
    for i in range(p.size):
        total += (i + 1) * made[i].x * made[i].v[1] * made[i].mass * made[i].number
    return total


@pytest.mark.parametrize("kind", KINDS)
def test_whole_records_are_copied(kind: str) -> None:
    p = particles(KINDS[kind])
    weight = np.arange(p.size, 0, -1) * p["number"]
    slope = np.zeros_like(p)
    slope["x"] = weight * p["v"][:, 1] * p["mass"]
    slope["mass"] = weight * p["v"][:, 1] * p["x"]
    slope["v"][:, 1] = weight * p["x"] * p["mass"]
    assert_same(enzyme.grad(turned)(p), slope)
    d = direction(KINDS[kind])
    _, tangent = enzyme.jvp(turned, (p,), (d,))
    assert tangent == pytest.approx(sum(np.sum(slope[name] * d[name]) for name in ("x", "mass", "v")), rel=1e-6)
    if kind == "packed":
        turned_x = weight * (d["v"][:, 1] * p["mass"] + p["v"][:, 1] * d["mass"])
        np.testing.assert_allclose(enzyme.jvp(enzyme.grad(turned), (p,), (d,))[1]["x"], turned_x, rtol=1e-14)


def renewed(record, x):
    """Write to a record by itself, which is constant: x (a + 5), by x."""
    old = record.a
    record.a = 5.0
    return x * (old + record.a)


def test_what_runs_a_kernel_twice_works_on_copies_of_a_record() -> None:
    record = np.array([(2.0, 0.0)], PAIRS)[0]
    value, pull = enzyme.vjp(renewed, record, 3.0)
    assert (value, pull(1.0)) == (21.0, (None, 7.0))
    assert enzyme.jacrev(renewed, argnums=1)(record, 3.0) == 7.0
    assert record["a"] == 2.0


def first_of_two(p, q):
    p[0].a = q[0].a * 2.0
    return p[0].a * q[0].a


P = np.ones(2, PAIRS)
REFUSED: dict[str, tuple[type, str, Callable[[], Any]]] = {
    "columns": (UnsupportedTypeError, r"records[\s\S]*array for each field", lambda: enzyme.jacfwd(energy)(particles())),
    "number by number": (UnsupportedTypeError, r"records[\s\S]*array for each field", lambda: enzyme.gradient(enzyme.Forward, energy, particles())),
    "shared": (SharedMemoryError, r"`p` and `q`", lambda: enzyme.grad(first_of_two, argnums=(0, 1))(P, P)),
    "another type": (EnzymeError, r"tangent of `p`", lambda: enzyme.jvp(energy, (particles(),), (np.ones(4),))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_to_do(name: str) -> None:
    error, message, run = REFUSED[name]
    with pytest.raises(error, match=message):
        run()
