"""Columns, rows and products of Jacobians on threads: the numbers by hand, and the bits of one thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count
from tests.finished import programs

ROWS, SIZE = 13, 11  # no multiples of what one run takes
_RNG = np.random.default_rng(8)
W, X = _RNG.normal(size=(ROWS, SIZE)), _RNG.normal(size=SIZE)


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    with enzyme.config(threads=3):
        yield


def layer(w, x):
    y = np.zeros(w.shape[0])
    for i in range(w.shape[0]):
        for j in range(x.size):
            y[i] += w[i, j] * np.tanh(x[j])
    x[:] = 0.0  # each run has a copy
    return y


def forked(call: Callable[[], Any], forks: int = 1) -> Any:
    """Return what a call returns, which must have run loops on threads."""
    call()  # compiles
    before = fork_count()
    found = call()
    assert fork_count() - before == forks
    return found


BY_HAND = W / np.cosh(X) ** 2


@pytest.mark.parametrize("way", [enzyme.jacrev, enzyme.jacfwd])
def test_a_layer(way: Any) -> None:
    found = forked(lambda: way(layer, 1)(W, X))
    np.testing.assert_allclose(found, BY_HAND, rtol=1e-14)
    with enzyme.config(threads=1):
        before = fork_count()
        assert way(layer, 1)(W, X).tobytes() == found.tobytes()
        assert fork_count() == before


@pytest.mark.parametrize("way", [enzyme.jacrev, enzyme.jacfwd])
def test_tuples_numbers_and_several_arguments(way: Any) -> None:
    """y = k x and its sum, by x and by k."""

    def scaled(x, k, times):
        y = x * k * times
        return y, (np.sum(y), times)

    jacobian = way(scaled, (0, 1))
    (y_by_x, y_by_k), ((sum_by_x, sum_by_k), _) = forked(lambda: jacobian(X, 2.0, 3))
    np.testing.assert_allclose(y_by_x, 6.0 * np.eye(SIZE), rtol=1e-14)
    np.testing.assert_allclose(y_by_k, 3.0 * X, rtol=1e-14)
    np.testing.assert_allclose(sum_by_x, np.full(SIZE, 6.0), rtol=1e-14)
    np.testing.assert_allclose(sum_by_k, 3.0 * np.sum(X), rtol=1e-14)


@pytest.mark.full
def test_complex_rows() -> None:
    z = X + 1j * X[::-1]
    found = forked(lambda: enzyme.jacrev(lambda z: z**3, holomorphic=True)(z))
    np.testing.assert_allclose(found, np.diag(3 * z**2), rtol=1e-13)


def test_a_hessian() -> None:
    """Of sum of x_i^3 x_(i+1)."""

    def chain(x):
        total = 0.0
        for i in range(x.size - 1):
            total += x[i] ** 3 * x[i + 1]
        return total

    found = forked(lambda: enzyme.hessian(chain)(X))
    off = np.diag(3 * X[:-1] ** 2, 1)
    main = np.diag(np.append(6 * X[:-1] * X[1:], 0.0))
    np.testing.assert_allclose(found, main + off + off.T, rtol=1e-13, atol=1e-14)


def test_sparse_products() -> None:
    pytest.importorskip("scipy")

    def stencil(x):
        y = x * x
        y[1:] += 3.0 * x[:-1]
        return y

    jacobian = enzyme.sparse.jacobian(stencil, chunk=1)  # of two colours
    found = forked(lambda: jacobian(X))
    np.testing.assert_allclose(found.toarray(), np.diag(2 * X) + np.diag(np.full(SIZE - 1, 3.0), -1), rtol=1e-14)


@pytest.mark.full
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_few_rows_and_columns(count: int) -> None:
    for way in (enzyme.jacrev, enzyme.jacfwd):
        assert np.array_equal(way(lambda x: 2.0 * x)(np.ones(count)), 2.0 * np.eye(count))


def test_in_compiled_code_that_holds_the_lock_and_calls_python() -> None:
    """Each part asks for the lock that the caller had: were it kept, nobody would go on."""
    threads = set()

    def cubed(x: float) -> float:
        threads.add(threading.get_ident())
        return x**3

    def pull(arguments: Any, out: float, dout: float) -> tuple[float]:
        return (3 * arguments[0] ** 2 * dout,)

    cube = enzyme.rules.python(cubed, "float64(float64)", vjp=pull)

    @enzyme.jit
    def cubes(x):
        y = np.zeros(x.size)
        for i in range(x.size):
            y[i] = cube(x[i])
        return y

    @numba.njit
    def caller(x):
        return enzyme.jacrev(cubes)(x)

    np.testing.assert_allclose(forked(lambda: caller(X)), np.diag(3 * X**2), rtol=1e-14)
    assert len(threads) > 1
    for _ in range(40):  # what a rule has returned lives until it is read, also in threads that Python does not know
        np.testing.assert_allclose(caller(X), np.diag(3 * X**2), rtol=1e-14)


def test_what_is_raised_arrives() -> None:
    def limited(x, limit):
        y = np.zeros(x.size)
        for i in range(x.size):
            if x[i] > limit:
                raise ValueError("too large", i)
            y[i] = x[i] ** 2
        return y

    x = np.linspace(0.0, 1.0, SIZE)
    for way in (enzyme.jacrev, enzyme.jacfwd):
        jacobian = way(limited)
        for _ in range(20):
            with pytest.raises(ValueError, match="too large") as told:
                jacobian(x, 0.55)
            assert told.value.args == ("too large", 6)
        np.testing.assert_allclose(jacobian(x, 2.0), np.diag(2 * x), rtol=1e-14)


def test_what_only_the_parts_raise_arrives() -> None:
    """A rule that fails in reverse mode: the run for the value went well."""

    def fail(arguments: Any, out: float, dout: float) -> tuple[float]:
        message = "no slope"
        raise ArithmeticError(message)

    odd = enzyme.rules.python(lambda x: x, "float64(float64)", vjp=fail)
    with pytest.raises(ArithmeticError, match="no slope"):
        enzyme.jacrev(lambda x: np.array([odd(one) for one in x]))(X)


def test_draws_stay_on_the_thread_that_was_seeded() -> None:
    @numba.njit
    def seed(number):
        np.random.seed(number)  # noqa: NPY002  what Numba knows

    def noisy(x):
        return x * np.random.random()  # noqa: NPY002

    jacobian = enzyme.jacfwd(noisy)
    seed(3)
    with pytest.warns(enzyme.errors.DrawnAgainWarning):
        first = jacobian(X)
    before = fork_count()
    seed(3)
    assert np.array_equal(jacobian(X), first)
    assert fork_count() == before


def test_threads_of_python_at_once() -> None:
    jacobian = enzyme.jacrev(layer, 1)
    expected = jacobian(W, X)
    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(jacobian, W, X) for _ in range(200)]
    assert all(one.result().tobytes() == expected.tobytes() for one in found)


@pytest.mark.full
def test_loops_on_threads_within_rows() -> None:
    @numba.njit(parallel=True)
    def squares(x):
        y = np.zeros(x.size)
        for i in numba.prange(x.size):
            y[i] = x[i] ** 2
        return y

    np.testing.assert_allclose(enzyme.jacrev(squares)(X), np.diag(2 * X), rtol=1e-14)


PROGRAM = """
import numpy as np
import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count

assert np.array_equal(enzyme.jacrev(lambda x: x * x)(np.ones(9)), 2.0 * np.eye(9))
answer = fork_count()
"""


def test_what_the_cache_has_is_on_threads_in_the_next_process(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = programs.run(PROGRAM, cache, tmp_path, ENZYME_PY_THREADS="3")
    second = programs.run_again(cache, tmp_path, ENZYME_PY_THREADS="3")
    assert first["answer"] == second["answer"] == 1
    assert (first["outcomes"], second["outcomes"]) == (["kept"], ["found"])
