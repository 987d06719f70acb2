"""How to steer a rocket from the ground of the Moon into an orbit with the least loss of speed.

Thrust is constant and mass falls as fuel burns. What is sought is the angle of the thrust in each of 60 intervals of
time: at the end the rocket shall be 18 km high, shall neither rise nor fall, and shall be as fast as can be. The theory
of optimal control knows the answer's form: the tangent of the angle is a straight line in time (the linear tangent law).
The program knows nothing of it; it only has the flight and its derivatives.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import enzyme_py as enzyme

GRAVITY = 1.62  # of the Moon, m/s^2
THRUST, EXHAUST = 4.0, 3000.0  # first acceleration, m/s^2; speed of the exhaust, m/s
SECONDS, HEIGHT = 420.0, 18.0  # km; in these units all numbers are of the same size


@enzyme.jit
def flight(angles):
    """Return (height in km, rate of climb in km/s, speed along the ground in km/s) at the end."""
    n = angles.size
    dt = SECONDS / n
    mass, height, climb, speed = 1.0, 0.0, 0.0, 0.0
    for i in range(n):
        push = 0.001 * THRUST / mass
        up = push * np.sin(angles[i]) - 0.001 * GRAVITY
        height += dt * climb + 0.5 * dt * dt * up
        climb += dt * up
        speed += dt * push * np.cos(angles[i])
        mass -= dt * THRUST / EXHAUST
    return np.array([height, climb, speed])


def steered(n):
    """Return the best angles, and what the optimiser says."""
    slopes = enzyme.jacrev(flight)
    aim = np.array([HEIGHT, 0.0])
    return minimize(
        lambda angles: -flight(angles)[2],
        np.linspace(1.2, 0.0, n),
        jac=lambda angles: -slopes(angles)[2],
        constraints={
            "type": "eq",
            "fun": lambda angles: flight(angles)[:2] - aim,
            "jac": lambda angles: slopes(angles)[:2],
        },
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-14},
    )


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Find the angles, and how far their tangent is from a straight line."""
    n = 15 if short else 60
    found = steered(n)
    middle = (np.arange(n) + 0.5) * SECONDS / n
    tangent = np.tan(found.x)
    line = np.polyfit(middle, tangent, 1)
    bend = np.max(np.abs(tangent - np.polyval(line, middle)))
    height, climb, speed = flight(found.x)
    straight = flight(np.full(n, found.x.mean()))[2]
    print(f"rocket: {1000 * speed:.1f} m/s at {height:.3f} km; tan(angle) is straight to {bend:.1e}")
    if picture is not None:
        _draw(picture, middle, found.x, line)
    return {"height": height, "climb": climb, "speed": speed, "bend": bend, "straight": straight}


def _draw(picture, middle, angles, line):
    from examples.gallery import drawing

    figure, (left, right) = drawing.axes(2)
    paths = np.array([_path(angles), _path(np.linspace(1.2, 0.0, angles.size))])
    left.plot(*paths[0], color=drawing.BLUE, label="found")
    left.plot(*paths[1], color=drawing.GREY, ls="--", label="first guess")
    left.set(xlabel="along the ground, km", ylabel="height, km")
    left.legend(frameon=False)
    right.plot(middle, np.tan(angles), ".", color=drawing.BLUE, label="tan(angle), found")
    right.plot(middle, np.polyval(line, middle), color=drawing.ORANGE, lw=1, label="a straight line")
    right.set(xlabel="time, s")
    right.legend(frameon=False)
    drawing.save(figure, picture)


def _path(angles):
    n = angles.size
    dt = SECONDS / n
    push = 0.001 * THRUST / (1.0 - np.arange(n) * dt * THRUST / EXHAUST)
    speed = np.cumsum(dt * push * np.cos(angles))
    climb = np.cumsum(dt * (push * np.sin(angles) - 0.001 * GRAVITY))
    return np.cumsum(speed * dt), np.cumsum(climb * dt)


if __name__ == "__main__":
    main()
