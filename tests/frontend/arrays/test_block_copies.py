"""Assignments to slices, lowered in each of the three ways: the same answers, the same errors.

Each kernel is linear in what it copies, so tangents and gradients have exact answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.frontend.arrays.blocks import NUMBA, ways
from enzyme_py.inspect import ir
from enzyme_py.passes.memory.blocks.block_copies import CopiesWithBodies, RematerialisableCopies
from enzyme_py.rules import copies
from tests.passes.running import is_left_alone

GENERATOR = np.random.default_rng(3)


def whole(out, x):
    out[...] = x


def rows_backwards(out, x):
    out[::-1, :] = x


def transposed(out, x):
    out[:, :] = x.T


def part(out, x):
    out[1:3, 0] = x[0, :2]


def from_a_row(out, x):
    out[:] = x[1]


def from_one(out, x):
    out[:] = x[:1, :1]


def new_axis(out, x):
    out[None, :, 1:] = x[:, 1:]


def of_a_row_in_higher_rank(out, x):
    out[0] = x[None, 0:1]


def shifted(out, x):
    out[:] = x
    out[1:, 1:] = out[:-1, :-1]


def crossed(out, x):
    out[:] = x
    out[:, :] = out.T


def onto_itself(out, x):
    out[:] = x
    out[1:3] = out[1:3]


def nothing(out, x):
    out[:] = x
    out[2:2] = x[:0]


KERNELS = (
    whole,
    rows_backwards,
    transposed,
    part,
    from_a_row,
    from_one,
    new_axis,
    of_a_row_in_higher_rank,
    shifted,
    crossed,
    onto_itself,
    nothing,
)
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "backwards": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
}
DTYPES = (
    (float, float),
    (np.float32, float),
    (float, np.float32),
    (complex, complex),
    (complex, float),
)


@pytest.fixture(params=[NUMBA, copies.LOOPS, copies.RULES])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A way to lower assignments; kernels must be new, for Numba keeps what it has compiled."""
    monkeypatch.setitem(ways, "assignment", request.param)
    return str(request.param)


def fresh(kernel: Callable[..., Any]) -> Callable[..., Any]:
    return type(kernel)(kernel.__code__, kernel.__globals__, kernel.__name__)


def drawn(dtype: Any) -> np.ndarray:
    values = GENERATOR.integers(-8, 8, (4, 4)).astype(dtype)
    return values + 1j * GENERATOR.integers(-8, 8, (4, 4)) if dtype is complex else values


def inner(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.sum(np.conj(a) * b).real)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_both_modes_are_exact(kernel: Callable[..., Any], way: str) -> None:
    check(fresh(kernel), float, float, np.ascontiguousarray)


@pytest.mark.parametrize("layout", [one for one in LAYOUTS if one != "C"])
@pytest.mark.parametrize("kernel", [whole, transposed, shifted, crossed], ids=lambda k: k.__name__)
def test_layouts(kernel: Callable[..., Any], layout: str, way: str) -> None:
    check(fresh(kernel), float, float, LAYOUTS[layout])


@pytest.mark.parametrize(("to", "source"), DTYPES[1:], ids=lambda dtype: np.dtype(dtype).name)
def test_types(to: Any, source: Any, way: str) -> None:
    check(fresh(whole), to, source, np.ascontiguousarray)


def check(kernel: Any, to: Any, source: Any, layout: Callable[[np.ndarray], np.ndarray]) -> None:
    """Small integers as values make every answer exact, also in single precision."""
    out, x = layout(drawn(to)), layout(drawn(source))
    tangents = layout(drawn(to)), layout(drawn(source))
    seed = layout(drawn(to))
    expected = [one.copy() for one in (out, tangents[0])]
    kernel(expected[0], x)
    kernel(expected[1], tangents[1])
    pushed = layout(out.copy()), layout(tangents[0].copy())
    enzyme.autodiff(
        enzyme.Forward,
        kernel,
        enzyme.Duplicated(pushed[0], pushed[1]),
        enzyme.Duplicated(x, tangents[1]),
    )
    np.testing.assert_array_equal(pushed[0], expected[0])
    np.testing.assert_array_equal(pushed[1], expected[1])
    shadows = layout(seed.copy()), layout(np.zeros(x.shape, x.dtype))
    enzyme.autodiff(
        enzyme.Reverse,
        kernel,
        enzyme.Duplicated(layout(out.copy()), shadows[0]),
        enzyme.Duplicated(x, shadows[1]),
    )
    found = inner(shadows[0], tangents[0]) + inner(shadows[1], tangents[1])
    assert found == inner(seed, expected[1])


