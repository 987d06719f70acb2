"""A report in a terminal: a head, a table of the lines that do something, what is wrong, and advice."""

from __future__ import annotations

import os
import sys
from typing import Any

from enzyme_py.inspect.footprint import readable
from enzyme_py.inspect.report.showing.comparing import Change

_WIDTH = 52  # of a statement that is shown
_COLOURS = {"active": "32", "mixed": "33", "constant": "90", "bold": "1", "bad": "31"}
_BAD = ("differs", "not finite", "ignored")


def wants_colour() -> bool:
    """Tell whether standard output is a terminal, and colours are welcome there."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def seconds(value: float | None) -> str:
    """Return a time with three digits and a unit."""
    if value is None:
        return "?"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns" if value else "0"


def text_of(data: dict[str, Any], changed: list[Change], *, colour: bool) -> str:
    """Return the short form of a report."""

    def paint(text: str, name: str) -> str:
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if colour and name in _COLOURS else text

    rows = [paint(title_of(data), "bold"), *_head(data), "", *_table(data, paint)]
    rows += [paint(one, "bad") for one in complaints(data)]
    for one in data["advice"]:
        rows += [f"advice: {one['title']}: {one['text']}"]
    rows += [f"note: {one}" for one in data["notes"]]
    rows += [said(one) for one in changed]
    return "\n".join(rows)


def title_of(data: dict[str, Any]) -> str:
    """Return what the report is of, in one line."""
    order = "" if data["order"] == 1 else f", order {data['order']}"
    place = f" ({os.path.basename(data['file'])}:{data['line']})" if data["file"] else ""
    return f"{data['mode']}{order} of `{data['kernel']}`{place}"


def _head(data: dict[str, Any]) -> list[str]:
    memory, time = data["memory"], data["time"]
    rows = []
    if time["derivative"] is not None:
        ratio = f", {time['ratio']:.3g} times the kernel's {seconds(time['kernel'])}" if time["ratio"] else ""
        rows.append(f"  time    {seconds(time['derivative'])}{ratio}")
    tape = "" if memory["tape"] is None else f", tape {readable(memory['tape'])}"
    rows.append(f"  memory  peak {readable(memory['peak'])}{tape}, {memory['allocations']} allocations")
    parts = [f"{name} {value:.2f} s" for name, value in data["compile"].items() if value >= 0.005]
    rows.append(f"  compile {sum(data['compile'].values()):.2f} s: {', '.join(parts)}")
    return rows


def _table(data: dict[str, Any], paint: Any) -> list[str]:
    rows = [f"{'line':>5}  {'activity':<8} {'tape':>9} {'primal':>8} {'forward':>8} {'reverse':>8}  "]
    function = ""
    for one in data["lines"]:
        if is_idle(one):
            continue
        if one["function"] and one["function"] != function:
            function = one["function"]
            rows.append(f"       -- {function} ({os.path.basename(one['file'])})")
        word = one["activity"] or ""
        times = " ".join(f"{seconds(one['seconds'][name]) if one['seconds'][name] else '':>8}" for name in _TIMES)
        size = readable(one["tape"]["bytes"]) if one["tape"]["bytes"] else ""
        rows.append(f"{one['line'] or '':>5}  {paint(f'{word:<8}', word)} {size:>9} {times}  {one['text'][:_WIDTH]}")
    return rows


_TIMES = ("primal", "forward", "reverse")


def is_idle(one: dict[str, Any]) -> bool:
    """Tell whether there is nothing to say of a line."""
    return not (one["activity"] or one["tape"]["bytes"] or any(one["seconds"].values()) or one["calls"])


def complaints(data: dict[str, Any]) -> list[str]:
    """Return what the checks found wrong, a sentence each."""
    found = []
    for one in data["health"]["arguments"]:
        if one["verdict"] == "differs":
            found.append(
                f"wrong: the slope by `{one['argument']}` is {one['derivative']:.6g}, by differences {one['differences']:.6g}"
            )
        if one["verdict"] == "not finite":
            found.append(f"wrong: the derivative by `{one['argument']}` is not finite")
        if one["verdict"] == "ignored":
            found.append(
                f"Const: the result moves with `{one['argument']}` (slope {one['differences']:.6g} by differences), which is Const: "
                "give it without Const if its derivative is wanted"
            )
    if data["health"]["nan"]:
        found.append(data["health"]["nan"])
    found += [f'doubtful: {one}; config(check="doubtful") compares it' for one in data.get("doubts", ())]
    for one in data["health"]["lost"]:
        says = "is written" if one["is_certain"] else "may be written"
        found.append(f"lost: `{one['argument']}` of `{one['kernel']}` is Const and {says}: derivatives through it are lost")
    return found


def said(one: Change) -> str:
    """Return a change in one line."""
    place = f"line {one.line}" if one.line else one.text if one.what not in ("tape", "activity") else f"`{one.text}`"
    show = readable if one.what in ("tape", "peak") else seconds if one.what.startswith("time") else _plain
    values = ["none" if value is None else show(value) for value in (one.before, one.after)]
    return f"changed: {place}: {one.what} {values[0]} -> {values[1]}"


def _plain(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
