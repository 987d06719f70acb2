"""Ask for a derivative of a function of the table, and compare it with the exact one.

The functions are polynomials of degree three at most, so central differences with steps 1 and 2 are
exact but for rounding, and NumPy running the plain function is the whole oracle. The kernel is
`sum w (sin Re f + cos Im f)` of its result, so that second derivatives are not zero; sine and cosine
are differentiated by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Forward, Reverse
from tests.checks import gap_of, whole
from tests.copies.cases import DTYPES, LAYOUTS, Case
from tests.copies.row import Row, Shape

Arrays = tuple[np.ndarray, ...]
START = 0.5  # what shadows hold before a derivative adds to them


def weighted(out, weights):
    total = 0.0
    i = 0
    for value in out.flat:
        total += np.sin(value) * weights[i]
        i += 1  # noqa: SIM113
    return total


def weighted_complex(out, weights):
    total = 0.0
    i = 0
    for value in out.flat:
        total += (np.sin(value.real) + np.cos(value.imag)) * weights[i]
        i += 1  # noqa: SIM113
    return total


def inner(x, y):
    return np.sum(x * y)


def inner_complex(x, y):
    return np.sum(x.real * y.real + x.imag * y.imag)


@cache
def kernels(row: Row, is_complex: bool) -> tuple[Any, Any, Any]:
    """The loss of (arguments, weights), and its derivative along directions in two modes."""
    of_arity = of_one if row.arity == 1 else of_two
    outer, pair = (weighted_complex, inner_complex) if is_complex else (weighted, inner)
    return of_arity(row.kernel, outer, pair)


def of_one(f: Callable[..., Any], outer: Any, pair: Any) -> tuple[Any, Any, Any]:
    def loss(x, weights):
        return outer(f(x), weights)

    def along(x, weights, v):
        return pair(enzyme.grad(loss)(x, weights), v)

    def slope(x, weights, v):
        return enzyme.autodiff(Forward, loss, Duplicated(x, v), Const(weights))[0]

    return tuple(map(enzyme.jit, (loss, along, slope)))


def of_two(f: Callable[..., Any], outer: Any, pair: Any) -> tuple[Any, Any, Any]:
    def loss(x, y, weights):
        return outer(f(x, y), weights)

    gradient = enzyme.grad(loss, argnums=(0, 1))

    def along(x, y, weights, v, w):
        dx, dy = gradient(x, y, weights)
        return pair(dx, v) + pair(dy, w)

    def slope(x, y, weights, v, w):
        return enzyme.autodiff(Forward, loss, Duplicated(x, v), Duplicated(y, w), Const(weights))[0]

    return tuple(map(enzyme.jit, (loss, along, slope)))


# --- the exact answer -----------------------------------------------------------------------------


def plus(args: Arrays, *steps: tuple[int, Arrays]) -> Arrays:
    for step, direction in steps:
        args = tuple(x + step * t for x, t in zip(args, direction))
    return args


def flat(out: Any) -> np.ndarray:
    return np.asarray(out).flatten()


def exact(case: Case, weights: np.ndarray, args: Arrays, *directions: Arrays) -> float:
    """The derivative of the loss along one or two directions."""

    def f(*steps: tuple[int, Arrays]) -> np.ndarray:
        return flat(case.row.oracle(*plus(args, *steps)))

    value = f()
    first = [(8 * (f((1, v)) - f((-1, v))) - (f((2, v)) - f((-2, v)))) / 12 for v in directions]
    if len(first) == 1:
        (p,) = first
        slopes = np.cos(value.real) * p.real - np.sin(value.imag) * p.imag
        return float(np.sum(weights * slopes))
    v, w = directions
    mixed = sum(i * j * f((i, v), (j, w)) for i in (-1, 1) for j in (-1, 1)) / 4
    p, q = first
    bends = -np.sin(value.real) * p.real * q.real + np.cos(value.real) * mixed.real
    bends -= np.cos(value.imag) * p.imag * q.imag + np.sin(value.imag) * mixed.imag
    return float(np.sum(weights * bends))


# --- the derivative under test --------------------------------------------------------------------


def drawn(case: Case, shapes: Sequence[Shape], seed: int) -> Arrays:
    """Arrays of the case's dtype, in double precision and C order."""
    random = np.random.default_rng([seed, *(n for shape in shapes for n in shape)])
    arrays = []
    for shape in shapes:
        array = random.uniform(0.3, 1.7, shape)
        if case.dtype == "complex128":
            array = array + 1j * random.uniform(-1.0, 1.0, shape)
        elif case.dtype == "float32":
            array = array.astype(np.float32).astype(np.float64)
        arrays.append(array)
    return tuple(arrays)


