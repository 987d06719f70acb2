"""The short form of the functions of C, and that it finds what is wrong."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from tests.c_functions.functions import FUNCTIONS, Function
from tests.c_functions.programs import answers
from tests.c_functions.questions import verdicts
from tests.enzyme_suite.programs import newest_clang

needs_clang = pytest.mark.skipif(newest_clang() is None, reason="needs clang")
RIGHT = dict.fromkeys(("value", "reverse", "forward", "forward over reverse", "reverse over reverse"), "right")


def found(name: str, kind: str, way: str, folder: Path) -> dict[str, str]:
    return {one["question"]: one["verdict"] for one in verdicts(FUNCTIONS[name], kind, way, folder, newest_clang() or "")}


@needs_clang
@pytest.mark.parametrize(
    ("name", "kind", "way"),
    [("tan", "double", "known"), ("remquo", "float", "called"), ("asin", "long double", "called"), ("sincos", "double", "unoptimised")],
)
def test_functions_are_right(name: str, kind: str, way: str, tmp_path: Path) -> None:
    assert found(name, kind, way, tmp_path) == RIGHT


@needs_clang
def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    """A cube where the answers are those of a square."""
    other = Function("other", "r = sizeof(number) == 8 ? a * a * a : a * a;", ((1.375,),))
    outcomes = verdicts(other, "double", "called", tmp_path, newest_clang() or "")
    assert {one["question"]: one["verdict"] for one in outcomes} == dict.fromkeys(RIGHT, "wrong")


@needs_clang
def test_answers_of_a_function_by_hand(tmp_path: Path) -> None:
    """Of x^y: y x^(y-1) and its kin, at one of the points."""
    x, y = FUNCTIONS["pow"].points[1]
    value, slopes, second = answers(FUNCTIONS["pow"], tmp_path, newest_clang() or "")[1]
    assert value == x**y
    assert slopes == pytest.approx([y * x ** (y - 1), x**y * log(x)], rel=1e-12)
    mixed = x ** (y - 1) * (1 + y * log(x))
    assert second.ravel() == pytest.approx([y * (y - 1) * x ** (y - 2), mixed, mixed, x**y * log(x) ** 2], rel=1e-10)


def test_each_function_has_points_of_its_numbers() -> None:
    assert all({len(point) for point in one.points} == {one.arity} for one in FUNCTIONS.values())
