"""What is made of a function goes with it, and never before those who still call it."""

from __future__ import annotations

import ctypes
import functools
import gc
import weakref
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest
from numba import cloudpickle, typeof

import enzyme_py as enzyme
from enzyme_py import native
from enzyme_py.errors import Where
from enzyme_py.foundations.keeping import Recent, made_of
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.transforms.plans.unloading import UnloadableLibrary, _is_plain

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
        lambda k: enzyme.gradient(enzyme.Forward, k, X),
        lambda k: enzyme.hessian(k)(X),
        lambda k: enzyme.hvp(k, X, X),
        lambda k: enzyme.vmap(k)(X.reshape(1, 3)),
    ],
    ids=["autodiff", "jvp", "the primal", "forward", "hessian", "hvp", "vmap"],
)
def test_a_transform_does_not_hold_the_kernel(use: Callable[[Any], Any]) -> None:
    kernel = enzyme.jit(scaled_squares(13))
    use(kernel)
    held = [weakref.ref(kernel), *loaded(kernel)]
    del kernel
    gc.collect()
    assert not any(one() is not None for one in held)


def test_a_plain_function_is_let_go_when_others_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("enzyme_py.frontend.functions.kernels._by_content", Recent(2))
    functions = []
    for factor in (17, 18, 19):
        function = scaled_squares(factor)
        assert np.array_equal(enzyme.gradient(function, X)[0], 2 * factor * X)
        functions.append(weakref.ref(function))
    del function
    gc.collect()
    assert [one() is not None for one in functions] == [False, True, True]


def libraries() -> set[int]:
    """The runners whose code is loaded outside of Numba's engine."""
    return {id(one) for one in gc.get_objects() if type(one) is UnloadableLibrary}


def test_the_code_of_a_runner_goes_with_it() -> None:
    gc.collect()
    before = libraries()
    gradient = enzyme.grad(enzyme.jit(scaled_squares(37)))
    assert np.array_equal(gradient(X), 74 * X)
    result = gradient(2 * X)
    assert len(libraries() - before) == 1
    del gradient
    gc.collect()
    assert libraries() <= before
    assert np.array_equal(result, 148 * X)  # memory that the code had asked for
    del result


def test_an_error_outlives_the_code_that_raised_it() -> None:
    @enzyme.jit
    def refusing(x):  # type: ignore[no-untyped-def]
        if x[0] > 0.0:
            raise ValueError("too large", x[0])
        return x[0] * x[0]

    gradient = enzyme.grad(refusing)
    with pytest.raises(ValueError, match="too large") as caught:
        gradient(X)
    assert np.array_equal(gradient(-X), [-2.0, 0.0, 0.0])
    del gradient, refusing
    gc.collect()
    assert caught.value.args == ("too large", 1.0)


def test_a_list_keeps_the_code_that_frees_its_items() -> None:
    assert _is_plain(typeof((1.0, (X, None))))
    assert not _is_plain(typeof((1.0, numba.typed.List([X]))))


def test_optimising_leaves_nothing_behind() -> None:
    """A pass manager that is not freed is 30 KiB, a context with what was parsed in it as much."""
    text = str(llvm.parse_assembly("define double @f(double %x) { ret double %x }"))
    module = DifferentiatedModule(text, ("f",), Where("f"), seconds=0.0, remarks="")
    native.optimise(module)
    before = _allocated()
    for _ in range(20):
        native.optimise(module)
    assert _allocated() - before < 20 * 4096


class _Statistics(ctypes.Structure):
    """What glibc's mallinfo2 returns."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena blocks small maps mapped most fast used free top".split()
    ]


def _allocated() -> int:
    measure = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if measure is None:
        pytest.skip("glibc 2.33 and later tell what is allocated")
    measure.restype = _Statistics
    found = measure()
    return int(found.used + found.mapped)


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
