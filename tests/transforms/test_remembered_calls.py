"""A second call of autodiff in the same form goes straight to its runner: it must be the right one."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Const, Duplicated, Forward, Reverse, ReverseWithPrimal
from enzyme_py.calls import annotated_calls
from enzyme_py.errors import ShadowError


def square(x):
    return x * x


def product(x, y):
    return x * y


def weighted(x, s):
    return np.sum(x * x) * s


@pytest.fixture
def slow_calls(monkeypatch):
    """The calls that were not remembered."""
    found = []
    usual = annotated_calls._autodiff
    monkeypatch.setattr(
        annotated_calls, "_autodiff", lambda *given: found.append(given) or usual(*given)
    )
    return found


def test_forms_are_kept_apart(slow_calls) -> None:
    for _ in range(2):
        assert enzyme.autodiff(Reverse, square, Active, Active(3.0)) == ((6.0,),)
        assert enzyme.autodiff(square, Active(3.0)) == ((6.0,),)
        assert enzyme.autodiff(Reverse, product, Active, Active(3.0), Const(2.0)) == ((2.0, None),)
        assert enzyme.autodiff(Reverse, product, Active, Const(3.0), Active(2.0)) == ((None, 3.0),)
        assert enzyme.autodiff(ReverseWithPrimal, square, Active, Active(3.0)) == ((6.0,), 9.0)
        assert enzyme.autodiff(Forward, square, Duplicated(3.0, 0.5)) == (3.0,)
    assert len(slow_calls) == 6


def test_other_types_and_numbers_of_the_same_form() -> None:
    for one in (3.0, np.float32(3.0), 3.0 + 0.0, np.float64(4.0)):
        ((found,),) = enzyme.autodiff(Reverse, square, Active, Active(one))
        assert found == 2.0 * one
    x, dx = np.array([1.0, 2.0]), np.zeros(2)
    for s in (2.0, 3.0):
        dx[:] = 0.0
        ((_, by_s),) = enzyme.autodiff(Reverse, weighted, Active, Duplicated(x, dx), Active(s))
        np.testing.assert_array_equal(dx, 2.0 * s * x)
        assert by_s == 5.0


def test_memory_is_looked_at_in_each_call() -> None:
    def both(x, y):
        return np.sum(x * y)

    x, y, dx, dy = np.ones(2), np.full(2, 3.0), np.zeros(2), np.zeros(2)
    enzyme.autodiff(Reverse, both, Active, Duplicated(x, dx), Duplicated(y, dy))
    with pytest.raises(ShadowError, match="share memory"):
        enzyme.autodiff(Reverse, both, Active, Duplicated(x, dx), Duplicated(y, dx))


def test_what_a_function_captures_is_read_at_each_call() -> None:
    rate = 2.0

    def scaled(x):
        return x * rate

    def of_default(x, weights=np.array([2.0])):  # noqa: B008
        return x * weights[0]

    assert enzyme.autodiff(Reverse, scaled, Active, Active(1.0)) == ((2.0,),)
    rate = 5.0
    assert enzyme.autodiff(Reverse, scaled, Active, Active(1.0)) == ((5.0,),)
    assert enzyme.autodiff(Reverse, of_default, Active, Active(1.0)) == ((2.0,),)


def test_what_copies_attributes_is_another_function() -> None:
    enzyme.autodiff(Reverse, square, Active, Active(3.0))

    @functools.wraps(square)
    def cube(x):
        return x * x * x

    del cube.__wrapped__
    assert enzyme.autodiff(Reverse, cube, Active, Active(2.0)) == ((12.0,),)
