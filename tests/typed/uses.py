"""Each public name in a typed program, and the type that a checker must find there.

`sh ci/types.sh` gives this file to mypy and pyright; test_typed_names.py looks that no public name is left out, and runs it.
What a result is made of (an array, a float, a tuple of both) depends on values that types do not tell: that is Any.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import enzyme_py as enzyme
from enzyme_py.calls.thunks import Tape
from enzyme_py.calls.tuning import Tuned
from enzyme_py.cluster.derivatives import Derivative as Pieced
from enzyme_py.doors.door import Door
from enzyme_py.doors.exporting import Exported
from enzyme_py.inspect import Timing
from enzyme_py.modes import Mode
from enzyme_py.settings import Settings
from enzyme_py.sparse import SparseDerivative

Vector = NDArray[np.float64]


@enzyme.jit
def energy(x: Vector, k: float) -> float:
    """Return the energy of springs."""
    total = 0.0
    for i in range(x.size):
        total += 0.5 * k * x[i] * x[i]
    return total


@enzyme.jit(fastmath=True)
def doubled(x: Vector) -> Vector:
    """Return an array."""
    return x * 2.0


def step(state: float, number: int, rate: float) -> float:
    """Return the next state."""
    return state * rate


def cube(x: float) -> float:
    """Return a power."""
    return x * x * x


def filled(out: Vector, x: Vector) -> None:
    """Write a result."""
    out[:] = x * x


def vector() -> Vector:
    """Return an argument."""
    return np.array([1.0, 2.0, 3.0])


def kernels() -> None:
    """What is compiled keeps its parameters and its result."""
    x = np.ones(3)
    assert_type(energy(x, 2.0), float)
    assert_type(doubled(x), Vector)
    assert_type(energy.py_func(x, 2.0), float)
    assert_type(energy.signatures, Any)
    assert_type(enzyme.fused(energy)(x, 2.0), float)
    assert_type(enzyme.remat(cube)(2.0), float)
    assert_type(enzyme.checkpoint(step, 1.0, 3, (0.5,)), float)


def gradients() -> None:
    """A gradient takes what the kernel takes."""
    x = np.ones(3)
    assert_type(enzyme.grad(energy)(x, 2.0), Any)
    assert_type(enzyme.value_and_grad(energy)(x, 2.0), tuple[float, Any])
    assert_type(enzyme.gradient(energy, x, 2.0), tuple[Any, ...])
    assert_type(enzyme.jvp(energy, (x, 2.0), (x, 0.0)), tuple[float, Any])
    value, back = enzyme.vjp(energy, x, 2.0)
    assert_type(value, float)
    assert_type(back(1.0), tuple[Any, ...])
    value, forward = enzyme.linearize(energy, x, 2.0)
    assert_type(value, float)
    assert_type(forward, Callable[..., Any])
    assert_type(enzyme.vmap(cube)(x), Any)


def jacobians() -> None:
    """Jacobians, Hessians and products with them."""
    x = np.ones(3)
    assert_type(enzyme.jacobian(doubled, x), tuple[Any, ...])
    assert_type(enzyme.jacfwd(doubled)(x), Any)
    assert_type(enzyme.jacrev(doubled)(x), Any)
    assert_type(enzyme.jacfwd(enzyme.output_of(filled), argnums=1)(np.zeros(3), x), Any)
    assert_type(enzyme.hessian(energy)(x, 2.0), Any)
    assert_type(enzyme.hvp(energy, x, x, 2.0), Any)
    assert_type(enzyme.vhp(energy, x, x, 2.0), Any)
    assert_type(enzyme.hvp_and_gradient(energy, x, x, 2.0), tuple[Any, Any])
    assert_type(enzyme.sparse.jacobian(doubled), SparseDerivative)
    assert_type(enzyme.cluster.value_and_grad(energy, over="x", argnums=1), Pieced)


def annotated() -> None:
    """Enzyme's own words."""
    x = vector()
    dx = assert_type(enzyme.make_zero(x), Vector)
    mode = assert_type(enzyme.set_runtime_activity(enzyme.Reverse), Mode)
    assert_type(enzyme.autodiff(mode, energy, enzyme.Duplicated(x, dx), 2.0), tuple[Any, ...])
    batch = enzyme.BatchDuplicated(x, (np.ones(3), np.ones(3)))
    enzyme.autodiff(enzyme.ForwardWithPrimal, energy, batch, enzyme.Const(2.0))
    enzyme.autodiff(enzyme.Forward, energy, enzyme.DuplicatedNoNeed(x, np.ones(3)), enzyme.Const(2.0))
    lanes = enzyme.BatchDuplicatedNoNeed(x, (np.ones(3), np.ones(3)))
    enzyme.autodiff(enzyme.set_strong_zero(enzyme.Forward), energy, lanes, enzyme.Const(2.0))
    enzyme.autodiff(enzyme.ReverseWithPrimal, cube, enzyme.Active(2.0))
    split = assert_type(enzyme.ReverseSplitWithPrimal, Mode)
    forward, reverse = enzyme.autodiff_thunk(split, cube, enzyme.Active)
    tape, *_ = forward(enzyme.Active(2.0))
    assert isinstance(tape, enzyme.Tape)
    assert_type(tape, Tape)
    assert_type(reverse(enzyme.Active(2.0), 1.0, tape), Any)
    assert_type(enzyme.ReverseSplitNoPrimal, Mode)
    assert_type(enzyme.ReverseHolomorphic, Mode)
    assert_type(enzyme.ReverseHolomorphicWithPrimal, Mode)


def rules() -> None:
    """Rules of one's own: what these return is Any."""
    assert_type(enzyme.custom_vjp(cube), Any)
    assert_type(enzyme.custom_jvp(cube), Any)
    assert_type(enzyme.rules.inactive(step), Any)
    assert_type(enzyme.stop_gradient(1.0), float)
    assert_type(enzyme.ignore_derivatives(vector()), Vector)


def outside(folder: Path) -> None:
    """Doors to other languages, and what is compiled ahead."""
    assert_type(enzyme.cfunc(enzyme.grad(cube), "float64(float64)"), Door)
    functions = {"slope": (enzyme.grad(cube), "float64(float64)")}
    assert_type(enzyme.export(folder / "libcube.so", functions), Exported)
    text = "define double @half(double %x) {\n  %y = fmul double %x, 0.5\n  ret double %y\n}\n"
    (folder / "half.ll").write_text(text)
    assert_type(enzyme.link_ir(folder / "half.ll", "half", "float64(float64)"), Any)
    with enzyme.record_precompiled(folder):
        enzyme.precompile(enzyme.grad(cube), 2.0)
    enzyme.add_precompiled(folder)
    assert_type(enzyme.autotune(enzyme.grad(cube), 2.0, seconds=0.001), Tuned)


def looking() -> None:
    """Settings, errors and the looking glass."""
    with enzyme.config(check=False) as settings:
        assert_type(settings, Settings)
    enzyme.set_verbose_errors(False)
    assert issubclass(enzyme.errors.ShadowError, enzyme.EnzymeError)
    assert_type(enzyme.inspect.timings(), list[Timing])
    enzyme.testing.check_grads(cube, (2.0,))


def everything(folder: Path) -> None:
    """Run all of it."""
    for part in (kernels, gradients, jacobians, annotated, rules, looking):
        part()
    outside(folder)
