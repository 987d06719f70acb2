"""The tables of passes: what a pass leaves is verified, and rows in another order are refused."""

from __future__ import annotations

import itertools

import pytest

from enzyme_py.llvm import Module
from enzyme_py.passes import journal, pipeline
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.allocations import CachedAllocations
from enzyme_py.passes.memory.hoisted_buffers import HoistedBuffers
from enzyme_py.passes.pipeline import Row, WrongOrderError, ordered
from tests.passes.running import verifier

CODE = """define double @f(double %x) {
  %twice = fadd double %x, %x
  %more = fadd double %twice, %x
  ret double %more
}
"""


class Backwards(Pass):
    """Uses a value in front of what makes it."""

    name = "backwards"

    def run(self, draft: Draft) -> None:
        first, second, _ = draft.code.function("f").instructions
        first.set_operand(0, second)


def test_a_pass_that_leaves_invalid_code_is_named(monkeypatch) -> None:
    monkeypatch.setattr(journal, "verify", verifier())
    with pytest.raises(AssertionError, match="`backwards` left invalid code"):
        pipeline.run([Row(Backwards(), "anywhere")], Draft(Module(CODE)))


def test_only_one_change_in_so_many_is_verified(monkeypatch) -> None:
    monkeypatch.setattr(journal, "verify", verifier(2))
    rows = [Row(Backwards(), "anywhere")]
    pipeline.run(rows, Draft(Module(CODE)))
    with pytest.raises(AssertionError, match="`backwards`"):
        pipeline.run(rows, Draft(Module(CODE)))


def test_allocations_are_marked_behind_the_hoisted_buffers() -> None:
    rows = list(pipeline.PREPARE)
    kinds = [type(row.change) for row in rows]
    one, other = kinds.index(CachedAllocations), kinds.index(HoistedBuffers)
    rows[one], rows[other] = rows[other], rows[one]
    with pytest.raises(WrongOrderError, match="`cached allocations` must come after"):
        ordered(*rows)


@pytest.mark.parametrize("table", ["ASSEMBLE", "PREPARE", "READY"])
def test_each_constraint_is_of_a_row_of_the_table_and_holds(table: str) -> None:
    rows = getattr(pipeline, table)
    kinds = {type(row.change) for row in rows}
    assert all(set(row.after) <= kinds for row in rows)
    for one, other in itertools.combinations(range(len(rows)), 2):
        if type(rows[one].change) in rows[other].after:
            swapped = list(rows)
            swapped[one], swapped[other] = rows[other], rows[one]
            with pytest.raises(WrongOrderError):
                ordered(*swapped)
