"""Tapes of split derivatives: each is of one function, one call's arguments, and good for one sweep."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    ReverseSplitNoPrimal,
    ReverseSplitWithPrimal,
)
from enzyme_py.errors import AnnotationError, EnzymeError, UnsupportedTypeError

X = np.array([0.7, 1.3, 0.4, 2.1, 0.9])


def neighbours(x):
    y = x.copy()
    for _ in range(3):
        for i in range(x.size):
            y[i] = y[i] * np.cos(y[i - 1])
    return np.sum(y)


def in_place(x):
    for i in range(1, x.size):
        x[i] = x[i] * np.sin(x[i - 1])
    return np.sum(x * x)


def squares(x):
    return x * x


def cubes(x):
    return np.sum(x**3)


def scaled_sum(x, c):
    return np.sum(x) * c


def of_rows(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += np.sin(x[i, j]) * x[i, j - 1]
    return total


def repeated(x, n):
    y = x.copy()
    for _ in range(n):
        for i in range(x.size):
            y[i] = y[i] * np.cos(y[i - 1])
    return np.sum(y)


def of_both(pair, y):
    return np.sum(pair[0] ** 2) * np.sum(pair[1]) * y[0]


def with_field(x, given):
    return np.sum(given["weights"]) * x[0] ** 2


def of_list(x, rows):
    total = 0.0
    for i in range(len(rows)):
        total += rows[i][0] * x[0]
    return total


def either(x, kind):
    if kind == "cube":
        return x[0] ** 3
    return x[0] ** 2


def with_zeros(value: Any) -> Duplicated:
    return Duplicated(value, enzyme.make_zero(value))


def halves(f: Any, *activities: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return enzyme.autodiff_thunk(ReverseSplitWithPrimal, f, *activities)


class Mistake:
    """A reverse half that is given something else than its forward half was."""

    def __init__(self, name: str, f: Any, then: tuple[Any, ...], now: tuple[Any, ...], *said: str) -> None:
        self.name, self.f, self.then, self.now, self.said = name, f, then, now, said


MISTAKES = [
    Mistake("longer", neighbours, (with_zeros(np.ones(5)),), (with_zeros(np.ones(5000)),), "`x`", "(5000,)", "(5,)"),
    Mistake("shorter", neighbours, (with_zeros(np.ones(5000)),), (with_zeros(np.ones(5)),), "`x`", "(5000,)", "(5,)"),
    Mistake("float32", neighbours, (with_zeros(X),), (with_zeros(X.astype(np.float32)),), "`x`", "float32", "float64"),
    Mistake("strided", in_place, (with_zeros(X.copy()),), (with_zeros(np.repeat(X, 2)[::2]),), "`x`", "strided"),
    Mistake("Fortran", of_rows, (with_zeros(np.ones((2, 3))),), (with_zeros(np.ones((2, 3), order="F")),), "C-contiguous"),
    Mistake("dimensions", np.sum, (with_zeros(np.ones((2, 3))),), (with_zeros(np.ones(6)),), "(6,)", "(2, 3)"),
    Mistake("more lanes", neighbours, (with_zeros(X),), (BatchDuplicated(X, [np.zeros(5) for _ in range(3)]),), "3, and 1"),
    Mistake("fewer lanes", cubes, (BatchDuplicated(X, [np.zeros(5) for _ in range(3)]),), (with_zeros(X),), "1, and 3"),
    Mistake("iterations", repeated, (with_zeros(X), 2), (with_zeros(X), 20_000), "`n`", "20000"),
    Mistake("type of a number", repeated, (with_zeros(X), 2), (with_zeros(X), np.int32(2)), "`n`", "int32"),
    Mistake(
        "in a tuple",
        of_both,
        (with_zeros((np.ones(2), np.ones(3))), with_zeros(X)),
        (with_zeros((np.ones(2), np.ones(4))), with_zeros(X)),
        "`pair[1]`",
        "(4,)",
    ),
    Mistake(
        "in a dict",
        with_field,
        (with_zeros(X), {"weights": np.ones(2)}),
        (with_zeros(X), {"weights": np.ones(9)}),
        "`given[0]`",
        "(9,)",
    ),
    Mistake(
        "in a typed list",
        of_list,
        (with_zeros(X), numba.typed.List([np.ones(2), np.ones(3)])),
        (with_zeros(X), numba.typed.List([np.ones(2), np.ones(7)])),
        "`rows[1]`",
        "(7,)",
    ),
    Mistake(
        "length of a typed list",
        of_list,
        (with_zeros(X), numba.typed.List([np.ones(2)] * 2)),
        (with_zeros(X), numba.typed.List([np.ones(2)] * 3)),
        "`rows`",
        "3 parts",
    ),
    Mistake("string", either, (with_zeros(X), "cube"), (with_zeros(X), "square"), "`kind`", "square", "cube"),
    Mistake("function", lambda x, f: f(x[0]), (with_zeros(X), np.sin), (with_zeros(X), np.cos), "`f`"),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.name)
def test_what_the_tape_was_not_made_for(mistake: Mistake) -> None:
    """It is refused, and the tape is as good as before."""
    forward, reverse = halves(mistake.f, *mistake.then)
    tape, value, _ = forward(*mistake.then)
    lanes = len(mistake.now[0].shadows)
    with pytest.raises(AnnotationError) as told:
        reverse(*mistake.now, (1.0,) * lanes, tape)
    assert all(part in str(told.value) for part in mistake.said), told.value
    assert told.value.remedy
    assert value is not None
    assert not tape.is_used
    reverse(*mistake.then, (1.0,) * len(mistake.then[0].shadows), tape)
    assert tape.is_used


def test_a_tape_of_another_function() -> None:
    forward, _ = halves(neighbours, Duplicated)
    _, reverse = halves(cubes, Duplicated)
    tape, *_ = forward(with_zeros(X))
    with pytest.raises(AnnotationError, match=r"(?s)another function, `neighbours`.*in kernel `cubes`"):
        reverse(with_zeros(X), 1.0, tape)


def test_a_tape_of_another_closure_of_the_same_code() -> None:
    """Both have one kernel; the tape leads to what its own closure holds."""

    def scaled(by: Any) -> Any:
        return lambda x: np.sum(x * by)

    forward, _ = halves(scaled(2.0), Duplicated)
    _, reverse = halves(scaled(3.0), Duplicated)
    tape, *_ = forward(with_zeros(X))
    with pytest.raises(AnnotationError, match="another function"):
        reverse(with_zeros(X), 1.0, tape)


def test_a_tape_of_other_activities_and_modes() -> None:
    given = Duplicated(X, np.zeros(5))
    forward, _ = halves(scaled_sum, Duplicated, Const)
    tape, *_ = forward(given, 2.0)
    careful = enzyme.set_runtime_activity(ReverseSplitWithPrimal)
    for mode, *activities in ((ReverseSplitWithPrimal, Duplicated, Active), (careful, Duplicated, Const)):
        _, reverse = enzyme.autodiff_thunk(mode, scaled_sum, *activities)
        with pytest.raises(AnnotationError, match="of `scaled_sum`, with other activities or in another mode"):
            reverse(given, 2.0, 1.0, tape)


@pytest.mark.parametrize("seeds", [(), (1.0, 1.0), ((1.0, 1.0),)])
def test_too_few_and_too_many_cotangents(seeds: tuple[Any, ...]) -> None:
    forward, reverse = halves(cubes, Duplicated)
    tape, *_ = forward(with_zeros(X))
    with pytest.raises(AnnotationError, match="this result takes 1"):
        reverse(with_zeros(X), *seeds, tape)


def test_the_cotangent_of_an_array_is_put_in_its_shadow() -> None:
    forward, reverse = halves(squares, Duplicated)
    x = with_zeros(X)
    tape, _, shadow = forward(x)
    with pytest.raises(AnnotationError, match="takes 0"):
        reverse(x, np.ones(5), tape)
    shadow[:] = 1.0
    reverse(x, tape)
    np.testing.assert_array_equal(x.shadows[0], 2 * X)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_no_copies(copied: Callable[[Any], Any]) -> None:
    """A second owner would free the memory of the first."""
    tape, *_ = halves(cubes, Duplicated)[0](with_zeros(X))
    with pytest.raises(UnsupportedTypeError, match="cannot be copied or pickled") as told:
        copied(tape)
    assert isinstance(told.value, TypeError)


def test_an_empty_tape() -> None:
    _, reverse = halves(cubes, Duplicated)
    with pytest.raises(AnnotationError, match="this tape is empty"):
        reverse(with_zeros(X), 1.0, enzyme.Tape())


def test_no_tape_at_all() -> None:
    _, reverse = halves(cubes, Duplicated)
    with pytest.raises(AnnotationError, match="is its tape"):
        reverse()


def test_one_of_many_threads_gets_the_tape() -> None:
    tape, *_ = halves(cubes, Duplicated)[0](with_zeros(X))
    count = 8
    start = threading.Barrier(count)

    def claim(_: int) -> bool:
        start.wait()
        return bool(tape.take())

    with ThreadPoolExecutor(count) as pool:
        assert sum(pool.map(claim, range(count))) == 1
    assert tape.is_used
    _, reverse = halves(cubes, Duplicated)
    with pytest.raises(EnzymeError, match="used by an earlier reverse sweep"):
        reverse(with_zeros(X), 1.0, tape)


# --- what may differ ------------------------------------------------------------------------------


def test_other_strides_and_other_memory() -> None:
    """Arrays that are not contiguous may lie anywhere."""
    slope = enzyme.gradient(neighbours, X)[0]
    first, second = np.repeat(X, 2)[::2], np.repeat(X, 3)[::3]
    forward, reverse = halves(neighbours, Duplicated)
    tape, *_ = forward(with_zeros(first))
    second = with_zeros(second)
    reverse(second, 1.0, tape)
    np.testing.assert_allclose(second.shadows[0], slope, rtol=1e-14)


def test_read_only_arrays() -> None:
    forward, reverse = halves(lambda x, c: np.sum(x * c), Duplicated, Const)
    c, x = X.copy(), with_zeros(X)
    tape, *_ = forward(x, c)
    c.flags.writeable = False
    reverse(x, c, 1.0, tape)
    np.testing.assert_array_equal(x.shadows[0], X)


def test_numbers_of_numpy_and_nan() -> None:
    forward, reverse = halves(lambda x, n: x**n, Active, Const)
    tape, *_ = forward(Active(np.float64(2.0)), np.int64(3))
    assert reverse(Active(2.0), 3, 1.0, tape) == ((12.0, None),)
    tape, *_ = forward(Active(np.nan), 3)
    assert np.isnan(reverse(Active(float("nan")), 3, 1.0, tape)[0][0])


def test_what_the_kernel_has_written() -> None:
    slope = enzyme.gradient(in_place, X.copy())[0]
    forward, reverse = halves(in_place, Duplicated)
    x = with_zeros(X.copy())
    tape, *_ = forward(x)
    assert not np.array_equal(x.primal, X)
    reverse(x, 1.0, tape)
    np.testing.assert_allclose(x.shadows[0], slope, rtol=1e-14)


def test_halves_of_two_thunks_of_one_function() -> None:
    forward, _ = enzyme.autodiff_thunk(ReverseSplitNoPrimal, cubes, Duplicated)
    _, reverse = halves(cubes, Duplicated)
    x = with_zeros(X)
    tape, *_ = forward(x)
    reverse(x, 1.0, tape)
    np.testing.assert_allclose(x.shadows[0], 3 * X**2, rtol=1e-15)


class Scaled:
    """A kernel that is a method."""

    def __init__(self, by: float) -> None:
        self.by = by

    def total(self, x):
        return np.sum(x) * self.by


def test_halves_of_one_method() -> None:
    """Python makes a new object of a method each time that it is asked for."""
    kernel, x = Scaled(3.0), with_zeros(X)
    tape, *_ = halves(kernel.total, Duplicated)[0](x)
    halves(kernel.total, Duplicated)[1](x, 1.0, tape)
    np.testing.assert_array_equal(x.shadows[0], np.full(5, 3.0))


def ragged(x, lengths):
    """Arrays of which nothing is differentiated, and of which each has a length of its own."""
    total = 0.0
    for length in lengths:
        made = np.ones(length) * 2.0
        total += np.sum(made * made) * x[0] * x[0]
    return total


def test_constant_arrays_that_a_loop_makes() -> None:
    """Four times the lengths, times x0^2; several sweeps, for a block that is freed twice is noticed late."""
    lengths = np.array([2, 3, 1, 5])
    forward, reverse = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, ragged, Duplicated, Const)
    for _ in range(3):
        x, shadow = np.array([3.0, 1.0]), np.zeros(2)
        tape, value, _ = forward(Duplicated(x, shadow), Const(lengths))
        reverse(Duplicated(x, shadow), Const(lengths), 1.0, tape)
        assert value == 4.0 * lengths.sum() * 9.0
        np.testing.assert_array_equal(shadow, [4.0 * lengths.sum() * 6.0, 0.0])
