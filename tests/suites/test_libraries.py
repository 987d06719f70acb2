"""Libraries' own tests as kernels, in a short form: a library of two files, and that it can fail.

`python -m tests.libraries PACKAGES --folder FOLDER` is the long one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.libraries.__main__ import INNER_WORKER, WORKER
from tests.libraries.worker import files_of
from tests.numba_suite.runs import run
from tests.numba_suite.summary import Summary

ROUNDED = """
import numba
import numpy as np
import pytest


@numba.njit("float32(float32)")
def rounded(x):
    return x * x


def test_rounded():
    assert rounded(0.3) < 0.1
    raise ValueError("a test that fails is one as well")
"""
LIBRARY = (
    ROUNDED
    + """

@numba.njit
def energy(x, v):
    v[0] = 2.0
    return np.sum(x * x) * v[1]


@pytest.mark.parametrize("n", [2, 3])
def test_energy(n):
    assert energy(np.arange(n) * 1.0, np.ones(2)) > 0.0
"""
)
INNER = """
import numba


@numba.njit
def cube(x):
    return x**3


@numba.njit
def total(x, n):
    return x[n:].sum() + cube(x[0])


def test_total():
    import numpy as np

    assert total(np.arange(4.0), 1) == 6.0
"""
ENDS = """
import os

import numba


@numba.njit
def cube(x):
    return x**3


def test_cube():
    assert cube(2.0) == 8.0


def test_that_ends_the_process():
    if os.environ["SUITE_SEEN"] == "no":
        os.abort()
"""


def asked(file: Path, without: str | None = None) -> Summary:
    """Ask about one file, without a process that lists the files of its folder."""
    return run(file.parent, [], lambda line: None, most=3, only=[str(file)], without=without, worker=WORKER)


@pytest.mark.parametrize(
    ("library", "worker"), [pytest.param(LIBRARY, WORKER, id="called by tests", marks=pytest.mark.full), pytest.param(INNER, INNER_WORKER, id="called by functions")]
)
def test_it_asks_what_tests_call(library: str, worker: str, tmp_path: Path) -> None:
    (tmp_path / "test_energy.py").write_text(library)

    def asked_of_the_folder() -> Summary:
        return run(tmp_path, [str(tmp_path)], lambda line: None, most=3, worker=worker)

    summary = asked_of_the_folder()
    assert (summary.tests, summary.kernels, summary.verdicts["right"]) == (1, 2, 2)
    assert summary.answers["forward over reverse: right"] <= 2
    again = asked_of_the_folder()  # goes on from its file, and asks nothing
    assert (again.kernels, again.processor) == (2, summary.processor)


def test_it_finds_what_a_cure_left_out_makes_wrong(tmp_path: Path) -> None:
    file = tmp_path / "test_rounded.py"
    file.write_text(ROUNDED)
    summary = asked(file, without="given signatures")
    assert {one["verdict"] for one in summary.bad} == {"wrong"}
    assert all("rounded" in one["key"] for one in summary.bad)


def test_a_file_that_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUITE_SEEN", "no")
    file = tmp_path / "test_ends.py"
    file.write_text(ENDS)
    summary = asked(file)
    assert (summary.tests, summary.kernels, summary.verdicts["right"]) == (1, 1, 1)
    assert summary.left == {"the test crashed itself": 1}


def test_packages_and_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("")
    assert files_of(str(tmp_path)) == files_of(str(tmp_path / "test_one.py")) == [str(tmp_path / "test_one.py")]
    assert any(one.endswith("tests/suites/test_libraries.py") for one in files_of("tests"))
