"""The fuzzer's short form: some kernels, its corpus, and that it can fail.

`python -m tests.fuzz --count 10000` is the long one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fuzz import checks, grammar
from tests.fuzz.runs import BAD, Report, Worker
from tests.fuzz.shrink import shrunk

CORPUS = sorted((Path(__file__).parent / "fuzz" / "corpus").glob("*.txt"))


def told(source: str, seed: int, *, is_second: bool = False) -> list[checks.Outcome]:
    found = checks.outcomes(source, seed, is_second=is_second)
    assert not [one for one in found if one.verdict in BAD], (source, found)
    return found


@pytest.mark.parametrize("seed", [2, 8])
def test_random_kernels(seed: int) -> None:
    found = told(grammar.kernel(seed).source, seed)
    assert [one.verdict for one in found] == ["right"] * 3


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_was_wrong_once(path: Path) -> None:
    is_second = path.stem == "copies_in_a_loop"
    found = told(path.read_text(), 1, is_second=is_second)
    assert {one.verdict for one in found} == {"right"}


def test_it_finds_the_known_wrong_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the marks on carried allocations the pass recomputes them, wrongly (DESIGN 5)."""
    monkeypatch.setattr(sys.modules["enzyme_py.autodiff"], "protected", lambda module: module)
    source = (
        (CORPUS[0].parent / "carried_array.txt").read_text().replace("range(n)", "range(n + 1)")
    )
    found = checks.outcomes(source, 1, is_second=False)
    assert [one.verdict for one in found][:2] == ["wrong", "wrong"]
    assert "reverse mode and differences" in found[0].reason


def test_kernels_come_back_by_their_seed() -> None:
    sources = {grammar.kernel(seed).source for seed in range(50)}
    assert len(sources) == 50
    assert grammar.kernel(7).source == grammar.kernel(7).source


def test_kernels_have_many_features() -> None:
    found = set().union(*(grammar.kernel(seed).features for seed in range(200)))
    assert {"for", "while", "if", "break", "continue", "call", "recursion", "carried"} <= found
    assert {"slice write", "element write", "concatenate", "product", "tuple", "axis"} <= found


def test_failures_are_made_small() -> None:
    seed = next(one for one in range(500) if "scan" in grammar.kernel(one).features)
    small = shrunk(grammar.kernel(seed).source, lambda source: "np.cumsum" in source)
    assert "np.cumsum" in small
    assert len(small.splitlines()) <= 2


def test_a_worker_that_dies_is_a_crash() -> None:
    worker = Worker()
    try:
        assert worker.ask("import os; os.kill(os.getpid(), 9)", 1, is_second=False) is None
        assert worker.status == -9
    finally:
        worker.close()


def test_the_summary_counts_and_repeats_from_its_seeds() -> None:
    report = Report()
    wrong = {"question": "reverse", "verdict": "wrong", "reason": "1.0 and 2.0"}
    refused = {"question": "forward", "verdict": "refused", "reason": "because"}
    report.add(grammar.kernel(3), [wrong, refused])
    text = report.text()
    assert "1 kernels" in text
    assert "1 bad answers" in text
    assert "forward: because" in text
    assert '"seed": 3' in text
