"""Linked code that clears and copies memory at once, records above all: gradients by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import DerivativeError

CODE = Path(__file__).with_name("records_of_c.ll")  # with the C source in front
X = np.array([0.5, 1.2, -0.7, 2.0, 0.3, 1.1, 0.9, -1.4])
ROUNDS = 1.0 + 8.0 + 27.0


def linked(name: str) -> Callable[[Any], float]:
    """A kernel of one array."""
    function = enzyme.link_ir(CODE, name, "float64(float64[::1],int64)")
    return lambda x: function(x, x.size)


# Each x goes to one place of its own, so the sum of cubes is that of x, times the cubes of the rounds.
ANSWERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "cleared": (lambda x: 3.0 * ROUNDS * x**2, lambda x: 6.0 * ROUNDS * x),
    "records": (lambda x: 6.0 * ROUNDS * x**2, lambda x: 12.0 * ROUNDS * x),
    "few_records": (lambda x: 6.0 * ROUNDS * x**2, lambda x: 12.0 * ROUNDS * x),
    "copied": (lambda x: 4.0 * _numbers(x) * x**3, lambda x: 12.0 * _numbers(x) * x**2),
    "followed": (lambda x: 3.0 * x**2, lambda x: 6.0 * x),
}


def _numbers(x):
    return np.arange(1.0, x.size + 1.0)


@pytest.mark.parametrize("name", list(ANSWERS))
def test_gradient_and_tangent(name: str) -> None:
    kernel, expected = linked(name), ANSWERS[name][0](X)
    np.testing.assert_allclose(enzyme.grad(kernel)(X), expected, rtol=1e-13)
    along = np.linspace(-1.0, 1.0, X.size)
    assert enzyme.jvp(kernel, (X,), (along,))[1] == pytest.approx(expected @ along, rel=1e-13)


@pytest.mark.parametrize("name", ["cleared", "records", "copied"])
def test_second_order(name: str) -> None:
    along = np.linspace(-1.0, 1.0, X.size)
    product = enzyme.hvp(linked(name), X, along)
    np.testing.assert_allclose(product, ANSWERS[name][1](X) * along, rtol=1e-13)


def test_what_is_taken_away_at_once() -> None:
    kernel, rest = linked("taken"), 1.0 - X @ X
    np.testing.assert_allclose(enzyme.grad(kernel)(X), -4.0 * rest * X, rtol=1e-13)
    np.testing.assert_allclose(enzyme.jacfwd(kernel)(X), -4.0 * rest * X, rtol=1e-13)


def test_an_array_of_its_own_in_each_turn() -> None:
    """6 MB of them: on the stack, from which a derivative gives nothing back, they would end the process."""
    kernel = linked("turned")
    np.testing.assert_allclose(enzyme.grad(kernel)(X), 25_000.0 * X, rtol=1e-12)
    np.testing.assert_allclose(enzyme.jacfwd(kernel)(X), 25_000.0 * X, rtol=1e-12)


@pytest.mark.parametrize(("name", "word"), [("headed", "copies at once"), ("grown", "realloc")])
def test_what_is_not_known_is_refused(name: str, word: str) -> None:
    kernel = linked(name)
    with pytest.raises(DerivativeError, match=word):
        enzyme.grad(kernel)(X)
    expected = 2.0 * X * (1.0 if name == "headed" else np.arange(8.0))
    np.testing.assert_allclose(enzyme.jacfwd(kernel)(X), expected, rtol=1e-13)
