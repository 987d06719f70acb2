"""enzyme.fused: functions that take derivatives in their loops, compiled with them as one piece."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Reverse


@numba.njit
def energy(x, k):
    return k * np.sum(np.sin(x) * x)


def slope(x, k):
    return k * (np.cos(x) * x + np.sin(x))


@numba.njit
def slopes_of_rows(rows, k):
    found = np.zeros_like(rows)
    for i in range(rows.shape[0]):
        enzyme.autodiff(Reverse, energy, Duplicated(rows[i], found[i]), Const(k))
    return found


@numba.njit
def fill(rows, k, out):
    for i in range(rows.shape[0]):
        if rows[i, 0] > 100.0:
            raise ValueError("a row is too large")
        out[i] = enzyme.grad(energy)(rows[i], k)


@pytest.fixture
def rows():
    return np.random.default_rng(5).normal(size=(6, 3))


def test_results_are_those_of_the_function(rows):
    together = enzyme.fused(slopes_of_rows)
    np.testing.assert_allclose(together(rows, 2.0), slope(rows, 2.0), rtol=1e-14)
    np.testing.assert_array_equal(together(rows, 2.0), slopes_of_rows(rows, 2.0))
    assert together(rows[:0], 2.0).shape == (0, 3)


def test_arguments_are_written(rows):
    out = np.full_like(rows, np.nan)
    assert enzyme.fused(fill)(rows, 3.0, out) is None
    np.testing.assert_allclose(out, slope(rows, 3.0), rtol=1e-14)


def test_exceptions_are_those_of_the_function(rows):
    together = enzyme.fused(fill)
    rows[2, 0] = 1000.0
    with pytest.raises(ValueError, match="a row is too large"):
        together(rows, 3.0, np.empty_like(rows))
    rows[2, 0] = 0.0
    out = np.empty_like(rows)
    together(rows, 3.0, out)
    np.testing.assert_allclose(out, slope(rows, 3.0), rtol=1e-14)


def test_it_is_called_from_compiled_code_and_differentiated_again(rows):
    together = enzyme.fused(slopes_of_rows)

    @numba.njit
    def total(rows):
        return np.sum(together(rows, 2.0))

    assert total(rows) == pytest.approx(np.sum(slope(rows, 2.0)), rel=1e-14)
    second = 2.0 * (2 * np.cos(rows) - np.sin(rows) * rows)
    np.testing.assert_allclose(enzyme.grad(total)(rows), second, rtol=1e-13)


def test_a_function_that_captures_values(rows):
    k = 5.0

    def captured(rows):
        return slopes_of_rows(rows, k)

    np.testing.assert_allclose(enzyme.fused(captured)(rows), slope(rows, k), rtol=1e-14)
