"""nutpie samples posteriors whose densities are kernels, by the native door and by Python; their moments are known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import enzyme_py as enzyme

pytest.importorskip("nutpie")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # ArviZ tells of its next version
    import nutpie

from enzyme_py.bridges.nutpie import posterior

# What else nutpie's libraries have to say.
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

MEAN = np.array([1.0, -2.0])
COVARIANCE = np.array([[1.0, 0.6], [0.6, 2.0]])
PRECISION = np.linalg.inv(COVARIANCE)
OPTIONS = {"tune": 300, "chains": 4, "seed": 1, "progress_bar": False}


def log_density(x, mean, precision, edges):
    """A normal distribution with an edge behind which it is not finite, and one behind which it raises."""
    if x[0] > edges[1]:
        raise ValueError("too far")
    if x[0] > edges[0]:
        return np.inf - np.inf
    d = x - mean
    return -0.5 * np.sum(d * (precision @ d))


def sampled(edges, draws, **way):
    named = {"a": (), "b": (1,)}
    start = lambda seed: np.random.default_rng(seed).normal(size=2)
    made = posterior(log_density, named, MEAN, PRECISION, np.array(edges), start=start, **way)
    return nutpie.sample(made, draws=draws, **OPTIONS)


@pytest.mark.parametrize("python", [False, True])
def test_moments_of_a_normal_distribution(python):
    """Means and covariances within five standard errors of what 4 chains of 2000 draws are worth."""
    trace = sampled([np.inf, np.inf], 2000, python=python)
    parts = trace.posterior
    assert parts.a.shape == (4, 2000)
    assert parts.b.shape == (4, 2000, 1)
    draws = np.stack([parts.a.values.ravel(), parts.b.values.ravel()], axis=1)
    effective = 2000  # of 8000 draws; NUTS gives more
    errors = np.sqrt(np.diag(COVARIANCE) / effective)
    assert np.all(np.abs(draws.mean(axis=0) - MEAN) < 5 * errors)
    assert np.all(np.abs(np.cov(draws.T) - COVARIANCE) < 5 * 2.0 * np.sqrt(2.0 / effective))
    assert int(trace.sample_stats.diverging.sum()) == 0


@pytest.mark.parametrize("python", [False, True])
def test_divergences_are_counted_by_nutpie(python):
    """Where the density is not finite, and where the kernel raises, which is told as well; no draw lies there."""
    finite = sampled([2.0, np.inf], 200, python=python)
    assert int(finite.sample_stats.diverging.sum()) > 0
    assert finite.posterior.a.values.max() <= 2.0
    with pytest.warns(RuntimeWarning, match=r"ValueError\('too far'\).*counts as a divergence"):
        raised = sampled([np.inf, 2.0], 200, python=python)
    assert int(raised.sample_stats.diverging.sum()) > 0
    assert raised.posterior.a.values.max() <= 2.0


def test_a_posterior_of_nothing():
    with pytest.raises(enzyme.errors.AnnotationError, match="posterior of nothing"):
        posterior(lambda x: 0.0, {})
