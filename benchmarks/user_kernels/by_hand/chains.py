"""Adjoints of chains of numbers: integrators, filters, sampling."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit
def rosenbrock(x):
    """Forward and backward at once."""
    total, slope = 0.0, np.zeros(x.size)
    for i in range(x.size - 1):
        off, short = x[i + 1] - x[i] ** 2, 1.0 - x[i]
        total += 100.0 * off**2 + short**2
        slope[i + 1] += 200.0 * off
        slope[i] -= 400.0 * off * x[i] + 2.0 * short
    return total, slope


@njit
def lorenz_rk4(x, steps, dt):
    """The numbers of each step are kept, its three middle points are made again."""
    kept = np.empty((steps, 3))
    a, b, c = x[0], x[1], x[2]
    third, sixth, half = dt / 3.0, dt / 6.0, 0.5 * dt
    for s in range(steps):
        kept[s, 0], kept[s, 1], kept[s, 2] = a, b, c
        ka, kb, kc = 10.0 * (b - a), a * (28.0 - c) - b, a * b - 8.0 / 3.0 * c
        p, q, r = a + half * ka, b + half * kb, c + half * kc
        la, lb, lc = 10.0 * (q - p), p * (28.0 - r) - q, p * q - 8.0 / 3.0 * r
        p, q, r = a + half * la, b + half * lb, c + half * lc
        ma, mb, mc = 10.0 * (q - p), p * (28.0 - r) - q, p * q - 8.0 / 3.0 * r
        p, q, r = a + dt * ma, b + dt * mb, c + dt * mc
        na, nb, nc = 10.0 * (q - p), p * (28.0 - r) - q, p * q - 8.0 / 3.0 * r
        a += sixth * (ka + 2.0 * la + 2.0 * ma + na)
        b += sixth * (kb + 2.0 * lb + 2.0 * mb + nb)
        c += sixth * (kc + 2.0 * lc + 2.0 * mc + nc)
    value = a * a + b * b + c * c
    da, db, dc = 2.0 * a, 2.0 * b, 2.0 * c
    for s in range(steps - 1, -1, -1):
        a, b, c = kept[s, 0], kept[s, 1], kept[s, 2]
        p2 = a + half * (10.0 * (b - a))
        q2 = b + half * (a * (28.0 - c) - b)
        r2 = c + half * (a * b - 8.0 / 3.0 * c)
        p3 = a + half * (10.0 * (q2 - p2))
        q3 = b + half * (p2 * (28.0 - r2) - q2)
        r3 = c + half * (p2 * q2 - 8.0 / 3.0 * r2)
        p4 = a + dt * (10.0 * (q3 - p3))
        q4 = b + dt * (p3 * (28.0 - r3) - q3)
        r4 = c + dt * (p3 * q3 - 8.0 / 3.0 * r3)
        oa, ob, oc = da, db, dc
        u, v, w = sixth * oa, sixth * ob, sixth * oc
        e, f, g = -10.0 * u + (28.0 - r4) * v + q4 * w, 10.0 * u - v + p4 * w, -p4 * v - 8.0 / 3.0 * w
        da, db, dc = da + e, db + f, dc + g
        u, v, w = third * oa + dt * e, third * ob + dt * f, third * oc + dt * g
        e, f, g = -10.0 * u + (28.0 - r3) * v + q3 * w, 10.0 * u - v + p3 * w, -p3 * v - 8.0 / 3.0 * w
        da, db, dc = da + e, db + f, dc + g
        u, v, w = third * oa + half * e, third * ob + half * f, third * oc + half * g
        e, f, g = -10.0 * u + (28.0 - r2) * v + q2 * w, 10.0 * u - v + p2 * w, -p2 * v - 8.0 / 3.0 * w
        da, db, dc = da + e, db + f, dc + g
        u, v, w = sixth * oa + half * e, sixth * ob + half * f, sixth * oc + half * g
        da += -10.0 * u + (28.0 - c) * v + b * w
        db += 10.0 * u - v + a * w
        dc += -a * v - 8.0 / 3.0 * w
    return value, np.array([da, db, dc])


@njit
def predators(x, seen, dt):
    """What ten steps begin with is kept, and the steps are made again."""
    times = seen.shape[0]
    kept, inside = np.empty((times, 2)), np.empty((10, 2))
    prey, hunters, loss = x[4], x[5], 0.0
    for t in range(times):
        kept[t, 0], kept[t, 1] = prey, hunters
        for _ in range(10):
            more = prey * (x[0] - x[1] * hunters)
            less = hunters * (x[2] * prey - x[3])
            prey += dt * more
            hunters += dt * less
        loss += (prey - seen[t, 0]) ** 2 + (hunters - seen[t, 1]) ** 2
    g0 = g1 = g2 = g3 = dp = dh = 0.0
    for t in range(times - 1, -1, -1):
        p, h = kept[t, 0], kept[t, 1]
        for s in range(10):
            inside[s, 0], inside[s, 1] = p, h
            p, h = p + dt * (p * (x[0] - x[1] * h)), h + dt * (h * (x[2] * p - x[3]))
        dp += 2.0 * (p - seen[t, 0])
        dh += 2.0 * (h - seen[t, 1])
        for s in range(9, -1, -1):
            p, h = inside[s, 0], inside[s, 1]
            more, less = dt * dp, dt * dh
            g0 += more * p
            g1 -= more * p * h
            g2 += less * h * p
            g3 -= less * h
            dp, dh = dp + more * (x[0] - x[1] * h) + less * h * x[2], dh - more * p * x[1] + less * (x[2] * p - x[3])
    return loss, np.array([g0, g1, g2, g3, dp, dh])


@njit
def implicit_euler(x, steps, dt):
    """The number of each step is kept, Newton's five are made again."""
    kept, inside = np.empty(steps), np.empty(5)
    y = x[0]
    for step in range(steps):
        kept[step] = new = y
        for _ in range(5):
            wrong = new - y - dt * (x[1] * math.cos(0.01 * step) - x[2] * new * new * new)
            new -= wrong / (1.0 + 3.0 * dt * x[2] * new * new)
        y = new
    value, dy, g1, g2 = y * y, 2.0 * y, 0.0, 0.0
    for step in range(steps - 1, -1, -1):
        y, force = kept[step], math.cos(0.01 * step)
        new = y
        for k in range(5):
            inside[k] = new
            new -= (new - y - dt * (x[1] * force - x[2] * new * new * new)) / (1.0 + 3.0 * dt * x[2] * new * new)
        back, dy = dy, 0.0
        for k in range(4, -1, -1):
            new = inside[k]
            square = new * new
            inverse = 1.0 / (1.0 + 3.0 * dt * x[2] * square)
            wrong = (new - y - dt * (x[1] * force - x[2] * square * new)) * inverse
            down = back * inverse
            dy += down
            g1 += down * dt * force
            g2 += down * dt * square * (3.0 * wrong - new)
            back = down * wrong * 6.0 * dt * x[2] * new
        dy += back
    return value, np.array([dy, g1, g2])


