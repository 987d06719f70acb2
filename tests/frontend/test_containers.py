"""Containers in kernels and as arguments: gradients by hand, then mode against mode."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import types
from numba.typed import Dict, List

import enzyme_py as enzyme
import tests.frontend.handed_on_kernels  # noqa: F401  # its kernels join the table
from enzyme_py.errors import ShadowError, UnsupportedTypeError
from tests.frontend.container_kernels import CASES, POINT

DIRECTION = np.array([0.3, -0.7, 0.5, 1.1, -0.2])
_STEP = 1e-3
_STENCIL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
ASKED = [  # the ordinary run asks one second order of each second case
    pytest.param(
        name,
        order,
        marks=() if 2 * place == number % (2 * len(case.orders.split())) else pytest.mark.full,
    )
    for number, (name, case) in enumerate(CASES.items())
    for place, order in enumerate(case.orders.split())
]


@pytest.mark.parametrize("name", CASES)
def test_gradients_by_hand(name: str) -> None:
    case = CASES[name]
    want = case.gradient(POINT)
    np.testing.assert_allclose(enzyme.grad(case.kernel)(POINT), want, rtol=1e-12, atol=1e-12)
    tangent = enzyme.jvp(case.kernel, (POINT,), (DIRECTION,))[1]
    np.testing.assert_allclose(tangent, want @ DIRECTION, rtol=1e-12)


def _product(f, order):
    """The Hessian times the direction, by an order of modes."""
    if order == "FoR":
        return enzyme.jvp(enzyme.grad(f), (POINT,), (DIRECTION,))[1]
    if order == "RoF":
        return enzyme.grad(lambda x, v: enzyme.jvp(f, (x,), (v,))[1])(POINT, DIRECTION)
    return enzyme.grad(lambda x, v: np.dot(enzyme.grad(f)(x), v))(POINT, DIRECTION)


@pytest.mark.parametrize(("name", "order"), ASKED)
def test_second_orders(name: str, order: str) -> None:
    case = CASES[name]
    slopes = (w * case.gradient(POINT + k * _STEP * DIRECTION) for k, w in _STENCIL)
    want = sum(slopes) / (12 * _STEP)
    np.testing.assert_allclose(_product(case.kernel, order), want, rtol=1e-9, atol=1e-9)


def test_printing_is_done_once_in_each_run(capfd: pytest.CaptureFixture[str]) -> None:
    enzyme.grad(CASES["prints"].kernel)(POINT)
    assert capfd.readouterr().out == "at 0.7 5\n"


def weighted(items, y):
    total = 0.0
    for i in range(len(items)):
        total += items[i] ** 2 * y * (i + 1)
    items[0] = items[1] * y
    return total + items[0]


def cubes(items):
    total = 0.0
    for one in items:
        total += np.sum(one**3)
    return total * items[0][1]


def three() -> List:
    return List([1.0, 2.0, 3.0])


def arrays() -> List:
    return List([np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])])


def test_list_of_numbers_as_argument() -> None:
    # sum of (i + 1) l_i^2 y + l_1 y, and what the kernel writes to l_0 is no input
    items, shadow = three(), enzyme.make_zero(three())
    ((_, slope),) = enzyme.autodiff(
        enzyme.Reverse, weighted, enzyme.Duplicated(items, shadow), enzyme.Active(0.5)
    )
    assert (list(shadow), slope, list(items)) == ([1.0, 4.5, 9.0], 38.0, [1.0, 2.0, 3.0])
    gradient, slope = enzyme.grad(weighted, argnums=(0, 1))(three(), 0.5)
    assert isinstance(gradient, List)
    assert (list(gradient), slope) == ([1.0, 4.5, 9.0], 38.0)
    assert enzyme.jvp(weighted, (three(), 0.5), (List([1.0, 1.0, 1.0]), 0.0)) == (19.0, 14.5)


def test_list_of_arrays_as_argument() -> None:
    first, second = enzyme.grad(cubes)(arrays())
    np.testing.assert_allclose(first, [6.0, 24.0 + 225.0])
    np.testing.assert_allclose(second, [54.0, 96.0, 150.0])
    tangents = List([np.ones(2), np.ones(3)])
    assert enzyme.jvp(cubes, (arrays(),), (tangents,)) == (450.0, 555.0)


def test_copies_of_arguments_can_grow() -> None:
    def grown(items):
        copied = items.copy()
        copied.append(items[0] * items[1])
        return copied[2] * copied[0]

    assert list(enzyme.grad(grown)(List([2.0, 3.0]))) == [12.0, 4.0]

    def nested(x):  # the gradient of l_0^2 l_1 at (x, x^2): 2 x^3 + x^2
        items = List([x, x * x])
        gradient = enzyme.grad(grown)(items)
        return gradient[0] + gradient[1]

    assert enzyme.grad(nested)(2.0) == 28.0


def append(items):
    items.append(1.0)
    return items[0]


def replace(items):
    items[0] = items[0] * 2
    return np.sum(items[0])


def returned(items):
    return items


def times(items, y):
    items[0] = items[1] * y
    return items[0]


def float_keys(x):
    found = {x[0]: x[1]}
    return found[x[0]]


def floats_in_set(x):
    return x[1] if x[0] in {x[0], x[2]} else x[3]


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: enzyme.grad(append)(three()), UnsupportedTypeError, ".copy()"),
        (lambda: enzyme.grad(replace)(arrays()), UnsupportedTypeError, ".copy()"),
        (lambda: enzyme.jvp(returned, (three(),), (three(),)), UnsupportedTypeError, "np.stack"),
        (lambda: enzyme.grad(times, argnums=1)(three(), 0.5), UnsupportedTypeError, "Duplicated"),
        (lambda: enzyme.grad(float_keys)(POINT), UnsupportedTypeError, "in a list"),
        (lambda: enzyme.grad(floats_in_set)(POINT), UnsupportedTypeError, "in a list"),
        (lambda: enzyme.Duplicated(three(), List([1.0])), ShadowError, "make_zero"),
        (
            lambda: enzyme.jvp(cubes, (arrays(),), (List([np.ones(2), np.ones(2)]),)),
            ShadowError,
            "another shape",
        ),
        (
            lambda: enzyme.grad(lambda held: held[0])(Dict.empty(types.int64, types.float64)),
            UnsupportedTypeError,
            "numba.typed.List",
        ),
    ],
)
def test_refusals_say_what_to_do(ask, error, words) -> None:
    with pytest.raises(error) as caught:
        ask()
    assert words in str(caught.value)


FRESH = """
import numba, numpy as np, enzyme_py as enzyme
from tests.frontend.container_kernels import CASES, POINT
for name in ("typed_list_of_arrays_joined", "jitclass_made_inside"):
    case = CASES[name]
    np.testing.assert_allclose(enzyme.grad(case.kernel)(POINT), case.gradient(POINT), rtol=1e-12)
assert numba.njit(lambda n: np.zeros((n, n)))(3).shape == (3, 3)
print("right")
"""


def test_methods_of_jitclasses_are_typed_for_the_processor() -> None:
    """Typed for kernels they poisoned Numba's own code of arrays: only a fresh process shows it."""
    root = Path(__file__).resolve().parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", FRESH], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.stdout == "right\n", done.stderr
