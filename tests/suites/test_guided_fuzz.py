"""The guided fuzzer's short form: what it makes, what it keeps, and that it can fail.

`python -m tests.fuzz --guided --count 10000 --folder FOLDER` is the long one.
"""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz import checks, grammar
from tests.fuzz.guided.interpreted import Plain, Unfit, check_alike, kind
from tests.fuzz.guided.mutations import MUTATIONS, Host, mutated
from tests.fuzz.guided.names import Known
from tests.fuzz.guided.reached import sorts
from tests.fuzz.guided.runs import Corpus, GuidedRun, Plan, found, guided_run
from tests.fuzz.guided.summary import Summary
from tests.fuzz.subject import Subject

LOOP = """def kernel(x, a, s, c, n):
    y = x.copy()
    total = 0.5 * s
    w = y * 0.5
    for i in range(n):
        w = np.sin(y) * x[i]
        y[i] = w[i] * total
        total += w[0] * 0.25
    if n > 2:
        y[0] = c[1] * total
    return np.sum(y) + total
"""
OTHER = """def kernel(x, a, s, c, n):
    v = x * 2.0
    k = 0
    q = s
    while k < 3:
        q = max(q, v[k % n])
        k += 1
    if q > 0.1:
        return q * s
    return np.sum(v) * q
"""
GIVEN = (np.array([0.1, -0.4, 0.7, 0.2]), np.eye(4) * 0.5, 0.3, np.array([0.2, 0.1, -0.5, 0.4]), 4)


def given() -> tuple[object, ...]:
    return tuple(one.copy() if isinstance(one, np.ndarray) else one for one in GIVEN)


def known(source: str) -> Known:
    plain = Plain()
    plain.look(source, given(), given)
    return Known(source, plain.kinds)


def line(number: int, source: str = LOOP, **changed: object) -> dict[str, object]:
    right = {"question": "reverse", "verdict": "right", "reason": ""}
    made = {"number": number, "source": source, "how": "fresh arrays", "parent": 0, "unfit": 0, "outcomes": [right]}
    return {**made, "reached": [], "kinds": {"x": "array f1"}, "seconds": 2.0, "megabytes": 1, **changed}


# --- plain Python ----------------------------------------------------------------------------------


def test_what_variables_hold() -> None:
    kinds = known(LOOP).kinds
    assert kinds == {
        "x": "array f1", "a": "array f2", "s": "number", "c": "array f1", "n": "integer",
        "y": "array f1", "total": "number", "i": "integer", "w": "array f1",
    }
    assert [kind(one) for one in (1j, (1.0, 2), [np.zeros(2)], True)] == [
        *("complex number", "tuple of number", "list of array f1", "flag"),
    ]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return x[n]", "IndexError"),
        ("return total", "NameError"),
        ("while s < 1.0:\n        n += 1\n    return s", "does not end"),
        ("try:\n        while s < 1.0:\n            n += 1\n    except Exception:\n        n = 0\n    return s", "does not end"),
        ("return np.sum(np.empty(n))", "no number"),
        ("return np.sqrt(-1.0 - s * s)", "no number"),
        ("c[0] *= s\n    return s", "writes what is constant"),
    ],
)
def test_what_is_no_kernel(body: str, words: str) -> None:
    with pytest.raises(Unfit, match=words):
        Plain().look(f"def kernel(x, a, s, c, n):\n    {body}\n", given(), given)


def test_what_raises_for_large_constants_is_one() -> None:
    raises = "def kernel(x, a, s, c, n):\n    if c[0] > 5.0:\n        raise ValueError('large')\n    return s\n"
    assert Plain().look(raises, given(), given) == 0.3
    reads = raises.replace("raise ValueError('large')", "s = x[n]") + "    raise ValueError('late')\n"
    with pytest.raises(Unfit, match="IndexError"):
        Plain().look(reads, given(), given)


