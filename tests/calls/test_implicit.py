"""Solutions of equations: derivatives from the equations, whatever the solver did."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import AnnotationError
from enzyme_py.rules import implicit

X = np.array([1.0, 2.0, 3.0])


def equations(x, y):
    return y * y * y + y * np.sum(x) - x


def newton(x):
    y = np.ones(x.size)
    for _ in range(60):
        y = y - equations(x, y) / (3 * y * y + np.sum(x))
    return y


def slope_of_solution(x: np.ndarray) -> np.ndarray:
    y, total = newton(x), np.sum(x)
    by_y = np.diag(3 * y * y + total)
    by_x = np.outer(y, np.ones(x.size)) - np.eye(x.size)
    return -np.linalg.solve(by_y, by_x)


@pytest.mark.parametrize("jac", [enzyme.jacfwd, pytest.param(enzyme.jacrev, marks=pytest.mark.full)])
def test_value_and_first_order(jac) -> None:
    """The Hessian below has reverse mode in it."""
    solution = implicit(newton, equations)
    np.testing.assert_allclose(solution(X), newton(X), rtol=1e-14)
    np.testing.assert_allclose(jac(solution)(X), slope_of_solution(X), rtol=1e-12)


def test_second_order() -> None:
    solution = implicit(newton, equations, order=2)

    def total(x):
        return np.sum(solution(x))

    found = enzyme.hessian(total)(X)
    step = 1e-5
    for i, unit in enumerate(np.eye(3)):
        slopes = slope_of_solution(X + step * unit) - slope_of_solution(X - step * unit)
        np.testing.assert_allclose(found[i], slopes.sum(0) / (2 * step), rtol=1e-8, atol=1e-10)


def test_every_order_up_to_the_promised_one() -> None:
    """The square root by bisection, whose iterations have no derivative worth the name."""

    def bisected(a, high):
        low = 0.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            if middle * middle > a:
                high = middle
            else:
                low = middle
        return low

    root = implicit(bisected, lambda a, high, y: y * y - a, order=3)
    exact = [0.5 * 2**-0.5, -0.25 * 2**-1.5, 0.375 * 2**-2.5]
    function = root
    for value in exact:
        function = enzyme.grad(function)
        assert function(2.0, 5.0) == pytest.approx(value, rel=1e-12)


def test_a_solver_with_parameters_that_only_start_it() -> None:
    solution = implicit(lambda a, start: start * 0 + a**0.5, lambda a, start, y: y * y - a)
    assert enzyme.gradient(solution, 4.0, 3.0) == pytest.approx((0.25, 0.0))


def test_matrices_as_unknowns() -> None:
    a = np.array([[4.0, 1.0], [2.0, 3.0]])

    def inverse(a):
        y = a.T / np.sum(a * a)
        for _ in range(80):
            y = 2.0 * y - y @ a @ y
        return y

    solution = implicit(inverse, lambda a, y: a @ y - np.eye(2))
    exact = -np.einsum("ik,lj->ijkl", np.linalg.inv(a), np.linalg.inv(a))
    np.testing.assert_allclose(enzyme.jacfwd(solution)(a), exact, rtol=1e-11, atol=1e-13)


def test_what_is_no_solution_is_told() -> None:
    wrong = implicit(lambda a: a, lambda a, y: y * y - a)
    with pytest.raises(ValueError, match="returned no solution"):
        enzyme.grad(wrong)(2.0)
    singular = implicit(lambda x: x * 0, lambda x, y: y * y * y + 0 * x)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        enzyme.jacfwd(singular)(X)


@pytest.mark.parametrize("order", [0, 17, 1.5, True])
def test_orders_that_cannot_be(order: object) -> None:
    with pytest.raises(AnnotationError, match="order must be"):
        implicit(newton, equations, order=order)


def test_captured_values_are_refused() -> None:
    factor = np.array([2.0])
    with pytest.raises(AnnotationError, match="cannot capture values"):
        implicit(lambda a: a * factor[0], lambda a, y: y - a)
