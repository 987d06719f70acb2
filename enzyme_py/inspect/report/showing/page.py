"""The report as one page of HTML: style, code and data are in it, and it asks nobody for anything."""

from __future__ import annotations

import json
import os
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from enzyme_py.inspect.footprint import readable
from enzyme_py.inspect.pictures import calls_picture, over_time
from enzyme_py.inspect.report.showing.comparing import Change
from enzyme_py.inspect.report.showing.detail import detail_of
from enzyme_py.inspect.report.showing.terminal import complaints, said, seconds, title_of

_LISTINGS = {
    "primal": "what Enzyme reads",
    "derivative": "what Enzyme made (marked at the left: the reverse sweep)",
    "assembly": "machine code, behind O3",
}


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def page_of(data: dict[str, Any], changed: list[Change]) -> str:
    """Return the page."""
    shown = [{"line": one["line"], "text": one["text"], "detail": detail_of(one)} for one in data["lines"]]
    inside = json.dumps(shown).replace("</", "<\\/")
    parts = (
        f"<h1>{escape(title_of(data))}</h1>",
        _facts(data),
        *(f'<div class="complaint">{escape(one)}</div>' for one in complaints(data)),
        *(_advice(one) for one in data["advice"]),
        *(f'<p class="soft">{escape(one)}</p>' for one in data["notes"]),
        _changes(changed),
        '<h2>Lines</h2><div class="columns">',
        _source(data),
        '<div id="detail" class="soft">Point at a line, or at a row of code below. A click holds it.</div></div>',
        "<h2>Code</h2>",
        _panes(data),
        _past(data),
        _calls(data),
        _tables(data),
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title_of(data))}</title><style>{_file('page.css')}</style></head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + f'\n<script type="application/json" id="lines">{inside}</script>\n<script>{_file("page.js")}</script>\n</body></html>\n'
    )


def framed(page: str) -> str:
    """Return what a notebook shows: the page in a frame of its own, so that neither's style meets the other's."""
    return f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: 48rem; border: 0" title="report"></iframe>'


def _facts(data: dict[str, Any]) -> str:
    time, memory = data["time"], data["memory"]
    rows = []
    if time["derivative"] is not None:
        rows.append(f"time <b>{seconds(time['derivative'])}</b>")
    if time["ratio"]:
        rows.append(f"<b>{time['ratio']:.3g}</b> times the kernel's {seconds(time['kernel'])}")
    rows.append(f"peak <b>{readable(memory['peak'])}</b>")
    if memory["tape"] is not None:
        rows.append(f"tape <b>{readable(memory['tape'])}</b>")
    rows.append(f"compiled in <b>{sum(data['compile'].values()):.2f} s</b>")
    return '<div class="facts">' + "".join(f"<span>{one}</span>" for one in rows) + "</div>"


def _advice(one: dict[str, Any]) -> str:
    return f'<div class="advice"><b>{escape(one["title"])}</b>: {escape(one["text"])}</div>'


def _changes(changed: list[Change]) -> str:
    if not changed:
        return ""
    return "<h2>Since the earlier report</h2>" + "".join(f"<div>{escape(said(one))}</div>" for one in changed)


