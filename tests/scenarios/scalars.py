"""Kernels from numbers to a number."""

from __future__ import annotations

import math

import numpy as np

from tests.scenarios.scenario import Scenario, scenario

SCALARS: list[Scenario] = []
SQRT_2 = math.sqrt(2.0)


@scenario(SCALARS, args=(1.7,), grad=lambda x: (2 * x,))
def square(x):
    return x * x


@scenario(SCALARS, args=(-0.8,), grad=lambda x: (12 * x**3 - 4 * x + 1,))
def quartic(x):
    return ((3 * x * x - 2) * x + 1) * x - 7


@scenario(SCALARS, args=(0.7, 1.3), grad=lambda x, y: (y * np.cos(x), np.sin(x)))
def sine_product(x, y):
    return y * math.sin(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@scenario(SCALARS, args=(0.4,), grad=lambda x: (sigmoid(x) * (1 - sigmoid(x)),))
def logistic(x):
    return 1.0 / (1.0 + math.exp(-x))


@scenario(SCALARS, args=(-1.2,), grad=lambda x: (sigmoid(x),))
def softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@scenario(SCALARS, args=(3.0, -4.0), grad=lambda x, y: (x / np.hypot(x, y), y / np.hypot(x, y)))
def distance(x, y):
    return math.sqrt(x * x + y * y)


@scenario(SCALARS, args=(0.6, -1.1), grad=lambda x, y: (-y / (x * x + y * y), x / (x * x + y * y)))
def polar_angle(x, y):
    return math.atan2(y, x)


@scenario(SCALARS, args=(1.8, 2.5), grad=lambda x, y: (y * x ** (y - 1), x**y * np.log(x)))
def power(x, y):
    return x**y


@scenario(SCALARS, args=(1.3, 5), grad=lambda x, n: (n * x ** (n - 1), None))
def integer_power(x, n):
    return x**n


def density(x, mu, sigma):
    return np.exp(-0.5 * ((x - mu) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))


@scenario(
    SCALARS,
    args=(0.9, 0.2, 1.4),
    grad=lambda x, mu, sigma: (
        -density(x, mu, sigma) * (x - mu) / sigma**2,
        density(x, mu, sigma) * (x - mu) / sigma**2,
        density(x, mu, sigma) * ((x - mu) ** 2 / sigma**3 - 1 / sigma),
    ),
)
def gaussian(x, mu, sigma):
    z = (x - mu) / sigma
    return math.exp(-0.5 * z * z) / (sigma * math.sqrt(2.0 * math.pi))


@scenario(SCALARS, args=(0.35,), grad=lambda x: (2 / np.sqrt(np.pi) * np.exp(-x * x),))
def error_function(x):
    return math.erf(x)


# The partial derivatives are the Greeks of the option: delta, strike, theta, rho, vega.
def black_scholes_greeks(spot, strike, expiry, rate, sigma):
    root = sigma * np.sqrt(expiry)
    d1 = (np.log(spot / strike) + (rate + sigma**2 / 2) * expiry) / root
    d2 = d1 - root
    paid = np.exp(-rate * expiry)
    cdf1, cdf2 = (0.5 * (1 + math.erf(d / SQRT_2)) for d in (d1, d2))
    pdf1 = density(d1, 0.0, 1.0)
    theta = spot * pdf1 * sigma / (2 * np.sqrt(expiry)) + rate * strike * paid * cdf2
    return (
        cdf1,
        -paid * cdf2,
        theta,
        strike * expiry * paid * cdf2,
        spot * pdf1 * np.sqrt(expiry),
    )


@scenario(SCALARS, args=(1.1, 1.0, 0.75, 0.04, 0.3), grad=black_scholes_greeks)
def black_scholes(spot, strike, expiry, rate, sigma):
    root = sigma * math.sqrt(expiry)
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * expiry) / root
    d2 = d1 - root
    cdf1 = 0.5 * (1.0 + math.erf(d1 / SQRT_2))
    cdf2 = 0.5 * (1.0 + math.erf(d2 / SQRT_2))
    return spot * cdf1 - strike * math.exp(-rate * expiry) * cdf2


@scenario(
    SCALARS,
    args=(1.2, 0.8),
    grad=lambda r, s: (
        4 * (6 * s**6 / r**7 - 12 * s**12 / r**13),
        4 * (12 * s**11 / r**12 - 6 * s**5 / r**6),
    ),
)
def lennard_jones(r, s):
    q = (s / r) ** 6
    return 4.0 * (q * q - q)


@scenario(
    SCALARS,
    args=(0.5, 0.3),
    grad=lambda u, v: ((1 - v * v) / (1 + u * v) ** 2, (1 - u * u) / (1 + u * v) ** 2),
)
def add_velocities(u, v):
    return (u + v) / (1.0 + u * v)


# A kink on every side, evaluated away from them: |x| + min(x, y) + max(y, 0) at x < y, y > 0.
@scenario(SCALARS, args=(-0.7, 0.4), grad=lambda x, y: (np.sign(x) + 1, 1.0))
def kinks(x, y):
    return abs(x) + min(x, y) + max(y, 0.0)


# x % y = x - floor(x / y) y
@scenario(SCALARS, args=(7.3, 2.0), grad=lambda x, y: (1.0, -np.floor(x / y)))
def remainder(x, y):
    return x % y


# int(x) is locally constant.
@scenario(SCALARS, args=(3.7,), grad=lambda x: (np.trunc(x),))
def times_its_integer_part(x):
    return x * int(x)


@scenario(
    SCALARS, args=(0.8, True, 3), grad=lambda x, up, n: (n * np.cosh(x) if up else -1.0, None, None)
)
def switched(x, up, n):
    return n * math.sinh(x) if up else -x


@scenario(
    SCALARS,
    args=(0.5,),
    grad=lambda x: (np.arcsin(x) + (x + 1) / np.sqrt(1 - x * x) - 1 / (1 - x * x),),
)
def inverse_functions(x):
    return (x + 1.0) * math.asin(x) - math.atanh(x)


# 0.5 x^2 for |x| < 1, else |x| - 0.5
@scenario(SCALARS, args=(-2.5,), grad=lambda x: (np.clip(x, -1, 1),))
def huber(x):
    if abs(x) < 1.0:
        return 0.5 * x * x
    return abs(x) - 0.5


# The branch not taken has no value here: the derivative must not see it.
@scenario(SCALARS, args=(-0.5,), grad=lambda x: (2.0 + 0.0 * x,))
def guarded_division(x):
    if x > 0.0:
        return math.sqrt(x) * math.log(x) / x
    return 2.0 * x


# A constant function: the gradient is zero, not an error.
@scenario(SCALARS, args=(2.0,), grad=lambda x: (0.0 * x,))
def constant_function(x):
    return 3.0
