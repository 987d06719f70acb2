"""What leaves a loop under a name: numbers that count; never eight bytes that may be a float."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.values.live_out_integers import LiveOutIntegers
from tests.llvm.corpus import verified
from tests.traps.trap import Trap, judged

# The loop chooses the bits of x[i] or of x[n - 1 - i]; behind it they are a float again.
CHOSEN_BITS = """\
define void @f(ptr noalias %x, ptr noalias %out, ptr noalias %v, i64 %n, i64 %k) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %forwards = getelementptr inbounds double, ptr %x, i64 %i
  %a = load i64, ptr %forwards, align 8
  %last = sub i64 %n, 1
  %j = sub i64 %last, %i
  %backwards = getelementptr inbounds double, ptr %x, i64 %j
  %b = load i64, ptr %backwards, align 8
  %is_early = icmp slt i64 %i, %k
  %chosen = select i1 %is_early, i64 %a, i64 %b
  %place = getelementptr inbounds i64, ptr %v, i64 %i
  store i64 1, ptr %place, align 8
  %next = add nuw nsw i64 %i, 1
  %is_done = icmp eq i64 %next, %n
  br i1 %is_done, label %end, label %loop

end:
  store i64 %chosen, ptr %out, align 8
  %q = load double, ptr %out, align 8
  %square = fmul double %q, %q
  store double %square, ptr %out, align 8
  ret void
}

@enzyme_const = external global i32, align 4

define void @derivative(ptr %x, ptr %dx, ptr %out, ptr %dout, ptr %v, i64 %n, i64 %k) {
entry:
  %0 = load i32, ptr @enzyme_const, align 4
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %out, ptr %dout, i32 %0, ptr %v, i64 %n, i64 %k)
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
"""

# A number out of a table, or an index, which is stored.
CHOSEN_NUMBER = CHOSEN_BITS.replace("i64 %b\n", "i64 %j\n")

# Chosen numbers of which nothing is known but what becomes of them: another choice, and an index.
CHOSEN_INDEX = CHOSEN_BITS.replace(
    "  store i64 %chosen, ptr %out, align 8\n",
    """\
  %is_small = icmp slt i64 %chosen, %n
  %index = select i1 %is_small, i64 %chosen, i64 0
  %where = getelementptr inbounds double, ptr %x, i64 %index
  %number = load double, ptr %where, align 8
  store double %number, ptr %out, align 8
""",
)


def named(text: str) -> list[str]:
    """Return the names under which numbers leave the loop."""
    draft = Draft(Module(text))
    LiveOutIntegers().run(draft)
    verified(draft.code)
    return [one.ref for one in draft.code.function("f").instructions if "live_out" in one.ref]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (CHOSEN_BITS, []),
        (CHOSEN_NUMBER, ["%chosen.live_out"]),
        (CHOSEN_INDEX, ["%chosen.live_out"]),
    ],
    ids=["bits", "number", "index"],
)
def test_only_numbers_have_names(text: str, names: list[str]) -> None:
    assert named(text) == names


def test_the_derivative_of_chosen_bits_is_not_lost() -> None:
    """Under a name, Enzyme takes the bits for an integer, and the gradient is zero without a word."""
    draft = Draft(Module(CHOSEN_BITS))
    LiveOutIntegers().run(draft)
    call = "x = [2.0, 3.0, 5.0], dx = [0.0, 0.0, 0.0], out = [0.0], dout = [1.0], v = [0, 0, 0], n = 3, k = 1"
    keys = {"call": call, "right": "dx = [4.0, 0.0, 0.0]", "of": "f, reverse"}
    verdict = judged(Trap("chosen_bits", str(draft.code), keys))
    assert (verdict.kind, verdict.differences) == ("right", "")
