"""What kernels print: arrays, as NumPy prints them, in every mode and from the disk; numbers are in test_refusals.py."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import enzyme_py as enzyme

RECORD = np.dtype([("k", np.int64), ("v", np.float64)], align=True)
X = np.array([0.5, 2.0, 1.0, 3.0])


def shows(x: np.ndarray) -> float:
    y = x * 2.0
    print("y", y, x[::2], x.reshape(2, 2), np.arange(3), x > 1.0, y[1], "end")  # noqa: T201  (what is asked)
    y[0] = 7.0
    print(y)  # noqa: T201
    return np.sum(y * y)


SHOWN = "y [1. 4. 2. 6.] [0.5 1. ] [[0.5 2. ]\n [1.  3. ]] [0 1 2] [False  True False  True] 4.0 end\n[7. 4. 2. 6.]\n"
SLOPES = [0.0, 16.0, 8.0, 24.0]


def test_reverse_mode_prints_once(capfd: pytest.CaptureFixture[str]) -> None:
    assert enzyme.grad(shows)(X).tolist() == SLOPES
    assert capfd.readouterr().out == SHOWN


def test_forward_mode_and_second_order(capfd: pytest.CaptureFixture[str]) -> None:
    assert enzyme.jvp(shows, (X,), (np.ones(4),)) == (105.0, 48.0)
    assert capfd.readouterr().out == SHOWN
    assert enzyme.hvp(shows, X, np.ones(4)).tolist() == [0.0, 8.0, 8.0, 8.0]
    assert SHOWN in capfd.readouterr().out


def test_records_and_what_is_empty(capfd: pytest.CaptureFixture[str]) -> None:
    def kernel(x: np.ndarray) -> float:
        r = np.zeros(1, RECORD)
        r[0].v = x[0]
        print(r, x[:0], x.astype(np.float32)[:2])  # noqa: T201
        return r[0].v ** 2

    assert enzyme.grad(kernel)(X).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert capfd.readouterr().out == "[(0, 0.5)] [] [0.5 2. ]\n"


def test_no_reference_is_kept(capfd: pytest.CaptureFixture[str]) -> None:
    slope = enzyme.grad(shows)
    slope(X)
    before = sys.getrefcount(np.dtype(float))
    for _ in range(50):
        slope(X)
    assert sys.getrefcount(np.dtype(float)) - before < 10
    assert capfd.readouterr().out == SHOWN * 51