def test_what_numba_makes_otherwise_is_none() -> None:
    check_alike((1.0, np.ones(2)), (1.0 + 1e-9, np.ones(2)), is_single=False)
    with pytest.raises(Unfit):
        check_alike(1.0, 1.1, is_single=False)
    with pytest.raises(Unfit):
        check_alike(np.ones(2), np.ones(3), is_single=False)


@pytest.mark.parametrize("seed", range(0, 12, 3))
def test_kernels_of_containers_run_in_plain_python(seed: int) -> None:
    source = grammar.kernel(seed, None, "containers").source
    assert np.isfinite(Plain().look(source, given(), given))


def test_kernels_of_containers_have_many_features() -> None:
    found = set().union(*(grammar.kernel(seed, None, "containers").features for seed in range(100)))
    assert {"records", "tuple", "named tuple", "arrays in a tuple", "complex", "float32", "prange"} <= found


@pytest.mark.parametrize("kind_of_record", ["RECORD", "PACKED"])
def test_differences_of_a_float32_in_a_record_are_those_of_a_float64(kind_of_record: str) -> None:
    lines = f"    r = np.zeros(n, {kind_of_record})\n    r[0].w = np.sin(s)\n    return r[0].w * 2.0\n"
    subject = Subject("def kernel(x, a, s, c, n):\n" + lines, 1)
    (_, _, s), (_, _, along) = subject.active, subject.first
    assert subject.is_single
    assert abs(subject.difference(subject.plain, subject.first) - 2.0 * np.cos(s) * along) < 1e-9


def test_three_orders_are_asked() -> None:
    """Of a cubic, whose third derivatives are constant: what is compared is no zero, and a wrong one is seen."""
    source = "def kernel(x, a, s, c, n):\n    t = s\n    for i in range(n):\n        t += x[i] * x[i] * x[i] * c[i]\n    return t * s\n"
    asked = checks.Questions(Subject(source, 11))
    asked.agree = lambda got, want, *_: values.append((got, want))  # type: ignore[method-assign]
    values: list[tuple[float, float]] = []
    asked.three_orders()
    ((got, want),) = values
    assert abs(want) > 1e-3
    assert got == pytest.approx(want, rel=1e-6)


# --- mutations -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MUTATIONS)
def test_each_mutation_changes_some_kernel_into_another(name: str) -> None:
    """Of some draws, each changes one or says that it does not, and some of what comes out still runs."""
    of, others, running = known(LOOP), known(OTHER), 0
    for seed in range(25):
        drawn = random.Random(seed)
        host = Host(of, lambda: others, drawn)
        before = ast.dump(host.function)
        is_done = MUTATIONS[name][1](host)
        assert is_done or ast.dump(host.function) == before
        text = ast.unparse(ast.fix_missing_locations(host.function))
        ast.parse(text)
        if is_done and text.strip() != LOOP.strip():
            try:
                Plain().look(text, given(), given)
                running += 1
            except Unfit:
                continue
    assert running > 0


def test_iterations_on_threads_stay_apart() -> None:
    source = """def kernel(x, a, s, c, n):
    h = np.zeros(n)
    y = x * s
    for i in prange(n):
        h[i] = x[i] * s
    return np.sum(h) + np.sum(y)
"""
    of, others = known(source), known(LOOP)
    for seed in range(60):
        made, _ = mutated(of, lambda: others, random.Random(seed))
        for one in ast.walk(ast.parse(made)):
            if isinstance(one, ast.For) and "prange" in ast.unparse(one.iter):
                assert ast.unparse(one) == "for i in prange(n):\n    h[i] = x[i] * s"


def test_mutations_come_back_by_their_seed() -> None:
    of, others = known(LOOP), known(OTHER)
    made = [mutated(of, lambda: others, random.Random(seed)) for seed in range(30)]
    assert made == [mutated(of, lambda: others, random.Random(seed)) for seed in range(30)]
    assert len({source for source, _ in made}) > 20


# --- runs ------------------------------------------------------------------------------------------


