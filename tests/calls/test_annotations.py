"""Annotations at the place where they are written: what fits, what does not, what is shared."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import enzyme_py as enzyme
from enzyme_py import BatchDuplicated, Const, Duplicated, DuplicatedNoNeed
from enzyme_py.annotations import arrays_in, make_zero, share_memory
from enzyme_py.errors import AnnotationError, ShadowError


class Point(NamedTuple):
    x: Any
    y: Any


@enzyme.jit
def squares(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i]
    return total


@enzyme.jit
def first_of_both(x, pair):
    return x[0] * pair[0][0]


def views(layout: str) -> tuple[np.ndarray, np.ndarray]:
    """Two views of one buffer that have no element in common."""
    memory = np.arange(24.0)
    if layout == "halves":
        return memory[:12], memory[12:]
    if layout == "interleaved":
        return memory[::2], memory[1::2]
    if layout == "columns":
        return memory.reshape(6, 4)[:, 0], memory.reshape(6, 4)[:, 3]
    return memory.reshape(4, 6)[:2].T, memory.reshape(4, 6)[2:].T


@pytest.mark.parametrize("layout", ["halves", "interleaved", "columns", "transposed"])
def test_views_apart_are_accepted(layout: str) -> None:
    primal, shadow = views(layout)
    assert Duplicated(primal, shadow).shadows[0] is shadow
    assert not share_memory(primal, shadow)


def test_interleaved_views_are_differentiated() -> None:
    primal, shadow = views("interleaved")
    shadow[:] = 0.0
    before = primal.copy()
    enzyme.autodiff(squares, Duplicated(primal, shadow))
    assert np.array_equal(shadow, 2.0 * before)
    assert np.array_equal(primal, before)


@pytest.mark.parametrize("kind", [Duplicated, DuplicatedNoNeed])
def test_overlap_is_refused(kind: Any) -> None:
    memory = np.arange(10.0)
    for primal, shadow in (
        (memory[:6], memory[4:]),
        (memory[::2], memory[::2]),
        (memory[:9:2], memory[2::2][:5]),
    ):
        if primal.shape == shadow.shape:
            with pytest.raises(ShadowError, match="shares memory"):
                kind(primal, shadow)
    assert np.array_equal(memory, np.arange(10.0))


def test_what_takes_too_long_to_tell_counts_as_shared() -> None:
    memory = np.zeros(2**20, np.int8)
    strides = (3079, 12289, 24593, 49157, 98317, 196613)
    first = as_strided(memory, (5,) * 6, strides)
    second = as_strided(memory[1:], (5,) * 6, strides)
    assert isinstance(share_memory(first, second), bool)  # at once, whatever it is
    assert share_memory(memory, memory[5:6])


def test_lanes_and_arguments_are_apart() -> None:
    x, zeros = np.ones(4), np.zeros(4)
    with pytest.raises(ShadowError, match="two shadows"):
        BatchDuplicated(x, (zeros, zeros))
    pair, shadows = (np.ones(4), np.ones(4)), (np.zeros(4), zeros)
    with pytest.raises(ShadowError, match="`x`"):
        enzyme.autodiff(first_of_both, Duplicated(x, pair[1]), Const(pair))
    with pytest.raises(ShadowError, match="`pair`"):
        enzyme.autodiff(first_of_both, Duplicated(x, zeros), Duplicated(pair, shadows))
    assert not zeros.any()


def test_one_array_may_be_two_primals() -> None:
    x, dx = np.array([3.0]), np.zeros(1)
    enzyme.autodiff(first_of_both, Duplicated(x, dx), Const((x, x)))
    assert dx[0] == 3.0


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(12.0)[::-2],
        np.arange(24.0).reshape(2, 3, 4)[:, ::2, ::-1],
        np.zeros((0, 3)),
        np.array(2.0),
        np.arange(3.0, dtype=np.float32),
        np.arange(3.0) + 1j,
    ],
    ids=str,
)
def test_make_zero_keeps_the_layout(value: np.ndarray) -> None:
    zero = make_zero(value)
    assert (zero.dtype, zero.shape, zero.strides) == (value.dtype, value.shape, value.strides)
    assert not zero.any()
    assert not np.may_share_memory(zero, value)
    Duplicated(value, zero)


def test_make_zero_of_structures() -> None:
    shared = np.ones(2)
    zero = make_zero(Point((shared, 3, True), [shared, {"a": 2.0, "b": "text"}]))
    assert type(zero) is Point
    assert zero.x[0] is zero.y[0]
    assert not zero.x[0].any()
    assert zero.x[1:] == (3, True)
    assert zero.y[1] == {"a": 0.0, "b": "text"}


def test_structures_must_match() -> None:
    x = Point(np.ones(2), 1.0)
    Duplicated(x, make_zero(x))
    with pytest.raises(ShadowError, match="must be one too"):
        Duplicated(x, (np.zeros(2), 0.0))
    with pytest.raises(ShadowError, match="shares memory"):
        Duplicated(x, Point(x.x, 0.0))
    with pytest.raises(AnnotationError, match="Const"):
        Duplicated({"a": 1.0}, {"a": 0.0})


def test_arrays_in() -> None:
    a, b = np.ones(1), np.ones(2)
    assert list(map(id, arrays_in((a, 1, (b, "x"))))) == [id(a), id(b)]
    assert list(arrays_in(3.0)) == []
