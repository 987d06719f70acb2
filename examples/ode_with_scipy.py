"""Which rates does a reaction have? SciPy fits an ordinary differential equation, with derivatives of the whole solver.

The data come from SciPy's stiff solver, which takes the Jacobian of the right-hand side from here; the model that is fitted
integrates by Runge-Kutta steps in a kernel, so `least_squares` gets the exact Jacobian of what it minimises.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import enzyme_py as enzyme
from enzyme_py.bridges.scipy import residual, system

START = np.array([1.0, 0.0, 0.0])
RATES = np.array([0.8, 0.3, 1.5])
STEPS = 20  # between two times


@enzyme.jit
def slope(t, y, k):
    """A <-> B -> C, the second of order two."""
    forth, back, on = k[0] * y[0], k[1] * y[1], k[2] * y[1] ** 2
    return np.array([back - forth, forth - back - on, on])


@enzyme.jit
def differences(k, times, seen):
    y = START.copy()
    r = np.empty((times.size - 1, 3))
    for i in range(times.size - 1):
        h = (times[i + 1] - times[i]) / STEPS
        for j in range(STEPS):
            t = times[i] + j * h
            a = slope(t, y, k)
            b = slope(t + h / 2, y + h / 2 * a, k)
            c = slope(t + h / 2, y + h / 2 * b, k)
            d = slope(t + h, y + h * c, k)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
        for part in range(3):
            r[i, part] = y[part] - seen[i + 1, part]
    return r.ravel()


def main():
    times = np.linspace(0.0, 8.0, 17)
    s = system(slope)
    options = {"method": "Radau", "rtol": 1e-10, "atol": 1e-12, "t_eval": times}
    seen = solve_ivp(s.fun, (0.0, 8.0), START, jac=s.jac, args=(RATES,), **options).y.T.copy()
    r = residual(differences)
    found = least_squares(r.fun, np.ones(3), jac=r.jac, args=(times, seen), xtol=1e-12)
    print("rates", *(f"{one:.6f}" for one in found.x), f"after {found.njev} Jacobians")
    if np.abs(found.x - RATES).max() > 1e-5:
        raise SystemExit("these are not the rates of the data")


if __name__ == "__main__":
    main()
