"""The fuzzer's short form: some kernels, its corpus, and that it can fail.

`python -m tests.fuzz --count 10000` is the long one. The first line of a corpus file may name more questions.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

import enzyme_py as enzyme
from tests.fuzz import checks, grammar, helpers
from tests.fuzz.report import Report, kept
from tests.fuzz.runs import Worker, run
from tests.fuzz.shrink import shrunk
from tests.passes.switches import leave_out

CORPUS = sorted((Path(__file__).parent.parent / "fuzz" / "corpus").glob("*.txt"))
SHAPES = [pytest.param(11, 1), pytest.param(1, 2, marks=pytest.mark.full)]  # of one statement and of two
FIRST_ORDER = ["reverse", "forward"]


@pytest.mark.parametrize("seed", [5, 8])
def test_random_kernels(seed: int) -> None:
    found = checks.outcomes(grammar.kernel(seed).source, seed)
    assert {one.verdict for one in found} <= {"right", "refused"}, found
    assert [one.verdict for one in found][:3] == ["right"] * 3


@pytest.mark.parametrize(("seed", "size"), SHAPES)
def test_random_kernels_of_shapes(seed: int, size: int) -> None:
    found = checks.outcomes(grammar.kernel(seed, size, "shapes").source, seed)
    assert [one.verdict for one in found][:3] == ["right"] * 3, found


def test_it_finds_the_crash_of_reshape_in_a_loop(tmp_path: Path) -> None:
    """Without the cure trip counts were read from variables that nobody had filled."""
    source = (CORPUS[0].parent / "reshape_of_fortrans_order.txt").read_text()
    worker = Worker(tmp_path, without="lasting variables")
    try:
        assert worker.ask(source, 11, ["reverse"]) is None
        assert worker.status is not None
        assert worker.status < 0
    finally:
        worker.close()


def test_kernels_of_shapes_have_many_features() -> None:
    drawn = [grammar.kernel(seed, None, "shapes") for seed in range(200)]
    found = set().union(*(one.features for one in drawn))
    assert {"reshape", "broadcast_to", "axes turned", "new axis", "stack", "split"} <= found
    assert {"sum by axis", "scan", "argmin", "argmin by axis", "ndindex", "nditer"} <= found
    assert {"slice write", "mask", "write through", "list", "tuple", "call", "while"} <= found
    assert {"carried", "2 loops", "ranks differ", "empty", "written argument"} <= found
    assert any(one.source == grammar.kernel(one.seed).source for one in drawn)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_was_wrong_once(path: Path) -> None:
    source = path.read_text()
    names = source.partition("\n")[0].removeprefix("# also: ").split(", ")
    found = checks.outcomes(source, 11, [*checks.ALWAYS, *(set(names) & set(checks.DRAWN))])
    assert {one.verdict for one in found} == {"right"}, found


def test_it_finds_the_known_wrong_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the marks on carried allocations the pass recomputes them, wrongly (DESIGN 5)."""
    leave_out("cached allocations", monkeypatch.setattr)
    source = (
        (CORPUS[0].parent / "carried_array.txt").read_text().replace("range(n)", "range(n + 1)")
    )
    found = checks.outcomes(source, 11, FIRST_ORDER)
    assert [one.verdict for one in found] == ["wrong", "wrong"]
    assert "reverse mode and differences" in found[0].reason


def test_it_finds_a_broken_rule_and_makes_it_small(monkeypatch: pytest.MonkeyPatch) -> None:
    @enzyme.custom_vjp
    def broken(u: float) -> float:
        return math.sin(u)

    broken.defvjp(lambda u: (math.sin(u), u), lambda u, c: (0.5 * c * math.cos(u),))

    @numba.njit
    def helper(u: float, _: float) -> float:
        return broken(u)

    monkeypatch.setattr(helpers, "helper", helper)
    source = (
        "def kernel(x, a, s, c, n):\n"
        "    total = s * 0.5\n"
        "    for i in range(n):\n"
        "        total += helper(s, s) * 0.25\n"
        "    return total + np.sum(x)\n"
    )

    def fails(text: str) -> bool:
        return checks.outcomes(text, 1, ["reverse"])[0].verdict == "wrong"

    assert fails(source)
    small = shrunk(source, fails, attempts=40)
    assert "helper(" in small, small
    assert "for " not in small, small
    assert "np.sum" not in small, small


