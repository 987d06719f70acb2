"""Variables last, later writes are minded, writes through loaded pointers are marked: small cases of each pass."""

from __future__ import annotations

import pytest

from enzyme_py.errors import DerivativeError
from enzyme_py.llvm import Call, Load, Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.memory.blocks.block_copies import CopiesWithBodies, RematerialisableCopies
from enzyme_py.passes.memory.captured_numbers import HideCapturedNumbers, RestoreCapturedNumbers
from enzyme_py.passes.memory.lasting_variables import LastingVariables
from enzyme_py.passes.memory.overwriting.later_iterations import LaterIterations
from enzyme_py.passes.memory.written_pointers import WRITTEN, WrittenPointers
from enzyme_py.passes.memory.written_results import WrittenResults
from tests.passes.running import is_left_alone, ran, with_line

ASKED = """\
declare double @__enzyme_autodiff(...)
define double @g(ptr %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @k, ptr %x, ptr %x)
  ret double %r
}
"""
LOOP = (
    """\
define double @k(ptr %arg.u) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %next = add nuw nsw i64 %i, 1
  %p = getelementptr double, ptr %arg.u, i64 %next
  %v = load double, ptr %p, align 8
  %w = fmul double %v, %v
  %q = getelementptr double, ptr %arg.u, i64 %i
  store double %w, ptr %q, align 8
  %more = icmp slt i64 %next, 9
  br i1 %more, label %loop, label %out
out:
  ret double 0.0
}
"""
    + ASKED
)
P, Q = "ptr %arg.u, i64 %next", "ptr %arg.u, i64 %i\n"


def hidden_reads(text: str) -> int:
    k = ran(LaterIterations(), text).code.function("k")
    loads = [one for one in k.instructions if isinstance(one, Load)]
    return sum(one.pointer.name.startswith("enzyme_py.far") for one in loads)


def test_a_read_of_what_an_earlier_iteration_writes_over_is_hidden():
    back = (
        LOOP.replace(P, "PLACE").replace(Q, "ptr %arg.u, i64 %ahead\n").replace("PLACE", Q.strip())
    )
    back = with_line(back, "  %p =", "  %ahead = add i64 %i, 1\n  %p =")
    # u[i + 1] is written by the next iteration; u[i] was written by the one before, and by nobody later.
    assert hidden_reads(LOOP) == 1
    assert hidden_reads(back) == 0
    behind = with_line(back, "out:\n", "out:\n  store double 0.0, ptr %arg.u, align 8\n")
    assert hidden_reads(behind) == 1


def test_reads_of_other_memory_and_forward_mode_are_left_alone():
    other = with_line(LOOP, "@k(ptr %arg.u)", "@k(ptr %arg.u, ptr %arg.v)")
    assert hidden_reads(with_line(other, P, "ptr %arg.v, i64 %next")) == 0
    assert is_left_alone(LaterIterations(), LOOP.replace("autodiff", "fwddiff"))


def test_complex_numbers_count_as_sixteen_bytes():
    pairs = LOOP.replace("getelementptr double", "getelementptr { double, double }")
    assert hidden_reads(pairs) == 1
    same = with_line(pairs, P, "ptr %arg.u, i64 %i")
    assert hidden_reads(same) == 0


MARKS = (
    """\
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
define double @k(ptr %x) {
  %s = alloca double, align 8
  call void @llvm.lifetime.start.p0(i64 8, ptr %s)
  %v = load double, ptr %x, align 8
  call void @llvm.lifetime.end.p0(i64 8, ptr %s)
  ret double %v
}
"""
    + ASKED
)


def test_variables_last():
    assert not list(ran(LastingVariables(), MARKS).code.function("k").calls)
    assert is_left_alone(LastingVariables(), MARKS.replace("autodiff", "fwddiff"))


FOUND = (
    """\
define double @k(ptr %x, i1 %c) {
  %row = load ptr, ptr %x, align 8
  %q = getelementptr double, ptr %row, i64 3
  store double 5.0e-01, ptr %q, align 8
  ret double 0.0
}
"""
    + ASKED
)


def marked(text: str) -> list[str]:
    code = ran(WrittenPointers(), text).code
    return [one.arguments[0].ref for one in code.function("k").calls_of(WRITTEN)]


def test_writes_through_loaded_pointers_are_marked():
    assert marked(FOUND) == ["%q"]
    assert marked(with_line(FOUND, "store double 5.0e-01", "store i64 5")) == []
    chosen = with_line(FOUND, "load ptr, ptr %x, align 8", "select i1 %c, ptr %x, ptr null")
    assert is_left_alone(WrittenPointers(), chosen)
    draft = ran(WrittenPointers(), FOUND)
    WrittenPointers().applies(draft)
    assert not WrittenPointers().applies(draft)


