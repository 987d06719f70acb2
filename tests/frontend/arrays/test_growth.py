"""Arrays that a loop grows: in place where nobody can tell, and left alone everywhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import ir, types
from numba.core.compiler import run_frontend

import enzyme_py as enzyme
from enzyme_py.frontend.arrays.growing import growth
from enzyme_py.frontend.arrays.growing.liveness import Liveness
from enzyme_py.frontend.arrays.growing.readers import _METHODS, _READERS, JOINERS
from enzyme_py.frontend.target.target import KERNEL
from enzyme_py.native.runtime import library, memory_stats
from tests.frontend.arrays import growing_kernels
from tests.frontend.arrays.growing_kernels import GROWN, REFUSED
from tests.rotation import selected, sweep

VECTOR = types.Array(types.float64, 1, "C")
STEP = 1e-5
HELPED = (growing_kernels.in_a_helper, growing_kernels.helper_grown_further)
# Refused with and without growth: a loop with several exits, and a memset of unknown memory.
ONCE_ONLY = (growing_kernels.copied_elsewhere, growing_kernels.iterated)


def points(count: int = 11, width: int = 5) -> tuple[np.ndarray, ...]:
    """Two arguments, and two directions for each."""
    random = np.random.default_rng(count)
    arguments = random.uniform(0.3, 1.7, count), random.uniform(0.3, 1.2, width)
    return *arguments, *(random.normal(size=size) for size in (count, width, count, width))


def plainly(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel as njit runs it, or as Python does where it calls plain functions."""
    is_plain = kernel in HELPED or kernel is growing_kernels.passed_on
    return kernel if is_plain else numba.njit(kernel)


def difference(function: Callable[..., Any], arguments: Any, directions: Any) -> float:
    there, back = (
        function(*(x + sign * STEP * d for x, d in zip(arguments, directions, strict=True)))
        for sign in (1, -1)
    )
    return float((there - back) / (2 * STEP))


