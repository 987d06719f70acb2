"""Where pointers may begin that lay in memory."""

from __future__ import annotations

import llvmlite.binding as llvm

from enzyme_py.llvm import Module
from enzyme_py.passes.checks.held_pointers import HeldPointers

TEXT = """\
declare ptr @malloc(i64)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @f(ptr %a, ptr %b, i64 %n) {
entry:
  %slots = alloca [2 x ptr], align 8
  %other = alloca [2 x ptr], align 8
  %empty = alloca ptr, align 8
  %second = getelementptr i8, ptr %slots, i64 8
  %any = getelementptr ptr, ptr %slots, i64 %n
  %moved = getelementptr double, ptr %a, i64 %n
  store ptr %moved, ptr %slots, align 8
  store ptr %b, ptr %second, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %slots, i64 16, i1 false)
  %first.item = load ptr, ptr %slots, align 8
  %second.item = load ptr, ptr %second, align 8
  %any.item = load ptr, ptr %any, align 8
  %copied.item = load ptr, ptr %other, align 8
  %unknown.item = load ptr, ptr %empty, align 8
  %item.of.b = load ptr, ptr %b, align 8
  br label %loop

loop:
  %p = phi ptr [ %a, %entry ], [ %next, %loop ]
  %next = getelementptr i8, ptr %p, i64 8
  %is = icmp eq i64 %n, 3
  br i1 %is, label %loop, label %done

done:
  ret void
}
"""


def origins_of(name: str) -> set[str]:
    llvm.parse_assembly(TEXT).verify()
    function = Module(TEXT).function("f")
    return {one.name for one in function.analysis(HeldPointers).origins(function[name])}


def test_items_are_told_apart_by_their_offsets() -> None:
    assert origins_of("first.item") == {"a"}
    assert origins_of("second.item") == {"b"}
    assert origins_of("any.item") == {"a", "b"}


def test_copies_and_memory_of_others() -> None:
    assert origins_of("copied.item") == {"a"}
    assert origins_of("unknown.item") == {"unknown.item"}  # nothing is known to be stored there
    assert origins_of("item.of.b") == {"b"}


def test_a_pointer_that_a_loop_moves_has_an_end() -> None:
    assert origins_of("p") == origins_of("next") == {"a"}
