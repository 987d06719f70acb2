"""`enzyme.config(check=True)`: derivatives are compared with differences at their first call.

Right derivatives of every transform pass and are returned unchanged; planted mistakes are found by every
transform; and whatever a comparison must not do (touch arguments, draw, print, change an exception) it does not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, BatchDuplicated, Const, Duplicated, Forward, Reverse
from enzyme_py.errors import CheckError, ConstWrittenWarning, UncheckedWarning
from enzyme_py.foundations.arrays.differences import slope_along
from tests.python_calls import python_functions_called

X = np.array([0.5, -1.2, 2.0])
EPS = float(np.finfo(float).eps)


@pytest.fixture(autouse=True)
def _checking() -> Iterator[None]:
    with enzyme.config(check=True):
        yield


def right(x, a, n):
    return a * np.sum(np.sin(x)) + n


def squares(x, a):
    return x * x * a, x[0] * a


def cubes(x):
    return np.sum(x**3)


def make_wrong(factor: int) -> Any:
    """Return x^2 with a rule of our own: right for the factor 2."""

    @enzyme.custom_vjp
    def square(x):
        return x * x

    # A rule captures no numbers.
    square.defvjp(lambda x: (x * x, x), eval(f"lambda x, g: ({factor} * x * g,)"))

    def kernel(x, y):
        return square(x) + y

    return kernel


# -- slopes ----------------------------------------------------------------------------------------


def test_slopes_of_smooth_functions_are_good() -> None:
    for function, want in (
        (np.exp, 1.0),
        (lambda h: np.sin(3 * h), 3.0),
        (lambda h: 7.0, 0.0),
        (lambda h: abs(h - 3e-4), -1.0),
    ):
        slope = slope_along(function, EPS)
        assert abs(slope.value - want) <= slope.error < 1e-4


@pytest.mark.parametrize(
    "function",
    [abs, lambda h: max(h, 0.0), lambda h: float(h > 0), lambda h: np.sqrt(abs(h))],
    ids=range(4),
)
def test_slopes_at_kinks_and_jumps_say_that_they_are_none(
    function: Callable[[float], float],
) -> None:
    slope = slope_along(function, EPS)
    assert slope.error >= 0.5


# -- what passes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "want"),
    [
        (
            lambda: enzyme.grad(right, argnums=(0, 1))(X, 0.3, 2),
            (0.3 * np.cos(X), np.sum(np.sin(X))),
        ),
        (lambda: enzyme.value_and_grad(right)(X, 0.3, 2)[1], 0.3 * np.cos(X)),
        (lambda: enzyme.gradient(right, X, Const(0.3), 2)[0], 0.3 * np.cos(X)),
        (lambda: enzyme.gradient(Forward, right, X, 0.3, 2)[0], 0.3 * np.cos(X)),
        (
            lambda: enzyme.jvp(right, (X, 0.3, 2), (X, 1, 0))[1],
            np.sum(0.3 * np.cos(X) * X + np.sin(X)),
        ),
        (lambda: enzyme.vjp(squares, X, 2.0)[1]((X, 1.0))[0], 4 * X * X + [2.0, 0.0, 0.0]),
        (lambda: enzyme.jacfwd(squares)(X, 2.0)[0], np.diag(4 * X)),
        (lambda: enzyme.hessian(cubes)(X), np.diag(6 * X)),
        (lambda: enzyme.hvp(cubes, X, X), 6 * X * X),
        (
            lambda: enzyme.grad(lambda p: np.sum(p["w"]) * p["b"])({"w": X, "b": 3.0})["w"],
            np.full(3, 3.0),
        ),
        (
            lambda: enzyme.grad(right)(X.astype(np.float32), np.float32(0.5), 0),
            0.5 * np.cos(X.astype("f")),
        ),
        (lambda: enzyme.grad(lambda z: np.sum(np.abs(z) ** 2))(X + 1j), 2 * (X + 1j)),
    ],
    ids=range(12),
)
def test_right_derivatives_pass(call: Callable[[], Any], want: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = call()
    for ours, theirs in (
        zip(found, want, strict=True) if isinstance(want, tuple) else ((found, want),)
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@enzyme.jit
def into(x, out):
    for i in range(x.size):
        out[i] = x[i] ** 2 + out[i]
        x[i] = 0.0


@pytest.mark.parametrize("mode", [Forward, Reverse], ids=str)
def test_annotations_pass_and_are_used_once(mode: Any) -> None:
    x, dx, out, dout = X.copy(), np.ones(3), np.ones(3), np.full(3, 2.0)
    enzyme.autodiff(mode, into, Duplicated(x, dx), Duplicated(out, dout))
    np.testing.assert_allclose(out, X * X + 1, rtol=1e-14)
    np.testing.assert_array_equal(x, 0.0)
    want = (0.0, 2 * X + 2) if mode is Forward else (4 * X, 2.0)
    np.testing.assert_allclose(dx, np.broadcast_to(want[0], 3), rtol=1e-14)
    np.testing.assert_allclose(dout, np.broadcast_to(want[1], 3), rtol=1e-14)


def test_batches_pass() -> None:
    shadows = np.zeros(3), np.ones(3)
    ((_, by_a, _),) = enzyme.autodiff(
        Reverse, enzyme.jit(right), BatchDuplicated(X, shadows), Active(0.3), Const(1)
    )
    np.testing.assert_allclose(shadows[1], 1 + 0.3 * np.cos(X), rtol=1e-14)
    np.testing.assert_allclose(by_a, np.sum(np.sin(X)), rtol=1e-14)


# -- what is found ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask",
    [
        lambda f: enzyme.grad(f, argnums=(0, 1))(3.0, 1.0),
        lambda f: enzyme.autodiff(f, Active(3.0), Active(1.0)),
        lambda f: enzyme.vjp(f, 3.0, 1.0)[1](1.0),
        lambda f: enzyme.jacfwd(f)(3.0, 1.0),
        lambda f: enzyme.grad(enzyme.grad(f))(3.0, 1.0),
    ],
    ids=["grad", "autodiff", "vjp", "jacobian", "second"],
)
def test_wrong_rule_is_found(ask: Callable[[Any], Any]) -> None:
    kernel = make_wrong(3)
    for _ in range(2):  # and again: what failed is not let through the second time
        with pytest.raises(CheckError) as caught:
            ask(kernel)
    text = str(caught.value)
    line = kernel.__code__.co_firstlineno
    for fragment in ("`kernel`", f"{__file__}:{line}", "finite differences", "x: ", "check=False"):
        assert fragment in text
    with enzyme.config(check=False):
        ask(kernel)


def test_argument_at_fault_and_both_numbers_are_named() -> None:
    with pytest.raises(CheckError) as caught:
        enzyme.grad(make_wrong(4), argnums=(0, 1))(3.0, 1.0)
    assert caught.value.where is not None
    assert caught.value.where.argument == "x"
    assert "along a random direction" in caught.value.what
    assert ask_right(make_wrong(2)) == 6.0


def ask_right(kernel: Any) -> Any:
    return enzyme.grad(kernel)(3.0, 1.0)


def test_lost_derivative_of_a_constant_is_found() -> None:
    def through(x, work):
        for i in range(x.size):
            work[i] = x[i] ** 2
        return np.sum(work)

    with pytest.warns(ConstWrittenWarning), pytest.raises(CheckError, match="`through`"):
        enzyme.autodiff(Reverse, through, Duplicated(X, np.zeros(3)), Const(np.zeros(3)))


def test_nan_where_there_is_a_slope_is_found() -> None:
    with pytest.raises(CheckError, match="find_nan"):
        enzyme.grad(lambda x: np.sqrt(x * x * x * x))(0.0)


def test_switched_on_later_it_looks_at_what_is_there() -> None:
    with enzyme.config(check=False):
        made = enzyme.grad(make_wrong(5))
        assert made(3.0, 1.0) == 15.0
    with enzyme.config(check=True), pytest.raises(CheckError):
        made(3.0, 1.0)
    with enzyme.config(check=False):
        assert made(3.0, 1.0) == 15.0


def test_compiled_code_does_not_hide_a_derivative() -> None:
    made = enzyme.grad(make_wrong(7))
    compiled = numba.njit(lambda x: made(x, 1.0))
    assert compiled(3.0) == 21.0  # calls from there are not compared
    with pytest.raises(CheckError):
        made(3.0, 1.0)


# -- what is not checked ---------------------------------------------------------------------------


def test_kinks_are_inconclusive_and_told_in_the_end() -> None:
    made = enzyme.grad(lambda x: np.sum(np.abs(x)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            np.testing.assert_array_equal(made(np.zeros(3)), np.ones(3))
    with pytest.warns(UncheckedWarning, match="inconclusive"):
        made(np.zeros(3))
    made(np.zeros(3))


def test_stopped_derivatives_are_no_mistake() -> None:
    with pytest.warns(UncheckedWarning, match="stop_gradient") as said:
        assert enzyme.grad(lambda x: x * enzyme.stop_gradient(x))(2.0) == 2.0
    assert "finite differences" in str(said[0].message)


def test_draws_are_not_repeated() -> None:
    @enzyme.jit
    def noisy(x):
        np.random.seed(3)  # noqa: NPY002
        return x * np.random.normal()  # noqa: NPY002

    want = noisy(1.0)
    with pytest.warns(UncheckedWarning, match="random numbers"):
        assert enzyme.grad(noisy)(2.0) == want


def test_printing_is_not_repeated(capfd: pytest.CaptureFixture[str]) -> None:
    def speaks(x):
        print("once")  # noqa: T201
        return x * x

    with pytest.warns(UncheckedWarning, match="prints"):
        assert enzyme.grad(speaks)(2.0) == 4.0
    assert capfd.readouterr().out.count("once") == 1


def test_exceptions_are_those_of_the_kernel() -> None:
    def positive(x):
        if x < 0.0:
            raise ValueError("negative")
        return x**3

    made = enzyme.grad(positive)
    with pytest.raises(ValueError, match="negative"):
        made(-1.0)
    assert made(0.0) == 0.0  # its differences would raise on one side
    assert made(2.0) == 12.0


def test_global_generator_and_arguments_are_left_alone() -> None:
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    x = X.copy()
    x.flags.writeable = False
    made = enzyme.grad(lambda x: np.sum(x**4))
    np.testing.assert_allclose(made(x), 4 * X**3, rtol=1e-14)
    assert len(made.overloads) == 1, "the comparison compiled for other types"
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_later_calls_cost_nothing() -> None:
    made = enzyme.grad(lambda x: x**2)
    assert len(python_functions_called(lambda: made(1.0))) > 1  # compiles and compares
    assert python_functions_called(lambda: made(1.0)) == [made.py_func.__name__]


def test_environment_switch() -> None:
    code = "import enzyme_py; print(enzyme_py.settings.settings.check)"
    for value, want in (("1", "True"), ("0", "False")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "ENZYME_PY_CHECK": value},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == want
