"""No raise is lost: not where nothing else is left to compute, and not on the way to the caller.

The pass drops whatever it can show to have no effect. A check whose raise went missing would be a
wrong answer without a word, so the kernels here raise where a derivative needs it least.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import BatchDuplicated, Const, Duplicated, Forward, Reverse, native

X = np.array([1.0, -2.0])
CHECKED: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = []


def bad(*args: Any, **options: Any) -> Callable[..., Any]:
    """Decorator: these arguments make the kernel raise."""

    def add(kernel: Callable[..., Any]) -> Callable[..., Any]:
        CHECKED.append((kernel, args, options))
        return kernel

    return add


@numba.njit
def refuse_negative(value):
    if value < 0.0:
        raise ValueError("negative")


@numba.njit
def refuse_any_negative(values):
    for i in range(values.size):
        refuse_negative(values[i])


@numba.njit
def refuse_depth(n, limit):
    if n > limit:
        raise ValueError("too deep")
    if n > 0:
        refuse_depth(n - 1, limit)


@numba.njit
def refuse_downwards(x, n):
    if n > 0:
        if x[1] < 0.0:
            raise KeyError("negative")
        refuse_downwards(x, n - 1)


@bad(X, 3)
def only_integers_decide(x, n):
    if n > 2:
        raise ValueError("n too big")
    return x[0] * x[1]


@bad(X, -1.0)
def after_the_last_use(x, c):
    product = x[0] * x[1]
    if c < 0.0:
        raise ValueError("c is negative")
    return product


@bad(X)
def in_a_loop_of_its_own(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 2
    for i in range(x.size):
        if x[i] < 0.0:
            raise ValueError("negative", i)
    return total


@bad(X)
def in_a_callee_without_result(x):
    for i in range(x.size):
        refuse_negative(x[i])
    return x[0] * x[0]


@bad(X, 5, 3)
def in_a_recursion_over_integers(x, n, limit):
    refuse_depth(n, limit)
    return x[0] * x[1]


@bad(X, 5)
def in_a_recursion_over_floats(x, n):
    refuse_downwards(x, n)
    return x[0] * x[1]


@bad(X, np.array([1, -2]))
def while_computing_what_nobody_reads(x, picks):
    unread = 0
    for i in range(picks.size):
        if picks[i] < 0:
            raise IndexError("bad pick", unread)
        unread += picks[i]
    return x[0] * x[1]


@bad(X, np.array([1, 0]))
def by_an_integer_division(x, counts):
    unread = 0
    for i in range(counts.size):
        unread += 10 // counts[i]
    return x[0] * x[1]


@bad(np.array([1.0, 0.0]))
def by_a_division_that_nobody_reads(x):
    unread = 1.0 / x[1]  # noqa: F841
    return x[0]


@bad(X, 7, boundscheck=True)
def by_an_index_that_nobody_uses(x, i):
    unread = x[i]  # noqa: F841
    return x[0] * x[1]


@bad(X)
def beside_a_constant_result(x):
    if x[1] < 0.0:
        raise ValueError("negative")
    return 1.0


@bad(X, np.array([2.0, -3.0]))
def over_constant_data(x, y):
    refuse_any_negative(y)
    return x[0] * x[1]


@bad(X, True)
def amid_temporaries(x, is_bad):
    total = 0.0
    for i in range(5):
        scaled = x * i
        if is_bad and i == 3:
            raise ValueError("in turn", i)
        total += scaled.sum()
    return total


@bad(X)
def after_a_try(x):
    total = 0.0
    for i in range(x.size):
        try:
            refuse_negative(x[i])
            total += x[i]
        except Exception:
            total += 2.0 * x[i]
    if total < 0.0:
        raise KeyError("in the end")
    return total


def arguments(args: tuple[Any, ...], width: int) -> list[Any]:
    """Annotate the first argument; the rest is Const."""
    x = args[0].copy()
    shadows = tuple(np.ones_like(x) for _ in range(width))
    first = Duplicated(x, shadows[0]) if width == 1 else BatchDuplicated(x, shadows)
    return [first, *map(Const, args[1:])]


MODES: dict[str, Callable[[Any, tuple[Any, ...]], Any]] = {
    "reverse": lambda f, a: enzyme.autodiff(Reverse, f, *arguments(a, 1)),
    "constant result": lambda f, a: enzyme.autodiff(Reverse, f, Const, *arguments(a, 1)),
    "forward": lambda f, a: enzyme.autodiff(Forward, f, *arguments(a, 1)),
    "forward, constant result": lambda f, a: enzyme.autodiff(Forward, f, Const, *arguments(a, 1)),
    "batch": lambda f, a: enzyme.autodiff(Forward, f, *arguments(a, 3)),
}


@pytest.mark.parametrize(
    ("kernel", "args", "options"), CHECKED, ids=[kernel.__name__ for kernel, _, _ in CHECKED]
)
def test_raise_is_kept(kernel: Any, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    jitted = enzyme.jit(**options)(kernel)
    with pytest.raises((ValueError, LookupError, ZeroDivisionError)) as expected:
        jitted(*args)
    for name, differentiate in MODES.items():
        with pytest.raises(expected.type) as caught:
            differentiate(jitted, args)
        assert caught.value.args == expected.value.args, name
        assert native.memory_stats().regions_open == 0, name


# From compiled code


class Odd(Exception):
    """An exception of the user's own, with arguments."""


