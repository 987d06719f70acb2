"""enzyme.testing accepts right derivatives, and says clearly which are wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, BatchDuplicated, Const, Duplicated
from enzyme_py.errors import AnnotationError
from enzyme_py.testing import check_grads, test_activities, test_forward, test_reverse

X = np.array([0.5, -1.2, 2.0])


@enzyme.jit
def weighted(x, a, n):
    return a * np.sum(np.sin(x)) + n


@enzyme.jit
def square_into(x, out):
    for i in range(x.size):
        out[i] = x[i] ** 2


@enzyme.jit
def frozen(x):
    """Flat on every step: its derivative is zero, yet differences see the steps."""
    return x + math.floor(1e9 * x) * 1e-9


def test_right_gradients_pass() -> None:
    check_grads(weighted, (X, 0.7, 3))


def test_single_precision_passes() -> None:
    check_grads(weighted, (X.astype(np.float32), np.float32(0.7), 3))


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_wrong_gradient_is_told(mode: str) -> None:
    with pytest.raises(AssertionError, match="finite differences say"):
        check_grads(frozen, (0.3,), modes=(mode,))


def test_annotated_calls_pass() -> None:
    test_forward(weighted, Duplicated(X, np.ones(3)), Duplicated(0.7, 2.0), Const(3))
    test_reverse(weighted, Duplicated(X, np.ones(3)), Active(0.7), Const(3))
    test_forward(square_into, Duplicated(X, np.ones(3)), Duplicated(np.zeros(3), np.ones(3)))
    test_reverse(square_into, Duplicated(X, np.ones(3)), Duplicated(np.zeros(3), np.ones(3)))


def test_annotations_are_left_alone() -> None:
    shadow, out, seed = np.ones(3), np.zeros(3), np.full(3, 2.0)
    test_reverse(square_into, Duplicated(X, shadow), Duplicated(out, seed))
    assert np.all(shadow == 1.0) and np.all(out == 0.0) and np.all(seed == 2.0)


@pytest.mark.parametrize("check", [test_forward, test_reverse])
def test_wrong_annotated_call_is_told(check) -> None:
    x = Duplicated(0.3, 1.0) if check is test_forward else Active(0.3)
    with pytest.raises(AssertionError, match="differ by"):
        check(frozen, x)


@enzyme.custom_vjp
def third(x):
    return x**3


third.defvjp(lambda x: (x**3, x), lambda x, g: (3 * x**2 * g,))


def two_factors(x, y):
    return third(x) * y


@enzyme.custom_vjp
def half_wrong(x, y):
    return x * y


half_wrong.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, g: (kept[1] * g, 2.0 * kept[0] * g))


def test_second_order_passes() -> None:
    check_grads(two_factors, (0.7, 1.3), order=2)


def test_orders_of_functions_with_array_results() -> None:
    check_grads(lambda x: x**3, (X,), order=2, modes=("rev",))


def test_containers_pass() -> None:
    check_grads(lambda p: np.sum(p["w"] ** 2) * p["b"], ({"w": X, "b": 0.5},))


def test_argument_at_fault_is_named() -> None:
    kernel = enzyme.jit(lambda x, y: half_wrong(x, y))
    with pytest.raises(AssertionError, match=r"vjp: enzyme_py says .*\n.*argument `y`"):
        check_grads(kernel, (0.5, 2.0), modes=("rev",))
    with pytest.raises(AssertionError, match="argument `y`"):
        test_reverse(kernel, Active(0.5), Active(2.0))
    test_reverse(kernel, Active(0.5), Const(2.0))


def test_all_choices_of_activities() -> None:
    assert test_activities(weighted, X, 0.7, 3) == 6  # {x, a, both} times two modes
    with pytest.raises(AssertionError, match="argument `y`"):
        test_activities(half_wrong, 0.5, 2.0, modes=("rev",))


def test_lanes_of_a_batch_are_compared() -> None:
    shadows = np.ones(3), np.full(3, -2.0)
    test_forward(weighted, BatchDuplicated(X, shadows), Const(0.7), Const(3))
    test_reverse(square_into, BatchDuplicated(X, shadows), BatchDuplicated(np.zeros(3), shadows))


def test_unknown_modes_are_refused() -> None:
    with pytest.raises(AnnotationError, match="fwd"):
        check_grads(weighted, (X, 0.7, 3), modes=("forward",))
