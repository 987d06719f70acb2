"""The report as an object: short in a terminal, a page, a dict."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from enzyme_py.errors import EnzymeError
from enzyme_py.inspect.report.schema import SCHEMA
from enzyme_py.inspect.report.showing.comparing import Change, changes


class Report:
    """What is known of one derivative. `data` is a dict of plain values: see docs/inspecting.md for its schema."""

    def __init__(self, data: dict[str, Any], earlier: dict[str, Any] | None = None) -> None:
        self.data = data
        self.earlier = earlier

    def __str__(self) -> str:
        return self.text()

    def text(self, *, colour: bool | None = None) -> str:
        """Return the short form; colour where standard output is a terminal and NO_COLOR is not set, unless told."""
        from enzyme_py.inspect.report.showing.terminal import text_of, wants_colour

        return text_of(self.data, self.changes(), colour=wants_colour() if colour is None else colour)

    def __repr__(self) -> str:
        return f"<report on {self.data['mode']} of {self.data['kernel']}, {len(self.data['lines'])} lines>"

    def html(self) -> str:
        """Return the page: one file that needs no other, and no network."""
        from enzyme_py.inspect.report.showing.page import page_of

        return page_of(self.data, self.changes())

    def _repr_html_(self) -> str:
        from enzyme_py.inspect.report.showing.page import framed

        return framed(self.html())

    def json(self) -> str:
        """Return the data as JSON."""
        return json.dumps(self.data, allow_nan=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, or, to a file whose name ends in .json, the data; return the path."""
        where = Path(path)
        text = self.json() if where.suffix == ".json" else self.html()
        where.write_text(text, encoding="utf-8")
        return where

    def against(self, earlier: Report | dict[str, Any] | str | os.PathLike[str]) -> Report:
        """Return this report with what changed since an earlier one: a report, its dict, or a file of JSON."""
        return Report(self.data, read(earlier))

    def changes(self) -> list[Change]:
        """Return what changed since the earlier report, if one was given."""
        return [] if self.earlier is None else changes(self.earlier, self.data)


def read(given: Report | dict[str, Any] | str | os.PathLike[str]) -> dict[str, Any]:
    """Return the data of a report in any form, of this version of the schema."""
    if isinstance(given, Report):
        return given.data
    if isinstance(given, dict):
        data = given
    else:
        try:
            data = json.loads(Path(given).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            what = f"{os.fspath(given)} is no report: {error}"
            raise EnzymeError(what, remedy="give a file that report.save('NAME.json') wrote") from error
    found = data.get("schema") if isinstance(data, dict) else None
    if found != SCHEMA:
        raise EnzymeError(f"a report of schema {found!r}", remedy=f"make it anew: this version reads {SCHEMA}")
    return data
