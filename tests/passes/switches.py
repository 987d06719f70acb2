"""Passes that are left out: what happens without a cure shows that the cure is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from enzyme_py.passes import attempts, pipeline

TABLES = (
    (pipeline, ("PREPARE", "READY", "BEHIND")),
    (attempts, ("FORMS", "CRASHES", "REFUSALS")),
)


def leave_out(name: str, put: Callable[[Any, str, Any], None] = setattr) -> None:
    """Take a pass out of all tables, with `monkeypatch.setattr` for one test; there must be such a row."""
    is_there = False
    for module, tables in TABLES:
        for table in tables:
            rows = getattr(module, table)
            left = tuple(row for row in rows if getattr(row.change, "name", "") != name)
            is_there |= len(left) < len(rows)
            put(module, table, left)
    assert is_there, f"no table has a pass {name!r}"
