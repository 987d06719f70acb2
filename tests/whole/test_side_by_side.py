"""The suite's problems side by side, at tiny sizes: our derivatives and those by hand agree.

What is timed is tested by nobody: see benchmarks/README.md.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"
PROBLEMS = ("lse", "llsq", "ode", "gmm", "lstm", "ht", "ba")
SLOW_IN_NUMBA = ("gmm", "ht")  # seconds of compiling; a run compares these too


@pytest.fixture(autouse=True)
def benchmarks_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def answer(tool: str, problem: str, function: str) -> Any:
    problems = importlib.import_module("side_by_side.problems")
    module = importlib.import_module(f"side_by_side.{tool}")
    run, flat = module.prepared(problem, function, problems.given(problem, problems.TINY[problem]))
    run()  # the second call must not see what the first left behind
    return np.array(flat(run()))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_derivatives_by_hand_agree_with_ours(problem: str) -> None:
    ours = answer("ours", problem, "gradient")
    assert np.all(np.isfinite(ours))
    largest = np.max(np.abs(ours))
    assert largest > 0.0
    tools = [] if problem in SLOW_IN_NUMBA else ["by_hand_numba"]
    if shutil.which(os.environ.get("CC", "gcc")):
        tools.append("by_hand_c")
        primals = [answer(tool, problem, "primal") for tool in ("ours", "by_hand_c")]
        np.testing.assert_allclose(*primals, rtol=1e-10, atol=1e-12)
    for tool in tools:
        by_hand = answer(tool, problem, "gradient")
        np.testing.assert_allclose(by_hand, ours, rtol=1e-10, atol=1e-12 * largest, err_msg=tool)


def test_a_run_goes_on_where_a_tool_fails(tmp_path: Path) -> None:
    """The interpreter for PyTorch is none; Numba's tool is there."""
    out, table = tmp_path / "lines", tmp_path / "table"
    command = [sys.executable, str(BENCHMARKS / "run.py"), "--sizes", "tiny", "--problems", "lse"]
    command += ["--tools", "numba,torch", "--python", f"torch={shutil.which('false')}"]
    command += ["--rounds", "2", "--core", "-1", "--out", str(out), "--table", str(table)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["tool"] for line in lines] == ["numba", "torch"]
    numba, torch = lines
    assert numba["difference"] == 0.0
    assert len(numba["rounds"]) == 2
    assert 0.0 < numba["minimum"] <= numba["median"]
    assert "ended with 1" in torch["error"]
    assert "| lse | n=33 |" in table.read_text()
    assert "* PyTorch: lse n=33: the process ended with 1" in table.read_text()


def test_goals_say_what_is_missed() -> None:
    goals = importlib.import_module("side_by_side.goals")
    line = {"part": "warm", "problem": "lse", "size": "n=2500", "function": "gradient"}
    primal = {**line, "function": "primal"}
    lines = [
        {**line, "tool": "ours", "minimum": 3.0},
        {**line, "tool": "c", "minimum": 1.0},
        {**line, "tool": "jax", "minimum": 4.0},
        {**line, "tool": "torch", "error": "there is none"},
        {**primal, "tool": "ours", "minimum": 2.0},
        {**primal, "tool": "c", "minimum": 0.5},
    ]
    said = goals.said(lines)
    assert "* Beside the best of JAX, PyTorch and CasADi here: none above 1, met." in said
    over = "geometric mean 3.00, goal 1.2: missed by a factor 2.50."
    assert f"* Beside the adjoint by hand in C: {over}" in said
    assert "* Gradient over primal: geometric mean 1.50, goal 3: met." in said
    # 3 s over a primal of 0.5 s here, 0.0143 ms over 0.0183 ms there.
    assert goals.beside_published(lines)[2].endswith("| 209790 | 7.68 |")
