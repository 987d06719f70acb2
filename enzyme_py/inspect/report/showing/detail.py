"""What a page tells of one line where it is pointed at: paragraphs under headings."""

from __future__ import annotations

from collections import Counter
from typing import Any

from enzyme_py.inspect.footprint import readable
from enzyme_py.inspect.report.showing.terminal import seconds

_MOST = 8


def detail_of(one: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Return headings with their paragraphs; those that have nothing to say are left out."""
    found = [
        ("Activity", _activity(one)),
        ("Tape", _tape(one)),
        ("Why", _why(one)),
        ("Time of one call", _time(one)),
        ("Calls", [f"{call['kind']}: {call['name']}, at {call['count']} places" for call in one["calls"]]),
        ("Vectors", [f"{kind}: {count} operations" for kind, count in one["vectors"].items()]),
        ("Passes that changed it", [", ".join(one["passes"])] if one["passes"] else []),
    ]
    return [(title, rows) for title, rows in found if rows]


def _activity(one: dict[str, Any]) -> list[str]:
    if one["activity"] is None:
        return []
    values = one["values"]
    rows = [f"{one['activity']}: {values['active']} values vary with an active argument, {values['constant']} do not"]
    since = one["since"]
    if since["arguments"]:
        rows.append(f"through {', '.join(since['arguments'])}")
    if since["lines"]:
        rows.append(f"by what lines {', '.join(map(str, since['lines']))} make")
    return rows


def _tape(one: dict[str, Any]) -> list[str]:
    tape = one["tape"]
    if not tape["bytes"]:
        return []
    rows = [f"{readable(tape['bytes'])} in {tape['blocks']} blocks, alive between the sweeps"]
    if tape["each"] is not None:
        rows.append(f"{tape['each']['iterations']:,} iterations x {tape['each']['bytes']:,.6g} bytes")
    return rows


def _why(one: dict[str, Any]) -> list[str]:
    said = Counter[str]()
    for reason in one["why"]:
        text = f"{reason['kind']}: {reason['reason']}"
        if reason["by_line"]:
            text += f"; line {reason['by_line']} writes it"
        said[text] += 1
    rows = [f"{text} ({count} values)" if count > 1 else text for text, count in said.items()]
    return rows[:_MOST] + [reason["code"] for reason in one["why"] if reason["kind"] == "kept"][:_MOST]


def _time(one: dict[str, Any]) -> list[str]:
    parts = [f"{name.replace('_', ' ')} {seconds(value)}" for name, value in one["seconds"].items() if value]
    return [", ".join(parts)] if parts else []
