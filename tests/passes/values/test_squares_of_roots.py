"""Squares of roots: where they are found, and what is written for them."""

from __future__ import annotations

import pytest

from enzyme_py.passes.values.squares_of_roots import RootsReturned, SquaresOfRoots
from tests.passes.running import ran

CODE = """
declare double @enzyme_py_root.double(double, double, double)
declare double @llvm.sqrt.f64(double)
define double @f(double %q, double %s) {
  %n = call double @llvm.sqrt.f64(double %q)
  %r = call double @enzyme_py_root.double(double %n, double %q, double 0.0)
LINES
  ret double %p
}
"""
# What comes behind the root; and the lines of the number whose derivatives the product has, the last one picked.
FOUND = {
    "r * r": (["%p = fmul double %r, %r"], []),
    "k * r * r": (["%k = fmul double %r, %s", "%p = fmul double %k, %r"], ["fmul double %q, %s"]),
    "(r / s) ** 2": (["%t = fdiv double %r, %s", "%p = fmul double %t, %t"], ["fdiv double %q, %s", "fdiv double %square, %s"]),
    "(s * r) ** 2": (["%t = fmul double %s, %r", "%p = fmul double %t, %t"], ["fmul double %q, %s", "fmul double %square, %s"]),
    "r * (r / s)": (["%t = fdiv double %r, %s", "%p = fmul double %r, %t"], ["fdiv double %q, %s"]),
    "r * (s / (s / r))": (
        ["%t = fdiv double %s, %r", "%u = fdiv double %s, %t", "%p = fmul double %r, %u"],
        ["fdiv double %q, %s", "fmul double %square, %s"],
    ),
    "-r squared": (["%t = fneg double %r", "%p = fmul double %t, %t"], []),
    "-(r / 2) ** 2, as LLVM writes it": (
        ["%t = fmul double %r, 5.000000e-01", "%u = fmul double %r, -5.000000e-01", "%p = fmul double %t, %u"],
        ["fmul double %q, 5.000000e-01", "fmul double %square, -5.000000e-01"],
    ),
    "r * -r": (["%t = fneg double %r", "%p = fmul double %t, %r"], ["fneg double %q"]),
}
LEFT = {
    "r * s": ["%p = fmul double %r, %s"],
    "r": ["%p = fadd double %r, %s"],
    "s / r / r": ["%t = fdiv double %s, %r", "%p = fdiv double %t, %r"],
}


def run(lines: list[str]) -> list[str]:
    draft = ran(SquaresOfRoots(), CODE.replace("LINES", "\n".join(f"  {line}" for line in lines)))
    return [one.line.strip() for one in draft.code.function("f").instructions]


@pytest.mark.parametrize("name", FOUND)
def test_what_is_written(name: str) -> None:
    lines, square = FOUND[name]
    got = run(lines)
    start = 1 + len(lines)
    assert got[1:start] == [line.replace("%r", "%n") for line in lines]
    assert got[start] == "%square.constant = call double @enzyme_py_inactive.double(double %p)"
    written = got[start + 1 : -2]
    assert [line.partition(" = ")[2] for line in written] == square
    last = written[-1].partition(" = ")[0] if written else "%q"
    assert got[-2] == f"%square.picked = call double @enzyme_py_slope.pick.double(double {last}, double %square.constant)"
    assert got[-1] == "ret double %square.picked"


@pytest.mark.parametrize("name", LEFT)
def test_other_products_only_lose_the_mark(name: str) -> None:
    lines = LEFT[name]
    assert run(lines)[1:-1] == [line.replace("%r", "%n") for line in lines]


def test_two_roots_of_the_same() -> None:
    again = ["%m = call double @llvm.sqrt.f64(double %q)", "%o = call double @enzyme_py_root.double(double %m, double %q, double 0.0)"]
    got = run([*again, "%p = fmul double %r, %o"])
    assert "%p = fmul double %n, %m" in got
    assert "%square.picked = call double @enzyme_py_slope.pick.double(double %q, double %square.constant)" in got


def test_what_is_not_squared_is_steep() -> None:
    """A third power has a root left, whose slope is bounded."""
    text = CODE.replace("double 0.0)", "double %s)").replace("LINES", "  %k = fmul double %r, %r\n  %l = fmul double %k, %r\n  %p = fadd double %l, %r")
    got = [one.line.strip() for one in ran(SquaresOfRoots(), text).code.function("f").instructions]
    assert "%steep = fadd double %n, %s" in got
    assert got[-2].endswith("%steep")
    assert sum(one.endswith("= fmul double %q, %n") for one in got) == 1


def test_a_square_of_a_square() -> None:
    got = run(["%t = fmul double %r, %r", "%p = fmul double %t, %t"])
    assert got[-3].endswith("= fmul double %q, %q")
    assert got[-1] == "ret double " + got[-2].partition(" = ")[0]


def test_a_root_or_something_else() -> None:
    """The square of the choice is the choice of squares: of %q, and of %s times itself."""
    got = run(["%c = fcmp olt double %q, 1.0", "%t = select i1 %c, double %r, double %s", "%p = fmul double %t, %t"])
    assert "%chosen.square = select i1 %c, double %square.picked, double %square.1" in got
    assert "%square.1 = fmul double %s, %s" in got
    assert got[-2] == "%square.picked.1 = call double @enzyme_py_slope.pick.double(double %chosen.square, double %square.constant.1)"


def test_a_choice_that_is_not_squared() -> None:
    lines = ["%c = fcmp olt double %q, 1.0", "%t = select i1 %c, double %r, double %s", "%p = fadd double %t, %t"]
    assert run(lines)[1:-1] == [line.replace("%r", "%n") for line in lines]


RETURNING = """
declare double @enzyme_py_root.double(double, double, double)
define internal i32 @length(ptr %to, double %q, ptr %other) {
  %r = call double @enzyme_py_root.double(double %q, double %q, double 0.0)
  %half = fmul double %r, 5.000000e-01
  store double %half, ptr PLACE, align 8
  ret i32 0
}
define internal i32 @itself(ptr %to, double %q) {
  %r = call double @enzyme_py_root.double(double %q, double %q, double 0.0)
  %status = call i32 @itself(ptr %to, double %r)
  store double %r, ptr %to, align 8
  ret i32 0
}
define internal i32 @through(ptr %to, double %q) {
  %place = alloca double, align 8
  %status = call i32 @length(ptr %place, double %q, ptr %place)
  %r = load double, ptr %place, align 8
  store double %r, ptr %to, align 8
  ret i32 0
}
"""


@pytest.mark.parametrize(("place", "is_inlined"), [("%to", True), ("%other", False)])
def test_functions_that_return_roots_are_inlined(place: str, is_inlined: bool) -> None:
    code = ran(RootsReturned(), RETURNING.replace("PLACE", place)).code
    assert code.function("length").has_attribute("alwaysinline") == is_inlined
    assert code.function("through").has_attribute("alwaysinline") == is_inlined
    assert not code.function("itself").has_attribute("alwaysinline")


def test_long_chains_of_squares_take_no_time() -> None:
    lines = ["%t0 = fmul double %s, %s", *(f"%t{k} = fmul double %t{k - 1}, %t{k - 1}" for k in range(1, 60)), "%p = fadd double %t59, %r"]
    assert len(run(lines)) == len(lines) + 2
