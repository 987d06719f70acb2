"""What the native door costs: gradients of a function of ten numbers through a C function pointer.

Run it: `python benchmarks/doors.py [--write]`. A compiled loop calls the kernel itself, as `numba.njit` makes it, the door of the
kernel, and the door of its value and gradient; all in turn in one process. From Python: ctypes beside the call of
`value_and_grad(f)`. And where they can be imported, calls in JAX, PyTorch and nutpie beside the callbacks that
users write there, and kernels that call JAX and PyTorch. `--write` puts the table into docs/bridges-figures.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numba
import numpy as np

import enzyme_py as enzyme

REPORT = Path(__file__).resolve().parent.parent / "docs" / "bridges-figures.md"
SIZE, CALLS, ROUNDS = 10, 200_000, 15
GOAL = 2.0
INTRODUCTION = (
    "Written by `python benchmarks/doors.py --write`; see [bridges](bridges.md). Rosenbrock's function of "
    f"{SIZE} numbers; medians of {ROUNDS} rounds in turn. The goal: a door adds at most {GOAL:.0f} microseconds to what it runs."
)


def rosenbrock(x):
    total = 0.0
    for i in range(x.size - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return total


rosenbrock_compiled = numba.njit(rosenbrock)


def compiled_loops():
    """Return loops of compiled code: of each what it calls, named."""
    plain = numba.njit(rosenbrock)
    both = enzyme.value_and_grad(rosenbrock)
    value_door = enzyme.cfunc(rosenbrock, "float64[::1],")
    both_door = enzyme.cfunc(both, "float64[::1],")
    call_value, call_both = value_door.ctypes, both_door.ctypes

    @numba.njit
    def kernel(x, value, gradient, calls):
        for _ in range(calls):
            value[0] = plain(x)

    @numba.njit
    def gradient_itself(x, value, gradient, calls):
        for _ in range(calls):
            value[0], found = both(x)
            gradient[:] = found

    @numba.njit
    def door_of_kernel(x, value, gradient, calls):
        for _ in range(calls):
            call_value(x.ctypes, x.size, value.ctypes)

    @numba.njit
    def door_of_gradient(x, value, gradient, calls):
        for _ in range(calls):
            call_both(x.ctypes, x.size, value.ctypes, gradient.ctypes, gradient.size)

    return {
        "the kernel, `numba.njit`": kernel,
        "its door": door_of_kernel,
        "`value_and_grad`, called": gradient_itself,
        "its door, from compiled code": door_of_gradient,
    }, (both, both_door)


def from_python(both, door, x):
    """Return the same from Python, where calls are fewer."""
    value, gradient = np.zeros(1), np.zeros(SIZE)
    function = door.ctypes
    places = (x.ctypes.data, SIZE, value.ctypes.data, gradient.ctypes.data, SIZE)

    def call(one, *given):
        def calls(count):
            for _ in range(count):
                one(*given)

        return calls

    return {
        "`value_and_grad(f)(x)` from Python": call(both, x),
        "its door, by ctypes from Python": call(function, *places),
    }


def in_jax(both, x):
    """Return calls of value and gradient in JAX: on the door, by a callback, and JAX's own; after a look at the answers."""
    import jax
    import jax.numpy as jnp

    from enzyme_py.bridges.jax import wrap

    jax.config.update("jax_enable_x64", True)

    def own(x):
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    types = jax.ShapeDtypeStruct((), "float64"), jax.ShapeDtypeStruct(x.shape, "float64")

    def called_back(x):
        return jax.pure_callback(lambda given: both(np.asarray(given)), types, x)

    calls = {
        "JAX: on the door": jax.jit(jax.value_and_grad(wrap(rosenbrock, ffi=True))),
        "JAX: a `pure_callback` of `value_and_grad(f)`": jax.jit(called_back),
        "JAX: its own function": jax.jit(jax.value_and_grad(own)),
    }
    given = jnp.asarray(x)
    return {
        name: (lambda one=one: jax.block_until_ready(one(given))) for name, one in calls.items()
    }