DATA = """\
@n = internal unnamed_addr constant [2 x double] [double 1.000000e+00, double 0.000000e+00], align 8
@b = private constant [8 x i8] c"\\00\\00\\00\\00\\00\\00\\C0?", align 4, !enzyme_inactive !0
@s = internal constant [3 x i8] c"ab\\00"
@v = internal global [2 x double] zeroinitializer
!0 = !{}
"""


def test_numbers_are_hidden_and_come_back():
    draft = ran(HideCapturedNumbers(), DATA)
    assert sorted(draft.hidden_numbers) == ["b", "n"]
    told = {one.name: one.text for one in draft.code.variables}
    assert (
        told["n"]
        == "@n = external unnamed_addr constant [2 x double], align 8, !enzyme_inactive !{}\n"
    )
    assert told["b"] == "@b = external constant [8 x i8], align 4, !enzyme_inactive !0\n"
    again = Draft(Module(str(draft.code)), hidden_numbers=draft.hidden_numbers)
    RestoreCapturedNumbers().run(again)
    marked_n = with_line(DATA, "e+00], align 8\n", "e+00], align 8, !enzyme_inactive !{}\n")
    assert str(again.code) == marked_n


COPY = """\
declare noalias ptr @calloc(i64, i64)
declare void @enzyme_py_copy1_dd(ptr, ptr, i64, i64, i64)
declare void @enzyme_py_move_back1_dd(ptr, ptr, i64, i64, i64)
define void @enzyme_py_copy1_dd.reverse(ptr %to, ptr %from) {
  call void @enzyme_py_move_back1_dd(ptr %to, ptr %from, i64 1, i64 8, i64 8)
  ret void
}
define void @k(ptr %x, ptr %y) {
entry:
  br label %loop
loop:
  %m = call ptr @calloc(i64 1, i64 8)
  call void @enzyme_py_copy1_dd(ptr %m, ptr %x, i64 1, i64 8, i64 8)
  call void @enzyme_py_copy1_dd(ptr %x, ptr %y, i64 1, i64 8, i64 8)
  br i1 true, label %loop, label %out
out:
  ret void
}
"""


def test_copies_into_memory_of_a_loop_get_bodies():
    code = ran(RematerialisableCopies(), COPY).code
    called = [one.callee for one in code.function("k").calls if isinstance(one, Call)]
    assert called == ["calloc", "enzyme_py_walk1_dd", "enzyme_py_copy1_dd"]
    assert not code.function("enzyme_py_copy1_dd").is_declaration
    assert code.get("enzyme_py_move_back1_dd") is None
    assert code.get("enzyme_py_copy1_dd.reverse") is None
    straight = with_line(COPY, "br i1 true, label %loop, label %out", "br label %out")
    assert is_left_alone(RematerialisableCopies(), straight)
    assert not ran(CopiesWithBodies(), straight).code.function("enzyme_py_copy1_dd").is_declaration


LOOKUP = """\
declare noalias ptr @malloc(i64)
define internal i32 @f.look(ptr %result, ptr %d) {
  %p = load ptr, ptr %d, align 8
  store ptr %p, ptr %result, align 8
  ret i32 0
}
define void @k(ptr %d) {
  %place = alloca { ptr, i64 }, align 8
  %r = call i32 @f.look(ptr nonnull %place, ptr %d)
  %a = load ptr, ptr %place, align 8
  %q = getelementptr double, ptr %a, i64 1
  store double 1.0, ptr %q, align 8
  ret void
}
"""


def test_functions_whose_results_are_written_to_are_inlined():
    assert ran(WrittenResults(), LOOKUP).code.function("f.look").has_attribute("alwaysinline")
    read = with_line(LOOKUP, "store double 1.0, ptr %q, align 8", "%v = load double, ptr %q")
    assert is_left_alone(WrittenResults(), read)
    own = with_line(LOOKUP, "load ptr, ptr %d, align 8", "call ptr @malloc(i64 8)")
    assert is_left_alone(WrittenResults(), own)
    kept = with_line(
        LOOKUP, "@f.look(ptr %result, ptr %d)", "@f.look(ptr %result, ptr %d) noinline"
    )
    assert is_left_alone(WrittenResults(), kept)
    endless = with_line(
        LOOKUP, "  ret i32 0", "  %e = call i32 @f.look(ptr %d, ptr %d)\n  ret i32 0"
    )
    with pytest.raises(DerivativeError, match="`look`"):
        ran(WrittenResults(), endless)
