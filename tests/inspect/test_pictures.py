"""Pictures: what they show is counted in their own SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.inspect.pictures import calls_picture, over_time
from tests.inspect.report_kernels import heat

SVG = "{http://www.w3.org/2000/svg}"


def test_a_band_of_three_needs_three_colours(tmp_path: Path) -> None:
    """Columns i and i+3 share no row: three colours, and a cell for each of 3 n - 2 entries."""
    n = 12
    picture = enzyme.inspect.draw_pattern(np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1))
    path = picture.save(tmp_path / "band.svg")
    paths = ET.parse(path).getroot().findall(f"{SVG}path")
    assert len(paths) == 3
    assert len({one.get("fill") for one in paths}) == 3
    assert sum(one.get("d", "").count("M") for one in paths) == 3 * n - 2
    assert "3 colours" in picture.title
    assert picture._repr_html_() == path.read_text()


def test_rows_are_coloured_too_and_large_patterns_are_put_together() -> None:
    picture = enzyme.inspect.draw_pattern(np.eye(1000), by="rows")
    assert "1000 entries, 1 colours by rows" in picture.title
    assert picture.body.count("M") <= 300


def test_memory_rises_and_falls() -> None:
    picture = enzyme.inspect.draw_memory(heat, np.linspace(0.0, 1.0, 200), 20)
    found = re.search(r'points="([^"]*)"', picture.svg())
    assert found is not None
    heights = [float(point.split(",")[1]) for point in found[1].split()]
    top = heights.index(min(heights))
    assert 0 < top < len(heights) - 1
    assert heights[0] == heights[-1] == max(heights)


@pytest.mark.parametrize("past", [[], [(0.0, 0)], [(0.1, 10), (0.2, 0)]])
def test_any_past_can_be_drawn(past: list[tuple[float, int]]) -> None:
    ET.fromstring(over_time(past).svg())


def test_calls_stand_behind_who_calls_them() -> None:
    edges = [
        {"caller": "f", "callee": "g", "kind": "function of yours", "count": 1},
        {"caller": "g", "callee": "dgemv", "kind": "BLAS", "count": 2},
        {"caller": "g", "callee": "f", "kind": "function of yours", "count": 1},
    ]
    root = ET.fromstring(calls_picture(edges, "f").svg())
    boxes = [float(one.get("x", "")) for one in root.findall(f"{SVG}rect")]
    assert boxes == sorted(boxes) and len(set(boxes)) == 3
    assert [one.text for one in root.findall(f"{SVG}text")] == ["f", "g", "dgemv (BLAS)"]
    assert len(root.findall(f"{SVG}path")) == 3
