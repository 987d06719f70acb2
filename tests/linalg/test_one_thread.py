"""Small calls of BLAS and LAPACK have one thread, and OpenBLAS has afterwards what it had (csrc/blas.h).

Processes of their own: how many threads OpenBLAS has is said when it is loaded. The C code by itself: tests/c/blas_driver.c.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from enzyme_py.native import blas

THREADS = 2  # OpenBLAS takes no more than there are cores
pytestmark = pytest.mark.skipif(blas.openblas() is None or (os.cpu_count() or 1) < THREADS, reason="needs two cores, and SciPy with an OpenBLAS that has threads of its own")

HEAD = """
import ctypes, json, os
import numba, numpy as np
import enzyme_py as enzyme
from enzyme_py.native import blas
from enzyme_py.native.runtime import library_path

runtime = ctypes.CDLL(str(library_path("libenzyme_py_runtime.so")))
runtime.enzyme_py_blas_count.restype = ctypes.c_int64
threads = lambda: blas.openblas()["get_num_threads"]()

def one(derivative, *given):
    "What comes of a derivative, and how many calls wished for one thread."
    before = runtime.enzyme_py_blas_count()
    found = derivative(*given)
    return found, runtime.enzyme_py_blas_count() - before

def positive(n):
    x = np.random.default_rng(n).normal(size=(n, n))
    return x @ x.T + n * np.eye(n)

def logarithm(a):
    return np.sum(np.log(np.diag(np.linalg.cholesky(a))))

def squares(a):
    return np.sum((a @ a) ** 2)
"""


def said(program: str, threads: int = THREADS) -> Any:
    source = HEAD + textwrap.dedent(program)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# One process for several questions: each would compile the same gradients again.
CALLS = """
    a = positive(90)
    factor, few = one(enzyme.grad(logarithm), a)
    np.testing.assert_allclose(factor + factor.T, np.linalg.inv(a), rtol=1e-9, atol=1e-12)
    product, more = one(enzyme.grad(squares), a)
    slope, forward = one(enzyme.jvp, logarithm, (a,), (a,))
    said["calls"] = [few, more, forward, threads(), factor.tobytes().hex(), product.tobytes().hex()]
"""
QUESTIONS = (
    CALLS
    + """
    a, found = positive(200), []
    for count in (1, 2, None, 1):
        with enzyme.config(threads=count):
            found.append(one(enzyme.grad(squares), a)[1])
    said["large"] = found

    with enzyme.config(threads=2):
        serial, none = one(enzyme.grad(squares), a)
        rows, some = one(enzyme.jacrev(lambda a: (a @ a)[:8, 0] * 1.0), a)
    said["parts"] = [none, some, threads()]

    gradient, found = enzyme.grad(logarithm), []
    gradient(positive(80))
    for _ in range(3):
        try:
            gradient(-positive(80))
        except np.linalg.LinAlgError:
            found.append(threads())
    child = os.fork()
    if child == 0:
        _, count = one(gradient, positive(80))
        os._exit(0 if count and threads() == found[0] else 1)
    found.append(os.waitpid(child, 0)[1])
    said["singular"] = found

    from concurrent.futures import ThreadPoolExecutor
    a = positive(80)
    expected = gradient(a).tobytes()
    with ThreadPoolExecutor(8) as pool:
        alike = [one.result() == expected for one in [pool.submit(lambda: gradient(a).tobytes()) for _ in range(400)]]
    said["python"] = [all(alike), threads()]
"""
)
END = "\n    print(json.dumps(said))"


@pytest.fixture(scope="module")
def answers() -> Any:
    return said("    said = {}" + QUESTIONS + END)


def test_calls_of_lapack_and_products(answers: Any) -> None:
    """The numbers are the same to the bit as where OpenBLAS has one thread; half the inverse is the gradient of the logarithm."""
    *counts, threads, factor, product = answers["calls"]
    assert all(counts)
    assert threads == THREADS
    assert said("    said = {}" + CALLS + END, 1)["calls"] == [0, 0, 0, 1, factor, product]


FUNCTIONS = {
    "inv": "np.sum(np.linalg.inv(a))",
    "solve": "np.sum(np.linalg.solve(a, a[0]))",
    "det": "np.linalg.slogdet(a)[1]",
    "eigh": "np.sum(np.linalg.eigh(a)[0])",
    "svd": "np.sum(np.linalg.svd(a)[1])",
    "qr": "np.sum(np.linalg.qr(a)[1])",
    "lstsq": "np.sum(np.linalg.lstsq(a, a[0])[0])",
    "eig": "np.sum(np.abs(np.linalg.eig(a + 0j)[0]))",
    "vector": "np.sum((a @ a[0]) ** 2)",
}
ORDINARY = ("solve", "vector")


def test_each_function_of_linear_algebra(pytestconfig: pytest.Config) -> None:
    """An ordinary run asks those of ORDINARY."""
    functions = {name: FUNCTIONS[name] for name in (FUNCTIONS if pytestconfig.getoption("full") else ORDINARY)}
    program = f"""
        found = {{}}
        for name, body in {functions}.items():
            function = numba.njit(eval("lambda a: " + body))
            found[name] = one(enzyme.grad(function), positive(100))[1]
        print(json.dumps([found, threads()]))
    """
    found, threads = said(program)
    assert all(found.values()), found
    assert threads == THREADS


def test_large_calls_have_what_the_library_takes(answers: Any) -> None:
    """With several threads for derivatives 4e6 multiplications are many, with one 1e8."""
    first, two, several, last = answers["large"]
    assert first == last > 0
    assert two == several == 0


def test_parts_of_loops_have_one_however_large(answers: Any) -> None:
    none, some, threads = answers["parts"]
    assert none == 0
    assert some > 0
    assert threads == THREADS


def test_a_singular_matrix_and_a_child_leave_it_as_it_was(answers: Any) -> None:
    assert answers["singular"] == [THREADS] * 3 + [0]


def test_threads_of_python_at_once(answers: Any) -> None:
    assert answers["python"] == [True, THREADS]


def test_a_library_that_says_nothing_of_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "bindings", lambda: [type("Library", (), {"__file__": None})])
    blas.openblas.cache_clear()
    try:
        assert blas.openblas() is None
    finally:
        monkeypatch.undo()
        blas.openblas.cache_clear()
