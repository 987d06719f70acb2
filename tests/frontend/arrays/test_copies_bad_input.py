"""Copies that do not fit raise what the kernel raises, and shadows that share memory are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import BatchDuplicated, Const, Duplicated, Forward, Reverse
from enzyme_py.errors import ShadowError


def slice_assign(x, y):
    out = np.zeros(5)
    out[0:3] = x * y[0]
    return np.sum(out * out)


def row_assign(x, y):
    out = np.zeros((2, 3))
    out[1, :] = x * y[0]
    return np.sum(out * out)


def self_assign(x, y):
    out = np.zeros(4)
    out[1:] = x
    out[: x.size] = out[1:]
    return np.sum(out * out * y[0])


def joined_columns(x, y):
    return np.sum(np.concatenate((x.reshape((1, x.size)), np.ones((2, 3)) * y[0]), axis=0) ** 2)


def stacked(x, y):
    return np.sum(np.stack((x, np.ones(3) * y[0])) ** 2)


def in_a_loop(x, y):
    total = 0.0
    for i in range(3):
        kept = np.zeros(3)
        kept[i:] = x[i:] * y[0]
        total += np.sum(kept * kept)
    return total


MISFITS = (slice_assign, row_assign, self_assign, joined_columns, stacked, in_a_loop)
Y = np.array([2.0])
GOOD, BAD = np.array([1.0, -2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0])


def raised_by(call: Callable[[], Any]) -> BaseException:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is what is compared
        call()
    return caught.value


@pytest.mark.parametrize("f", MISFITS, ids=lambda f: f.__name__)
def test_misfit_is_the_primals_own_error(f: Callable[..., float]) -> None:
    kernel = enzyme.jit(f)
    own = raised_by(lambda: kernel(BAD, Y))
    ask = (
        lambda x: enzyme.gradient(kernel, x, Y),
        lambda x: enzyme.jvp(kernel, (x, Y), (x, Y)),
        lambda x: enzyme.jvp(lambda x, y: enzyme.grad(kernel)(x, y), (x, Y), (x, Y)),
    )
    for derivative in ask:
        before = derivative(GOOD)
        found = raised_by(lambda derivative=derivative: derivative(BAD))
        assert type(found) is type(own) and str(found) == str(own)
        assert BAD.tolist() == [1.0, 2.0, 3.0, 4.0]
        np.testing.assert_equal(derivative(GOOD), before, "after the error")


def test_errors_lose_no_memory() -> None:
    kernel = enzyme.jit(in_a_loop)
    derivative = enzyme.grad(kernel)
    derivative(GOOD, Y)
    expected = derivative(GOOD, Y)
    for _ in range(500):
        raised_by(lambda: derivative(BAD, Y))
    stats = enzyme.native.runtime.memory_stats()
    assert stats.live == 0 and stats.regions_open == 0
    assert np.array_equal(derivative(GOOD, Y), expected)


# --- shadows that share memory --------------------------------------------------------------------


@enzyme.jit
def joined(x, y):
    out = np.concatenate((x, y))
    return np.sum(out * out)


@enzyme.jit
def joined_pair(pair):
    out = np.concatenate(pair)
    return np.sum(out * out)


X1, X2 = np.arange(3.0), np.arange(3.0, 6.0)
BUFFER = np.zeros(8)
LEFT, RIGHT = BUFFER[:3], BUFFER[2:5]  # one element in common
INPUT = np.zeros(8)

SHARED: dict[str, Callable[[], Any]] = {
    "the primal itself": lambda: Duplicated(X1, X1),
    "part of the primal": lambda: Duplicated(INPUT[:3], INPUT[2:5]),
    "the primal backwards": lambda: Duplicated(X1[::1], X1[::-1][::-1]),
    "another shadow": lambda: run(Duplicated(X1, LEFT), Duplicated(X2, LEFT)),
    "part of another shadow": lambda: run(Duplicated(X1, LEFT), Duplicated(X2, RIGHT)),
    "another primal": lambda: run(Duplicated(X1, LEFT), Duplicated(LEFT, X2.copy())),
    "part of another primal": lambda: run(Duplicated(X1, LEFT), Const(RIGHT)),
    "a primal before it": lambda: run(Const(RIGHT), Duplicated(X1, LEFT)),
    "a shadow of the batch": lambda: BatchDuplicated(X1, (LEFT, RIGHT)),
    "a shadow of another batch": lambda: run(
        BatchDuplicated(X1, (LEFT, np.zeros(3))), BatchDuplicated(X2, (np.zeros(3), RIGHT))
    ),
    "a shadow in the same tuple": lambda: Duplicated((X1, X2), (LEFT, RIGHT)),
    "a primal in the same tuple": lambda: Duplicated((X1, LEFT), (RIGHT, np.zeros(3))),
}


def run(*annotations: Any) -> Any:
    for mode in (Forward, Reverse):
        with pytest.raises(ShadowError):
            enzyme.autodiff(mode, joined, *annotations)
    return enzyme.autodiff(Reverse, joined, *annotations)


@pytest.mark.parametrize("name", SHARED)
def test_shared_shadow_is_refused(name: str) -> None:
    with pytest.raises(ShadowError) as caught:
        SHARED[name]()
    assert "share" in caught.value.what and caught.value.remedy
    assert not BUFFER.any() and not INPUT.any(), "a shadow was written"


def test_interleaved_shadows_are_apart() -> None:
    both = np.zeros(6)
    enzyme.autodiff(Reverse, joined, Duplicated(X1, both[::2].copy()), Const(X2))
    x, y = np.zeros(6), np.zeros(6)
    x[::2], y[1::2] = X1, X2
    enzyme.autodiff(Reverse, joined, Duplicated(x[::2], both[::2]), Duplicated(y[1::2], both[1::2]))
    np.testing.assert_array_equal(both[::2], 2 * X1)
    np.testing.assert_array_equal(both[1::2], 2 * X2)


def test_one_array_twice_may_have_one_shadow_in_a_tuple() -> None:
    shadow = np.zeros(3)
    enzyme.autodiff(Reverse, joined_pair, Duplicated((X1, X1), (shadow, shadow)))
    np.testing.assert_array_equal(shadow, 4 * X1)
