"""What users differentiate: methods, callable objects, functions of libraries, ufuncs; how parameters are given."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, LoweringError, UnsupportedTypeError

W = np.array([1.0, -2.0, 3.0])
X = np.array([0.3, 0.7, -1.1])


class Springs:
    """A model with all that models have: k sum(w x^2) is its energy."""

    factor = 2.0  # of the class

    def __init__(self) -> None:
        self.w = W.copy()
        self.k = 0.5
        self.calls = 0

    def energy(self, x: Any) -> Any:
        return np.sum(self.w * x * x) * self.k

    def __call__(self, x: Any) -> Any:
        return np.sum(self.w * x * x) * self.k

    def one(self, w: float, x: float) -> float:
        return w * x * x * self.k

    def by_another_method(self, x: Any) -> Any:
        total = 0.0
        for i in range(x.size):
            total += self.one(self.w[i], x[i])
        return total

    @property
    def half(self) -> float:
        return self.k / self.factor

    def by_property(self, x: Any) -> Any:
        return np.sum(self.w * x * x) * self.half * self.factor

    @staticmethod
    def square(x: Any) -> Any:
        return np.sum(x * x)

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return np.sum(x) * cls.factor

    def counting(self, x: Any) -> Any:
        self.calls = self.calls + 1
        return np.sum(x * x)

    def writing(self, x: Any) -> Any:
        self.w[0] = x[0]
        return np.sum(self.w * x)

    def calling_itself(self, n: int, x: float) -> float:
        return x if n == 0 else x * self.calling_itself(n - 1, x)


@pytest.mark.parametrize("name", ["energy", "__call__", "by_another_method", "by_property"])
def test_methods(name: str) -> None:
    springs = Springs()
    method = springs if name == "__call__" else getattr(springs, name)
    slope = 2 * 0.5 * W * X
    np.testing.assert_allclose(enzyme.grad(method)(X), slope, rtol=1e-14)
    assert enzyme.jvp(method, (X,), (W,))[1] == pytest.approx(slope @ W, rel=1e-14)
    np.testing.assert_allclose(enzyme.vjp(method, X)[1](2.0)[0], 2 * slope, rtol=1e-14)
    np.testing.assert_allclose(enzyme.hvp(method, X, W), W * W, rtol=1e-13)
    np.testing.assert_allclose(enzyme.jacrev(enzyme.grad(method))(X), np.diag(W), atol=1e-14)
    gradient = enzyme.grad(method)
    springs.k = 1.5  # seen at the next call
    np.testing.assert_allclose(gradient(X), 3 * slope, rtol=1e-14)
    springs.w = np.ones(3)
    np.testing.assert_allclose(gradient(X), 3 * X, rtol=1e-14)


def test_methods_of_one_class_share_their_code() -> None:
    one, other = Springs(), Springs()
    other.k = 2.0
    np.testing.assert_allclose(enzyme.grad(other.energy)(X), 4.0 * enzyme.grad(one.energy)(X))


def test_a_method_in_a_function_and_as_an_argument() -> None:
    springs = Springs()
    np.testing.assert_allclose(enzyme.grad(lambda x: springs.energy(2.0 * x))(X), 4 * W * X, rtol=1e-14)
    call = springs.energy
    np.testing.assert_allclose(enzyme.grad(lambda x: call(2.0 * x))(X), 4 * W * X, rtol=1e-14)

    @enzyme.jit
    def twice(f: Any, x: Any) -> Any:
        return 2.0 * f(x)

    np.testing.assert_allclose(enzyme.gradient(twice, springs.energy, X)[1], 2 * W * X, rtol=1e-14)
    np.testing.assert_allclose(enzyme.grad(functools.partial(springs.one, 3.0))(2.0), 6.0)


def test_static_methods() -> None:
    np.testing.assert_allclose(enzyme.grad(Springs.square)(X), 2 * X)
    np.testing.assert_allclose(enzyme.grad(Springs().square)(X), 2 * X)


def test_writes_to_self_are_refused_with_the_line() -> None:
    line = Springs.counting.__code__.co_firstlineno + 1
    with pytest.raises(UnsupportedTypeError, match=rf"writes to `calls`[\s\S]*:{line}[\s\S]*store it outside"):
        enzyme.grad(Springs().counting)(X)
    with pytest.raises(EnzymeError, match=r"readonly|read-only|Cannot modify"):
        enzyme.grad(Springs().writing)(X)


def test_methods_that_have_no_kernel() -> None:
    with pytest.raises(UnsupportedTypeError, match=r"`of_class` is a method of[\s\S]*staticmethod"):
        enzyme.grad(Springs.of_class)(X)
    with pytest.raises(UnsupportedTypeError, match=r"calls itself"):
        enzyme.grad(Springs().calling_itself, argnums=1)(2, 3.0)


@numba.vectorize
def cubed(a: float) -> float:
    return a * a * a


@numba.vectorize(["float64(float64)"])
def squared(a: float) -> float:
    return a * a


OF_NUMBERS: list[tuple[Callable[[float], float], float, float, float]] = [
    (np.sin, 0.5, math.cos(0.5), -math.sin(0.5)),
    (np.exp, 0.5, math.exp(0.5), math.exp(0.5)),
    (math.sin, 0.5, math.cos(0.5), -math.sin(0.5)),
    # lgamma' = digamma, digamma' = trigamma: at 1/2, -gamma - 2 ln 2 and pi^2 / 2
    (math.lgamma, 0.5, -0.5772156649015329 - 2 * math.log(2), math.pi**2 / 2),
    (math.erf, 0.5, 2 / math.sqrt(math.pi) * math.exp(-0.25), -2 / math.sqrt(math.pi) * math.exp(-0.25)),
    (abs, -2.0, -1.0, 0.0),
    (cubed, 2.0, 12.0, 12.0),
    (squared, 3.0, 6.0, 2.0),
]


@numba.vectorize(identity=1)
def product(a: float, b: float) -> float:
    return a * b


OF_ELEMENTS: list[tuple[Callable[..., Any], Any]] = [
    (lambda x: product.reduce(x), [12.0, 8.0, 6.0]),
    (lambda x: np.sum(product.reduce(x * np.ones((2, 1)), axis=1)), [24.0, 16.0, 12.0]),
    (lambda x: product.reduce(x, initial=x[0]), [48.0, 16.0, 12.0]),
    (lambda x: np.sum(product.reduceat(x, np.array([0, 2]))), [3.0, 2.0, 1.0]),
    (lambda x: x[0] * product.nin, [2.0, 0.0, 0.0]),
]


@pytest.mark.filterwarnings("ignore:.*feature is experimental")
@pytest.mark.parametrize(("f", "slope"), OF_ELEMENTS)
def test_methods_of_vectorized_functions(f: Callable[..., Any], slope: Any) -> None:
    x = np.array([2.0, 3.0, 4.0])
    np.testing.assert_allclose(enzyme.grad(f)(x), slope, rtol=1e-14)
    tangent = enzyme.jvp(f, (np.array([2.0, 3.0, 4.0]),), (np.ones(3),))[1]
    np.testing.assert_allclose(tangent, np.sum(slope), rtol=1e-14)


def test_at_of_a_vectorized_function_says_what_to_write() -> None:
    def multiplied(x: Any) -> Any:
        product.at(x, np.array([0, 1, 0]), 3.0)
        return x[0]

    with pytest.raises(LoweringError, match="write the loop"):
        enzyme.grad(multiplied)(np.ones(3))


@pytest.mark.parametrize(("f", "x", "slope", "second"), OF_NUMBERS, ids=lambda one: getattr(one, "__name__", ""))
def test_functions_of_libraries(f: Callable[[float], float], x: float, slope: float, second: float) -> None:
    assert enzyme.grad(f)(x) == pytest.approx(slope, rel=1e-14)
    assert enzyme.value_and_grad(f)(x) == pytest.approx((f(x), slope), rel=1e-14)
    assert enzyme.jvp(f, (x,), (2.0,))[1] == pytest.approx(2 * slope, rel=1e-14)
    assert enzyme.grad(enzyme.grad(f))(x) == pytest.approx(second, rel=1e-12)


def test_functions_of_libraries_of_arrays_and_several_arguments() -> None:
    assert enzyme.grad(np.multiply, argnums=(0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert enzyme.grad(math.hypot, argnums=(0, 1))(3.0, 4.0) == pytest.approx((0.6, 0.8))
    np.testing.assert_allclose(enzyme.grad(np.sum)(X), np.ones(3))
    np.testing.assert_allclose(enzyme.grad(np.linalg.det)(2 * np.eye(2)), 2 * np.eye(2))
    np.testing.assert_allclose(enzyme.jacrev(np.sin)(X), np.diag(np.cos(X)))
    np.testing.assert_allclose(enzyme.jacfwd(cubed)(X), np.diag(3 * X * X))


def test_ufuncs_with_several_results_are_refused() -> None:
    with pytest.raises(UnsupportedTypeError, match=r"`modf`[\s\S]*function of your own"):
        enzyme.grad(np.modf)(1.5)


def keyword_only(x: Any, *, k: float = 2.0) -> Any:
    return np.sum(x * x) * k


def keyword_only_without_default(x: Any, *, k: float) -> Any:
    return np.sum(x * x) * k


def starred(*parts: Any) -> Any:
    return np.sum(parts[0] * parts[1])


def test_keyword_only_parameters() -> None:
    for wrapped in (keyword_only, enzyme.jit(keyword_only)):
        np.testing.assert_allclose(enzyme.grad(wrapped)(X), 4 * X)
        np.testing.assert_allclose(enzyme.grad(wrapped)(X, k=3.0), 6 * X)
    np.testing.assert_allclose(enzyme.grad(keyword_only_without_default)(X, k=3.0), 6 * X)
    assert enzyme.value_and_grad(keyword_only)(X)[0] == pytest.approx(2 * np.sum(X * X))


def test_keyword_only_behind_a_star_says_what_to_do() -> None:
    def f(*parts: Any, k: float = 1.0) -> Any:
        return np.sum(parts[0]) * k

    with pytest.raises(UnsupportedTypeError, match=r"\*args[\s\S]*plain parameters"):
        enzyme.grad(f)(X)

    def g(x: Any, y: float = 1.0, *, k: float) -> Any:
        return np.sum(x) * y * k

    with pytest.raises(UnsupportedTypeError, match=r"`k` has no default[\s\S]*plain parameters"):
        enzyme.grad(g)(X, k=2.0)


def test_starred_parameters() -> None:
    np.testing.assert_allclose(enzyme.grad(starred)(X, W), W)
    np.testing.assert_allclose(enzyme.gradient(starred, X, W)[1], X)
