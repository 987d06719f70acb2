"""What the host asks of modules as objects: who calls whom from where, and what Enzyme left in its result."""

from __future__ import annotations

from enzyme_py.host.callers import CallSites
from enzyme_py.host.made import reads_nowhere, without_same_values
from enzyme_py.llvm import Module
from tests.test_diagnose import LIBRARY

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
