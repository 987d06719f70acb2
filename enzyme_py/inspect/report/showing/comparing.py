"""What changed between two reports: figures of the whole, and lines, found again by their text."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

_SHARE = 0.02  # below which figures of memory count as equal
_SHARE_OF_TIMES = 0.25  # and times, which vary
_SMALLEST_TAPE = 1024


class Change(NamedTuple):
    """One figure or word that changed; `line` is the number of the line now, 0 for the whole."""

    line: int
    text: str
    what: str
    before: Any
    after: Any


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    """Return what changed, figures of the whole first."""
    found = list[Change]()
    for group, name, what in (
        ("memory", "peak", "peak"),
        ("memory", "tape", "tape"),
        ("time", "derivative", "time of the derivative"),
        ("time", "kernel", "time of the kernel"),
        ("time", "ratio", "derivative over kernel"),
    ):
        old, new = before[group].get(name), after[group].get(name)
        if _differ(old, new, _SHARE_OF_TIMES if group == "time" else _SHARE):
            found.append(Change(0, after["kernel"], what, old, new))
    for name in sorted({*before["versions"], *after["versions"]}):
        old, new = before["versions"].get(name), after["versions"].get(name)
        if old != new:
            found.append(Change(0, after["kernel"], f"version of {name}", old, new))
    for old, new in _pairs(before["lines"], after["lines"]):
        found += _of_line(old, new)
    return found


def _differ(old: float | None, new: float | None, share: float) -> bool:
    if old is None or new is None:
        return old is not new
    return abs(old - new) > share * max(abs(old), abs(new))


def _pairs(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[dict[str, Any] | None, dict[str, Any] | None]]:
    """Return the lines of both, found again by function and statement, in their order; None is no line."""
    known = defaultdict[tuple[str, str], list[dict[str, Any]]](list)
    for one in before:
        known[one["function"], one["text"].strip()].append(one)
    found: list[tuple[dict[str, Any] | None, dict[str, Any] | None]] = []
    for one in after:
        waiting = known[one["function"], one["text"].strip()]
        found.append((waiting.pop(0) if waiting else None, one))
    found += [(one, None) for waiting in known.values() for one in waiting]
    return found


def _of_line(old: dict[str, Any] | None, new: dict[str, Any] | None) -> list[Change]:
    here = new or old
    assert here is not None
    line = new["line"] if new is not None else 0
    text, found = here["text"].strip(), list[Change]()
    was, now = (0 if one is None else one["tape"]["bytes"] for one in (old, new))
    if max(was, now) >= _SMALLEST_TAPE and _differ(was, now, _SHARE):
        found.append(Change(line, text, "tape", was, now))
    words = [None if one is None else one["activity"] for one in (old, new)]
    if old is not None and new is not None and words[0] != words[1]:
        found.append(Change(line, text, "activity", *words))
    return found
