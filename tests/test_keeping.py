"""What is made of a function goes with it, and never before those who still call it."""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numba import cloudpickle

import enzyme_py as enzyme
from enzyme_py.keeping import Recent, made_of

X = np.array([1.0, 2.0, 4.0])


def scaled_squares(factor: int) -> Callable[..., Any]:
    """A function of its own for each factor; its gradient is 2 * factor * x."""

    def squares(x):  # type: ignore[no-untyped-def]  # compiled by Numba
        s = 0.0
        for i in range(x.size):
            s += factor * x[i] * x[i]
        return s

    return squares


def loaded(kernel: Any) -> list[weakref.ref[Any]]:
    """The machine code of every derivative of a kernel."""
    return [weakref.ref(one.keep_alive) for one in made_of(kernel, "derivatives").values()]


def test_a_dropped_derivative_is_unloaded() -> None:
    kernel = enzyme.jit(scaled_squares(11))
    gradient = enzyme.grad(kernel)
    assert np.array_equal(gradient(X), 22 * X)
    held = [weakref.ref(kernel), weakref.ref(gradient), *loaded(kernel)]
    assert len(held) == 3
    del kernel
    gc.collect()
    assert np.array_equal(gradient(X), 22 * X)  # who holds the gradient holds all it needs
    assert all(one() is not None for one in held)
    del gradient
    gc.collect()
    assert not any(one() is not None for one in held)


@pytest.mark.parametrize(
    "use",
    [
        lambda k: enzyme.autodiff(enzyme.Reverse, k, enzyme.Duplicated(X, np.zeros(3))),
        lambda k: enzyme.jvp(k, (X,), (X,)),
        lambda k: k(X),
    ],
    ids=["autodiff", "jvp", "the primal"],
)
def test_a_transform_does_not_hold_the_kernel(use: Callable[[Any], Any]) -> None:
    kernel = enzyme.jit(scaled_squares(13))
    use(kernel)
    held = [weakref.ref(kernel), *loaded(kernel)]
    del kernel
    gc.collect()
    assert not any(one() is not None for one in held)


def test_a_plain_function_is_let_go_when_others_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("enzyme_py.frontend.kernels._by_content", Recent(2))
    functions = []
    for factor in (17, 18, 19):
        function = scaled_squares(factor)
        assert np.array_equal(enzyme.gradient(function, X)[0], 2 * factor * X)
        functions.append(weakref.ref(function))
    del function
    gc.collect()
    assert [one() is not None for one in functions] == [False, True, True]


def _njit(gradient: Any) -> Callable[..., Any]:
    return numba.njit(lambda x: gradient(x) + 1.0)  # type: ignore[no-any-return]


def _nested(gradient: Any) -> Callable[..., Any]:
    inner = _njit(gradient)
    return numba.njit(lambda x: inner(x))  # type: ignore[no-any-return]


def _parallel(gradient: Any) -> Callable[..., Any]:
    @numba.njit(parallel=True)
    def caller(x):  # type: ignore[no-untyped-def]
        rows = np.empty((2, x.size))
        for i in numba.prange(2):
            rows[i] = gradient(x) + 1.0
        return rows[1]

    return caller  # type: ignore[no-any-return]


def _generalised(gradient: Any) -> Callable[..., Any]:
    @numba.guvectorize([(numba.float64[:], numba.float64[:])], "(n)->(n)")
    def caller(x, out):  # type: ignore[no-untyped-def]
        out[:] = gradient(x.copy()) + 1.0

    return caller  # type: ignore[no-any-return]


@pytest.mark.parametrize("make", [_nested, _parallel, _generalised])
def test_compiled_code_keeps_what_it_calls(make: Callable[[Any], Any]) -> None:
    kernel = enzyme.jit(scaled_squares(23))
    caller = make(enzyme.grad(kernel))
    before = caller(X)
    (code,) = loaded(kernel)
    del kernel
    # As if the caller's Python function no longer named the gradient.
    for cell in getattr(caller, "py_func", make).__closure__ or ():
        cell.cell_contents = None
    gc.collect()
    assert code() is not None
    assert np.array_equal(caller(X), before)
    assert np.array_equal(before, 46 * X + 1.0)


def test_a_wrapped_function_is_another() -> None:
    inner = scaled_squares(29)
    assert np.array_equal(enzyme.gradient(inner, X)[0], 58 * X)

    @functools.wraps(inner)  # copies the attributes
    def outer(x):  # type: ignore[no-untyped-def]
        return np.sum(x * x * x)

    assert np.array_equal(enzyme.gradient(outer, X)[0], 3 * X * X)
    assert np.array_equal(enzyme.gradient(inner, X)[0], 58 * X)


def test_a_pickle_has_nothing_of_it() -> None:
    function = scaled_squares(31)
    fresh = len(cloudpickle.dumps(scaled_squares(31)))
    enzyme.gradient(function, X)
    data = cloudpickle.dumps(function)
    assert len(data) < fresh + 300
    assert np.array_equal(enzyme.gradient(cloudpickle.loads(data), X)[0], 62 * X)


def test_recent_forgets_the_oldest() -> None:
    table = Recent(2)
    table.put("a", 1)
    table.put("b", 2)
    assert table.put("a", 3) == 1  # what is there stays
    assert table.get("a") == 1
    table.put("c", 3)
    assert [table.get(key) for key in "abc"] == [1, None, 3]