@njit
def garch(x, returns):
    """All variances are kept."""
    kept = np.empty(returns.size)
    rest = 1.0 - x[1] - x[2]
    variance, total = x[0] / rest, 0.0
    for t in range(returns.size):
        kept[t] = variance
        total += 0.5 * (math.log(variance) + returns[t] ** 2 / variance)
        variance = x[0] + x[1] * returns[t] ** 2 + x[2] * variance
    back = g0 = g1 = g2 = 0.0
    for t in range(returns.size - 1, -1, -1):
        square, inverse = returns[t] ** 2, 1.0 / kept[t]
        g0 += back
        g1 += back * square
        g2 += back * kept[t]
        back = back * x[2] + 0.5 * inverse * (1.0 - square * inverse)
    first = back * x[0] / (rest * rest)
    return total, np.array([g0 + back / rest, g1 + first, g2 + first])


@njit
def local_level(x, seen):
    """Covariance and error of each step are kept."""
    kept, off = np.empty(seen.size), np.empty(seen.size)
    state, cov, total = 0.0, 1.0, 0.0
    for t in range(seen.size):
        cov += x[0]
        spread = cov + x[1]
        error = seen[t] - state
        kept[t], off[t] = cov, error
        total += 0.5 * (math.log(spread) + error * error / spread)
        gain = cov / spread
        state += gain * error
        cov *= 1.0 - gain
    g0 = g1 = of_state = of_cov = 0.0
    for t in range(seen.size - 1, -1, -1):
        cov, error = kept[t], off[t]
        inverse = 1.0 / (cov + x[1])
        gain = cov * inverse
        of_gain = of_state * error - of_cov * cov
        of_spread = 0.5 * inverse * (1.0 - error * error * inverse) - of_gain * gain * inverse
        of_cov = of_cov * (1.0 - gain) + of_gain * inverse + of_spread
        of_state -= of_state * gain + error * inverse
        g0 += of_cov
        g1 += of_spread
    return total, np.array([g0, g1])


@njit
def julia(x, points, turns):
    """All numbers of a point are kept."""
    kept = np.empty((turns, 2))
    total = g0 = g1 = g2 = 0.0
    for p in range(points):
        re, im = x[2] * p / points, 0.1
        for t in range(turns):
            kept[t, 0], kept[t, 1] = re, im
            re, im = re * re - im * im + x[0], 2.0 * re * im + x[1]
        total += re * re + im * im
        dr, di = 2.0 * re, 2.0 * im
        for t in range(turns - 1, -1, -1):
            g0 += dr
            g1 += di
            re, im = kept[t, 0], kept[t, 1]
            dr, di = 2.0 * (re * dr + im * di), 2.0 * (re * di - im * dr)
        g2 += dr * p / points
    return total / points, np.array([g0, g1, g2]) / points


@njit
def asian_option(x, draws, strike):
    """The prices of a path are kept."""
    paths, steps = draws.shape
    kept = np.empty(steps + 1)
    dt = 1.0 / steps
    root, drift = math.sqrt(dt), (x[1] - 0.5 * x[2] ** 2) * dt
    total = g0 = g1 = g2 = 0.0
    for p in range(paths):
        price, mean = x[0], 0.0
        kept[0] = price
        for t in range(steps):
            price *= math.exp(drift + x[2] * root * draws[p, t])
            kept[t + 1] = price
            mean += price
        if mean / steps <= strike:
            continue
        total += mean / steps - strike
        above = 0.0  # what follows a step, times its price
        for t in range(steps - 1, -1, -1):
            above += kept[t + 1]
            g1 += above * dt
            g2 += above * (root * draws[p, t] - x[2] * dt)
        g0 += above / x[0]
    now = math.exp(-x[1]) / paths
    value, each = now * total, now / steps
    return value, np.array([g0 * each, g1 * each - value, g2 * each])
