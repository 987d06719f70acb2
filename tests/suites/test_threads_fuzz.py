"""The fuzzer of `prange` loops: what it writes, a kernel of it, and that its question can fail.

`python -m tests.fuzz --grammar prange --count 1000` is the long form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.settings import settings
from tests.fuzz import checks, grammar
from tests.fuzz.guided.interpreted import first_in_python
from tests.fuzz.report import Report
from tests.fuzz.subject import Inconclusive
from tests.rotation import sweep

SHARED = """\
def kernel(x, a, s, c, n):
    t = 0.0
    for i in prange(40 * n):
        t += x[i % n] * s
    return t
"""


@pytest.fixture(autouse=True)
def two_threads() -> Any:
    with enzyme.config(threads=2):
        yield


def asked(seed: int, names: list[str]) -> list[checks.Outcome]:
    return checks.outcomes(grammar.kernel(seed, 1, "prange").source, seed, names)


@pytest.mark.parametrize("seed", sweep((26, *range(5)), 6))
def test_random_loops(seed: int) -> None:
    found = asked(seed, ["reverse", "threads"])
    assert {one.verdict for one in found} == {"right"}, found


def test_loops_have_many_features() -> None:
    drawn = [grammar.kernel(seed, None, "prange") for seed in range(300)]
    found = set().union(*(one.features for one in drawn))
    assert {"prange: sum", "prange: product", "prange: most", "prange: array", "prange: rows"} <= found
    assert {"prange: write", "prange: in place", "prange: matrix", "prange: other index", "prange: two"} <= found
    assert {"nested prange", "inner prange", "while", "branch", "array in the body", "loop around"} <= found
    assert {"gather index", "beside index", "raise in a loop", "view", "column", "turned", "shared name"} <= found
    assert all("prange" in one.source for one in drawn)
    assert checks.THREADS in checks.questions(drawn[0].source, 1)


def test_bodies_read_nothing_that_other_iterations_write() -> None:
    """What a loop fills no body of that loop reads by another index: Numba's own loop would race."""
    for seed in range(300):
        lines = grammar.kernel(seed, 2, "prange").source.splitlines()
        for place, line in enumerate(lines):
            if (head := re.match(r"( *)for (i\d+) in prange", line)) is None:
                continue
            deep = len(head[1])
            body = []
            for one in lines[place + 1 :]:
                if len(one) - len(one.lstrip()) <= deep:
                    break
                body.append(one)
            for name in set(re.findall(r"^ *(r\d+)\[", "\n".join(body), re.MULTILINE)):
                values = "\n".join(re.sub(r"^ *r\d+\[[^\]]*\]", "", one) for one in body)
                reads = re.findall(rf"\b{name}\[([^\]]*)\]", values)
                assert all(read.split(",")[0] == head[2] for read in reads), "\n".join(lines)


def test_what_numba_itself_gets_wrong_is_not_compared() -> None:
    """An array that is added up in a loop on threads, with another such loop in it, lost a row in Numba's own code."""
    at = SimpleNamespace(source=SHARED, active=(np.ones(3),), is_single=False)
    at.given = lambda x: (x, None, 2.0, None, 3)
    check = first_in_python()(at)
    assert check is not None
    check(240.0)
    with pytest.raises(Inconclusive, match="Numba makes something else of it"):
        check(238.0)


def test_the_question_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads that see another point than two: the question tells it."""
    usual: Callable[[Any], Any] = checks.Questions._taken

    def careless(self: Any) -> Any:
        found = usual(self)
        if settings.threads != 4:
            return found
        return (found[0] * 1.001, *found[1:])

    assert [one.verdict for one in checks.outcomes(SHARED, 1, ["threads"])] == ["right"]
    monkeypatch.setattr(checks.Questions, "_taken", careless)
    (found,) = checks.outcomes(SHARED, 1, ["threads"])
    assert found.verdict == "wrong"
    assert "4 threads" in found.reason


def test_the_summary_tells_which_ran_on_threads() -> None:
    report = Report(grammar="prange")
    for reason in (checks.ON_THREADS, "plain loops", checks.ON_THREADS):
        report.add(3, 1, {"outcomes": [{"question": "threads", "verdict": "right", "reason": reason}]})
    assert report.features[checks.ON_THREADS] == 2
