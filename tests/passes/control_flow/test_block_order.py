"""Blocks in the order in which they run: what a crash of forward mode asks for, and what keeps memory."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.control_flow.block_order import AllocationsFirst, BlockOrder
from tests.passes.running import is_left_alone, ran
from tests.passes.switches import leave_out
from tests.traps.trap import traps

TRAPS = {one.name: one.text for one in traps()}
CODE = TRAPS["stored_before_made"]
ROUND = """define void @f(i64 %n) {
entry:
  br label %test

end:
  ret void

body:
  %next = add i64 %i, 1
  br label %test

test:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %goes = icmp slt i64 %i, %n
  br i1 %goes, label %body, label %end

nowhere:
  ret void
}
"""
SORTED = "define void @f() {\nentry:\n  br label %end\n\nend:\n  ret void\n\nnowhere:\n  ret void\n}\n"


def names(text: str, function: str) -> list[str]:
    return [one.label for one in ran(BlockOrder(), text).code.function(function).blocks]


def test_a_number_is_made_before_it_is_stored() -> None:
    order = names(CODE, "pack")
    assert order.index("make") < order.index("keep")
    assert order[0] == "entry"


def test_a_loop_and_what_is_never_reached() -> None:
    order = names(ROUND, "f")
    assert order[:2] == ["entry", "test"]
    assert sorted(order[2:4]) == ["body", "end"]
    assert order[4:] == ["nowhere"]


def test_what_is_sorted_is_left_alone() -> None:
    assert is_left_alone(BlockOrder(), SORTED)


def test_who_keeps_memory_is_its_first_user() -> None:
    code = ran(AllocationsFirst(), TRAPS["kept_below"]).code
    order = [one.label for one in code.function("f").blocks]
    assert order.index("make") < order.index("loop") < order.index("end")


@pytest.mark.parametrize("old", ["@__enzyme_autodiff", "@malloc"])
def test_other_code_stays_as_it_is(old: str) -> None:
    """Forward mode makes nothing again, and what allocates nothing keeps nothing."""
    text = TRAPS["kept_below"].replace(old, {"@malloc": "@found"}.get(old, "@__enzyme_fwddiff"))
    assert is_left_alone(AllocationsFirst(), text)


def cubes_of_copies(x):
    return np.sum(np.tile(x, (2, 2)) ** 3)


def test_forward_mode_of_an_array_that_a_call_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its size is stored beside the pointer to it, as it is where a function is too large to be inlined.
    leave_out("LLVM's inlining", monkeypatch.setattr)
    x, v = np.array([[2.0, 3.0]]), np.array([[1.0, 0.5]])
    result, slope = enzyme.jvp(cubes_of_copies, (x,), (v,))
    assert (result, slope) == (4 * (8.0 + 27.0), 4 * (12.0 * 1.0 + 27.0 * 0.5))
