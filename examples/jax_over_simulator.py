"""A JAX optimiser over a Numba simulator: how must a ball be thrown through the wind to land in a given place?

The simulator is a loop with a stop that depends on the data, compiled by Numba. JAX's jit compiles a whole descent around it, by gradients, and
vmap takes several places at once.
"""

import importlib.util

import numpy as np


def landing(throw, wind):
    """Return where a ball lands that is thrown with velocities (along, across, up); the air brakes it."""
    place, velocity = np.zeros(3), throw.copy()
    h = 0.01
    while True:
        before = place.copy()
        relative = velocity - wind
        speed = np.sqrt(np.sum(relative * relative))
        velocity = velocity - h * 0.02 * speed * relative
        velocity[2] -= h * 9.81
        place = place + h * velocity
        if place[2] < 0.0:
            part = before[2] / (before[2] - place[2])
            return (before + part * (place - before))[:2]


def main():
    import jax
    import jax.numpy as jnp

    from enzyme_py.bridges.jax import wrap

    jax.config.update("jax_enable_x64", True)
    simulator = wrap(landing)
    wind = np.array([-1.0, 2.0, 0.0])

    @jax.jit
    @jax.vmap
    def aimed(goal):
        def miss(throw):
            return jnp.sum((simulator(throw, wind) - goal) ** 2) + 1e-3 * jnp.sum(throw**2)

        def step(throw, _):
            return throw - 0.02 * jax.grad(miss)(throw), miss(throw)

        throw, misses = jax.lax.scan(step, jnp.array([5.0, 0.1, 5.0]), None, length=400)
        return throw, misses[-1]

    goals = np.array([[10.0, 0.0], [12.0, 3.0], [8.0, -2.0]])
    throws, _ = aimed(goals)
    for goal, throw in zip(goals, throws, strict=True):
        found = simulator(throw, wind)
        print(f"to reach {goal}: throw {np.round(throw, 3)}, it lands at {np.round(found, 3)}")
        if np.abs(found - goal).max() > 0.1:
            raise SystemExit("it lands elsewhere")


if __name__ == "__main__":
    if importlib.util.find_spec("jax"):
        main()
    else:
        print('this example needs JAX: pip install "enzyme_py[jax]"')
