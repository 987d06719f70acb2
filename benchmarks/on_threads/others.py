"""The same gradients by others: C with OpenMP by hand (benchmarks/by_hand/on_threads.c), and JAX as it comes.

JAX has a pool of as many threads as there are cores, which it shares out work to as it sees fit.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SOURCE = Path(__file__).resolve().parent.parent / "by_hand" / "on_threads.c"
FLAGS = "-O3 -march=native -ffp-contract=fast -fopenmp -shared -fPIC".split()
Gradient = Callable[..., Any]


def compiled_by_hand() -> Any:
    """Return the library of gradients by hand."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "on_threads.so"
        subprocess.run(["gcc", *FLAGS, str(SOURCE), "-o", str(library), "-lm"], check=True)
        return ctypes.CDLL(str(library))


def by_hand(library: Any, name: str, threads: int, given: tuple[Any, ...]) -> Callable[[], np.ndarray]:
    """Return a call of one gradient by hand, into an array that is there; it says how many threads it wants."""
    pointer = ctypes.POINTER(ctypes.c_double)
    x, *others = given
    result = np.empty_like(x)
    function = getattr(library, name)
    arguments = [one.ctypes.data_as(pointer) for one in (x, result, *others)]

    def call() -> np.ndarray:
        library.set_threads(threads)
        function(arguments[0], ctypes.c_ssize_t(x.size), *arguments[1:])
        return result

    return call


def by_jax(name: str, given: tuple[Any, ...]) -> Callable[[], np.ndarray] | None:
    """Return a call of one gradient by JAX, in float64; nothing if JAX is not there."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    gradient = jax.jit(jax.grad(getattr(_Jax, name)))
    arguments = [jax.numpy.asarray(one) for one in given]
    return lambda: gradient(*arguments).block_until_ready()


class _Jax:
    """The kernels, as JAX's users write them."""

    @staticmethod
    def iterated_sines(x):
        import jax

        def turn(_, v):
            return jax.numpy.sin(v) + 0.1

        return jax.lax.fori_loop(0, 30, turn, x).sum()

    @staticmethod
    def pair_energies(x):
        import jax.numpy as jnp

        d = x[:, None] - x[None, :]
        return jnp.exp(-d * d).sum()

    @staticmethod
    def rows(x):
        import jax.numpy as jnp

        a = x.reshape(20000, 100)
        return jnp.sqrt((a * a).sum(axis=1) + 1.0).sum()

    @staticmethod
    def elementwise(x):
        import jax.numpy as jnp

        return (jnp.exp(x) * jnp.sin(x)).sum()

    @staticmethod
    def expressions(x):
        import jax.numpy as jnp

        y = jnp.exp(x) * jnp.sin(x)
        z = y * y + x
        return (z * z).sum()

    @staticmethod
    def stencil(x):
        import jax.numpy as jnp

        out = x[:-2] * x[1:-1] + jnp.sin(x[2:])
        return (out * out).sum()

    @staticmethod
    def gather(x):
        import jax.numpy as jnp

        v = x[jnp.arange(2_000_000) * 7 % 1000]
        return (v * v).sum()

    @staticmethod
    def logistic(w, data, labels):
        import jax.numpy as jnp

        return jnp.log1p(jnp.exp(-labels * (data @ w))).sum()

    @staticmethod
    def layer(m, v):
        import jax.numpy as jnp

        return (jnp.tanh(m @ v) ** 2).sum()

    @staticmethod
    def orbits(x):
        import jax

        def turn(_, z):
            return z * z * 0.3 + (0.5 * x + 0.1j)

        z = jax.lax.fori_loop(0, 20, turn, x + 0.3j)
        return (z.real**2 + z.imag**2).sum()

    @staticmethod
    def options(x):
        import jax.numpy as jnp
        from jax.scipy.special import erf

        above = (jnp.log(x) + 0.025) / 0.2
        calls = x * 0.5 * (1.0 + erf(above * 0.7071067811865476))
        return (calls - 0.98 * 0.5 * (1.0 + erf((above - 0.2) * 0.7071067811865476))).sum()

    @staticmethod
    def pendulums(x):
        import jax

        def step(_, state):
            q, p = state
            p = p - 0.01 * jax.numpy.sin(q)
            return q + 0.01 * p, p

        q, _ = jax.lax.fori_loop(0, 200, step, (x, 0.0 * x))
        return (q * q).sum()

    @staticmethod
    def moments(x):
        import jax.numpy as jnp

        return (x.sum() ** 2 + (x * x).sum() ** 2 + jnp.sin(x).sum() ** 2) / x.size

    @staticmethod
    def plate(a):
        d = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4.0 * a[1:-1, 1:-1]
        return (d * d).sum()

    @staticmethod
    def heat(x):
        import jax
        import jax.numpy as jnp

        def step(_, u):
            return u.at[1:-1].add(0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:]) * jnp.exp(-u[1:-1]))

        u = jax.lax.fori_loop(0, 20, step, x)
        return (u * u).sum()