def test_what_reaches_something_new_joins_the_corpus(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    wrong = {"question": "reverse", "verdict": "wrong", "reason": "1.0 and 2.0"}
    corpus.add(line(1, reached=["pass a behind the start"]))
    corpus.add(line(2))
    corpus.add(line(3, reached=["pass b behind a"], outcomes=[wrong]))
    assert [one.number for one in corpus.members] == [1]
    assert (tmp_path / "corpus" / "1.txt").read_text().startswith(LOOP)
    before = corpus.members[0].weight
    corpus.add(line(4, parent=1))
    assert corpus.members[0].weight < before


def test_a_grammar_gives_more_kernels_while_it_reaches_more() -> None:
    corpus = Corpus(None)
    for number in range(20):
        corpus.add(line(number, reached=["a"] * 9, seconds=1.0))
        corpus.add(line(100 + number, parent=1, reached=["a"], seconds=1.0))
    assert 0.7 < corpus.fresh_share(0.1) <= 0.8
    for number in range(40):
        corpus.add(line(200 + number, seconds=2.0))
        corpus.add(line(300 + number, parent=1, reached=["a"], seconds=1.0))
    assert corpus.fresh_share(0.1) == 0.1
    assert [corpus.fresh_share(one) for one in (0.0, 1.0)] == [0.0, 1.0]


def test_hours_since_the_last_new_fault() -> None:
    summary = Summary()
    wrong = {"question": "reverse", "verdict": "wrong", "reason": "1.0 and 2.0"}
    summary.add(line(1, seconds=1800.0))
    assert "0.50 hours of processor, and no fault" in summary.text()
    summary.add(line(2, outcomes=[wrong]))
    summary.add(line(3, seconds=3600.0, outcomes=[{**wrong, "reason": "3.0 and 4.0"}], reached=["attempt plain: served"]))
    text = summary.text()
    assert "1.00 hours of processor since the last new fault" in text
    assert "FAULT, first in kernel 2" in text
    assert "2 bad answers" in text
    assert sorts(summary.reached)["attempts"] == 1


def test_a_run_goes_on_with_the_kernels_it_would_have_made(tmp_path: Path) -> None:
    plan = Plan(20, seed=3, folder=tmp_path)
    lines = [line(1, LOOP, reached=["a"], kinds=dict(known(LOOP).kinds)), line(2, OTHER, reached=["b"], kinds=dict(known(OTHER).kinds))]
    assert plan.file is not None
    plan.file.write_text("".join(json.dumps(one) + "\n" for one in lines) + '{"number": 3, "sour')
    runs = [GuidedRun(plan, print, tmp_path) for _ in range(2)]
    assert [one.summary.report.kernels for one in runs] == [2, 2]
    for number in range(11, 40):
        first, second = (next(one._candidates(number)) for one in runs)
        assert first == second


NOT_READ = """def kernel(x, a, s, c, n):
    v = x.copy()
    w = np.sin(x)
    for i in range(n):
        u = np.sin(x) * x
        v[i] = w[i] * s
    return np.sum(v) + np.sum(w)
"""


@pytest.mark.parametrize(
    ("without", "bad"),
    [pytest.param("cached allocations", {2}), pytest.param(None, set(), marks=pytest.mark.full)],
)
def test_it_finds_a_cure_that_is_switched_off(without: str | None, bad: set[int], tmp_path: Path) -> None:
    """It begins with a kernel that is right without the cure. The first mutation of this seed stores to `w` in place of `u`."""
    (tmp_path / "first.txt").write_text(f"# also: split\n{NOT_READ}")
    plan = Plan(2, seed=53, fresh=0.0, questions=("reverse",), folder=tmp_path, without=without, begin=tmp_path)
    summary = guided_run(plan, print)
    assert summary.report.kernels == 2
    assert {one["seed"] for one in summary.report.bad} == bad, summary.report.bad
    assert {one["verdict"] for one in summary.report.bad} == ({"wrong"} if bad else set())
    assert set(summary.faults.values()) == bad
    assert "w = np.sin(x) * x" in found(tmp_path, 2)
    assert sorts(summary.reached)["steps in our passes"] > 500
