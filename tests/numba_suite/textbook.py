"""Kernels of the textbook as Numba's tests have theirs: jitted, and called once; each needs a cure of ours.

Numba's tests need few cures: they write little into what they have read, and leave few loops in their middle. With these the
questions of this suite are shown to find a cure that is left out (`tests/suites/without/kernels.py`).
"""

from __future__ import annotations

import unittest
from collections.abc import Callable

import numba
import numpy as np

from tests.textbook import TURNS, kernels

NAMES = (
    "branches.knot_of_a_spline",
    "branches.found_in_two_loops",
    "branches.first_above",
    "branches.no_inner_points",
    "branches.of_the_step_before",
    "branches.running_maximum",
    "branches.neither_one_nor_three",
    "held.rows_in_a_list",
    "held.weights_of_the_module",
    "held.column_of_constants",
    "held.last_and_first",
    "held.four_elements",
    "held.product_by_calls",
    "held.gathered",
    "held.third_smallest",
    "products.carried",
    "updates.read_in_both_loops",
)


class Textbook(unittest.TestCase):
    """Each method is run as one of Numba's tests."""


def _test_of(name: str) -> Callable[[unittest.TestCase], None]:
    kernel, x, c = kernels()[name]

    def test(self: unittest.TestCase) -> None:
        jitted = numba.njit(kernel)
        assert np.isclose(jitted(x.copy(), c.copy(), TURNS), kernel(x.copy(), c.copy(), TURNS))

    return test


for _name in NAMES:
    setattr(Textbook, f"test_{_name.replace('.', '_')}", _test_of(_name))
