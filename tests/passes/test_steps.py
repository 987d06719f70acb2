"""Derivatives of derivatives in two runs, and what a request gives."""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.module.request_arguments import given_by, is_forward
from enzyme_py.passes.steps import Postpone, Resume
from tests.llvm.corpus import verified

NESTED = """\
@enzyme_width = external global i32
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare void @__enzyme_autodiff(...)
declare void @__enzyme_fwddiff(...)

define void @entry(ptr %p, ptr %q) {
  %width = load i32, ptr @enzyme_width, align 4
  %dup = load i32, ptr @enzyme_dup, align 4
  %const = load i32, ptr @enzyme_const, align 4
  call void (...) @__enzyme_fwddiff(ptr @outer, i32 %width, i32 2, i32 %dup, ptr %p, ptr %q, ptr null, i32 %const, i64 3)
  ret void
}

define internal void @outer(ptr %p, i64 %n) {
  call void (...) @__enzyme_autodiff(ptr @inner, ptr %p)
  ret void
}

define internal void @inner(ptr %p) {
  ret void
}
"""


def test_the_outer_request_waits_for_the_next_run() -> None:
    draft = Draft(Module(NESTED))
    Postpone().run(draft)
    verified(draft.code)
    assert draft.code.function("entry").calls[0].callee == "enzyme_py_later.fwddiff"
    assert draft.code.function("outer").calls[0].callee == "__enzyme_autodiff"
    before = str(draft.code)
    Postpone().run(draft)
    assert str(draft.code) == before  # of what is left, nothing is nested
    Resume().run(draft)
    verified(draft.code)
    assert draft.code.function("entry").calls[0].callee == "__enzyme_fwddiff"
    assert draft.code.get("enzyme_py_later.fwddiff") is None


def test_a_request_whose_name_is_gone_gets_it_back() -> None:
    draft = Draft(Module(NESTED))
    Postpone().run(draft)
    draft.code.function("__enzyme_fwddiff").erase()
    again = Draft(Module(str(draft.code)))
    Resume().run(again)
    verified(again.code)
    assert again.code.function("entry").calls[0].callee == "__enzyme_fwddiff"


MADE = """\
declare void @enzyme_py_hint.kept(ptr), !enzyme_augment !0

define internal void @enzyme_py_hint.kept_both(ptr %p, ptr %s) {
  call void @enzyme_py_hint.kept(ptr %p)
  ret void
}

define internal double @diffef(ptr %p, { ptr, double } %tape) {
  call void @enzyme_py_hint.kept_both(ptr %p, ptr %p)
  %a = call ptr @malloc(i64 8), !enzyme_fromstack !1
  %kept = load i64, ptr %p, align 8
  %more = add i64 %kept, 1
  %bytes = mul i64 %more, 8
  %q = getelementptr i8, ptr %a, i64 %bytes
  %bits = load i64, ptr %q, align 8
  store i64 %bits, ptr %a, align 8
  %d = extractvalue { ptr, double } %tape, 1
  ret double %d
}

declare ptr @malloc(i64)

!0 = !{ptr @enzyme_py_hint.kept_both}
!1 = !{i64 8}
"""


def test_between_two_runs_marks_go_and_counts_have_tags() -> None:
    draft = Draft(Module(MADE))
    Resume().run(draft)
    text, function = verified(draft.code), draft.code.function("diffef")
    assert "hint.kept" not in text
    assert "stack" not in text
    assert function["kept"].has_metadata("tbaa")  # type: ignore[attr-defined]
    assert not function["bits"].has_metadata("tbaa")  # type: ignore[attr-defined]
    assert [one.type for one in function.arguments] == ["ptr", "ptr", "double"]


def test_what_a_request_gives() -> None:
    code = Module(NESTED)
    (call,) = code.function("entry").calls
    assert is_forward(call)
    dup, const = given_by(call)
    assert (dup.marker, dup.primal.name) == ("enzyme_dup", "p")
    assert [one.ref for one in dup.shadows] == ["%q", "null"]
    assert (const.marker, const.primal.ref, const.shadows) == ("enzyme_const", "3", ())
