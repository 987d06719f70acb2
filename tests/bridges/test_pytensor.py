"""Kernels in PyTensor, beside its own derivatives, in Python and in mode NUMBA; PyMC samples with one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import enzyme_py as enzyme

pytest.importorskip("pytensor")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pytensor
    import pytensor.tensor as pt
    from pytensor.gradient import Rop

from enzyme_py.bridges.pytensor import wrap

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

X = np.array([0.3, 0.7, 1.1])


def sums(x, a, n):
    """y_i = x_i n sin(a (x_0 + ... + x_i)), and the sum of x times a; raises for a negative a."""
    if a < 0.0:
        raise ValueError("a negative number")
    y = np.empty_like(x)
    total = 0.0
    for i in range(x.size):
        total += x[i] * a
        y[i] = np.sin(total) * x[i] * n
    return y, np.sum(x) * a


def sums_of_pytensor(x, a, n):
    return pt.sin(pt.cumsum(x * a)) * x * n, pt.sum(x) * a


def asked(g):
    """Values, gradients, second derivatives, tangents, and a gradient of one result alone."""
    x, a, n = pt.dvector("x"), pt.dscalar("a"), pt.lscalar("n")
    y, total = g(x, a, n)
    slopes = pytensor.grad((y**2).sum() * total, [x, a])
    curves = pytensor.grad((slopes[0] * pt.arange(3)).sum() * slopes[1], [x, a])
    tangents = Rop([y, total], [x, a], [x * 2.0, a * 3.0])
    return [x, a, n], [y, total, *slopes, *curves, *tangents, pytensor.grad(total, x)]


@pytest.mark.parametrize("mode", ["NUMBA", "FAST_COMPILE"])
def test_derivatives_beside_pytensors_own(mode):
    given, results = asked(wrap(sums))
    function = pytensor.function(given, results, mode=mode)
    own = pytensor.function(*asked(sums_of_pytensor), mode="FAST_COMPILE")
    for found, expected in zip(function(X, 2.0, 3), own(X, 2.0, 3), strict=True):
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        assert np.allclose(found, expected, rtol=1e-13, atol=1e-13)
    with pytest.raises(ValueError, match="a negative number"):
        function(X, -2.0, 3)


def test_results_are_not_the_arguments():
    x = pt.dvector("x")
    same = pytensor.function([x], wrap(lambda x: x)(x), mode="NUMBA")
    given = X.copy()
    same(given)[:] = 0.0
    assert np.array_equal(given, X)


def test_what_is_not_taken():
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match="of float16, which kernels do not"
    ):
        wrap(sums)(pt.vector("x", dtype="float16"), 1.0, 1)
    with pytest.raises(enzyme.errors.UnsupportedTypeError, match=r"complex128(.|\n)*imaginary"):
        wrap(sums)(pt.zvector("x"), 1.0, 1)


def test_pymc_samples_with_a_kernel():
    """The mean of a normal distribution, in mode NUMBA: within five standard errors, and no call from Python."""
    pm = pytest.importorskip("pymc")
    scale = np.array([1.0, 2.0])

    def log_density(x, scale):
        return -0.5 * np.sum((x / scale) ** 2)

    with pm.Model():
        x = pm.Flat("x", shape=2)
        pm.Potential("density", wrap(log_density)(x, scale))
        trace = pm.sample(
            draws=1000,
            tune=300,
            chains=1,
            cores=1,
            random_seed=1,
            progressbar=False,
            compute_convergence_checks=False,
            compile_kwargs={"mode": "NUMBA"},
        )
    draws = trace.posterior.x.values.reshape(-1, 2) / scale
    effective = 300  # of 1000 draws; NUTS gives more
    assert np.all(np.abs(draws.mean(axis=0)) < 5 / np.sqrt(effective))
    assert np.all(np.abs(draws.var(axis=0) - 1.0) < 5 * np.sqrt(2.0 / effective))