@numba.njit
def plain(x):
    if x < 0.0:
        raise ValueError("negative")
    return x * x


@numba.njit
def with_values(x, text):
    if x < 0.0:
        raise Odd("negative " + text, x, 3, True, None)
    return x * x


@numba.njit
def over_elements(x):
    total = 0.0
    for i in range(x.size):
        scaled = x * 2.0
        if x[i] < 0.0:
            raise Odd("element", i)
        total += (scaled * x).sum()
    return total


@numba.njit
def calls_plain(x):
    return enzyme.grad(plain)(x)


@numba.njit
def calls_with_values(x, text):
    return enzyme.grad(with_values)(x, text)


@numba.njit
def calls_over_elements(x):
    return enzyme.grad(over_elements)(x)


@numba.njit
def catches(x, turns):
    total = 0.0
    for _ in range(turns):
        try:
            total += enzyme.grad(over_elements)(x)[0]
        except Exception:
            total -= 1.0
    return total


@pytest.mark.parametrize(
    ("call", "kind", "args"),
    [
        (lambda: calls_plain(-1.0), ValueError, ("negative",)),
        (lambda: calls_with_values(-1.0, "x"), Odd, ("negative x", -1.0, 3, True, None)),
        (lambda: calls_over_elements(X), Odd, ("element", 1)),
        (lambda: enzyme.grad(enzyme.grad(plain))(-1.0), ValueError, ("negative",)),
        (lambda: enzyme.jvp(enzyme.grad(plain), (-1.0,), (1.0,)), ValueError, ("negative",)),
        (lambda: enzyme.vjp(over_elements, X), Odd, ("element", 1)),
        (lambda: enzyme.value_and_grad(over_elements)(X), Odd, ("element", 1)),
    ],
    ids=["plain", "values", "elements", "second order", "jvp", "vjp", "value_and_grad"],
)
def test_on_the_way_to_the_caller(call: Any, kind: type[Exception], args: Any) -> None:
    for _ in range(2):
        with pytest.raises(kind) as caught:
            call()
        assert type(caught.value) is kind
        assert caught.value.args == args
    assert native.memory_stats().regions_open == 0
    assert np.allclose(calls_over_elements(np.abs(X)), [8.0, 16.0])


def test_caught_in_compiled_code() -> None:
    assert catches(X, 50) == -50.0
    assert catches(np.abs(X), 2) == 16.0
    assert native.memory_stats().regions_open == 0


def test_in_threads() -> None:
    gradient, failures = enzyme.grad(over_elements), []
    gradient(np.abs(X))

    def work() -> None:
        for _ in range(200):
            try:
                gradient(X)
            except Odd as error:
                if error.args != ("element", 1):
                    failures.append(error)
            if not np.allclose(gradient(np.abs(X)), [8.0, 16.0]):
                failures.append("wrong")
        if native.memory_stats().regions_open:
            failures.append("open")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_error_model() -> None:
    def quotient(x, y):
        return x / y

    with pytest.raises(ZeroDivisionError):
        enzyme.grad(enzyme.jit(quotient), argnums=(0, 1))(1.0, 0.0)
    lenient = enzyme.jit(error_model="numpy")(quotient)
    assert enzyme.grad(lenient, argnums=(0, 1))(1.0, 0.0) == (np.inf, -np.inf)


@pytest.mark.parametrize(("x", "slope"), [(0.5, 2.0), (-0.5, -2.0), (-6.0, 264.0)])
def test_nested_try(x: float, slope: float) -> None:
    def nested(x):
        total = 0.0
        for i in range(3):
            try:
                try:
                    if x < i - 1:
                        raise ValueError("inner", i)
                    total += x * i
                except Exception:
                    total += x * x
                    if x < -5.0:
                        raise KeyError("outer")  # noqa: B904  (Numba has no "from")
            except Exception:
                total += 100.0 * x
        return total

    assert enzyme.grad(nested)(x) == slope
