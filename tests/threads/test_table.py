"""Some rows of the table of kernels, the others in a full run; docs/threads-kernels.md names them all.

`python -m tests.threads --write` asks for the whole table.
"""

from __future__ import annotations

import pytest

from tests.rotation import sweep
from tests.threads.__main__ import DOCUMENT
from tests.threads.kernels import Case
from tests.threads.kernels.of_arrays import OF_ARRAYS
from tests.threads.kernels.of_data import OF_DATA
from tests.threads.kernels.of_loops import OF_LOOPS
from tests.threads.orders import ORDERS
from tests.threads.table import FORKED, PLAIN, RIGHT, TABLE, by_name, races, verdict, why_serial

MORE = [*OF_LOOPS, *OF_DATA, *OF_ARRAYS]
ANSWERS = [(case.name, order) for case in MORE for order in ORDERS]


@pytest.mark.parametrize(("name", "order"), sweep(ANSWERS, 53, 3))
def test_an_answer(name: str, order: str) -> None:
    case = by_name()[name]
    found = verdict(case, order)
    assert found in RIGHT
    if case.why_serial:
        assert found == PLAIN


@pytest.mark.parametrize("name", sweep([one.name for one in MORE], 26, 5))
def test_races(name: str) -> None:
    assert not races(by_name()[name], ["gradient"])


@pytest.mark.parametrize("name", sweep([one.name for one in MORE if one.why_serial], 6, 1))
def test_why_it_stays_serial(name: str) -> None:
    assert by_name()[name].why_serial in why_serial(by_name()[name])


def rows_of_the_document() -> dict[str, list[str]]:
    lines = [line.strip("| ").split(" | ") for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    return {words[0].strip("`"): words[1:] for words in lines}


def test_the_document_has_kernels_of_the_table() -> None:
    rows = rows_of_the_document()
    assert set(rows) <= {one.name for one in TABLE}
    assert len(rows) >= 39
    text = DOCUMENT.read_text()
    assert all(one.name in rows or f"`{one.name}`" in text for one in TABLE)  # asked, or named as not asked yet


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.name)
def test_the_document_is_as_promised(case: Case) -> None:
    row = rows_of_the_document().get(case.name)
    if row is None:
        return  # not asked yet; the document says so
    assert set(row[: len(ORDERS)]) <= set(RIGHT)
    assert row[-1] == "none"
    assert row[0] == FORKED or row[-2].strip()  # why it is plain
