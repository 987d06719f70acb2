"""Third derivatives at zero, in loops whose number of iterations is not known, of functions whose derivatives are ours.

u' = 1 at 0 of both; u''' of tanh is -2, of sinh 1: three times within each other they add up to -6 and 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from scipy import special

import enzyme_py as enzyme

X = np.full(4, 0.5)


def repeated(step: Callable[..., Any]) -> Callable[..., Any]:
    def f(x: Any, s: Any) -> Any:
        q, k = s, 0
        while k < 3:
            k += 1
            for j in range(x.size):
                if x[j] > 0.724:
                    return s
            q = step(q)
            if x[1] > 10.0:
                q = q + 4.0
        return q

    return f


def third(f: Callable[..., Any]) -> Any:
    slope = enzyme.grad(f, argnums=1)
    twice = lambda s: enzyme.jvp(lambda s: slope(X, s), (s,), (1.0,))[1]
    return enzyme.jvp(twice, (0.0,), (1.0,))[1]


STEPS = [
    (lambda q: np.tanh(q), -6.0),
    (lambda q: np.sinh(q), 3.0),
    (lambda q: special.erf(q) * (np.sqrt(np.pi) / 2), -6.0),
]


@pytest.mark.parametrize(("step", "wanted"), STEPS, ids=["tanh", "sinh", "erf"])
def test_forward_over_forward_over_reverse(step: Callable[..., Any], wanted: float) -> None:
    assert np.isclose(third(repeated(numba.njit(step))), wanted, rtol=1e-12)
