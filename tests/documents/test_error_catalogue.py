"""docs/errors.md has every error and warning, with a program that ends with it, and its message to the letter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from enzyme_py import errors
from enzyme_py.host.process import client
from tests.documents.error_catalogue import PAGE, TABLE, Entry, entries, message_of, refusals

# On the worker of the documents, which use the same things for the first time.
pytestmark = pytest.mark.xdist_group("test_documents.py")

TEXT = PAGE.read_text()
ENTRIES = entries(TEXT)
# A base class that is never raised itself is shown by one of those below it.
SHOWN_BY = {"EnzymeWarning": "ConstWrittenWarning"}


@pytest.fixture(autouse=True)
def no_frame_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message names the innermost line that is not this package's: conftest.py must not be in between."""
    monkeypatch.setattr(client, "_run", client._run.__wrapped__)


def kinds() -> dict[str, type]:
    bases = (errors.EnzymeError, errors.EnzymeWarning)
    return {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, bases)
    }


def sections() -> dict[str, str]:
    parts = re.split(r"^#{2,3} (.*)$", TEXT, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_no_error_is_missing() -> None:
    assert len(kinds()) > 25
    assert kinds().keys() <= sections().keys()
    for name in kinds():
        shown = {entry.name for entry in entries(sections()[name])}
        assert SHOWN_BY.get(name, name) in shown, f"{name} has no program in its section"


def test_no_error_is_made_up() -> None:
    named = {one for one in sections() if re.fullmatch(r"\w+(Error|Warning)|Host\w+", one)}
    assert named <= kinds().keys()
    assert {entry.name for entry in ENTRIES} <= kinds().keys()


def test_the_table_of_refusals_is_that_of_the_code() -> None:
    assert TABLE.findall(TEXT) == [refusals()], (
        "python -m tests.documents.error_catalogue writes it anew"
    )
    assert refusals().count("\n") > 10


def test_no_block_is_left_out() -> None:
    assert len(ENTRIES) == TEXT.count("```python") == TEXT.count("```text")


@pytest.mark.parametrize(
    "entry", ENTRIES, ids=[f"{one.name}-{number}" for number, one in enumerate(ENTRIES)]
)
def test_the_message_is_what_the_page_says(entry: Entry, tmp_path: Path) -> None:
    found = message_of(entry, tmp_path / "program")
    assert found.startswith(f"{entry.name}: ")
    assert found == entry.message, "python -m tests.documents.error_catalogue writes the page anew"


def test_a_program_that_ends_well_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="raises nothing"):
        message_of(Entry("raises", "EnzymeError", "x = 1\n", ""), tmp_path / "program")
