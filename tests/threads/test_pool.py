"""The pool: bits, exceptions, processes made by fork, Python threads that call at once, counts that change."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count
from tests.threads.kernels import CASES, SIZE, Case

BY_NAME = pytest.mark.parametrize("case", CASES, ids=[one.name for one in CASES])
_RNG = np.random.default_rng(5)
POINT = (_RNG.uniform(0.1, 1.0, SIZE), _RNG.uniform(0.1, 1.0, SIZE), 1.5)


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    with enzyme.config(threads=3):
        yield


def bits(case: Case) -> bytes:
    found = enzyme.grad(case.kernel, argnums=(0, 1, 2))(*POINT)
    return b"".join(np.asarray(one).tobytes() for one in found)


@BY_NAME
def test_each_run_gives_the_same_bits(case: Case) -> None:
    first = bits(case)
    assert all(bits(case) == first for _ in range(20))


@BY_NAME
def test_with_the_parts_set_any_number_of_threads_gives_the_same_bits(case: Case) -> None:
    with enzyme.config(parts=5):
        found = set()
        for threads in (1, 2, 4, 7):
            with enzyme.config(threads=threads):
                found.add(bits(case))
    assert len(found) == 1


@numba.njit(parallel=True)
def raising(x, limit):
    total = 0.0
    for i in prange(x.size):
        if x[i] > limit:
            raise ValueError("too large", i)
        total += x[i] * x[i]
    return total


def test_the_exception_is_that_of_the_serial_loop() -> None:
    x = np.linspace(0.0, 1.0, 1001)
    gradient = enzyme.grad(raising)
    np.testing.assert_allclose(gradient(x, 2.0), 2 * x)
    for limit in (0.9, 0.5, 0.0005, 0.7):
        first = int(np.argmax(x > limit))
        for _ in range(50):
            with pytest.raises(ValueError, match="too large") as told:
                gradient(x, limit)
            assert told.value.args == ("too large", first)
    np.testing.assert_allclose(gradient(x, 2.0), 2 * x)


def test_memory_that_runs_out_in_a_part() -> None:
    @numba.njit(parallel=True)
    def large(x, size):
        total = 0.0
        for i in prange(x.size):
            t = np.zeros(size)
            for k in range(i, size, size // 2):  # what is written and read at one place needs no memory
                t[k] = x[i] * k
            for k in range(size):
                total += t[k] * x[i]
        return total

    x = np.arange(1.0, 9.0)
    firsts = 2 * np.arange(8) + 50  # what a turn multiplies by: its k, and the one that lies 50 behind
    np.testing.assert_allclose(enzyme.grad(large)(x, 100), 2 * x * firsts)
    with pytest.raises(MemoryError):
        enzyme.grad(large)(x, 1 << 45)
    case = CASES[0]
    bits(case)


def test_python_threads_that_call_the_same_derivative() -> None:
    case = CASES[5]
    expected = bits(case)
    barrier = threading.Barrier(8)

    def work(_: int) -> bool:
        barrier.wait()
        return all(bits(case) == expected for _ in range(200))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_in_compiled_code_without_pythons_lock() -> None:
    kernel = CASES[0].kernel
    gradient = enzyme.grad(kernel)

    @numba.njit(nogil=True)
    def many(x, y, c, count):
        total = np.zeros_like(x)
        for _ in range(count):
            total += gradient(x, y, c)
        return total

    before = fork_count()
    expected = many(*POINT, 50)
    np.testing.assert_allclose(expected, 50 * np.cos(POINT[0]) * POINT[1] * 1.5, rtol=1e-12)
    assert fork_count() - before == 100
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: many(*POINT, 500), range(4)))
    for one in found:
        np.testing.assert_array_equal(one, found[0])


def test_loops_within_numbas_own_threads() -> None:
    gradient = enzyme.grad(CASES[0].kernel)

    @numba.njit(parallel=True)
    def outer(x, y, c):
        out = np.empty((8, x.size))
        for i in prange(8):
            out[i] = gradient(x, y, c + i)
        return out

    x, y, c = POINT
    found = outer(x, y, c)
    expected = np.cos(x) * y * (c + np.arange(8))[:, None]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_halves_of_a_split_gradient_on_different_counts() -> None:
    case = CASES[5]  # with copies, a stencil
    x, y, c = POINT
    forward, reverse = enzyme.autodiff_thunk(
        enzyme.ReverseSplitWithPrimal,
        case.kernel,
        enzyme.Duplicated,
        enzyme.Duplicated,
        enzyme.Active,
    )
    by_hand = case.gradient(x, y, c)
    for first, second in ((1, 4), (4, 1), (2, 7), (7, 2), (3, 3)):
        dx, dy = np.zeros(SIZE), np.zeros(SIZE)
        given = enzyme.Duplicated(x, dx), enzyme.Duplicated(y, dy), enzyme.Active(c)
        with enzyme.config(threads=first):
            tape, *_ = forward(*given)
        with enzyme.config(threads=second):
            reverse(*given, 1.0, tape)
        np.testing.assert_allclose(dx, by_hand[0], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(dy, by_hand[1], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "case", [CASES[0], CASES[2], CASES[5], CASES[11]], ids=lambda one: one.name
)
def test_batches(case: Case) -> None:
    by_x = case.gradient(*POINT)[0]
    u = _RNG.normal(size=(2, SIZE))
    found = enzyme.autodiff(
        enzyme.Forward,
        case.kernel,
        enzyme.BatchDuplicated(POINT[0], (u[0].copy(), u[1].copy())),
        enzyme.Const(POINT[1]),
        enzyme.Const(POINT[2]),
    )
    np.testing.assert_allclose(np.ravel(np.array(found, dtype=float)), u @ by_x, rtol=1e-10)


def test_numbas_count_is_followed() -> None:
    code = """
        import os, sys
        import numba, numpy as np, enzyme_py as enzyme
        from numba import prange
        from enzyme_py.native.threads.counts import fork_count

        @numba.njit(parallel=True)
        def squares(x):
            total = 0.0
            for i in prange(x.size):
                total += x[i] * x[i]
            return total

        x = np.linspace(0, 1, 100)
        gradient = enzyme.grad(squares)
        gradient(x)
        assert fork_count() == 2, fork_count()
        numba.set_num_threads(1)
        gradient(x)
        assert fork_count() == 2, fork_count()
        numba.set_num_threads(3)
        np.testing.assert_allclose(gradient(x), 2 * x)
        assert fork_count() == 4, fork_count()
        child = os.fork()
        if child == 0:
            ok = np.allclose(gradient(x), 2 * x) and fork_count() == 6
            os._exit(0 if ok else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        np.testing.assert_allclose(gradient(x), 2 * x)
    """
    assert run(code, NUMBA_NUM_THREADS="3", ENZYME_PY_THREADS="all") == 0


def test_one_thread_has_plain_loops() -> None:
    code = """
        import numba, numpy as np, enzyme_py as enzyme
        from numba import prange

        @numba.njit(parallel=True)
        def squares(x):
            total = 0.0
            for i in prange(x.size):
                total += x[i] * x[i]
            return total

        x = np.linspace(0, 1, 100)
        assert "threads_driver" not in enzyme.inspect.ir(squares, x)
        np.testing.assert_allclose(enzyme.grad(squares)(x), 2 * x)
    """
    assert run(code, NUMBA_NUM_THREADS="1", ENZYME_PY_THREADS="all") == 0


def run(code: str, **variables: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **variables},
        timeout=300,
        check=False,
    )
    return done.returncode


def test_ctrl_c_comes_behind_the_derivative() -> None:
    code = """
        import os, signal, threading, time
        import numba, numpy as np, enzyme_py as enzyme
        from numba import prange

        @numba.njit(parallel=True)
        def slow(x):
            total = 0.0
            for i in prange(x.size):
                for _ in range(2000):
                    total += np.sin(x[i])
            return total

        x = np.linspace(0, 1, 20000)
        gradient = enzyme.grad(slow)
        gradient(x[:10])
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            while True:
                gradient(x)
        except KeyboardInterrupt:
            pass
        np.testing.assert_allclose(gradient(x[:10]), 2000 * np.cos(x[:10]))
    """
    assert run(code, NUMBA_NUM_THREADS="3", ENZYME_PY_THREADS="all") == 0


def test_memory_does_not_grow() -> None:
    case = CASES[14]  # with arrays made in the body
    bits(case)
    held = enzyme.inspect.memory().held
    for _ in range(2000):
        bits(case)
    # Less where calls before, of other tests, had needed more: what many calls do not need is given back.
    assert enzyme.inspect.memory().held <= held
