"""docs/errors.md: its programs, and the messages that they end with.

    python -m tests.documents.error_catalogue    writes the messages into the page, and the table of Enzyme's refusals

A program stands in a block with the title "raises NAME" or "warns NAME", its message in the block of text behind it.
"""

from __future__ import annotations

import re
import runpy
import tempfile
import warnings
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from enzyme_py.host.installing.locate import find_toolchain
from enzyme_py.host.refusals import ROWS
from enzyme_py.settings import config

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
ENTRY = re.compile(
    r'^```python title="(raises|warns) (\w+)"\n(.*?)^```\n+^```text\n(.*?)^```',
    re.DOTALL | re.MULTILINE,
)
FILE = "program.py"
TABLE = re.compile(r"(?<=<!-- refusals -->\n).*?(?=<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """A program of the page, and the message that the page says it ends with."""

    way: str
    name: str
    program: str
    message: str


def entries(text: str) -> list[Entry]:
    return [Entry(*parts) for parts in ENTRY.findall(text)]


def message_of(entry: Entry, folder: Path) -> str:
    """Run a program and return what it ends with: type and text, without what differs by machine."""
    folder.mkdir(parents=True)
    (folder / FILE).write_text(entry.program)
    kind, text = run(folder, entry.way)
    return f"{kind}: {without_places(text, folder)}\n"


def run(folder: Path, way: str) -> tuple[str, str]:
    with chdir(folder), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            runpy.run_path(str(folder / FILE))
        except Exception as error:
            return type(error).__name__, str(error)
    ours = [one for one in said if one.category.__module__ == "enzyme_py.errors"]
    if way == "raises" or len(ours) != 1:
        message = f"it {way} nothing, or too much: {[str(one.message) for one in said]}"
        raise AssertionError(message)
    return ours[0].category.__name__, str(ours[0].message)


def without_places(text: str, folder: Path) -> str:
    """Leave out folders of this machine, and what differs from run to run."""
    text = re.sub(rf"[^\s(]*/{FILE}", FILE, text.replace(f"{folder}/", ""))
    text = re.sub(r"\(good to [^)]+\)", "(good to so many digits)", text)
    text = re.sub(r"saved as \S+", "saved as FILE", text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def refusals() -> str:
    """The kinds of refusals that the pass speaks (host/refusals.py), as a table."""
    lines = ["| what is said | error | what to do |", "| --- | --- | --- |"]
    for row in ROWS:
        line = f"| {row.what} | {row.error.__name__} | {row.remedy} |"
        line = re.sub(r"`?\{name\}`?", "`...`", line)
        if line not in lines:
            lines.append(line)
    return "\n".join(lines) + "\n"


def written_anew(text: str) -> str:
    executable = str(find_toolchain().executable)
    with (
        tempfile.TemporaryDirectory() as folder,
        config(cache_dir=folder, host=executable),  # warnings come where something is compiled
    ):
        numbers = iter(range(10_000))

        def renewed(match: re.Match[str]) -> str:
            entry = Entry(*match.groups())
            message = message_of(entry, Path(folder) / str(next(numbers)))
            return match.group().removesuffix(entry.message + "```") + message + "```"

        return ENTRY.sub(renewed, text)


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: refusals(), written_anew(PAGE.read_text())))