def slope(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def along(x, w, a, b):
        p, q = enzyme.gradient(kernel, x, w)
        return np.sum(p * a) + np.sum(q * b)

    return along


def push(kernel: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, w, a, b: enzyme.jvp(kernel, (x, w), (a, b))[1]


def steps_of(kernel: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, *kinds: Any) -> int:
    """Return how many statements of a kernel, without those that it calls, are rewritten."""
    found = []
    rewrite = growth._Function.rewrite

    def count(self: Any, versions: dict[str, Any]) -> None:
        found.extend(step for step in versions.values() if step is not None)
        rewrite(self, versions)

    monkeypatch.setattr(growth._Function, "rewrite", count)
    compiler = KERNEL.make_dispatcher(kernel, {})
    compiler.compile(kinds or (VECTOR, VECTOR))
    return len(found)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, cases in (("grown", GROWN), ("reader", [*ARRAYS, *JOINERS])):
        if name in metafunc.fixturenames:
            chosen = selected(cases, metafunc.config, 5)
            metafunc.parametrize(name, chosen, ids=lambda one: one.__name__)


# -- derivatives -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", sweep(GROWN, 2), ids=lambda one: one.__name__)
def test_first_derivatives(kernel: Callable[..., Any]) -> None:
    x, w, a, b, *_ = points()
    want = difference(plainly(kernel), (x, w), (a, b))
    before = x.tobytes(), w.tobytes()
    assert slope(kernel)(x, w, a, b) == pytest.approx(want, rel=1e-7)
    assert push(kernel)(x, w, a, b) == pytest.approx(want, rel=1e-7)
    assert (x.tobytes(), w.tobytes()) == before


def test_second_derivatives(grown: Callable[..., Any]) -> None:
    x, w, a, b, c, d = points()
    along = slope(grown)
    want = difference(lambda *one: along(*one, a, b), (x, w), (c, d))
    zeros = np.zeros_like(a), np.zeros_like(b)
    assert enzyme.jvp(along, (x, w, a, b), (c, d, *zeros))[1] == pytest.approx(want, rel=1e-6)
    for first in (push(grown), along):
        if first is along and grown in ONCE_ONLY:
            continue
        p, q, *_ = enzyme.gradient(first, x, w, a, b)
        assert p @ c + q @ d == pytest.approx(want, rel=1e-6)


def test_reverse_over_reverse_of_many_sizes() -> None:
    along = slope(growing_kernels.sometimes)
    for count in range(1, 30):
        x, w, a, b, c, d = points(count, 1 + count % 7)
        want = difference(lambda *one, a=a, b=b: along(*one, a, b), (x, w), (c, d))
        p, q, *_ = enzyme.gradient(along, x, w, a, b)
        assert p @ c + q @ d == pytest.approx(want, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 17, 1000])
@pytest.mark.parametrize("width", [1, 3])
def test_lengths(count: int, width: int) -> None:
    x, w, a, b, *_ = points(count, width)
    # d/dx sum sin(w x_t)^2 = sum w sin(2 w x_t), and the same with w and x exchanged.
    p, q = enzyme.gradient(squares, x, w)
    doubled = np.sin(2 * np.outer(x, w))
    assert np.allclose(p, doubled @ w, rtol=1e-13)
    assert np.allclose(q, x @ doubled, rtol=1e-12)
    assert push(squares)(x, w, a, b) == pytest.approx(p @ a + q @ b, rel=1e-11, abs=1e-13)


def squares(x, w):
    y = np.zeros(0)
    for t in range(x.size):
        y = np.concatenate((y, np.sin(w * x[t])))
    return np.sum(y * y)


def squares_of_any_kind(x, w):
    y = w[:0]
    for t in range(x.size):
        y = np.concatenate((y, w[::-1] * x[t], w[::-1]))
        y = np.append(y, x[t] * x[t])
    return np.sum(np.abs(y) ** 2)


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float32, 1e-4), (np.complex128, 1e-12), (np.complex64, 1e-4)]
)
def test_other_numbers(dtype: Any, tolerance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    x, w, *_ = points()
    x = x.astype(np.zeros(0, dtype).real.dtype)
    w = (w + 0.5j * w[::-1]).astype(dtype) if np.dtype(dtype).kind == "c" else w.astype(dtype)
    kinds = numba.typeof(x), numba.typeof(w)
    assert steps_of(squares_of_any_kind, monkeypatch, *kinds) == 2
    p, q = enzyme.gradient(squares_of_any_kind, x, w)
    square = np.sum(np.abs(w) ** 2)
    assert np.allclose(p, 2 * x * square + 4 * x.astype(float) ** 3, rtol=tolerance)
    assert np.allclose(q, 2 * w * (np.sum(x.astype(float) ** 2) + x.size), rtol=tolerance)


@pytest.mark.parametrize("is_first_constant", [False, True])
@pytest.mark.parametrize("kernel", GROWN[:8:3], ids=lambda one: one.__name__)
def test_constant_arguments(kernel: Callable[..., Any], is_first_constant: bool) -> None:
    x, w, a, b, *_ = points()
    shadows = np.zeros_like(x), np.zeros_like(w)
    given = [enzyme.Duplicated(x, shadows[0]), enzyme.Duplicated(w, shadows[1])]
    place = 0 if is_first_constant else 1
    given[place] = enzyme.Const((x, w)[place])
    enzyme.autodiff(enzyme.Reverse, kernel, enzyme.Active, *given)
    moved = [(a, b)[k] if k != place else np.zeros_like((a, b)[k]) for k in range(2)]
    want = difference(plainly(kernel), (x, w), moved)
    other = 1 - place
    assert shadows[other] @ (a, b)[other] == pytest.approx(want, rel=1e-7)
    assert not shadows[place].any()


# -- what is rewritten -----------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", GROWN, ids=lambda one: one.__name__)
def test_is_rewritten(kernel: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps_of(kernel, monkeypatch) > 0


@pytest.mark.parametrize("kernel", sweep(REFUSED, 2), ids=lambda one: one.__name__)
def test_is_left_alone(kernel: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps_of(kernel, monkeypatch) == 0
    x, w, a, b, *_ = points()
    want = difference(plainly(kernel), (x, w), (a, b))
    value, derivative = enzyme.jvp(kernel, (x.copy(), w.copy()), (a, b))
    assert value == pytest.approx(plainly(kernel)(x.copy(), w.copy()), rel=1e-14)
    assert derivative == pytest.approx(want, rel=1e-6)


def test_the_other_half_of_a_fork_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps_of(growing_kernels.forked, monkeypatch) == 1


def test_liveness_follows_the_ways_through_a_loop() -> None:
    def kernel(n):
        a = b = 1.0
        for _ in range(n):
            c = a * 2.0
            a = c + b
        return a

    blocks = run_frontend(kernel).blocks
    (doubling,) = (
        one
        for block in blocks.values()
        for one in block.find_insts(ir.Assign)
        if one.target.name == "c"
    )
    # What a held is overwritten before it is read again; b is read in the next turn.
    assert Liveness(blocks, ("a", "b", "c")).behind(doubling) == {"b", "c"}
    assert Liveness(blocks, ("n",)).behind(doubling) == set()


def test_only_kernels_are_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, versions: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(growth._Function, "rewrite", fail)
    x, w, *_ = points()
    assert numba.njit(squares)(x, w) == pytest.approx(squares(x, w), rel=1e-14)


def test_result_is_bit_identical() -> None:
    x, w, a, b, *_ = points(37)
    value, _ = enzyme.jvp(growing_kernels.history, (x, w), (a, b))
    assert value.tobytes() == numba.njit(growing_kernels.history)(x, w).tobytes()


SPECIAL = {
    np.append: lambda f: lambda y: f(y, y),
    np.where: lambda f: lambda y: f(y > 0.5, y, y),
    np.interp: lambda f: lambda y: f(y, y, y),
    np.full_like: lambda f: lambda y: f(y, 1.0),
    np.searchsorted: lambda f: lambda y: f(y, y),
}
PAIRS = (np.dot, np.vdot, np.outer, np.kron, np.allclose, np.isclose, np.array_equal)
ARRAYS = [one for one in _READERS if getattr(one, "__module__", "").startswith("numpy")]


def test_readers_return_memory_of_their_own(reader: Any) -> None:
    """The table of readers is right about Numba's implementations, not NumPy's."""
    if reader in SPECIAL:
        call = SPECIAL[reader](reader)
    elif reader in PAIRS:
        call = lambda y: reader(y, y)
    elif reader in JOINERS:
        call = lambda y: reader((y, y))
    else:
        call = lambda y: reader(y)
    y = np.array([0.5, 1.5, 2.5])
    result = numba.njit(call)(y)
    assert not np.shares_memory(np.asarray(result), y)
    assert y.tolist() == [0.5, 1.5, 2.5]


@pytest.mark.parametrize("name", sorted(_METHODS))
def test_methods_return_memory_of_their_own(name: str) -> None:
    source = f"def call(y): return y.{name}()"
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    y = np.array([0.5, 1.5, 2.5])
    result = numba.njit(namespace["call"])(y)
    assert not np.shares_memory(np.asarray(result), y)
    assert y.tolist() == [0.5, 1.5, 2.5]


# -- memory ----------------------------------------------------------------------------------------


def network(recurrent, given, bias, inputs):
    h = np.zeros(bias.size)
    y = np.zeros(0)
    for t in range(inputs.shape[0]):
        h = np.tanh(recurrent @ h + given @ inputs[t] + bias)
        y = np.concatenate((y, h))
    return np.mean(y * y)


@pytest.mark.parametrize("is_reverse", [True, False])
def test_memory_is_linear(is_reverse: bool) -> None:
    """The peak of 16 times the steps is 16 times as much: it was 256 times as much."""
    random = np.random.default_rng(0)
    weights = [random.normal(size=shape) / 3 for shape in ((8, 8), (8, 4), (8,))]
    peaks = []
    for count in (500, 8000):
        arguments = (*weights, random.normal(size=(count, 4)))
        library().enzyme_py_reset_stats()
        if is_reverse:
            enzyme.gradient(network, *arguments)
        else:
            enzyme.jvp(network, arguments, arguments)
        peaks.append(memory_stats().peak)
    assert peaks[1] < 16 * 1.5 * peaks[0]
    assert peaks[1] < 8000 * 8 * 8 * 60  # bytes: 60 for each number of the state
