"""iminuit minimises an objective of ours with its gradient."""

from __future__ import annotations

import numpy as np
import pytest

iminuit = pytest.importorskip("iminuit")

from enzyme_py.bridges.scipy import objective


def test_a_parabola_with_its_errors():
    """The errors of a sum of squares over sigma^2 are sigma."""
    centre, sigma = np.array([1.0, -2.0]), np.array([0.5, 3.0])

    def chi_square(x):
        return np.sum(((x - centre) / sigma) ** 2)

    o = objective(chi_square)
    calls = []

    def gradient(x):
        calls.append(x)
        return o.jac(x)

    fit = iminuit.Minuit(o.fun, np.zeros(2), grad=gradient)
    fit.errordef = iminuit.Minuit.LEAST_SQUARES
    fit.migrad()
    assert fit.valid
    assert calls, "the gradient is ours"
    assert np.allclose(fit.values, centre, atol=1e-6)
    assert np.allclose(fit.errors, sigma, rtol=1e-3)
