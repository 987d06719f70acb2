"""BlackJAX samples a posterior whose density is a kernel; its moments are known."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax")
blackjax = pytest.importorskip("blackjax")

from enzyme_py.bridges.jax import wrap

MEAN = np.array([1.0, -2.0])
COVARIANCE = np.array([[1.0, 0.6], [0.6, 2.0]])
PRECISION = np.linalg.inv(COVARIANCE)


def log_density(x, mean, precision):
    total = 0.0
    for i in range(x.size):
        for j in range(x.size):
            total -= 0.5 * (x[i] - mean[i]) * precision[i, j] * (x[j] - mean[j])
    return total


def test_moments_of_a_normal_distribution():
    """Means and covariances within five standard errors of what 4 chains of 2000 draws are worth."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        density = wrap(log_density)
        sampler = blackjax.nuts(
            lambda x: density(x, MEAN, PRECISION),
            step_size=0.6,
            inverse_mass_matrix=np.diag(COVARIANCE),
        )

        def chain(key):
            def step(state, key):
                state, _ = sampler.step(key, state)
                return state, state.position

            return jax.lax.scan(step, sampler.init(MEAN), jax.random.split(key, 2000))[1]

        draws = np.asarray(
            jax.jit(jax.vmap(chain))(jax.random.split(jax.random.key(1), 4))
        ).reshape(-1, 2)
    finally:
        jax.config.update("jax_enable_x64", before)
    effective = 2000  # of 8000 draws; these samplers give more
    errors = np.sqrt(np.diag(COVARIANCE) / effective)
    assert np.all(np.abs(draws.mean(axis=0) - MEAN) < 5 * errors)
    assert np.all(np.abs(np.cov(draws.T) - COVARIANCE) < 5 * 2.0 * np.sqrt(2.0 / effective))
