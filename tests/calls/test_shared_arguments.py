"""Arguments that share memory: as good as any, until the kernel writes to what they share."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Const, Duplicated, Reverse
from enzyme_py.errors import ShadowError

X = np.array([0.7, 1.3, 0.4, 2.1])


def bilinear(a, b):
    return np.sum(a * b * b)


def in_place(out, a):
    for i in range(a.size):
        out[i] = a[i] * a[i]
    return out[0] * out[1]


def first_of(out, a):
    out[0] = a[1] * a[2]
    return out[0] * a[0]


def test_what_is_only_read_may_be_shared() -> None:
    """The gradient of sum(a b^2) is b^2 and 2 a b, whatever lies where."""
    x, slope, other = X.copy(), np.zeros(4), np.zeros(4)
    for _ in range(2):  # the second call goes another way
        slope[:], other[:] = 0.0, 0.0
        enzyme.autodiff(Reverse, bilinear, Active, Duplicated(x, slope), Duplicated(x, other))
        np.testing.assert_allclose(slope, X**2, rtol=1e-15)
        np.testing.assert_allclose(other, 2 * X**2, rtol=1e-15)


def test_what_is_shared_and_written_is_refused() -> None:
    x = X.copy()
    for second in (Duplicated(x, np.zeros(4)), Const(x), Const(x[::-1])):
        for _ in range(2):
            x[:] = X
            with pytest.raises(ShadowError, match=r"(?s)`out` and `a` share memory.*a\.copy\(\)"):
                enzyme.autodiff(Reverse, in_place, Active, Duplicated(x, np.zeros(4)), second)


def test_what_is_written_beside_the_shared_part() -> None:
    """Only out[0] is written, which is not among the elements of x[1:]: x1 x2 x1 has the slopes of its factors."""
    x, slope = X.copy(), np.zeros(3)
    out = Duplicated(x, np.zeros(4))
    enzyme.autodiff(Reverse, first_of, Active, out, Duplicated(x[1:], slope))
    np.testing.assert_allclose(slope, [X[2] * X[3], X[1] * X[3], X[1] * X[2]], rtol=1e-14)
    x[:] = X
    with pytest.raises(ShadowError, match="share memory"):
        enzyme.autodiff(Reverse, first_of, Active, out, Const(x[:3]))


def test_interleaved_views_share_nothing() -> None:
    x = np.repeat(X, 2)
    out, a = x[::2], x[1::2]
    slope = enzyme.make_zero(a)
    enzyme.autodiff(
        Reverse, in_place, Active, Duplicated(out, enzyme.make_zero(out)), Duplicated(a, slope)
    )
    np.testing.assert_allclose(slope[:2], [2 * X[0] * X[1] ** 2, 2 * X[0] ** 2 * X[1]], rtol=1e-14)


def test_the_forward_half_of_a_thunk() -> None:
    forward, _ = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, in_place, Duplicated, Const)
    x = X.copy()
    with pytest.raises(ShadowError, match="share memory"):
        forward(Duplicated(x, np.zeros(4)), Const(x))


def test_nan_that_stays_is_not_written() -> None:
    x = np.array([np.nan, 1.0])
    enzyme.autodiff(Reverse, bilinear, Active, Duplicated(x, np.zeros(2)), Const(x))
