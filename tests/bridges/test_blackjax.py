"""BlackJAX samples a posterior whose density is a kernel; its moments are known."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax")
blackjax = pytest.importorskip("blackjax")

import jax.numpy as jnp

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


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def sampled(density, start, scales, step_size, draws, chains):
    """Draws of chains, and whether each diverged."""
    sampler = blackjax.nuts(density, step_size=step_size, inverse_mass_matrix=scales)

    def chain(key):
        def step(state, key):
            state, told = sampler.step(key, state)
            return state, (state.position, told.is_divergent)

        return jax.lax.scan(step, sampler.init(start), jax.random.split(key, draws))[1]

    keys = jax.random.split(jax.random.key(1), chains)
    return map(np.asarray, jax.jit(jax.vmap(chain))(keys))


def test_moments_of_a_normal_distribution():
    """Means and covariances within five standard errors of what 4 chains of 2000 draws are worth."""
    density = wrap(log_density)
    draws, _ = sampled(
        lambda x: density(x, MEAN, PRECISION), MEAN, np.diag(COVARIANCE), 0.6, 2000, 4
    )
    draws = draws.reshape(-1, 2)
    effective = 2000  # of 8000 draws; these samplers give more
    errors = np.sqrt(np.diag(COVARIANCE) / effective)
    assert np.all(np.abs(draws.mean(axis=0) - MEAN) < 5 * errors)
    assert np.all(np.abs(np.cov(draws.T) - COVARIANCE) < 5 * 2.0 * np.sqrt(2.0 / effective))


def funnel(x):
    """Neal's funnel, whose neck no step size fits; behind one edge it is minus infinity, behind another not a number."""
    v = x[0]
    if v < -4.0:
        return -np.inf
    if v > 4.0:
        return np.nan
    total = -v * v / 18.0
    for i in range(1, x.size):
        total -= 0.5 * x[i] * x[i] * np.exp(-v) + 0.5 * v
    return total


def funnel_of_jax(x):
    v = x[0]
    inside = -v * v / 18.0 - 0.5 * jnp.sum(x[1:] ** 2) * jnp.exp(-v) - 0.5 * v * (x.size - 1)
    return jnp.where(v < -4.0, -jnp.inf, jnp.where(v > 4.0, jnp.nan, inside))


def test_divergences_are_the_samplers():
    """Nothing raises: BlackJAX tells them, of the same draws as for a density of JAX."""
    start = np.zeros(3)
    draws, diverged = sampled(wrap(funnel), start, np.ones(3), 2.0, 60, 1)
    own_draws, own_diverged = sampled(funnel_of_jax, start, np.ones(3), 2.0, 60, 1)
    assert diverged.any()
    assert not diverged.all()
    assert np.array_equal(diverged, own_diverged)
    assert np.allclose(draws, own_draws, rtol=1e-6)
    assert np.all(np.abs(draws[..., 0]) <= 4.0)
