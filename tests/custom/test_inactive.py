"""rules.inactive of some arguments, and inactive types."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import RuleError


def blend(x, window):
    return np.sum(x * x * window)


X, WINDOW = np.array([0.5, -1.0, 2.0]), np.array([1.0, 3.0, 0.25])


def test_an_inactive_argument_has_a_zero_gradient() -> None:
    rigid = enzyme.rules.inactive(blend, arguments="window")
    by_x, by_window = enzyme.gradient(rigid, X, WINDOW)
    np.testing.assert_allclose(by_x, 2 * X * WINDOW, rtol=1e-14)
    np.testing.assert_array_equal(by_window, np.zeros(3))
    assert rigid(X, WINDOW) == blend(X, WINDOW)

    def both(x):
        return rigid(x, np.exp(x))

    np.testing.assert_allclose(enzyme.grad(both)(X), 2 * X * np.exp(X), rtol=1e-14)
    _, tangent = enzyme.jvp(both, (X,), (np.ones(3),))
    assert tangent == pytest.approx(np.sum(2 * X * np.exp(X)), rel=1e-14)


@enzyme.rules.inactive_type
class Settings(NamedTuple):
    """What no derivative is taken by."""

    rate: float
    offsets: np.ndarray


class Parameters(NamedTuple):
    """The same, and ordinary."""

    rate: float
    offsets: np.ndarray


def shifted(x, given):
    return np.sum((x + given.offsets) ** 2) * given.rate


def test_an_inactive_type_has_no_gradient() -> None:
    by_x, none = enzyme.gradient(shifted, X, Settings(2.0, WINDOW))
    np.testing.assert_allclose(by_x, 4 * (X + WINDOW), rtol=1e-14)
    assert none is None
    by_x, found = enzyme.gradient(shifted, X, Parameters(2.0, WINDOW))
    np.testing.assert_allclose(by_x, 4 * (X + WINDOW), rtol=1e-14)
    assert found.rate == pytest.approx(np.sum((X + WINDOW) ** 2), rel=1e-14)


def test_what_cannot_be_inactive_is_said() -> None:
    with pytest.raises(RuleError, match="has no argument 'y'") as refusal:
        enzyme.rules.inactive(blend, arguments="y")
    assert "x, window" in str(refusal.value)
    with pytest.raises(RuleError, match="is no class of named tuples") as refusal:
        enzyme.rules.inactive_type(dict)
    assert "Const" in str(refusal.value)
