"""Complex numbers, seen as pairs of reals: the gradient is dL/dRe + i dL/dIm.

For a holomorphic f and L = Re f(z) that is conj(f'(z)).
"""

from __future__ import annotations

import numpy as np

from tests.scenarios.scenario import Scenario, scenario

COMPLEX: list[Scenario] = []
SIGNAL = np.array([0.5 + 1.0j, -0.3 + 0.2j, 1.1 - 0.7j, 0.4 + 0.9j])
REAL_SIGNAL = np.array([1.0, -0.5, 0.3, 2.0, 0.7])


@scenario(COMPLEX, args=(0.6 - 1.1j,), grad=lambda z: (2 * z,))
def squared_magnitude(z):
    return z.real * z.real + z.imag * z.imag


@scenario(COMPLEX, args=(0.6 - 1.1j,), grad=lambda z: (np.conj(3 * z**2 + 2),))
def real_part_of_polynomial(z):
    return (z * z * z + 2.0 * z).real


# Im f = Re(-i f)
@scenario(
    COMPLEX,
    args=(0.6 - 1.1j, 0.9 + 0.4j),
    grad=lambda z, w: (np.conj(-1j / w), np.conj(1j * z / w**2)),
)
def imaginary_part_of_quotient(z, w):
    return (z / w).imag


@scenario(COMPLEX, args=(SIGNAL,), grad=lambda z: (2 * z,), any_size=True)
def energy(z):
    total = 0.0
    for v in z:
        total += (v * np.conj(v)).real
    return total


@scenario(COMPLEX, args=(SIGNAL, REAL_SIGNAL[:4]), grad=lambda z, w: (w * z / np.abs(z), np.abs(z)))
def weighted_magnitudes(z, w):
    return np.sum(w * np.abs(z))


# Power spectrum at one frequency of a real signal: |F|^2, dF/dx_k = exp(-i w k)
def spectrum_gradient(x, w):
    k = np.arange(x.size)
    f, df = np.sum(x * np.exp(-1j * w * k)), np.sum(-1j * k * x * np.exp(-1j * w * k))
    return 2 * (np.conj(f) * np.exp(-1j * w * k)).real, 2 * (np.conj(f) * df).real


@scenario(COMPLEX, args=(REAL_SIGNAL, 0.8), grad=spectrum_gradient)
def power_at_frequency(x, w):
    f = 0j
    for k in range(x.size):
        f += x[k] * np.exp(-1j * w * k)
    return f.real**2 + f.imag**2


# z := z^2 + c, three times: dz = 2 z dz + dc
def orbit_push(c, dc):
    z = dz = 0.0
    for _ in range(3):
        z, dz = z * z + c, 2 * z * dz + dc
    return (dz,)


@scenario(COMPLEX, args=(-0.4 + 0.3j,), push=orbit_push)
def mandelbrot_orbit(c):
    z = 0j
    for _ in range(3):
        z = z * z + c
    return z


@scenario(COMPLEX, args=(0.2 + 0.5j,), push=lambda z, dz: ((1 + z) * np.exp(z) * dz,))
def times_exponential(z):
    return z * np.exp(z)


@scenario(COMPLEX, args=(SIGNAL, 0.3 - 0.2j), push=lambda z, a, dz, da: (2 * z * dz + np.conj(da),))
def complex_array_returned(z, a):
    return z * z + np.conj(a)


@scenario(
    COMPLEX, args=(1.3, 0.4), push=lambda r, a, dr, da: (np.exp(1j * a) * (dr + 1j * r * da),)
)
def from_polar(r, a):
    return complex(r * np.cos(a), r * np.sin(a))


@scenario(
    COMPLEX,
    args=(SIGNAL, 0.5j),
    writes=(0,),
    push=lambda z, a, dz, da: (None, a * dz + z * da),
    any_size=True,
)
def rotate_in_place(z, a):
    for i in range(z.size):
        z[i] *= a
