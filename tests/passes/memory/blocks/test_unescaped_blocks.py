"""Hints of what loops make hand the pointer to nobody; what is copied there is copied by numbers."""

from __future__ import annotations

import pytest

from enzyme_py.passes.memory.blocks.block_copies import CopiesOfNumbers
from enzyme_py.passes.memory.blocks.unescaped_blocks import UnescapedBlocks
from tests.passes.running import is_left_alone, ran, with_line

LOOP = """\
declare noalias ptr @malloc(i64)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg)
declare void @enzyme_py_hint.Float.double(ptr "enzyme_type"="{[-1]:Pointer, [-1,-1]:Float@double}")

define void @k(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %w = call ptr @malloc(i64 %n)
  call void @enzyme_py_hint.Float.double(ptr %w)
  call void @enzyme_py_hint.Float.double(ptr %x)
  call void @llvm.memcpy.p0.p0.i64(ptr %w, ptr %x, i64 %n, i1 false)
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop

out:
  ret void
}
"""
MADE = "  %w = call ptr @malloc(i64 %n)\n"
OUTSIDE = with_line(with_line(LOOP, MADE, ""), "entry:\n", f"entry:\n{MADE}")


def test_hints() -> None:
    k = ran(UnescapedBlocks(), LOOP).code.function("k")
    (own,) = k.calls_of("enzyme_py_hint.Float.double.unescaped")
    assert own.arguments == (k["w"],)
    (other,) = k.calls_of("enzyme_py_hint.Float.double")
    assert other.arguments == (k["x"],)
    text = k.module.find("@enzyme_py_hint.Float.double.unescaped").text
    assert "captures(none)" in text
    assert '"enzyme_type"="{[-1]:Pointer, [-1,-1]:Float@double}"' in text


@pytest.mark.parametrize("one", [UnescapedBlocks(), CopiesOfNumbers()], ids=lambda one: one.name)
def test_what_is_made_in_front_of_the_loop_stays(one) -> None:
    assert is_left_alone(one, OUTSIDE)


def test_copies() -> None:
    k = ran(CopiesOfNumbers(), LOOP).code.function("k")
    assert not list(k.calls_of("llvm.memcpy.p0.p0.i64"))
    (copied,) = k.calls_of("enzyme_py_into_buffer_d")
    to, start, count, *widths = copied.arguments
    assert (to, start) == (k["w"], k["x"])
    assert count.text.endswith("lshr i64 %n, 3")
    assert [one.integer for one in widths] == [8, 8]


def test_copies_of_what_nobody_knows_stay() -> None:
    assert is_left_alone(CopiesOfNumbers(), with_line(LOOP, "  call void @enzyme_py_hint.Float.double(ptr %w)\n", ""))