def in_pytorch(both, x):
    """Return calls of value and gradient in PyTorch, as `in_jax`."""
    import torch

    from enzyme_py.bridges.torch import wrap

    class Called(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            value, ctx.gradient = both(x.detach().numpy())
            return torch.tensor(value, dtype=torch.float64)

        @staticmethod
        def backward(ctx, seed):
            return seed * torch.from_numpy(ctx.gradient)

    def own(x):
        return torch.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    given = torch.from_numpy(x.copy()).requires_grad_()

    def call(function):
        def value_and_gradient():
            value = function(given)
            (gradient,) = torch.autograd.grad(value, given)
            return value, gradient

        return value_and_gradient

    return {
        "PyTorch: the operator": call(wrap(rosenbrock)),
        "PyTorch: an `autograd.Function` of `value_and_grad(f)`": call(Called.apply),
        "PyTorch: its own function": call(own),
    }


def in_scipy(both, x):
    """Return what SciPy's solvers do at a new point, by our objective and by a function that returns both."""
    from scipy.optimize._optimize import MemoizeJac

    from enzyme_py.bridges.scipy import objective

    ours, usual = objective(rosenbrock), MemoizeJac(both)
    points = [x, x.copy()]
    points[1][0] += 1e-9

    def at_new_points(value, gradient):
        turn = [0]

        def call():
            turn[0] ^= 1
            given = points[turn[0] ^ 1]  # the first point first; another one each time
            return value(given), gradient(given)

        return call

    return {
        "SciPy: `objective(f)`, its fun and jac": at_new_points(ours.fun, ours.jac),
        "SciPy: `value_and_grad(f)` with jac=True": at_new_points(usual, usual.derivative),
    }


def in_pytensor(_both, x):
    """Return calls of value and gradient in PyTensor, as `in_jax`."""
    import pytensor
    import pytensor.tensor as pt

    from enzyme_py.bridges.pytensor import wrap

    given = pt.dvector("x")
    own = pt.sum(100.0 * (given[1:] - given[:-1] ** 2) ** 2 + (1 - given[:-1]) ** 2)

    def call(value, mode):
        compiled = pytensor.function([given], [value, pt.grad(value, given)], mode=mode)
        return lambda: compiled(x)

    return {
        "PyTensor, NUMBA mode: the Op": call(wrap(rosenbrock)(given), "NUMBA"),
        "PyTensor, NUMBA mode: its own function": call(own, "NUMBA"),
        "PyTensor, C mode: the Op, by Python": call(wrap(rosenbrock)(given), "FAST_RUN"),
    }


def in_casadi(_both, x):
    """Return calls of value and gradient in CasADi, as `in_jax`."""
    import casadi

    from enzyme_py.bridges.casadi import function

    given = casadi.MX.sym("x", SIZE)
    own = casadi.sum1(100.0 * (given[1:] - given[:-1] ** 2) ** 2 + (1 - given[:-1]) ** 2)
    kernel = function(rosenbrock, (SIZE,))

    def call(value):
        compiled = casadi.Function("both", [given], [value, casadi.gradient(value, given)])

        def both_of():
            value, gradient = compiled(x)
            return float(value), gradient.full().ravel()

        return both_of

    called = call(kernel(given))
    called.kernel = kernel  # CasADi does not hold it
    return {"CasADi: the Callback": called, "CasADi: its own function": call(own)}


def in_nutpie():
    """Return a table of what a gradient of a sampler costs, all included: by the door, and by Python."""
    import warnings

    warnings.simplefilter("ignore")  # ArviZ tells of its next version
    import nutpie

    from enzyme_py.bridges.nutpie import posterior

    @numba.njit
    def density(x):
        return -rosenbrock_compiled(x)

    ways = {
        "nutpie: on the door": posterior(density, SIZE),
        "nutpie: `from_pyfunc` of `value_and_grad(f)`": posterior(density, SIZE, python=True),
    }
    seconds = {name: [] for name in ways}
    for _ in range(5):
        for name, one in ways.items():
            begin = time.perf_counter()
            trace = nutpie.sample(
                one, draws=300, tune=200, chains=2, cores=2, seed=1, progress_bar=False
            )
            spent = time.perf_counter() - begin
            steps = trace.sample_stats.n_steps.sum() + trace.warmup_sample_stats.n_steps.sum()
            seconds[name].append(spent / int(steps))
    return table("sampling, a gradient; two chains on two cores", seconds)


def way_back(x):
    """Return a table of gradients of a kernel that calls a function of a library, beside the library's own."""
    import jax
    import jax.numpy as jnp
    import torch

    from enzyme_py.bridges.jax import as_kernel as of_jax
    from enzyme_py.bridges.torch import as_kernel as of_torch

    jax.config.update("jax_enable_x64", True)
    inner = of_jax(jnp.sin, "float64[:](float64[:])", order=1)
    other = of_torch(torch.sin, "float64[:](float64[:])", order=1)
    own_jax = jax.jit(jax.value_and_grad(lambda x: jnp.sum(jnp.sin(x))))
    tensor, given = torch.from_numpy(x.copy()).requires_grad_(), jnp.asarray(x)

    def own_torch():
        value = torch.sin(tensor).sum()
        return value, torch.autograd.grad(value, tensor)[0]

    by_jax = enzyme.value_and_grad(lambda x: np.sum(inner(x)))
    by_torch = enzyme.value_and_grad(lambda x: np.sum(other(x)))
    calls = {
        "a kernel that calls JAX": partial(by_jax, x),
        "JAX alone": lambda: jax.block_until_ready(own_jax(given)),
        "a kernel that calls PyTorch": partial(by_torch, x),
        "PyTorch alone": own_torch,
    }
    return beside(calls, (np.sum(np.sin(x)), np.cos(x)))


def beside(calls, expected):
    """Return a table of calls from Python, compared first and timed in turn."""
    for name, one in calls.items():
        value, gradient = one()
        if not np.allclose(
            np.asarray(value.detach() if hasattr(value, "detach") else value), expected[0]
        ):
            raise SystemExit(f"{name} gives another value")
        if not np.allclose(np.asarray(gradient), expected[1]):
            raise SystemExit(f"{name} gives another gradient")
    seconds = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, one in calls.items():
            begin = time.perf_counter()
            for _ in range(300):
                one()
            seconds[name].append((time.perf_counter() - begin) / 300)
    return table("value and gradient, a call from Python", seconds)


def table(what, seconds):
    """Return a table of times beside the first."""
    base = next(iter(seconds.values()))
    lines = [f"| {what} | microseconds | beside the first |", "| --- | ---: | ---: |"]
    for name, found in seconds.items():
        ratio = median(a / b for a, b in zip(found, base, strict=True))
        lines.append(f"| {name} | {median(found) * 1e6:.1f} | {ratio:.2f} |")
    return "\n".join(lines)


def of_libraries(both, x, expected):
    """Return a table for each library that is installed."""

    def is_there(*names):
        return all(map(importlib.util.find_spec, names))

    tables = [
        beside(calls(both, x), expected)
        for library, calls in (
            ("scipy", in_scipy),
            ("jax", in_jax),
            ("torch", in_pytorch),
            ("pytensor", in_pytensor),
            ("casadi", in_casadi),
        )
        if is_there(library)
    ]
    if is_there("jax", "torch"):
        tables.append(way_back(x))
    if is_there("nutpie"):
        tables.append(in_nutpie())
    return tables


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew the report")
    given = parser.parse_args()
    x, value, gradient = np.linspace(-1.0, 1.0, SIZE), np.zeros(1), np.zeros(SIZE)
    loops, (both, door) = compiled_loops()
    expected = both(x)
    timed = {
        name: (lambda count, one=one: one(x, value, gradient, count)) for name, one in loops.items()
    }
    timed |= from_python(both, door, x)
    for name, one in timed.items():
        value[:] = 0.0
        one(1)
        if "Python" not in name and value[0] != expected[0]:
            raise SystemExit(f"{name} gives {value[0]}, not {expected[0]}")
    if not np.array_equal(gradient, expected[1]):
        raise SystemExit("the door gives another gradient")
    seconds = {name: [] for name in timed}
    for _ in range(ROUNDS):
        for name, one in timed.items():
            begin = time.perf_counter()
            one(CALLS)
            seconds[name].append((time.perf_counter() - begin) / CALLS)
    base = seconds["the kernel, `numba.njit`"]
    lines = [
        "| what | microseconds a call | beside the kernel | more than the kernel, µs |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, found in seconds.items():
        ratio = median(a / b for a, b in zip(found, base, strict=True))
        more = median(a - b for a, b in zip(found, base, strict=True)) * 1e6
        lines.append(f"| {name} | {median(found) * 1e6:.3f} | {ratio:.1f} | {more:.3f} |")
    text = "\n\n".join(["\n".join(lines), *of_libraries(both, x, expected)])
    print(text)
    if given.write:
        REPORT.write_text(f"# What a door costs\n\n{INTRODUCTION}\n\n{text}\n")


if __name__ == "__main__":
    main()
