"""Integers in results of functions that stay calls: which loads get a tag, and what shows that a field may hold other things."""

from __future__ import annotations

import pytest

from enzyme_py.passes.types.integers.fields import IntegerFields
from tests.passes.running import ran, tag_of, with_line

# `@f` reads a number at an index that comes back in the second field of a result.
RESULT = """declare void @other(ptr)
declare void @llvm.lifetime.end.p0(ptr)
define internal void @step(ptr %result, double %a, i64 %l, i64 %n) {
entry:
  %own = alloca { double, i64 }, align 8
  %is.last = icmp eq i64 %l, %n
  br i1 %is.last, label %end, label %more

more:
  %next = add i64 %l, 1
  call void @step(ptr %own, double %a, i64 %next, i64 %n)
  %own.8 = getelementptr i8, ptr %own, i64 8
  %again = load i64, ptr %own.8, align 8
  br label %end

end:
  %found = phi i64 [ %again, %more ], [ %l, %entry ]
  store double %a, ptr %result, align 8
  %result.8 = getelementptr i8, ptr %result, i64 8
  store i64 %found, ptr %result.8, align 8
  ret void
}
define double @f(ptr %x, double %a, i64 %n, i1 %flag) {
entry:
  %one = alloca { double, i64 }, align 8
  %two = alloca { double, i64 }, align 8
  call void @step(ptr %one, double %a, i64 0, i64 %n)
  %one.8 = getelementptr i8, ptr %one, i64 8
  %l = load i64, ptr %one.8, align 8
  call void @llvm.lifetime.end.p0(ptr %one)
  %item = getelementptr double, ptr %x, i64 %l
  %number = load double, ptr %item, align 8
  ret double %number
}
"""
LINE = "  call void @llvm.lifetime.end.p0(ptr %one)\n"
MERGED = """  %both = select i1 %flag, ptr %one, ptr %two
  %both.8 = getelementptr i8, ptr %both, i64 8
  %other = load i64, ptr %both.8, align 8
  %is.small = icmp ult i64 %other, %n
"""
RETURNED = """define internal i64 @same(i64 %n) {
  ret i64 %n
}
"""

RIGHT = [
    LINE,
    "  store i64 1, ptr %one.8, align 8\n",
    "  %is.same = icmp eq ptr %one, %two\n",
    "  %a.again = load double, ptr %one, align 8\n",
    "  call void @step(ptr %two, double %a, i64 %l, i64 %n)\n",
    MERGED,
]
WRONG = [
    "  call void @other(ptr %one)\n",
    "  store ptr %one, ptr %x, align 8\n",
    "  %bits = load double, ptr %one.8, align 8\n",
    "  %bits = load i128, ptr %one, align 8\n",
    "  %place = getelementptr i8, ptr %one, i64 %n\n  %bits = load double, ptr %place, align 8\n",
    "  %kept = freeze ptr %one.8\n  %bits = load double, ptr %kept, align 8\n",
    "  store i64 %l, ptr %x, align 8\n",
    "  %bits = bitcast i64 %l to double\n",
    MERGED.replace("load i64", "load double").replace("icmp ult i64", "fcmp olt double").replace("%n", "%a"),
]


def tags(text: str) -> tuple[str, str]:
    code = ran(IntegerFields(), text).code
    return tag_of(code, "again", "step"), tag_of(code, "l")


@pytest.mark.parametrize("use", RIGHT)
def test_a_field_of_indices(use: str) -> None:
    assert tags(with_line(RESULT, LINE, use)) == ("long", "long")


@pytest.mark.parametrize("use", WRONG)
def test_a_field_that_may_hold_a_float(use: str) -> None:
    """What `@step` reads of it, goes to `@f` as well."""
    assert tags(with_line(RESULT, LINE, use))[0] == ""


def test_what_others_may_call_is_not_known() -> None:
    """They could read the field as a float."""
    assert tags(RESULT.replace("define internal void @step", "define void @step")) == ("", "")


def test_an_index_that_a_function_is_called_with_and_returns() -> None:
    handed = "  %same = call i64 @same(i64 %l)\n  %is.same = icmp eq i64 %same, %n\n"
    assert tags(with_line(RESULT, LINE, handed) + RETURNED)[1] == "long"
    lost = "  %same = call i64 @same(i64 %l)\n  %bits = bitcast i64 %same to double\n"
    assert tags(with_line(RESULT, LINE, lost) + RETURNED)[1] == ""
