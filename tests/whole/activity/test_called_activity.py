"""Run-time activity of functions that LLVM does not inline by itself: their results are active too."""

from __future__ import annotations

import re

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Reverse, set_runtime_activity
from tests.fuzz.helpers import repeated


def large(turns: int):
    """Return a function that is too large to be inlined."""
    lines = [
        f"    v = v + 0.01 * np.sin(v * {1 + i * 0.01:.2f})\n"
        f"    if v > {3.5 + i * 0.1:.1f}:\n        v = np.cos(v) + d * {i}\n"
        f"    for _ in range(d):\n        v = v * 0.999 + np.tanh(v) * 0.001\n"
        for i in range(turns)
    ]
    scope = {"np": np}
    exec("def large(v, d):\n" + "".join(lines) + "    return v\n", scope)
    return numba.njit(scope["large"])


def test_a_function_that_is_not_inlined():
    called = large(8)

    @numba.njit
    def f(s, d):
        return called(s, d) * called(s * 0.5, d) + called(s + 0.1, d)

    step = 1e-5
    expected = (f(0.7 + step, 2) - f(0.7 - step, 2)) / (2 * step)
    assert re.search(r"call .*\.large\(", enzyme.inspect.ir(f, 0.7, 2, stage="simplified"))
    plain = enzyme.gradient(f, 0.7, 2)[0]
    assert plain == pytest.approx(expected, rel=1e-8)
    assert enzyme.gradient(set_runtime_activity(Reverse), f, 0.7, 2)[0] == pytest.approx(plain)


def test_a_function_that_calls_itself():
    @numba.njit
    def f(s):
        return repeated(s, 3)  # sin(0.9 ...) three times

    inner = [0.7 * 0.9**3]
    for _ in range(3):
        inner.append(np.sin(inner[-1]))
    expected = 0.9**3 * np.prod(np.cos(inner[:3]))
    for mode in (Reverse, set_runtime_activity(Reverse)):
        assert enzyme.gradient(mode, f, 0.7)[0] == pytest.approx(expected, rel=1e-14)
