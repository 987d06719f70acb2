"""The page of what was found: which suite finds which cure that is missing, with how many seconds of a processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from enzyme_py.passes import attempts, pipeline
from tests.fuzz.checks import BAD
from tests.passes.switches import OTHERS, TABLES
from tests.suites.without.kernels import CURES, SHORT

assert attempts, pipeline
PAGE = Path(__file__).parents[3] / "docs" / "testing-without.md"
_LESS = ("refused", "pass crashed")
_NOTHING = ("not found", "no kernel")
_HEAD = """\
# Cures left out

Each suite of tests must be able to fail. Here each has a short form, some kernels of its long one, and is run with one cure left out. This page is
written by

    python -m tests.suites.without --folder FOLDER
    python -m tests.suites.without --folder FOLDER --write

`tests/suites/without/kernels.py` has the kernels and the cures. A cell says what the first bad answer was, and how many seconds of a processor it took.
*refused* is what was right with the cure. *not found*: no answer of those kernels in which the cure changes something was a bad one; *no kernel*: there is
none of these. An empty cell has not been asked to its end. A textbook kernel is asked first orders, or all six (*twice*); of *metamorphic* a kernel's name is the
seed, the kernel it came from, and its rewrites. One of *guided* is named by the seed of its mutations, the kernel that is mutated, and the one that parts are taken
from; one of *numba_suite* by a test of Numba, and one of *enzyme_suite* by a program and the level of clang's optimisation. Guided and enzyme_suite are asked of passes alone.

"""


def is_pass(cure: str) -> bool:
    """Tell whether a cure is a pass: what it changed is known, by kernel."""
    return cure not in OTHERS and not cure.startswith("--")


def names_of_passes() -> set[str]:
    """The names of all passes in the tables."""
    rows = [row for module, tables in TABLES for table in tables for row in getattr(module, table)]
    return {getattr(row.change, "name", "") for row in rows} - {""}


def bad_of(line: Mapping[str, Any], before: Mapping[str, str]) -> str:
    """Return the worst verdict of a kernel, if it is a bad one; refusals are bad where an answer was right before."""
    found: Mapping[str, str] = line["found"]
    for verdict in BAD:
        if verdict in found.values():
            return verdict
    return "refused" if any(one in _LESS and before.get(question) == "right" for question, one in found.items()) else ""


def page(lines: Sequence[Mapping[str, Any]], old: str = "") -> str:
    """Return the page of what is known; of a suite of which nothing is, what an old page has."""
    before = {(one["suite"], one["kernel"]): one for one in lines if not one["cure"]}
    known = {suite for suite, _ in before}
    rows = [_row(cure, lines, before) for cure in CURES]
    told = [_told(suite, [row[place] for row in rows], _seconds(suite, before)) for place, suite in enumerate(SHORT, 1)]
    for place, suite in enumerate(SHORT, 1):
        cells, line = _of(old, suite)
        if suite not in known and line:
            told[place - 1] = line
            for row in rows:
                row[place] = cells.get(row[0], "")
    none = [row[0] for row in rows if all(cell in _NOTHING for cell in row[1:])]
    text = [_HEAD, "\n".join(told), "\n\n"]
    text += [f"| cure | {' | '.join(SHORT)} |\n", "| --- " * (1 + len(SHORT)), "|\n"]
    text += [f"| {' | '.join(row)} |\n" for row in rows]
    text += [f"\nFound by none of them: {', '.join(none)}.\n" if none else ""]
    return "".join(text)


def _of(page: str, suite: str) -> tuple[dict[str, str], str]:
    """Return what a page has of a suite: its cells by cure, and its line above the table."""
    rows = [[one.strip() for one in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("|")]
    lines = [line for line in page.splitlines() if line.startswith(f"* {suite}: ")]
    if not lines or suite not in rows[0]:
        return {}, ""
    place = rows[0].index(suite)
    return {row[0]: row[place] for row in rows[2:]}, lines[0]


def _told(suite: str, cells: Sequence[str], seconds: int) -> str:
    """Return what one suite finds, of the cures that it was asked about to the end."""
    asked = [cell for cell in cells if cell]
    changed = [cell for cell in asked if cell != "no kernel"]
    found = [cell for cell in changed if cell not in _NOTHING]
    refused = sum(cell.startswith("refused") for cell in found)
    return (
        f"* {suite}: {len(SHORT[suite])} kernels, {seconds} s with all cures. Of {len(cells)} cures it was asked about {len(asked)} to the end; "
        f"{len(changed)} change a kernel, and {len(found)} are found, {refused} of them by a refusal."
    )


def _seconds(suite: str, before: Mapping[tuple[str, str], Mapping[str, Any]]) -> int:
    return round(sum(one["seconds"] for (name, _), one in before.items() if name == suite))


def _row(cure: str, lines: Sequence[Mapping[str, Any]], before: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[str]:
    cells = [f"`{cure}`"]
    for suite in SHORT:
        asked = [one for one in lines if (one["suite"], one["cure"]) == (suite, cure)]
        verdicts = [(bad_of(one, before[suite, one["kernel"]]["found"]), one["kernel"]) for one in asked]
        bad = sorted((one for one in verdicts if one[0]), key=lambda one: one[0] == "refused")
        seconds = round(sum(one["seconds"] for one in asked))
        touched = [one for name, one in before if name == suite and (not is_pass(cure) or cure in before[name, one]["changed"])]
        is_done = len(asked) == len(touched)
        nothing = "" if not is_done or not any(name == suite for name, _ in before) else _NOTHING[0 if touched else 1]
        cells.append(f"{bad[0][0]}, {bad[0][1]}, {seconds} s" if bad else nothing)
    return cells
