"""Pictures of the figures' pages: bars of what a table in the page says, as SVG.

    python benchmarks/pictures.py    writes docs/NAME.svg, and a line with it into docs/NAME.md, where it is missing

A page is written by the program that measures; this one only draws what is written there. So a page that was renewed
needs it once more, and tests/documents/test_figures_pictures.py says so.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
COLOURS = ("#44628f", "#c8743e", "#8a9a5b")
LABELS, PLOT, RIGHT, BAR, GAP, TOP = 230, 420, 110, 13, 9, 64


@dataclass(frozen=True)
class Picture:
    """Which columns of which table, and how they are drawn."""

    page: str
    title: str
    labels: tuple[str, ...]  # columns that name a row
    values: tuple[str, ...]  # columns that are drawn, one bar each
    unit: str = ""
    logarithmic: bool = False
    mark: float | None = (
        None  # a line across, where something is as good as what it is compared with
    )


PICTURES = (
    Picture(
        "sparse-figures",
        "Times as fast as the dense derivative",
        ("problem", "numbers"),
        ("dense / sparse",),
    ),
    Picture(
        "start-figures",
        "Seconds to the first number of a new process, behind the imports",
        ("",),
        ("first gradient", "Numba's cached primal", "JAX's first gradient"),
        unit="s",
    ),
    Picture(
        "threads-figures",
        "Times as fast on two threads as plain loops",
        ("kernel",),
        ("2 for serial", "primal 2 for 1"),
        mark=1.0,
    ),
    Picture(
        "small-calls-figures",
        "A thousand gradients (logarithmic)",
        ("how",),
        ("microseconds",),
        unit="µs",
        logarithmic=True,
    ),
    Picture(
        "memory-figures",
        "MiB that one gradient takes, 100000 steps",
        ("loss", "hidden"),
        ("ours", "by statements", "states only"),
        unit="MiB",
    ),
)


def tables(text: str) -> list[list[dict[str, str]]]:
    """The tables of a page, each a list of rows; of columns of the same name the first counts."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = [cells(line) for line in block.splitlines()]
        found.append([dict(zip(reversed(head), reversed(row), strict=True)) for row in rows])
    return found


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def rows_of(picture: Picture, text: str) -> list[tuple[str, list[float | None]]]:
    """Return a label and the numbers of each row of the table that has the picture's columns."""
    wanted = {*picture.labels, *picture.values}
    for table in tables(text):
        if table and wanted <= table[0].keys():
            return [
                (
                    ", ".join(row[one] for one in picture.labels).replace("`", ""),
                    [float(row[one]) if row[one] else None for one in picture.values],
                )
                for row in table
            ]
    message = f"docs/{picture.page}.md has no table with the columns {sorted(wanted)}"
    raise ValueError(message)


def drawn(picture: Picture, text: str) -> str:
    """Return the picture as SVG."""
    rows = rows_of(picture, text)
    most = max(value for _, values in rows for value in values if value is not None)
    parts, y = [], TOP
    for label, values in rows:
        height = len(values) * BAR
        parts.append(
            f'<text x="{LABELS - 8}" y="{y + height / 2 + 4:g}" text-anchor="end">{escape(label)}</text>'
        )
        for number, value in enumerate(values):
            if value is not None:
                width = max(1.0, PLOT * share(value, most, logarithmic=picture.logarithmic))
                middle = y + number * BAR
                parts.append(
                    f'<rect x="{LABELS}" y="{middle}" width="{width:.1f}" height="{BAR - 2}" fill="{COLOURS[number]}"/>'
                    f'<text x="{LABELS + width + 5:.1f}" y="{middle + 10}" font-size="11">{value:g} {picture.unit}</text>'
                )
        y += height + GAP
    if picture.mark is not None:
        x = LABELS + PLOT * share(picture.mark, most, logarithmic=picture.logarithmic)
        parts.append(
            f'<path d="M{x:.1f},{TOP - 6}V{y}" stroke="#222" stroke-dasharray="4 3" fill="none"/>'
        )
    return framed(picture, parts, y + 6)


def share(value: float, most: float, *, logarithmic: bool) -> float:
    return math.log10(max(value, 1.0)) / math.log10(most) if logarithmic else value / most


def framed(picture: Picture, parts: list[str], height: int) -> str:
    """Put title, legend and a light ground around the bars."""
    legend = "".join(
        f'<rect x="{LABELS + 150 * number}" y="36" width="11" height="11" fill="{COLOURS[number]}"/>'
        f'<text x="{LABELS + 150 * number + 16}" y="46">{escape(name)}</text>'
        for number, name in enumerate(picture.values)
    )
    width = LABELS + PLOT + RIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="12" fill="#222" role="img">\n<!-- python benchmarks/pictures.py -->\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>\n'
        f'<text x="16" y="22" font-size="14" font-weight="bold">{escape(picture.title)}</text>\n'
        f"{legend}\n" + "\n".join(parts) + "\n</svg>\n"
    )


def with_picture(picture: Picture, text: str) -> str:
    """Return the page with a line that shows the picture, in front of its first table or heading of a part."""
    line = f"![{picture.title}]({picture.page}.svg)"
    if line in text:
        return text
    first = re.search(r"^(?:## |<!-- table|\|)", text, re.MULTILINE)
    assert first is not None
    return f"{text[: first.start()]}{line}\n\n{text[first.start() :]}"


if __name__ == "__main__":
    for picture in PICTURES:
        page = DOCS / f"{picture.page}.md"
        (DOCS / f"{picture.page}.svg").write_text(drawn(picture, page.read_text()))
        page.write_text(with_picture(picture, page.read_text()))
