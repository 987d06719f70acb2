"""Derivatives of derivatives in two runs, and what a request gives."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import pytest

from enzyme_py.llvm import Module
from enzyme_py.native.machine import initialise_llvm
from enzyme_py.passes.base import Draft
from enzyme_py.passes.module.request_arguments import given_by, is_forward
from enzyme_py.passes.steps import Postpone, Resume
from enzyme_py.passes.types.grown_caches import GrownCaches, define_growth
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


GROWN = """\
declare double @sink(ptr)

define internal void @diffef(i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %records = phi ptr [ null, %entry ], [ %records.now, %loop ]
  %numbers = phi ptr [ null, %entry ], [ %numbers.now, %loop ]
  %records.now = call ptr @__enzyme_exponentialallocation(ptr %records, i64 %i, i64 16)
  %numbers.now = call ptr @__enzyme_exponentialallocation(ptr %numbers, i64 %i, i64 8)
  %record = getelementptr { ptr, double }, ptr %records.now, i64 %i
  store ptr %records, ptr %record, align 8
  %number = getelementptr double, ptr %numbers.now, i64 %i
  store double 1.0, ptr %number, align 8
  %next = add i64 %i, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %done, label %loop

done:
  ret void
}
"""


def growths(text: str) -> list[str]:
    """Return the functions by which the caches of some code grow."""
    draft = Draft(Module(text))
    assert not GrownCaches().applies(draft)
    define_growth(draft.code)
    calls = list(draft.code.calls_of("__enzyme_exponentialallocation"))
    verified(draft.code)
    assert GrownCaches().applies(draft)
    GrownCaches().run(draft)
    verified(draft.code)
    return [str(draft.code.function(one.callee).text) for one in calls]


def test_caches_grow_element_by_element() -> None:
    """A record is copied field by field; what nobody takes an element of grows by realloc."""
    unused = "  %other = call ptr @__enzyme_exponentialallocation(ptr null, i64 %i, i64 8)\n"
    records, numbers, other = growths(GROWN.replace("  %record = ", f"{unused}  %record = "))
    assert "load ptr, ptr %from" in records and "load double, ptr %from" in records
    assert "load ptr, ptr %from" not in numbers and "load double, ptr %from" in numbers
    assert "@realloc" in other and "@realloc" not in records + numbers


REQUESTED = """
define internal void @outer(i64 %n) {
  call void (...) @__enzyme_MODE(ptr @diffef, i64 %n)
  ret void
}

declare void @__enzyme_MODE(...)
"""


@pytest.mark.parametrize(
    ("element", "stored", "access", "mode", "is_inactive"),
    [
        ("i1", "true", "", "fwddiff", True),
        ("i64", "%i", "", "fwddiff", True),  # it is counted from 1
        ("i64", "%n", "", "fwddiff", False),  # could be a float's bits
        ("i64", "%n", ", !tbaa !0", "fwddiff", True),  # read as a count
        ("double", "1.0", "", "fwddiff", False),
        ("i1", "true", "", "autodiff", False),
    ],
)
def test_caches_of_integers_are_inactive(element: str, stored: str, access: str, mode: str, is_inactive: bool) -> None:
    """Under forward mode: Enzyme takes an address of theirs that is kept in memory for constant, too."""
    text = GROWN.replace("getelementptr double", f"getelementptr {element}").replace("store double 1.0", f"store {element} {stored}")
    text = text.replace("  %next", f"  %read = load {element}, ptr %number, align 8{access}\n  %next")
    tags = '\n!0 = !{!1, !1, i64 0}\n!1 = !{!"long", !2, i64 0}\n!2 = !{!"enzyme_py"}\n' if access else ""
    _, numbers = growths(text + REQUESTED.replace("MODE", mode) + tags)
    assert ('"enzyme_inactive_val"' in numbers) == is_inactive


ROWS = """\
declare ptr @calloc(i64, i64)

define internal void @diffef(i64 %n) {
entry:
  %rows = call ptr @calloc(i64 %n, i64 8)
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %slot = getelementptr ptr, ptr %rows, i64 %n
  %old = load ptr, ptr %slot, align 8
  %row = call ptr @__enzyme_exponentialallocation(ptr %old, i64 %i, i64 8)
  store ptr %row, ptr %slot, align 8
  %again = load ptr, ptr %slot, align 8
  %place = getelementptr double, ptr %again, i64 %i
  store double 1.0, ptr %place, align 8
  %next = add i64 %i, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %done, label %loop

done:
  ret void
}
"""


def test_elements_are_found_where_the_address_was_kept_between() -> None:
    assert "load double, ptr %from" in growths(ROWS)[0]


def test_bytes_of_something_else_are_no_elements() -> None:
    """What is addressed byte by byte may be pointers: their shadows would be lost."""
    in_bytes = GROWN.replace("getelementptr double, ptr", "getelementptr i8, ptr")
    records, numbers = growths(in_bytes)
    assert "@realloc" in numbers and "@realloc" not in records


PAIRS = """\
define double @filled(i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %records = phi ptr [ null, %entry ], [ %records.now, %loop ]
  %records.now = call ptr @__enzyme_exponentialallocation(ptr %records, i64 %i, i64 32)
  %row = sub i64 %i, 1
  %first = shl i64 %row, 1
  %second = add i64 %first, 1
  %here = getelementptr { ptr, double }, ptr %records.now, i64 %first, i32 1
  %beside = getelementptr { ptr, double }, ptr %records.now, i64 %second, i32 1
  %number = uitofp i64 %i to double
  store double %number, ptr %here, align 8
  %tens = fmul double %number, 10.0
  store double %tens, ptr %beside, align 8
  %next = add i64 %i, 1
  %over = icmp ugt i64 %next, %n
  br i1 %over, label %behind, label %loop

behind:
  %all = shl i64 %n, 1
  br label %sum

sum:
  %k = phi i64 [ 0, %behind ], [ %k.next, %sum ]
  %total = phi double [ 0.0, %behind ], [ %more, %sum ]
  %place = getelementptr { ptr, double }, ptr %records.now, i64 %k, i32 1
  %kept = load double, ptr %place, align 8
  %more = fadd double %total, %kept
  %k.next = add i64 %k, 1
  %done = icmp eq i64 %k.next, %all
  br i1 %done, label %end, label %sum

end:
  call void @free(ptr %records.now)
  ret double %more
}

declare void @free(ptr)
"""


def test_all_records_of_an_iteration_are_kept() -> None:
    """Of two in each only as many as there were iterations: Dijkstra's heap ended the process in second orders."""
    draft = Draft(Module(PAIRS))
    define_growth(draft.code)
    GrownCaches().run(draft)
    initialise_llvm()
    parsed = llvm.parse_assembly(verified(draft.code))
    machine = llvm.Target.from_default_triple().create_target_machine()
    with llvm.create_mcjit_compiler(parsed, machine) as engine:
        engine.finalize_object()
        filled = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(engine.get_function_address("filled"))
        assert [filled(n) for n in (1, 2, 9)] == [11.0, 33.0, 495.0]


def test_a_growth_that_no_cache_needs_goes() -> None:
    draft = Draft(Module(NESTED))
    Postpone().run(draft)
    Resume().run(draft)
    assert not GrownCaches().applies(draft)
