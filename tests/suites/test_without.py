"""Suites with a cure left out: the short form of `python -m tests.suites.without`."""

from __future__ import annotations

import pytest

from tests.enzyme_suite.programs import SHORT as PROGRAMS
from tests.enzyme_suite.programs import newest_clang
from tests.fuzz.checks import ALWAYS
from tests.metamorphic.questions import rewritten
from tests.numba_suite import textbook
from tests.numba_suite.worker import ids_of
from tests.passes.switches import OTHERS
from tests.suites.without.__main__ import asked
from tests.suites.without.asking import CORPUS, SUITES
from tests.suites.without.kernels import CURES, SHORT
from tests.suites.without.mutants import known, mutant, source_of
from tests.suites.without.table import bad_of, is_pass, names_of_passes, page
from tests.textbook import kernels


def test_all_cures_and_kernels_are_there() -> None:
    assert set(SHORT) <= set(SUITES)
    assert {one for one in CURES if is_pass(one)} <= names_of_passes()
    assert {one for one in CURES if not is_pass(one) and not one.startswith("--")} <= set(OTHERS)
    assert {one.removesuffix(" twice") for one in SHORT["textbook"]} <= set(kernels())
    assert {path.stem for path in CORPUS.glob("*.txt")} == set(SHORT["fuzz"])
    numbas = [one for one in SHORT["numba_suite"] if not one.startswith("tests.")]
    assert not [one for one in numbas if f"numba.tests.{one}" not in ids_of(one.partition(".")[0])]
    assert {f"test_{one.replace('.', '_')}" for one in textbook.NAMES} == {one for one in dir(textbook.Textbook) if one.startswith("test_")}
    assert {path.name for path in PROGRAMS.glob("*.c")} == {one.partition(" ")[0] for one in SHORT["enzyme_suite"]}


def test_all_rewrites_have_a_place() -> None:
    for one in SHORT["metamorphic"]:
        seed, kernel, rewrites = one.split(maxsplit=2)
        form, done = rewritten(int(seed), rewrites.split(","), kernel)
        assert (form.origin.name, set(done)) == (kernel, set(rewrites.split(",")))


def test_all_mutants_are_kernels_of_their_own() -> None:
    """Each differs from the kernel that it came from, and runs in plain Python."""
    for one in SHORT["guided"]:
        seed, host, donor = one.split()
        source, done = mutant(int(seed), host, donor)
        assert done
        assert source != source_of(host)
        assert known(source, int(seed)).kinds


@pytest.mark.parametrize(
    ("cure", "bad"),
    [("loop-carried choices", "wrong"), pytest.param("", "", marks=pytest.mark.full)],
)
def test_a_mutation_finds_a_cure(cure: str, bad: str) -> None:
    (line,) = asked("guided", cure, ["208 used_behind_its_loop maximum_and_quotient_of_each_turn"])
    assert bad_of(line, {}) == bad
    assert set(ALWAYS) <= set(line["found"])  # and what its seed draws


@pytest.mark.full
def test_a_kernel_does_not_need_what_its_mutation_needs() -> None:
    (line,) = asked("fuzz", "loop-carried choices", ["used_behind_its_loop"])
    assert bad_of(line, {}) == ""


@pytest.mark.parametrize(
    ("cure", "bad"),
    [("own elementary functions", "wrong"), pytest.param("", "", marks=pytest.mark.full)],
)
def test_a_test_of_numba_finds_a_cure(cure: str, bad: str) -> None:
    """The tangent of hypot of large numbers."""
    (line,) = asked("numba_suite", cure, ["test_mathlib.TestMathLib.test_hypot"])
    assert bad_of(line, {}) == bad
    assert {"reverse of call 1", "again of call 1", "forward of call 1"} <= set(line["found"])


@pytest.mark.skipif(newest_clang() is None, reason="needs clang")
@pytest.mark.parametrize(("cure", "bad"), [("later iterations", "wrong"), ("", "")])
def test_a_program_in_c_finds_a_cure(cure: str, bad: str) -> None:
    (line,) = asked("enzyme_suite", cure, ["neighbours.c O1"])
    assert bad_of(line, {}) == bad
    assert ("later iterations" in line["changed"]) == (not cure)


@pytest.mark.parametrize(
    ("cure", "bad"),
    [("live-out floats", "wrong"), pytest.param("", "", marks=pytest.mark.full)],
)
def test_a_cure_that_is_left_out_is_found(cure: str, bad: str) -> None:
    (line,) = asked("fuzz", cure, ["number_of_the_turn_before"])
    assert bad_of(line, {}) == bad


def test_what_dies_is_told_and_the_next_one_asked() -> None:
    """A kernel that is not there ends the process."""
    found = [(one["kernel"], bad_of(one, {})) for one in asked("textbook", "", ["no such one", "nor this"])]
    assert found == [("no such one", "crashed"), ("nor this", "crashed")]


def test_the_page_tells_what_is_known() -> None:
    right, wrong = {"reverse": "right"}, {"reverse": "wrong"}
    common = {"suite": "fuzz", "kernel": "carried_array", "seconds": 2.0}
    lines = [{**common, "cure": "", "found": right, "changed": ["cached allocations"]}]
    lines += [{**common, "cure": "cached allocations", "found": wrong, "changed": []}]
    lines += [{**common, "cure": "steps", "found": {"reverse": "refused"}, "changed": []}]
    text = page(lines)
    assert "| `cached allocations` |  | wrong, carried_array, 2 s |" in text
    assert "| `steps` |  | refused, carried_array, 2 s |" in text
    assert "| `equal numbers` |  | no kernel |" in text
    assert "2 are found, 1 of them by a refusal" in text


def test_a_column_of_which_nothing_is_known_stays() -> None:
    common = {"suite": "fuzz", "kernel": "carried_array", "seconds": 2.0, "found": {"reverse": "right"}, "changed": []}
    old = page([{**common, "cure": ""}, {**common, "cure": "steps", "found": {"reverse": "wrong"}}])
    assert page([], old) == old
    new = page([{**common, "suite": "textbook", "kernel": "updates.three", "cure": ""}], old)
    assert "| `steps` |  | wrong, carried_array, 2 s |" in new
    assert "* textbook: " in new
    assert next(line for line in old.splitlines() if line.startswith("* fuzz: ")) in new
