"""Tests as Numba has them, of known outcome, for the short form: what a run must find, and what it must survive."""

from __future__ import annotations

import os
import unittest

import numba
import numpy as np
import pytest

from tests.numba_suite import questions


@numba.njit("float32(float32)")
def _rounded(x):  # type: ignore[no-untyped-def]
    return x * x


@numba.njit(locals={"n": numba.int64})
def _whole(x):  # type: ignore[no-untyped-def]
    n = x * x
    return n * x


@numba.njit
def _checked(x, n=0):  # type: ignore[no-untyped-def]
    if n > 2:
        raise ValueError("too many", n)
    x[0] *= 2.0
    return np.sum(x * x), n


class Examples(unittest.TestCase):
    """Each method is run as one of Numba's tests."""

    def test_of_a_signature(self) -> None:
        assert _rounded(0.3) < 0.1

    def test_of_types_of_variables(self) -> None:
        assert _whole(2.7) < 19.0

    def test_of_named_arguments(self) -> None:
        assert _checked(np.ones(3), n=2)[1] == 2
        with pytest.raises(ValueError, match="too many"):
            _checked(np.ones(3), n=3)
        assert _checked(np.arange(3), n=2)[1] == 2

    def test_of_captured_functions(self) -> None:
        for function in (np.sin, np.cos):

            @numba.njit
            def kernel(x):  # type: ignore[no-untyped-def]
                return function(x)  # noqa: B023  (what this is about)

            assert kernel(0.3) == function(0.3)

    def test_of_a_derivative_that_kills(self) -> None:
        questions.enzyme.gradient = lambda *given: os.abort()  # type: ignore[assignment,attr-defined]
        assert _rounded(np.float32(0.3)) < 0.1