def placed(case: Case, arrays: Arrays) -> Arrays:
    """The arrays in the dtype and layout of the case."""
    return tuple(LAYOUTS[case.layout](array.astype(DTYPES[case.dtype])) for array in arrays)


def masked(case: Case, direction: Arrays) -> Arrays:
    """The direction, zero for what is Const."""
    return tuple(part * (number not in case.constant) for number, part in enumerate(direction))


def annotated(case: Case, args: Arrays, shadows: Arrays) -> list[Any]:
    return [
        Const(arg) if number in case.constant else Duplicated(arg, shadow)
        for number, (arg, shadow) in enumerate(zip(args, shadows))
    ]


def memory(arrays: Sequence[np.ndarray]) -> list[bytes]:
    """Every byte of the arrays and of what lies between their elements."""
    return [whole(array).tobytes() for array in arrays]


def check(case: Case) -> None:
    """Ask for the derivative at every size of the row; it is exact and touches nothing else."""
    for shapes in case.row.sizes:
        check_at(case, shapes)


def check_at(case: Case, shapes: Sequence[Shape]) -> None:
    points, v, w = (drawn(case, shapes, seed) for seed in range(3))
    size = flat(case.row.oracle(*points)).size
    weights = np.random.default_rng(size).uniform(0.5, 1.5, size)
    is_second = len(case.order) > 1
    last = masked(case, w)
    want = exact(case, weights, points, *((v, last) if is_second else (last,)))
    args, inside, tangents = placed(case, points), placed(case, v), placed(case, w)
    loss, along, slope = kernels(case.row, case.dtype == "complex128")
    kernel = {"R": along, "F": slope}[case.order[-1]] if is_second else loss
    constant = (weights, *(inside if is_second else ()))
    untouched = memory((*args, *constant, *tangents))
    ask = in_forward if case.order[0] == "F" else in_reverse
    got = ask(case, kernel, args, constant, tangents)
    scale = max(1.0, float(np.sum(np.abs(weights))))
    assert abs(got - want) <= case.tolerance * scale, f"{shapes}: got {got}, expected {want}"
    assert memory((*args, *constant, *tangents)) == untouched, f"{shapes}: an argument was written"


def in_forward(case: Case, kernel: Any, args: Arrays, constant: Arrays, tangents: Arrays) -> float:
    mode = enzyme.set_runtime_activity(Forward) if case.runtime else Forward
    given = [*annotated(case, args, tangents), *map(Const, constant)]
    (derivative,) = enzyme.autodiff(mode, kernel, *given)
    return float(derivative)


def in_reverse(case: Case, kernel: Any, args: Arrays, constant: Arrays, tangents: Arrays) -> float:
    """<gradient, tangents>, and nothing is written but the shadows of what is not Const."""
    mode = enzyme.set_runtime_activity(Reverse) if case.runtime else Reverse
    shadows = placed(case, tuple(np.full_like(arg, START) for arg in args))
    gaps = [gap_of(shadow) for shadow in shadows]
    given = [*annotated(case, args, shadows), *map(Const, constant)]
    enzyme.autodiff(mode, kernel, *given)
    assert [gap_of(shadow) for shadow in shadows] == gaps, "the gaps of a shadow were written"
    for number in case.constant:
        assert np.all(shadows[number] == START)
    return float(
        sum(
            inner_complex(shadow.astype(np.complex128) - START, tangent)
            for shadow, tangent in zip(shadows, masked(case, tangents))
        )
    )