def test_a_constant_source_is_never_written(way: str) -> None:
    kernel, x = fresh(shifted), drawn(float)
    before, shadow = x.tobytes(), np.ones((4, 4))
    enzyme.autodiff(
        enzyme.Reverse, kernel, enzyme.Duplicated(np.zeros((4, 4)), shadow), enzyme.Const(x)
    )
    assert x.tobytes() == before
    np.testing.assert_array_equal(shadow, np.zeros((4, 4)))
    tangent = np.ones((4, 4))
    enzyme.autodiff(
        enzyme.Forward, kernel, enzyme.Duplicated(np.zeros((4, 4)), tangent), enzyme.Const(x)
    )
    assert x.tobytes() == before
    np.testing.assert_array_equal(tangent, np.zeros((4, 4)))


def test_several_directions(way: str) -> None:
    kernel, x = fresh(shifted), drawn(float)
    tangents = [drawn(float) for _ in range(3)]
    shadows = [np.zeros((4, 4)) for _ in range(3)]
    enzyme.autodiff(
        enzyme.Forward,
        kernel,
        enzyme.BatchDuplicated(np.zeros((4, 4)), tuple(shadows)),
        enzyme.BatchDuplicated(x, tuple(tangents)),
    )
    for shadow, tangent in zip(shadows, tangents, strict=True):
        expected = np.zeros((4, 4))
        shifted(expected, tangent)
        np.testing.assert_array_equal(shadow, expected)


@pytest.mark.parametrize("order", ["forward over reverse", "reverse over reverse"])
def test_second_order(order: str, way: str) -> None:
    """The Hessian of sum(sin(L x)) along v is -L'(sin(L x) L v)."""

    def value(x):
        out = np.zeros((5, 4))
        out[:-1] = x
        out[1:, 1:] = out[:-1, :-1]
        return np.sum(np.sin(out))

    def along(x, v):
        return np.sum(enzyme.grad(value)(x) * v)

    def applied(x: np.ndarray) -> np.ndarray:
        out = np.zeros((5, 4))
        out[:-1] = x
        out[1:, 1:] = out[:-1, :-1].copy()
        return out

    x, v = GENERATOR.normal(size=(4, 4)), GENERATOR.normal(size=(4, 4))
    units = np.eye(16).reshape(16, 4, 4)
    by = -np.sin(applied(x)) * applied(v)
    expected = np.array([np.sum(by * applied(unit)) for unit in units]).reshape(4, 4)
    if order == "reverse over reverse":
        found = enzyme.gradient(along, x, v)[0]
    else:
        found = enzyme.jvp(enzyme.grad(value), (x,), (v,))[1]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_shapes_that_do_not_fit_raise_what_the_kernel_raises(way: str) -> None:
    def kernel(out, x):
        out[1:, :] = x
        return np.sum(out)

    out, x = np.zeros((3, 4)), np.ones((3, 3))
    with pytest.raises(ValueError, match="cannot assign slice") as plain:
        numba.njit(kernel)(out, x)
    for derivative in (
        lambda: enzyme.gradient(kernel, out, x),
        lambda: enzyme.jvp(kernel, (out, x), (out.copy(), x.copy())),
    ):
        with pytest.raises(ValueError, match="cannot assign slice") as raised:
            derivative()
        assert type(raised.value) is ValueError
        assert str(raised.value) == str(plain.value)
    assert enzyme.gradient(kernel, out, np.ones((2, 4)))[1].sum() == 8.0


def test_other_numbers_stay_with_numba(way: str) -> None:
    def kernel(x):
        steps = np.zeros(3, np.int64)
        steps[:] = np.array([1, 2, 3])
        deep = np.zeros((2, 1, 1, 1, 3))
        deep[:] = x
        return np.sum(deep * steps)

    assert enzyme.gradient(kernel, np.ones(3))[0].tolist() == [2.0, 4.0, 6.0]


def test_a_temporary_of_a_loop_gets_loops() -> None:
    """A rule would keep it for the reverse sweep, in every turn."""

    def kernel(x, n):
        total = 0.0
        for i in range(n):
            t = np.empty(x.size + i)
            t[: x.size] = x
            t[x.size :] = 0.0
            total += np.sum(t * t)
        return total

    def outside(x):
        t = np.empty(x.size)
        t[:] = x
        return np.sum(t * t)

    x = np.arange(3.0)
    simplified = ir(kernel, x, 3, stage="simplified")
    assert "call void @enzyme_py_walk1_dd" in simplified  # a body, which is inlined next
    declared = re.compile(r"^declare .*@enzyme_py_copy1_dd\(", re.MULTILINE)
    assert declared.search(simplified) is None
    assert declared.search(ir(outside, x, stage="simplified")) is not None
    np.testing.assert_allclose(enzyme.gradient(kernel, x, 3)[0], 6 * x)
    np.testing.assert_allclose(enzyme.gradient(outside, x)[0], 2 * x)


def test_modules_without_copies_are_left_alone() -> None:
    text = "define void @f() {\n  ret void\n}\n"
    assert is_left_alone(RematerialisableCopies(), text)
    assert is_left_alone(CopiesWithBodies(), text)
