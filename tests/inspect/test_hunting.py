"""find_nan: the first operation that makes a NaN or an infinity in a derivative, with its Python line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Forward, Reverse
from enzyme_py.llvm import Module
from enzyme_py.passes.hunting.watching import watched
from enzyme_py.testing import find_nan

ZEROS = np.zeros(3)


def log_times_zero(x):
    y = np.log(x)
    return y * x  # NaN


def length(x):
    square = np.sum(x * x)  # NaN
    return np.sqrt(square)  # infinity


def root_and_square(x):
    y = np.sqrt(x)  # infinity
    return y * x * x  # NaN


@enzyme.jit(error_model="numpy")
def ratios(x, y):
    s = 0.0
    for i in range(x.size):
        t = x[i] * 2.0
        s += t / y[i]  # NaN
    return s


def masked(x):
    root = np.sqrt(x)
    return root if x > 0.5 else x * 2.0


def steep(x):
    y = x * 1.0
    return np.sqrt(y)  # infinity


def line_of(function: Any, mark: str) -> int:
    code = getattr(function, "py_func", function).__code__
    with open(__file__) as file:
        lines = file.read().split("\n")
    return next(
        n for n in range(code.co_firstlineno, len(lines)) if lines[n - 1].endswith(f"# {mark}")
    )


@pytest.mark.parametrize(
    ("kernel", "args", "mode", "stage"),
    [
        (log_times_zero, (0.0,), Reverse, "kernel"),
        (ratios, (np.array([1.0, 0.0, 2.0]), np.array([1.0, 0.0, 1.0])), Reverse, "kernel"),
        (length, (ZEROS,), Reverse, "reverse sweep"),
    ],
    ids=["log_times_zero", "ratios", "length"],
)
def test_line_that_makes_the_nan(kernel: Any, args: Any, mode: Any, stage: str) -> None:
    found = find_nan(kernel, *args, mode=mode)
    assert found is not None
    assert (found.kind, found.stage) == ("NaN", stage)
    assert found.where is not None
    assert (found.where.file, found.where.line) == (__file__, line_of(kernel, "NaN"))
    if kernel is length:
        assert found.before is not None and found.before.where is not None
        assert found.before.where.line == line_of(length, "infinity")
        assert f"made before it, at {__file__}:{found.before.where.line}" in str(found)
    for fragment in ("a NaN is made", f"{__file__}:{found.where.line}", "`"):
        assert fragment in str(found)


def test_second_order() -> None:
    """The slope of sqrt(x) x^2 at 0 is 0, the pass's second one 0 times infinity."""
    assert find_nan(root_and_square, 0.0) is None
    found = find_nan(enzyme.grad(root_and_square), 0.0)
    assert found is not None
    assert found.stage == "reverse sweep"
    assert found.where is not None and found.where.line == line_of(root_and_square, "NaN")
    assert found.before is not None and found.before.where is not None
    assert found.before.where.line == line_of(root_and_square, "infinity")


def test_given_nan_is_no_fault_of_the_kernel() -> None:
    found = find_nan(ratios, np.array([1.0, np.nan]), np.ones(2))
    assert found is not None and found.where is not None
    assert (found.stage, found.where.argument) == ("argument", "x")
    assert "among the arguments" in str(found)


def test_tangents() -> None:
    found = find_nan(steep, 0.0, mode=Forward)
    assert found is not None and found.where is not None
    assert (found.kind, found.stage) == ("infinity", "tangent")
    assert found.where.line == line_of(steep, "infinity")


def test_what_is_thrown_away_counts_for_nothing() -> None:
    assert find_nan(masked, 0.0) is None
    assert enzyme.grad(masked)(0.0) == 2.0


def test_usual_code_is_not_touched() -> None:
    made = enzyme.grad(root_and_square)
    before = made(4.0)
    find_nan(root_and_square, 4.0)
    assert made(4.0) == before
    assert abs(before - 20.0) < 1e-13
    assert enzyme.grad(root_and_square)(4.0) == before


def test_sites() -> None:
    """Arms that only a select reads are watched there, by what they are made from."""
    code = Module(
        "define double @f(double %x) {\n"
        "  %big = fdiv double 1.0, %x\n"
        "  %zero = fcmp oeq double %x, 0.0\n"
        "  %safe = select i1 %zero, double 0.0, double %big\n"
        "  %twice = fmul double %safe, 2.0\n"
        "  ret double %twice\n"
        "}\n"
    )
    sites, text = watched(code), str(code)
    assert [site.operation for site in sites] == ["fdiv", "fmul"]
    assert "(i64 0, double %safe, double %x," in text
    assert "(i64 1, double %twice, double %safe," in text
