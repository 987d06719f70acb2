"""Pictures of what a derivative does, as SVG: they show themselves in notebooks, and `save` writes a file.

enzyme.inspect.draw_memory(f, *arguments)          the bytes alive while the gradient runs
enzyme.inspect.draw_pattern(pattern)               where a sparse Jacobian has entries, by the colours of its columns
enzyme.inspect.draw_calls(f, *arguments)           which function of the derivative calls which
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from enzyme_py.inspect.footprint import readable
from enzyme_py.inspect.report.result import Report
from enzyme_py.modes import Mode, Reverse


@dataclass(frozen=True)
class Picture:
    """An SVG with its width and height, and what it shows in words."""

    body: str
    width: int
    height: int
    title: str

    def svg(self) -> str:
        """Return the picture as an element of a page, or as a file of its own."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img"><title>{escape(self.title)}</title>{_STYLE}{self.body}</svg>'
        )

    def _repr_html_(self) -> str:
        return self.svg()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file; return its path."""
        where = Path(path)
        where.write_text(self.svg(), encoding="utf-8")
        return where

    def __repr__(self) -> str:
        return f"<picture: {self.title}>"


# Colours that can be read on white and on black, where no page says others.
_STYLE = (
    "<style>text{font:11px system-ui,sans-serif;fill:#6a737d}.axis{stroke:#6a737d;fill:none}.area{fill:#f0b27a;opacity:.8}"
    ".edge{stroke:#6a737d;fill:none}.box{fill:#eef1f4;stroke:#6a737d}.name{fill:#1d2329}</style>"
)
_WIDE, _HIGH, _LEFT, _BELOW, _ABOVE = 760, 190, 70, 26, 12


def over_time(past: Sequence[Sequence[float]]) -> Picture:
    """Return the bytes alive at moments, `(seconds, bytes)`, as an area."""
    last = max(past[-1][0], 1e-9) if past else 1e-9
    most = max((size for _, size in past), default=1) or 1
    width, height = _WIDE - _LEFT - 10, _HIGH - _BELOW - _ABOVE
    points = [f"{_LEFT},{_ABOVE + height}"]
    level = 0.0
    for when, size in past:
        x = _LEFT + width * when / last
        points += [f"{x:.1f},{_ABOVE + height * (1 - level):.1f}", f"{x:.1f},{_ABOVE + height * (1 - size / most):.1f}"]
        level = size / most
    points.append(f"{_LEFT + width},{_ABOVE + height}")
    body = [f'<polygon class="area" points="{" ".join(points)}"/>']
    body.append(f'<path class="axis" d="M{_LEFT} {_ABOVE}V{_ABOVE + height}H{_LEFT + width}"/>')
    body.append(f'<text x="{_LEFT - 6}" y="{_ABOVE + 10}" text-anchor="end">{readable(int(most))}</text>')
    body.append(f'<text x="{_LEFT - 6}" y="{_ABOVE + height}" text-anchor="end">0</text>')
    body.append(f'<text x="{_LEFT + width}" y="{_HIGH - 8}" text-anchor="end">{_milliseconds(last)}</text>')
    return Picture("".join(body), _WIDE, _HIGH, f"bytes alive over time, at most {readable(int(most))}")


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms, with the trace"


# -- patterns

_MOST_CELLS = 300  # in one direction; of a larger pattern, cells stand for blocks
_PICTURE = 420
_HUES = 137.508  # degrees from one colour to the next: neighbours in number are far apart in hue


def pattern_picture(pattern: Any, colours: Any, by: str) -> Picture:
    """Return where a pattern has entries; each has the colour of its column, or of its row."""
    found = pattern.tocoo()
    rows, columns = found.shape
    step = max(1, -(-max(rows, columns) // _MOST_CELLS))
    size = _PICTURE / max(-(-rows // step), -(-columns // step))
    cells: dict[tuple[int, int], int] = {}
    for row, column in zip(found.row, found.col, strict=True):
        place = int(column if by == "columns" else row)
        cells.setdefault((int(row) // step, int(column) // step), int(colours[place]))
    by_colour: dict[int, list[str]] = {}
    for (row, column), colour in cells.items():
        by_colour.setdefault(colour, []).append(f"M{column * size:.2f} {row * size:.2f}h{size:.2f}v{size:.2f}h{-size:.2f}z")
    body = [f'<rect class="axis" width="{columns / step * size:.1f}" height="{rows / step * size:.1f}"/>']
    for colour, paths in sorted(by_colour.items()):
        body.append(f'<path fill="hsl({colour * _HUES % 360:.0f} 60% 50%)" d="{"".join(paths)}"/>')
    count = int(max(colours, default=-1)) + 1
    title = f"{rows} x {columns}, {found.nnz} entries, {count} colours by {by}"
    height = round(rows / step * size)
    body.append(f'<text x="0" y="{height + 16}">{title}</text>')
    return Picture("".join(body), _PICTURE + 2, height + 24, title)


# -- calls

_BOX, _TALL, _GAP, _DOWN = 170, 26, 70, 12


def calls_picture(edges: Sequence[dict[str, Any]], root: str) -> Picture:
    """Return who calls whom: the kernel at the left, what it calls beside it, and so on."""
    depth = {root: 0}
    waiting = [root]
    for name in waiting:
        for one in edges:
            if one["caller"] == name and one["callee"] not in depth:
                depth[one["callee"]] = depth[name] + 1
                waiting.append(one["callee"])
    columns: dict[int, list[str]] = {}
    for name, level in depth.items():
        columns.setdefault(level, []).append(name)
    places = {
        name: (level * (_BOX + _GAP) + 1, row * (_TALL + _DOWN) + 1) for level, names in columns.items() for row, name in enumerate(names)
    }
    kinds = {one["callee"]: one["kind"] for one in edges}
    body = []
    for one in edges:
        if one["caller"] in places and one["callee"] in places:
            (x, y), (to_x, to_y) = places[one["caller"]], places[one["callee"]]
            middle = _TALL / 2
            body.append(
                f'<path class="edge" d="M{x + _BOX} {y + middle}C{x + _BOX + _GAP / 2} {y + middle} {to_x - _GAP / 2} '
                f'{to_y + middle} {to_x} {to_y + middle}"/>'
            )
    for name, (x, y) in places.items():
        kind = "" if name == root or kinds.get(name) == "function of yours" else f" ({kinds.get(name, '')})"
        body.append(f'<rect class="box" x="{x}" y="{y}" width="{_BOX}" height="{_TALL}" rx="4"/>')
        body.append(f'<text class="name" x="{x + 8}" y="{y + 17}">{escape((name + kind)[:27])}</text>')
    width = max(x for x, _ in places.values()) + _BOX + 2
    height = max(y for _, y in places.values()) + _TALL + 2
    return Picture("".join(body), width, height, f"what `{root}` calls")


# -- what users call


def draw_pattern(pattern: Any, by: str = "columns", colours: Any = None) -> Picture:
    """Return a picture of a sparse pattern: any matrix of scipy.sparse, or an array; see `enzyme.sparse.colour` for `by`.

    It is coloured as `enzyme.sparse` colours it: what has one colour is computed in one product.

    Examples:
        >>> "<svg" in enzyme.inspect.draw_pattern(np.eye(3))._repr_html_()
        True
    """
    from scipy.sparse import csr_array

    from enzyme_py.sparse import colour

    found = csr_array(pattern)
    return pattern_picture(found, colour(found, by) if colours is None else colours, "rows" if by == "rows" else "columns")


def draw_memory(f: Callable[..., Any] | Report, *arguments: Any, mode: Mode = Reverse) -> Picture:
    """Return the bytes alive while the derivative of `f` runs: in reverse mode they rise, and fall on the way back.

    A report may stand in the place of `f` and its arguments: nothing is compiled then.

    Examples:
        >>> "<svg" in enzyme.inspect.draw_memory(lambda x: x**3, 2.0)._repr_html_()
        True
    """
    if isinstance(f, Report):
        return over_time(f.data["memory"]["past"])
    from enzyme_py.inspect.report.measuring import past_of
    from enzyme_py.inspect.report.question import asked

    return over_time(past_of(asked(f, arguments, mode, 1)))


def draw_calls(f: Callable[..., Any] | Report, *arguments: Any) -> Picture:
    """Return what the derivative of `f` calls: functions of yours, BLAS, rules, functions of mathematics.

    A report may stand in the place of `f` and its arguments.

    Examples:
        >>> "<svg" in enzyme.inspect.draw_calls(lambda x: np.sin(x), 2.0)._repr_html_()
        True
    """
    from enzyme_py.inspect.report import report

    if not isinstance(f, Report):
        f = report(f, *arguments, times=False, checks=False, advice=False)
    data = f.data
    return calls_picture(data["calls"], data["kernel"])
