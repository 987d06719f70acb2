"""Adjoints of particles."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit
def pair_forces(x, steps, dt):
    """The places are kept; the force of a pair is computed again."""
    n = x.shape[0]
    kept = np.empty((steps + 1, n, 3))
    kept[0] = x
    speed = np.zeros((n, 3))
    for t in range(steps):
        place = kept[t]
        force = np.zeros((n, 3))
        for i in range(n):
            for j in range(i + 1, n):
                dx = place[i, 0] - place[j, 0]
                dy = place[i, 1] - place[j, 1]
                dz = place[i, 2] - place[j, 2]
                inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 0.1)
                strength = inverse * inverse * (inverse - 0.5)
                force[i, 0] += strength * dx
                force[i, 1] += strength * dy
                force[i, 2] += strength * dz
                force[j, 0] -= strength * dx
                force[j, 1] -= strength * dy
                force[j, 2] -= strength * dz
        speed += dt * force
        kept[t + 1] = place + dt * speed
    to_place = 2.0 * kept[steps]
    to_speed = np.zeros((n, 3))
    for t in range(steps - 1, -1, -1):
        to_speed += dt * to_place
        place = kept[t]
        for i in range(n):
            px, py, pz = place[i, 0], place[i, 1], place[i, 2]
            fx, fy, fz = to_speed[i, 0], to_speed[i, 1], to_speed[i, 2]
            sx, sy, sz = 0.0, 0.0, 0.0
            for j in range(i + 1, n):
                dx, dy, dz = px - place[j, 0], py - place[j, 1], pz - place[j, 2]
                gx = dt * (fx - to_speed[j, 0])
                gy = dt * (fy - to_speed[j, 1])
                gz = dt * (fz - to_speed[j, 2])
                inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 0.1)
                strength = inverse * inverse * (inverse - 0.5)
                bend = inverse * (3.0 * inverse - 1.0)
                pull = -2.0 * inverse * inverse * bend * (gx * dx + gy * dy + gz * dz)
                hx, hy, hz = strength * gx + pull * dx, strength * gy + pull * dy, strength * gz + pull * dz
                sx, sy, sz = sx + hx, sy + hy, sz + hz
                to_place[j, 0] -= hx
                to_place[j, 1] -= hy
                to_place[j, 2] -= hz
            to_place[i, 0] += sx
            to_place[i, 1] += sy
            to_place[i, 2] += sz
    return np.sum(kept[steps] * kept[steps]), to_place


@njit
def planets(x, mass, steps, dt):
    """The places are kept; pulls are computed again."""
    n = mass.size
    kept = np.empty((steps + 1, n, 3))
    kept[0] = x
    speed = np.zeros_like(x)
    for t in range(steps):
        place = kept[t]
        for i in range(n):
            ax, ay, az = 0.0, 0.0, 0.0
            for j in range(n):
                if i != j:
                    dx = place[j, 0] - place[i, 0]
                    dy = place[j, 1] - place[i, 1]
                    dz = place[j, 2] - place[i, 2]
                    square = dx * dx + dy * dy + dz * dz + 0.01
                    pull = mass[j] / (square * math.sqrt(square))
                    ax += pull * dx
                    ay += pull * dy
                    az += pull * dz
            speed[i, 0] += dt * ax
            speed[i, 1] += dt * ay
            speed[i, 2] += dt * az
        kept[t + 1] = place + dt * speed
    to_place = 2.0 * kept[steps]
    to_speed = np.zeros_like(x)
    for t in range(steps - 1, -1, -1):
        to_speed += dt * to_place
        place = kept[t]
        for i in range(n):
            fx, fy, fz = dt * to_speed[i, 0], dt * to_speed[i, 1], dt * to_speed[i, 2]
            sx, sy, sz = 0.0, 0.0, 0.0
            for j in range(n):
                if i != j:
                    dx = place[j, 0] - place[i, 0]
                    dy = place[j, 1] - place[i, 1]
                    dz = place[j, 2] - place[i, 2]
                    square = dx * dx + dy * dy + dz * dz + 0.01
                    pull = mass[j] / (square * math.sqrt(square))
                    bend = -3.0 * pull / square * (fx * dx + fy * dy + fz * dz)
                    gx, gy, gz = pull * fx + bend * dx, pull * fy + bend * dy, pull * fz + bend * dz
                    sx, sy, sz = sx + gx, sy + gy, sz + gz
                    to_place[j, 0] += gx
                    to_place[j, 1] += gy
                    to_place[j, 2] += gz
            to_place[i, 0] -= sx
            to_place[i, 1] -= sy
            to_place[i, 2] -= sz
    return np.sum(kept[steps] * kept[steps]), to_place


@njit
def spring_chain(x, steps, dt):
    """The places are kept; a spring takes what its ends differ by."""
    n = x.size
    kept = np.empty((steps + 1, n))
    kept[0] = x
    speed = np.zeros(n)
    for t in range(steps):
        place, new = kept[t], kept[t + 1]
        for i in range(1, n - 1):
            left = place[i] - place[i - 1]
            right = place[i + 1] - place[i]
            speed[i] += dt * (right - left + 0.3 * (right * right - left * left))
        for i in range(n):
            new[i] = place[i] + dt * speed[i]
    to_place, to_speed = np.ones(n), speed.copy()
    spring = np.empty(n - 1)
    for t in range(steps - 1, -1, -1):
        place = kept[t]
        for i in range(1, n - 1):
            to_speed[i] += dt * to_place[i]
        for i in range(n - 1):
            bend = 1.0 + 0.6 * (place[i + 1] - place[i])
            spring[i] = dt * bend * (to_speed[i] - to_speed[i + 1])
        to_place[0] -= spring[0]
        for i in range(1, n - 1):
            to_place[i] += spring[i - 1] - spring[i]
        to_place[n - 1] += spring[n - 2]
    return 0.5 * np.sum(speed * speed) + np.sum(kept[steps]), to_place


@njit
def k_means(centres, points):
    """A point moves its nearest centre alone."""
    total = 0.0
    back = np.zeros_like(centres)
    for p in range(points.shape[0]):
        best, nearest = np.inf, 0
        for c in range(centres.shape[0]):
            square = 0.0
            for k in range(points.shape[1]):
                d = points[p, k] - centres[c, k]
                square += d * d
            if square < best:
                best, nearest = square, c
        total += best
        for k in range(points.shape[1]):
            back[nearest, k] -= 2.0 * (points[p, k] - centres[nearest, k])
    return total, back


@njit
def pair_energy(x):
    """Forward and backward at once: what a pair pulls at one, it pulls at the other."""
    energy, slope = 0.0, np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            a, b, c = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            square = a * a + b * b + c * c
            near = 1.0 / (square * square * square)
            energy += 4.0 * (near * near - near)
            pull = -24.0 * near * (2.0 * near - 1.0) / square
            slope[i, 0] += pull * a
            slope[i, 1] += pull * b
            slope[i, 2] += pull * c
            slope[j, 0] -= pull * a
            slope[j, 1] -= pull * b
            slope[j, 2] -= pull * c
    return energy, slope
