"""Filters and dynamic programming: states that are carried from step to step."""

from __future__ import annotations

import math

import numpy as np

from user_kernels.rows import Row, numbers


def kalman(x, seen):
    """A Kalman filter of place and speed, on small matrices: minus the log-likelihood."""
    move = np.array([[1.0, x[0]], [0.0, x[1]]])
    state = np.zeros(2)
    cov = np.eye(2)
    total = 0.0
    for t in range(seen.size):
        state = move @ state
        cov = move @ cov @ move.T + x[2] * np.eye(2)
        spread = cov[0, 0] + x[3]
        error = seen[t] - state[0]
        total += 0.5 * (np.log(spread) + error * error / spread)
        gain = cov[:, 0] / spread
        state = state + gain * error
        cov = cov - np.outer(gain, cov[0, :])
    return total


def local_level(x, seen):
    """A Kalman filter of one number."""
    state, cov, total = 0.0, 1.0, 0.0
    for t in range(seen.size):
        cov += x[0]
        spread = cov + x[1]
        error = seen[t] - state
        total += 0.5 * (math.log(spread) + error * error / spread)
        gain = cov / spread
        state += gain * error
        cov *= 1.0 - gain
    return total


def hidden_markov(logits, emissions, seen):
    """The forward algorithm of a hidden Markov model, in logarithms."""
    n = logits.shape[0]
    alpha = np.zeros(n)
    new = np.zeros(n)
    for t in range(seen.size):
        for j in range(n):
            top = -np.inf
            for i in range(n):
                top = max(top, alpha[i] + logits[i, j])
            total = 0.0
            for i in range(n):
                total += math.exp(alpha[i] + logits[i, j] - top)
            new[j] = top + math.log(total) + emissions[j, seen[t]]
        alpha[:] = new
    return np.log(np.sum(np.exp(alpha - np.max(alpha)))) + np.max(alpha)


def scaled_markov(transitions, emissions, seen):
    """The same with probabilities, scaled each step, on matrices."""
    alpha = np.ones(transitions.shape[0]) / transitions.shape[0]
    total = 0.0
    for t in range(seen.size):
        alpha = (alpha @ transitions) * emissions[:, seen[t]]
        scale = np.sum(alpha)
        alpha = alpha / scale
        total += np.log(scale)
    return total


def recursive_filter(signal, b0, b1, a1, a2):
    """A recursive filter of second order over a long signal."""
    y = np.zeros(signal.size)
    for t in range(2, signal.size):
        y[t] = b0 * signal[t] + b1 * signal[t - 1] - a1 * y[t - 1] - a2 * y[t - 2]
    total = 0.0
    for t in range(y.size):
        total += y[t] * y[t]
    return total


def filtered_channels(signals, a):
    """An exponential average of many channels, a row of the result a step."""
    y = np.zeros_like(signals)
    y[0] = signals[0]
    for t in range(1, signals.shape[0]):
        y[t] = a * y[t - 1] + (1.0 - a) * signals[t]
    return np.sum(y * y)


def alignment(costs, gap):
    """All alignments of two sequences, in logarithms."""
    n, m = costs.shape
    score = np.empty((n + 1, m + 1))
    for i in range(n + 1):
        score[i, 0] = -gap * i
    for j in range(m + 1):
        score[0, j] = -gap * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            both = score[i - 1, j - 1] + costs[i - 1, j - 1]
            up = score[i - 1, j] - gap
            left = score[i, j - 1] - gap
            top = max(both, up, left)
            total = math.exp(both - top) + math.exp(up - top) + math.exp(left - top)
            score[i, j] = top + math.log(total)
    return score[n, m]


def edit_distance(costs, gap):
    """The best alignment alone: minima."""
    n, m = costs.shape
    score = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        score[i, 0] = gap * i
    for j in range(1, m + 1):
        score[0, j] = gap * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            both = score[i - 1, j - 1] + costs[i - 1, j - 1]
            score[i, j] = min(both, score[i - 1, j] + gap, score[i, j - 1] + gap)
    return score[n, m]


def garch(x, returns):
    """GARCH(1, 1): minus the log-likelihood of returns."""
    variance = x[0] / (1.0 - x[1] - x[2])
    total = 0.0
    for t in range(returns.size):
        total += 0.5 * (math.log(variance) + returns[t] ** 2 / variance)
        variance = x[0] + x[1] * returns[t] ** 2 + x[2] * variance
    return total


def symbols(n):
    return np.random.default_rng(2).integers(0, 5, n)


ROWS = (
    Row(kalman, lambda n: (np.array([0.1, 0.9, 0.1, 0.5]), numbers(n)), 2000, 6, "NumPy"),
    Row(local_level, lambda n: (np.array([0.1, 0.5]), numbers(n)), 200_000, 6),
    Row(hidden_markov, lambda n: (numbers(8, 8), numbers(8, 5), symbols(n)), 5000, 5),
    Row(
        scaled_markov, lambda n: (numbers(8, 8) / 8.0, numbers(8, 5), symbols(n)), 10_000, 5, "NumPy"
    ),
    Row(recursive_filter, lambda n: (numbers(n), 0.3, 0.2, -0.5, 0.3), 500_000, 9),
    Row(filtered_channels, lambda n: (numbers(n, 64), 0.9), 20_000, 5, "NumPy"),
    Row(alignment, lambda n: (numbers(n, n), 0.4), 400, 5),
    Row(edit_distance, lambda n: (numbers(n, n), 0.4), 1000, 5),
    Row(garch, lambda n: (np.array([0.1, 0.2, 0.6]), numbers(n) - 0.5), 500_000, 6),
)