def _source(data: dict[str, Any]) -> str:
    is_reverse = data["memory"]["tape"] is not None
    names = ["primal", "forward", "reverse"] if is_reverse else ["primal", "forward"]
    shown = {"primal": "kernel", "forward": "forward" if is_reverse else "derivative", "reverse": "reverse"}
    most = max((sum(one["seconds"][name] for name in names) for one in data["lines"]), default=0.0) or 1.0
    kept = max((one["tape"]["bytes"] for one in data["lines"]), default=0) or 1
    heads = ["line", "source", "", "runs", *(["tape", ""] if is_reverse else []), *(shown[name] for name in names), "calls"]
    rows = ["<thead><tr>" + "".join(f"<th>{one}</th>" for one in heads) + "</tr></thead><tbody>"]
    function = None
    for index, one in enumerate(data["lines"]):
        if one["function"] != function:
            function = one["function"]
            name = f"{function} ({os.path.basename(one['file'])})" if function else ""
            rows.append(f'<tr class="file"><td colspan="{len(heads)}">{escape(name)}</td></tr>')
        cells = [f'<td class="n soft">{one["line"] or ""}</td>', f'<td class="code">{escape(one["text"])}</td>']
        cells += [_word(one), f'<td class="n">{_count(one["runs"])}</td>']
        if is_reverse:
            size = one["tape"]["bytes"]
            cells.append(_cell(readable(size) if size else "", size / kept, "tape"))
            cells.append(f'<td class="n soft">{_each(one["tape"])}</td>')
        cells += [_cell(seconds(one["seconds"][name]) if one["seconds"][name] else "", one["seconds"][name] / most) for name in names]
        cells.append(f'<td class="soft">{escape(", ".join(dict.fromkeys(call["name"] for call in one["calls"])))}</td>')
        rows.append(f'<tr class="line" data-l="{index}">{"".join(cells)}</tr>')
    return f'<div class="source"><table>{"".join(rows)}</tbody></table></div>'


def _word(one: dict[str, Any]) -> str:
    word = one["activity"] or ""
    return f'<td class="{word}">{word}</td>'


def _count(runs: int | None) -> str:
    return "" if runs is None else f"{runs:,}"


def _each(tape: dict[str, Any]) -> str:
    each = tape["each"]
    return "" if each is None else f"{each['iterations']:,} x {_whole(each['bytes'])}"


def _whole(size: float) -> str:
    return f"{size:,}" if isinstance(size, int) else f"{size:,.1f}"


def _cell(text: str, share: float, kind: str = "") -> str:
    return f'<td class="n bar {kind}" style="--share: {100 * share:.1f}%">{text}</td>'


def _panes(data: dict[str, Any]) -> str:
    found = []
    for name, title in _LISTINGS.items():
        rows = []
        for index, is_reverse, text in data["listings"][name]:
            kind = ' class="back"' if is_reverse else ""
            where = f' data-l="{index}"' if index >= 0 else ""
            rows.append(f"<div{kind}{where}>{escape(text)}</div>")
        found.append(f'<div class="pane code" id="pane-{name}"><h3>{title}</h3>{"".join(rows)}</div>')
    return f'<div class="panes">{"".join(found)}</div>'


def _past(data: dict[str, Any]) -> str:
    past = data["memory"]["past"]
    return f"<h2>Memory over time</h2>{over_time(past).svg()}" if len(past) > 1 else ""


def _calls(data: dict[str, Any]) -> str:
    return f"<h2>Calls</h2>{calls_picture(data['calls'], data['kernel']).svg()}" if data["calls"] else ""


def _tables(data: dict[str, Any]) -> str:
    arguments = [
        (one["name"], one["type"], "" if one["shape"] is None else " x ".join(map(str, one["shape"])), one["activity"])
        for one in data["arguments"]
    ]
    checks = [
        (one["argument"], _figure(one["derivative"]), _figure(one["differences"]), _figure(one["error"]), one["verdict"])
        for one in data["health"]["arguments"]
    ]
    stages = [(name, f"{value:.3f} s") for name, value in data["compile"].items()]
    passes = [(one["name"], one["lines"] if one["lines"] is not None else "", f"{one['seconds'] * 1e3:.1f} ms") for one in data["passes"]]
    tried = [(one["name"], one["refusal"] or "served", f"{one['seconds'] * 1e3:.0f} ms") for one in data["attempts"]]
    return "".join(
        _table(title, heads, rows)
        for title, heads, rows in (
            ("Arguments", ("name", "type", "shape", ""), arguments),
            ("Beside differences, along one direction of each argument", ("argument", "derivative", "differences", "error", ""), checks),
            ("Compiling", ("stage", "time"), stages),
            ("Passes that changed the code", ("pass", "lines", "time"), passes),
            ("Attempts, the innermost first", ("attempt", "", "time"), tried),
            ("Versions", ("", ""), list(data["versions"].items())),
        )
        if rows
    )


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _table(title: str, heads: tuple[str, ...], rows: list[Any]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<h2>{escape(title)}</h2><table><tr>{head}</tr>{body}</table>"
