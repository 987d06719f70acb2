"""Draws inside of kernels: constants, the same in the primal and in its derivatives."""

from __future__ import annotations

import random

import numpy as np

from tests.coverage.row import Draw, Table

row = Table("random numbers")
X = Draw(None)
V = Draw((4,))

_NUMBERS = {
    "np.random.rand": "()",
    "np.random.randn": "()",
    "np.random.random": "()",
    "np.random.random_sample": "()",
    "np.random.ranf": "()",
    "np.random.sample": "()",
    "np.random.randint": "(1, 7)",
    "np.random.standard_normal": "()",
    "np.random.standard_exponential": "()",
    "np.random.standard_cauchy": "()",
    "np.random.standard_gamma": "(2.0)",
    "np.random.standard_t": "(3.0)",
    "np.random.normal": "(0.5, 2.0)",
    "np.random.uniform": "(0.5, 2.0)",
    "np.random.beta": "(1.5, 2.0)",
    "np.random.binomial": "(10, 0.3)",
    "np.random.chisquare": "(3.0)",
    "np.random.noncentral_chisquare": "(3.0, 1.0)",
    "np.random.exponential": "(2.0)",
    "np.random.f": "(3.0, 4.0)",
    "np.random.gamma": "(2.0, 1.5)",
    "np.random.geometric": "(0.3)",
    "np.random.gumbel": "(0.5, 1.5)",
    "np.random.hypergeometric": "(10, 5, 6)",
    "np.random.laplace": "(0.5, 1.5)",
    "np.random.logistic": "(0.5, 1.5)",
    "np.random.lognormal": "(0.2, 0.5)",
    "np.random.logseries": "(0.4)",
    "np.random.negative_binomial": "(5, 0.4)",
    "np.random.pareto": "(3.0)",
    "np.random.poisson": "(4.0)",
    "np.random.power": "(3.0)",
    "np.random.rayleigh": "(2.0)",
    "np.random.triangular": "(0.0, 1.0, 2.0)",
    "np.random.vonmises": "(0.5, 2.0)",
    "np.random.wald": "(1.0, 2.0)",
    "np.random.weibull": "(2.0)",
    "np.random.zipf": "(2.5)",
    "random.random": "()",
    "random.randint": "(1, 7)",
    "random.randrange": "(1, 7)",
    "random.getrandbits": "(5)",
    "random.uniform": "(0.5, 2.0)",
    "random.triangular": "(0.0, 2.0, 1.0)",
    "random.betavariate": "(1.5, 2.0)",
    "random.expovariate": "(2.0)",
    "random.gammavariate": "(2.0, 1.5)",
    "random.gauss": "(0.5, 2.0)",
    "random.lognormvariate": "(0.2, 0.5)",
    "random.normalvariate": "(0.5, 2.0)",
    "random.paretovariate": "(3.0)",
    "random.vonmisesvariate": "(0.5, 2.0)",
    "random.weibullvariate": "(1.5, 2.0)",
}


def _seeded(draw: str) -> object:
    module = "random" if draw.startswith("random.") else "np.random"
    lines = f"def kernel(x):\n    {module}.seed(7)\n    return x * {draw} + x * x\n"
    scope = {"np": np, "random": random}
    exec(lines, scope)
    return scope["kernel"]


for _name, _given in _NUMBERS.items():
    row(_name, _seeded(_name + _given), X, numba=True)


def _noise(x):
    np.random.seed(3)
    return x * np.random.normal(0.0, 1.0, 4) + x * x


def _shape(x):
    np.random.seed(3)
    return x * np.random.rand(4)


def _scaled(mean, width):
    np.random.seed(3)
    total = 0.0
    for _ in range(5):
        total += np.sin(mean + width * np.random.standard_normal())
    return total


def _through(mean, width):
    np.random.seed(3)
    return np.random.normal(mean, width)


def _uniform(low, high):
    np.random.seed(3)
    return np.random.uniform(low, high)


def _exponential(scale):
    np.random.seed(3)
    return np.random.exponential(scale)


def _shuffled(x):
    np.random.seed(3)
    y = x * 1.0
    np.random.shuffle(y)
    return y


def _permuted(x):
    np.random.seed(3)
    return np.random.permutation(x)


def _chosen(x):
    np.random.seed(3)
    return np.random.choice(x, 3)


def _multinomial(x):
    np.random.seed(3)
    return x * np.random.multinomial(10, np.array([0.2, 0.3, 0.4, 0.1]))


def _dirichlet(x):
    np.random.seed(3)
    return x * np.random.dirichlet(np.array([0.2, 0.3, 0.4, 0.1]))


row("np.random.seed", _scaled, X, X, numba=True)
row("np.random.normal of a size", _noise, V, numba=True)
row("np.random.rand of a size", _shape, V, numba=True)
row("np.random.normal by its parameters", _through, X, X, numba=True)
row("np.random.uniform by its parameters", _uniform, X, X, numba=True)
row("np.random.exponential by its parameters", _exponential, X, numba=True)
row("np.random.shuffle", _shuffled, V, numba=True)
row("np.random.permutation", _permuted, V, numba=True)
row("np.random.choice", _chosen, V, numba=True)
row("np.random.multinomial", _multinomial, V, numba=True)
row("np.random.dirichlet", _dirichlet, V, numba=True)
