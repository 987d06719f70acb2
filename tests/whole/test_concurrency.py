"""Threads that compile and call at once, processes that fork and spawn, and Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import host
from enzyme_py.host.installing.locate import find_toolchain
from enzyme_py.host.process.client import AT_ONCE, keeper
from enzyme_py.native.runtime import library
from tests.host.host_modules import REVERSE, a_module
from tests.host.host_programs import ROOT, wait_until
from tests.storms.watch import mark_descendants, marked
from tests.transforms.test_keeping import scaled_squares

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, stops the host")


def test_threads_compile_and_call_at_once() -> None:
    shared = enzyme.grad(scaled_squares(41))  # all threads want it first

    def work(number: int) -> bool:
        own = enzyme.grad(scaled_squares(100 + number % 4))
        x = np.arange(number, number + 50.0)
        answers = [
            np.array_equal(shared(x), 82 * x) and np.array_equal(own(x), 2 * (100 + number % 4) * x)
            for _ in range(200)
        ]
        return all(answers)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


@contextmanager
def a_stopped_host() -> Iterator[None]:
    """The server takes requests and does nothing about them."""
    host.differentiate(a_module(REVERSE))
    (server,) = keeper._servers.values()
    awake = threading.Timer(60.0, os.kill, (server.hello.pid, signal.SIGCONT))  # never hang
    awake.start()
    os.kill(server.hello.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        awake.cancel()
        os.kill(server.hello.pid, signal.SIGCONT)


def test_nobody_waits_for_the_pass_of_another_thread() -> None:
    """Neither Python code nor a compilation by Numba: the pass is held up until both are done."""
    x = np.array([1.0, 2.0])
    host.close()  # one server, and no cache: this derivative needs it
    with ThreadPoolExecutor(1) as pool:
        with a_stopped_host():
            waiting = pool.submit(lambda: enzyme.grad(enzyme.jit(scaled_squares(43)))(x))
            wait_until(lambda: keeper.turns._value < AT_ONCE, "the request is sent", 60)
            assert numba.njit(lambda y: y + 1.0)(1.0) == 2.0
            assert not waiting.done()
        assert np.array_equal(waiting.result(60), 86 * x)


def drifting(x, count):  # type: ignore[no-untyped-def]  # compiled by Numba
    s = 0.0
    for _ in range(count):
        s = s * 0.5 + np.sin(x + s)
    return s


def longest_silence(call: Any) -> tuple[float, float]:
    """How long a call takes, and the longest time for which another Python thread stood still."""
    is_done, silences = threading.Event(), [0.0]

    def tick() -> None:
        last = time.perf_counter()
        while not is_done.is_set():
            now = time.perf_counter()
            silences[0] = max(silences[0], now - last)
            last = now

    other = threading.Thread(target=tick)
    other.start()
    begun = time.perf_counter()
    call()
    seconds = time.perf_counter() - begun
    is_done.set()
    other.join()
    return seconds, silences[0]


@pytest.mark.parametrize("is_free", [True, False])
def test_a_derivative_holds_the_lock_of_python_as_its_kernel_does(is_free: bool) -> None:
    gradient = enzyme.grad(enzyme.jit(drifting, nogil=is_free))
    gradient(0.5, 10)
    seconds, silence = longest_silence(lambda: gradient(0.5, 4_000_000))
    assert (silence < seconds / 2) == is_free, (seconds, silence)


def test_threads_run_a_kernel_without_the_lock_at_once() -> None:
    """Each holds its own region, and answers are those of one thread alone."""
    gradient = enzyme.grad(enzyme.jit(scaled_squares(47), nogil=True))
    alone = {n: gradient(np.arange(float(n))) for n in range(1, 9)}

    def work(n: int) -> bool:
        library().enzyme_py_scribble(1)
        x = np.arange(float(n))
        return all(np.array_equal(gradient(x), alone[n]) for _ in range(3000))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, alone))


def gradient_in_process(factor: int) -> tuple[int, list[float]]:
    """What a worker process does."""
    x = np.array([1.0, 3.0])
    answer = enzyme.grad(scaled_squares(factor))(x).tolist()
    host.close()  # workers of multiprocessing end without Python's farewell
    return os.getpid(), answer


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes(way: str) -> None:
    gradient_in_process(53)  # the parent has compiled, and has a host
    mark = mark_descendants()
    context: Any = multiprocessing.get_context(way)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        answers = list(pool.map(gradient_in_process, [53, 54, 55, 56]))
    assert [answer for _, answer in answers] == [[2.0 * f, 6.0 * f] for f in (53, 54, 55, 56)]
    assert os.getpid() not in {pid for pid, _ in answers}
    wait_until(lambda: not hosts_among(marked(mark)), "their hosts have ended")


def hosts_among(processes: list[int]) -> list[int]:
    """Those that run the host; multiprocessing keeps helpers of its own."""
    executable = str(find_toolchain().executable.resolve())
    return [pid for pid in processes if _program(pid) == executable]


def _program(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


INTERRUPTED = """
import random, signal, sys, threading, time
import numpy as np
import enzyme_py as enzyme
from enzyme_py import host
from enzyme_py.settings import config
from tests.storms.watch import mark_descendants, marked

signal.signal(signal.SIGINT, signal.default_int_handler)
mark = mark_descendants()
draw = random.Random(int(sys.argv[1]))
x = np.array([1.0, 2.0, 3.0])

def kernel_of(factor):
    def kernel(x):
        y = np.concatenate((x, factor * x))
        z = np.outer(y, y)
        return np.sum(z) + np.sum(y * y)
    return kernel

def wanted(factor):
    return 2.0 * (1 + factor) ** 2 * np.sum(x) + 2.0 * (1 + factor**2) * x

with config(cache=False):
    enzyme.grad(kernel_of(1.5))(x)
    begun = time.perf_counter()
    enzyme.grad(kernel_of(2.5))(x)
    usual = time.perf_counter() - begun
    interrupted = 0
    for turn in range(5):
        factor = 3.5 + turn
        gradient = enzyme.grad(enzyme.jit(kernel_of(factor)))
        main = threading.main_thread().ident
        timer = threading.Timer(draw.uniform(0, 0.9 * usual), signal.pthread_kill, (main, signal.SIGINT))
        try:
            timer.start()
            gradient(x)
            timer.join()
        except KeyboardInterrupt:
            interrupted += 1
        assert np.allclose(gradient(x), wanted(factor), rtol=1e-14), (gradient(x), wanted(factor))
host.close()
import os
assert marked(mark) == [], marked(mark)  # our own environment was set at the start
print("interrupted", interrupted)
"""


def test_ctrl_c_in_a_long_compilation() -> None:
    """At random moments, in Numba and in the pass; the same derivative compiles the next time."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "1"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) >= 2
