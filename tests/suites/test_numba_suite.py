"""Numba's own tests as kernels, in a short form, and that it can fail.

`python -m tests.numba_suite --folder FOLDER` is the long one.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.numba_suite.runs import run
from tests.numba_suite.summary import Summary

NUMBA = (
    "test_tuples.TestTuplePassing.test_hetero_tuple",
    "test_closure.TestInlinedClosure.test_inner_function_with_closure",
)
OWN = "tests.numba_suite.examples.Examples.test_of_"


def asked(folder: Path, *tests: str, without: str | None = None) -> Summary:
    return run(folder, (), lambda line: None, most=2, only=tests, without=without)


def test_it_goes_on_behind_a_death(tmp_path: Path) -> None:
    tests = [
        *(f"numba.tests.{one}" for one in NUMBA),
        f"{OWN}a_derivative_that_kills",
        f"{OWN}named_arguments",
    ]
    summary = asked(tmp_path, *tests)
    (bad,) = summary.bad
    assert "_rounded" in bad["key"]
    assert bad["verdict"] == "crashed"
    assert summary.tests == len(tests)
    assert summary.answers["raising: right"] == 1
    assert summary.left["no float arguments"] == 1
    assert summary.verdicts["right"] >= 2
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    # Started again, it has all of it in the file, and asks nothing.
    again = asked(tmp_path, *tests)
    assert (again.kernels, again.verdicts, again.tests) == (
        summary.kernels,
        summary.verdicts,
        summary.tests,
    )
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == len(lines)
    assert not [
        name
        for name, count in Counter(one.get("key") for one in lines).items()
        if name and count > 1
    ]


@pytest.mark.parametrize(
    ("test", "cure"),
    [("a_signature", "given signatures"), ("types_of_variables", "types of variables")],
)
def test_it_finds_what_a_cure_left_out_makes_wrong(tmp_path: Path, test: str, cure: str) -> None:
    summary = asked(tmp_path, OWN + test, without=cure)
    assert {one["verdict"] for one in summary.bad} == {"wrong"}
    assert all("primal" in one["reason"] for one in summary.bad)


def test_what_a_loop_captured_is_as_it_was(tmp_path: Path) -> None:
    summary = asked(tmp_path, f"{OWN}captured_functions")
    assert (summary.kernels, summary.verdicts["right"]) == (2, 2)
