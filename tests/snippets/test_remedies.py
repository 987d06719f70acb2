"""What Numba does not compile is refused with what to write in its place: each pair is a kernel and what the advice makes of it."""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import math
import operator
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.stats

import enzyme_py as enzyme
from enzyme_py.errors import LoweringError
from enzyme_py.frontend.target.refusals.remedies import ANY, remedy_of

X = np.array([0.5, 1.0, 2.0])
PAIRS: list[tuple[Callable[..., Any], str, Callable[..., Any] | None]] = []


def refused(words: str, instead: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Add a kernel, words of the advice, and what it says to write."""

    def add(kernel: Callable[..., Any]) -> Callable[..., Any]:
        PAIRS.append((kernel, words, instead))
        return kernel

    return add


@functools.lru_cache
def cached(n):
    return 2.0 * n


def star(f):
    @functools.wraps(f)
    def wrapper(*args):
        return 2.0 * f(*args)

    return wrapper


@star
def doubled(x):
    return x * x


SPLINE = scipy.interpolate.CubicSpline(np.arange(5.0), np.arange(5.0) ** 2)
KNOTS, PARTS = SPLINE.x, SPLINE.c


def of_parts(x):
    i = np.searchsorted(KNOTS, x[0], side="right") - 1
    t, y = x[0] - KNOTS[i], 0.0
    for k in range(4):
        y = y * t + PARTS[k, i]
    return y


def horner(x):
    y = 0.0
    for c in (1.0, 2.0, 3.0):
        y = y * x[0] + c
    return y


def outer_trace(x):
    a = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            a[i, j] = x[i] * x[j]
    return np.trace(a)


def counted(x):
    d = {0: 0.0}
    for v in x:
        d[0] = d.get(0, 0.0) + v * v
    return d[0]


def padded(x):
    out = np.zeros(5)
    out[1:-1] = x
    return np.sum(out[1:3] ** 2)


def batched(x):
    a, s = np.ones((2, 3, 3)), 0.0
    for i in range(2):
        s += np.sum(a[i] @ x)
    return s


refused("f.__wrapped__", lambda x: np.sum(x) * 6.0)(lambda x: np.sum(x) * cached(3))
refused("in place of \\*args", lambda x: 2.0 * x[0] * x[0])(lambda x: doubled(x[0]))
refused("as a product", lambda x: x @ x)(lambda x: np.einsum("i,i", x, x))
refused("reshape to matrices", lambda x: x @ x)(lambda x: np.tensordot(x, x, axes=1))
refused("differences", lambda x: np.sum((x[2:] - x[:-2]) ** 2) / 4.0)(lambda x: np.sum(np.gradient(x)[1:-1] ** 2))
refused("Horner", horner)(lambda x: np.polyval([1.0, 2.0, 3.0], x[0]))
refused("np.zeros", padded)(lambda x: np.sum(np.pad(x, 1)[1:3] ** 2))
refused("broadcast", lambda x: np.sum(x[None, :] * x[:, None]))(lambda x: np.sum(np.meshgrid(x, x)[0] * np.meshgrid(x, x)[1]))
refused("np.hstack", lambda x: np.sum(np.hstack((x, x)) ** 2))(lambda x: np.sum(np.block([x, x]) ** 2))
refused("in a loop", lambda x: np.sum(x * x))(lambda x: np.sum(np.vectorize(lambda t: t * t)(x)))
refused("out\\[i\\] = f", lambda x: np.sum(x))(lambda x: np.apply_along_axis(np.sum, 0, x))
refused("isinstance", lambda x: x[0] ** 2)(lambda x: x[0] ** 2 if isinstance(x, np.ndarray) else 0.0)
refused("outside, and pass", None)(lambda x: np.sum(x * np.random.default_rng(0).standard_normal(3)))
refused("conjugate transpose", None)(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2))
refused("which is the default", lambda x: np.sum(np.linalg.lstsq(np.eye(3), x)[0]))(
    lambda x: np.sum(np.linalg.lstsq(np.eye(3), x, rcond=None)[0])
)
refused("np.prod", lambda x: np.prod(x))(lambda x: math.prod(x))
refused("np.sum", lambda x: np.sum(x))(lambda x: math.fsum(x))
refused("math.sqrt", lambda x: math.sqrt(np.sum((x - 2.0 * x) ** 2)))(lambda x: math.dist(x, 2.0 * x))
refused("math.sqrt", lambda x: math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]))(lambda x: math.hypot(x[0], x[1], x[2]))
refused("a list, or an array", None)(lambda x: collections.deque([x[0]]).popleft())
refused("write the loops", None)(lambda x: sum(itertools.accumulate(x)))
refused("outside of the kernel", None)(lambda x: x[0] * time.time())
refused("x.copy\\(\\)", lambda x: x.copy()[0] ** 2)(lambda x: copy.deepcopy(x)[0] ** 2)
refused("make a list", lambda x: sum([v * v for v in x]))(lambda x: sum(v * v for v in x))
refused("a first value", None)(lambda x: functools.reduce(operator.mul, x))
refused("np.argmax", lambda x: x[np.argmax(x * x)])(lambda x: max(x, key=lambda t: t * t))
refused("write the braces", lambda x: {"a": x[0]}["a"] ** 2)(lambda x: dict(a=x[0])["a"] ** 2)  # noqa: C408
refused("first axis", batched)(lambda x: np.sum(np.ones((2, 3, 3)) @ x))
refused("in a line of its own", None)(lambda x: (y := x[0]) * y)
refused("a\\[i, j\\]", outer_trace)(lambda x: np.trace(np.array([[v * w for v in x] for w in x])))
refused("quadrature", None)(lambda x: scipy.integrate.quad(lambda t: t * x[0], 0.0, 1.0)[0])
refused("rules.implicit", None)(lambda x: scipy.optimize.brentq(lambda t: t * t - x[0], 0.0, 10.0))
refused("coefficients", of_parts)(lambda x: SPLINE(x[0]))
refused("formula of the density", None)(lambda x: scipy.stats.norm.pdf(x[0]))
refused("np.linalg", lambda x: np.sum(np.linalg.solve(2.0 * np.eye(3), x)))(
    lambda x: np.sum(scipy.linalg.solve(2.0 * np.eye(3), x))
)
refused("np.linalg", None)(lambda x: np.sum(scipy.linalg.expm(np.diag(x))))


@refused("compiled code does not warn", lambda x: x[0] ** 2)
def quietly(x):
    with np.errstate(all="ignore"):
        return x[0] ** 2


@refused("d.get", counted)
def squares_in_a_defaultdict(x):
    d = collections.defaultdict(float)
    for v in x:
        d[0] += v * v
    return d[0]


@refused("by their indices", lambda x: x[0] * x[1:][0])
def taken_apart(x):
    first, *rest = x
    return first * rest[0]


@refused("fill a set", None)
def set_of_doubles(x):
    return sum({2.0 * v for v in x})


def differences(f: Callable[..., Any]) -> np.ndarray:
    steps = 1e-6 * np.eye(len(X))
    return np.array([(f(X + one) - f(X - one)) / 2e-6 for one in steps])


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_the_advice(number: int) -> None:
    kernel, words, instead = PAIRS[number]
    with pytest.raises(LoweringError, match=words) as caught:
        enzyme.gradient(kernel, X)
    assert ANY not in str(caught.value)
    if instead is not None:
        np.testing.assert_allclose(enzyme.gradient(instead, X)[0], differences(kernel), rtol=1e-8, atol=1e-9)


def test_what_is_not_known_has_no_advice_of_its_own() -> None:
    assert remedy_of("Failed in nopython mode pipeline") is None
