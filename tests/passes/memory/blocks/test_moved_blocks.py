"""Blocks that are moved over themselves, and copies of memory that is still zero."""

from __future__ import annotations

from enzyme_py.passes.memory.blocks.copies_of_zeros import CopiesOfZeros
from enzyme_py.passes.memory.blocks.overlapping_moves import OverlappingMoves
from tests.passes.running import is_left_alone, ran, with_line
from tests.traps.trap import traps

_TRAPS = {one.name: one.text for one in traps() if one.name in ("moved_down", "copied_zeros")}
MOVED = _TRAPS["moved_down"]
ZEROS = _TRAPS["copied_zeros"].replace("malloc_usable_size", "enzyme_py_hint.Float.double")  # which keeps nothing


def calls(text: str) -> list[str]:
    """Return what the kernel calls, one behind the other."""
    start = text.index("define double @f")
    body = text[start : text.index("}", start)]
    return [line.partition("@")[2].partition("(")[0] for line in body.splitlines() if " call " in line]


def test_a_move_over_itself_goes_through_new_memory() -> None:
    copy = "llvm.memcpy.p0.p0.i64"
    assert calls(str(ran(OverlappingMoves(), MOVED).code)) == ["malloc", copy, copy, "free"]


def test_a_move_out_of_own_memory_stays() -> None:
    """What the function has made itself, no argument leads to."""
    assert is_left_alone(OverlappingMoves(), ZEROS)


def test_moves_stay_in_forward_mode() -> None:
    assert is_left_alone(OverlappingMoves(), MOVED.replace("__enzyme_autodiff", "__enzyme_fwddiff"))


def test_a_volatile_move_stays() -> None:
    assert is_left_alone(OverlappingMoves(), with_line(MOVED, "i64 16, i1 false", "i64 16, i1 true"))


def test_a_copy_of_zeros_is_a_fill() -> None:
    assert calls(str(ran(CopiesOfZeros(), ZEROS).code))[-1] == "llvm.memset.p0.i64"


def test_what_is_written_before_is_no_zero() -> None:
    written = with_line(ZEROS, "  %zero = load", "  store double 1.0, ptr %at, align 8\n  %zero = load")
    assert is_left_alone(CopiesOfZeros(), written)


def test_zeros_that_are_written_change_nothing() -> None:
    written = with_line(ZEROS, "  %zero = load", "  store double 0.0, ptr %at, align 8\n  %zero = load")
    assert calls(str(ran(CopiesOfZeros(), written).code))[-1] == "llvm.memset.p0.i64"


def test_a_copy_of_a_copy_of_zeros() -> None:
    """The first one is a fill, and so is the second."""
    move = "call void @llvm.memmove.p0.p0.i64(ptr align 8 {0}, ptr align 8 {1}, i64 %bytes, i1 false)"
    there = "%more = call ptr @calloc(i64 1, i64 %bytes)\n  " + move.format("%more", "%zeros") + "\n  " + move.format("%x", "%more")
    twice = with_line(ZEROS, move.format("%x", "%zeros"), there)
    assert calls(str(ran(CopiesOfZeros(), twice).code))[-2:] == ["llvm.memset.p0.i64"] * 2


def test_what_is_written_behind_still_is() -> None:
    written = with_line(ZEROS, "  ret double %zero", "  store double 1.0, ptr %at, align 8\n  ret double %zero")
    assert calls(str(ran(CopiesOfZeros(), written).code))[-1] == "llvm.memset.p0.i64"


def test_what_may_be_written_by_others_is_no_zero() -> None:
    """Its pointer is left where somebody may find it."""
    told = with_line(ZEROS, "  %zero = load", "  store ptr %zeros, ptr %x, align 8\n  %zero = load")
    assert is_left_alone(CopiesOfZeros(), told)
