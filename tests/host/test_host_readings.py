"""What the host asks of modules and of messages: who calls whom from where, what Enzyme left, what a refusal is about."""

from __future__ import annotations

import pytest

from enzyme_py.host.callers import CallSites
from enzyme_py.host.made import reads_nowhere, without_same_values
from enzyme_py.host.refusals import ROWS
from enzyme_py.llvm import Module

LIBRARY = """
define i32 @k1.kernel(double %x) !dbg !5 {
  %a = call double @"lib.outer"(double %x), !dbg !8
  %b = call double @"lib.outer"(double %x), !dbg !9
  %c = call double @lib.other(double %x), !dbg !9
  ret i32 0
}
define internal double @"lib.outer"(double %x) !dbg !6 {
  %a = call double @lib.inner(double %x), !dbg !10
  ret double %a
}
define internal double @lib.inner(double %x) {
  %a = call double @missing(double %x), !dbg !11
  %b = call double @lib.inner(double %x), !dbg !11
  ret double %a
}
define double @lib.other(double %x) !dbg !7 {
  ret double %x, !dbg !12
}
!1 = !DIFile(filename: "model.py", directory: "/somewhere")
!2 = !DIFile(filename: "lib.py", directory: "/elsewhere")
!5 = distinct !DISubprogram(name: "kernel", scope: !1, file: !1, line: 1, unit: !0)
!6 = distinct !DISubprogram(name: "outer", scope: !2, file: !2, line: 1, unit: !0)
!7 = distinct !DISubprogram(name: "other", scope: !2, file: !2, line: 50, unit: !0)
!8 = !DILocation(line: 4, column: 1, scope: !5)
!9 = !DILocation(line: 6, column: 1, scope: !5)
!10 = !DILocation(line: 20, column: 1, scope: !6)
!11 = !DILocation(line: 30, column: 1, scope: !6)
!12 = !DILocation(line: 51, column: 1, scope: !7)
"""
MADE = """\
define double @f(ptr %p) {
  %q = getelementptr inbounds double, ptr %p, i64 1
  %x = load double, ptr %q, align 8, !invariant.group !0, !alias.scope !1
  ret double %x
}

!0 = distinct !{}
!1 = !{!0}
"""


def test_call_sites() -> None:
    sites = CallSites(Module(LIBRARY))
    assert sites.lines_that_lead_to("missing", "/somewhere/model.py") == [4, 6]
    assert sites.lines_that_lead_to("lib.other", "/somewhere/model.py") == [6]
    assert sites.lines_that_lead_to("nowhere", "/somewhere/model.py") == []
    assert sites.lines_that_lead_to("missing", "/somewhere/another.py") == []
    assert sites.lines_that_lead_to_line("lib.py", 51, "model.py") == [6]
    assert sites.lines_that_lead_to_line("/elsewhere/lib.py", 20, "model.py") == [4, 6]
    assert sites.lines_that_lead_to_line("lib.py", 99, "model.py") == []


def test_notes_of_same_values_go() -> None:
    code = Module(MADE)
    without_same_values(code)
    assert str(code) == MADE.replace(", !invariant.group !0", "")


def test_an_index_without_a_value_is_seen() -> None:
    assert not reads_nowhere(Module(MADE))
    assert reads_nowhere(Module(MADE.replace("i64 1\n", "i64 undef\n")))
    assert reads_nowhere(Module(MADE.replace("i64 1\n", "i64 poison, !dbg !0\n")))
    assert not reads_nowhere(Module(MADE.replace("%q = ", "%s = add i64 undef, 1\n  %q = ")))


@pytest.mark.parametrize(
    ("value", "is_memory"),
    [
        ("ptr %arg.h.2", True),
        ("  %p = getelementptr double, ptr %arg.v.2, i64 %i, !dbg !5", True),
        ("%p = phi ptr [ %a, %one ], [ %b, %two ]", True),
        ("double 0.0", False),
        ("i64 %n", False),
        ("<2 x double> %pair", False),
        ("%x = fmul double %y, %y", False),
        ("%x = load double, ptr %arg.h.2", False),
        ("%n = phi i64 [ 0, %one ], [ %m, %two ]", False),
        ("%bytes = shl i64 %n, 3", False),
        ("%n = or disjoint i64 %high, %low, !dbg !5", False),
        ("%n = mul i64 %rows, %columns", False),
        ("%p = ptrtoint ptr %arg.v.2 to i64", True),
    ],
)
def test_constant_memory_is_told_from_constant_numbers(value: str, is_memory: bool) -> None:
    (row,) = [one for one in ROWS if "Mismatched activity" in one.pattern]
    text = f"Mismatched activity for:   store ptr %a, ptr %b const val: {value}"
    assert row.name_in(text) == (value.strip() if is_memory else None)
    assert row.name_in("Mismatched activity of something else") is None
