"""Pictures of what a derivative does, as SVG: they show themselves in notebooks, and `save` writes a file.

enzyme.inspect.draw_memory(f, *arguments)          the bytes alive while the gradient runs
enzyme.inspect.draw_pattern(pattern)               where a sparse Jacobian has entries, by the colours of its columns
enzyme.inspect.draw_calls(f, *arguments)           which function of the derivative calls which
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from enzyme_py.inspect.footprint import readable


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
