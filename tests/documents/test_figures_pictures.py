"""The pictures of the figures' pages show what their tables say."""

from __future__ import annotations

import re

import pytest

from benchmarks.pictures import DOCS, PICTURES, Picture, drawn, rows_of

PAGE = "# A page\n\n| what | a | b |\n| --- | ---: | --- |\n| one | 2 | 4 |\n| two | 1 | |\n"
BARS = Picture("none", "Bars", ("what",), ("a", "b"), unit="s")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda one: one.page)
def test_a_page_has_the_picture_of_its_table(picture: Picture) -> None:
    text = (DOCS / f"{picture.page}.md").read_text()
    assert f"]({picture.page}.svg)" in text, "python benchmarks/pictures.py"
    made = (DOCS / f"{picture.page}.svg").read_text()
    assert made == drawn(picture, text), "python benchmarks/pictures.py"


def test_bars_are_as_long_as_the_numbers() -> None:
    assert rows_of(BARS, PAGE) == [("one", [2.0, 4.0]), ("two", [1.0, None])]
    bars = re.findall(r'<rect x="230" y="(?!36)\d+" width="([\d.]+)"', drawn(BARS, PAGE))
    assert [float(one) for one in bars] == [210.0, 420.0, 105.0]


def test_a_table_without_the_columns_is_told() -> None:
    with pytest.raises(ValueError, match="no table with the columns"):
        rows_of(Picture("none", "Bars", ("what",), ("c",)), PAGE)
