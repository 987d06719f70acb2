"""Array expressions: one parameter for each array, in one order, and derivatives by hand."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.testing import check_grads

X, Y = np.array([0.3, -0.8, 1.7]), np.array([0.9, 0.4, -1.2])


def quotient(x, y):
    return np.sum(y / (1.5 + y * y * x) + x * x)


def test_each_array_is_one_parameter() -> None:
    ir = enzyme.inspect.ir(quotient, X, Y, stage="assembled")
    heads = [one for one in ir.splitlines() if one.startswith("define") and "array_expr" in one]
    assert len(heads) == 1
    assert heads[0].count("double %") == 2


def test_by_hand() -> None:
    by_x, by_y = enzyme.grad(quotient, argnums=(0, 1))(X, Y)
    below = 1.5 + Y * Y * X
    np.testing.assert_allclose(by_x, -(Y**3) / below**2 + 2.0 * X, rtol=1e-14)
    np.testing.assert_allclose(by_y, (1.5 - Y * Y * X) / below**2, rtol=1e-14)


@pytest.mark.parametrize("order", [1, 2])
def test_numbers_arrays_and_functions_among_each_other(order) -> None:
    def mixed(x, y, s):
        z = np.where(x > 0.0, x * s, x) ** 2 + np.sin(x * y) * s - x
        z += z * z / (2.0 + z * z)
        return np.sum(z * z * y)

    check_grads(mixed, (X, Y, 0.7), order=order)