def test_kernels_come_back_by_their_seed() -> None:
    sources = {grammar.kernel(seed).source for seed in range(50)}
    assert len(sources) == 50
    assert grammar.kernel(7).source == grammar.kernel(7).source


def test_kernels_have_many_features() -> None:
    found = set().union(*(grammar.kernel(seed).features for seed in range(300)))
    assert {"for", "while", "if", "else", "break", "continue", "early return", "search"} <= found
    assert {"call", "recursion", "carried", "view", "list", "raise", "try", "tuple"} <= found
    assert {"slice write", "element write", "written argument", "concatenate"} <= found
    assert {"product", "linear algebra", "float32", "complex", "vector result"} <= found


def test_questions_are_drawn_for_each_kernel() -> None:
    drawn = [one for seed in range(300) for one in checks.questions("", seed)]
    assert set(drawn) == {*checks.ALWAYS, *checks.DRAWN}
    assert all(drawn.count(one) == 300 for one in checks.ALWAYS)
    assert checks.RAISES in checks.questions("raise ", 1)


def test_failures_are_made_small() -> None:
    sources = (grammar.kernel(seed).source for seed in range(500))
    source = next(one for one in sources if "np.cumsum" in one and one.count("\n") > 10)
    small = shrunk(source, lambda text: "np.cumsum" in text, attempts=2000)
    assert "np.cumsum" in small
    assert len(small.splitlines()) <= 3


def test_a_worker_that_dies_is_a_crash() -> None:
    worker = Worker()
    try:
        assert worker.ask("import os; os.kill(os.getpid(), 9)", 1) is None
        assert worker.status == -9
    finally:
        worker.close()


def test_a_run_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    right = {"question": "reverse", "verdict": "right", "reason": ""}
    line = json.dumps({"seed": 3, "outcomes": [right], "seconds": 2.0})
    (tmp_path / "answers.jsonl").write_text(line + '\n{"seed": 4, "outc')
    report = run([3], 1, print, folder=tmp_path)
    assert (report.kernels, report.processor) == (1, 2.0)
    assert len(list(kept(tmp_path / "answers.jsonl"))) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_leaves_its_answers_and_nothing_else(
    number: signal.Signals, tmp_path: Path
) -> None:
    answers, outside = tmp_path / "kept" / "answers.jsonl", tmp_path / "outside"
    outside.mkdir()
    command = [
        sys.executable,
        "-m",
        "tests.fuzz",
        "--count",
        "1000",
        "--size",
        "1",
        "--workers",
        "1",
    ]
    # Where these tests run in the background, Ctrl-C is ignored, by whatever they start as well.
    usual = signal.signal(number, signal.default_int_handler)
    process = subprocess.Popen(
        [*command, "--questions", "reverse", "--folder", str(answers.parent)],
        cwd=Path(__file__).parent.parent.parent,
        env={**os.environ, "TMPDIR": str(outside)},
        stderr=subprocess.DEVNULL,  # the KeyboardInterrupt
    )
    signal.signal(number, usual)
    try:
        while process.poll() is None and not answers.exists():
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(60) in (128 + signal.SIGTERM, -signal.SIGINT)
    finally:
        process.kill()
        process.wait()
    assert not list(outside.iterdir())
    verdicts = {outcome["verdict"] for one in kept(answers) for outcome in one["outcomes"]}
    assert verdicts <= {"right", "refused", "inconclusive", "invalid"}


def test_the_summary_counts_and_repeats_from_its_seeds() -> None:
    report = Report()
    wrong = {"question": "reverse", "verdict": "wrong", "reason": "1.0 and 2.0"}
    refused = {"question": "forward", "verdict": "refused", "reason": "because"}
    report.add(3, None, {"outcomes": [wrong, refused], "seconds": 1.5, "megabytes": 300})
    text = report.text()
    assert "1 kernels" in text
    assert "1 bad answers" in text
    assert "forward: because" in text
    assert '"seed": 3' in text
