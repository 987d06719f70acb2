"""Records that merge are split field by field: the code by hand, and a kernel that was refused."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.types.split_aggregates import SplitAggregates

MERGED = """define double @f(ptr %a, i64 %n, i1 %flag) {
entry:
  %one = insertvalue { ptr, i64, [2 x i64] } { ptr null, i64 0, [2 x i64] undef }, i64 %n, 1
  %two = insertvalue { ptr, i64, [2 x i64] } %one, i64 7, 2, 1
  br i1 %flag, label %then, label %end

then:
  %made = insertvalue { ptr, i64, [2 x i64] } zeroinitializer, ptr %a, 0
  br label %end

end:
  %both = phi { ptr, i64, [2 x i64] } [ %two, %entry ], [ %made, %then ]
  %frozen = freeze { ptr, i64, [2 x i64] } %both
  %pointer = extractvalue { ptr, i64, [2 x i64] } %frozen, 0
  %sizes = extractvalue { ptr, i64, [2 x i64] } %frozen, 2
  %last = extractvalue [2 x i64] %sizes, 1
  %place = getelementptr double, ptr %pointer, i64 %last
  %number = load double, ptr %place, align 8
  ret double %number
}
"""

CHOSEN = """define i64 @f(i1 %flag) {
entry:
  %both = select i1 %flag, { i8, i64 } { i8 1, i64 7 }, { i8, i64 } { i8 0, i64 undef }
  %kept = freeze { i8, i64 } %both
  %number = extractvalue { i8, i64 } %kept, 1
  ret i64 %number
}
"""

PLAIN = """define i64 @f(i64 %n, i1 %flag) {
entry:
  %m = select i1 %flag, i64 %n, i64 1
  ret i64 %m
}
"""


def split(text):
    draft = Draft(Module(text))
    SplitAggregates().run(draft)
    return draft.code


def test_each_field_merges_for_itself():
    code = split(MERGED)
    llvm.parse_assembly(str(code)).verify()
    merges = [one for one in code.function("f").instructions if one.opcode in ("phi", "freeze")]
    assert {one.type for one in merges} == {"ptr", "i64"}
    pointer = next(one for one in merges if one.opcode == "phi" and one.type == "ptr")
    assert {value.ref for value in pointer.values} >= {"%a"}


def test_constants_are_taken_apart_in_front_of_what_chooses():
    code = split(CHOSEN)
    llvm.parse_assembly(str(code)).verify()
    chosen = [one for one in code.function("f").instructions if one.opcode == "select"]
    assert [one.type for one in chosen] == ["i64"]


def test_what_has_no_records_stays_as_it_is():
    assert str(split(PLAIN)) == PLAIN


def test_an_array_that_is_copied_if_need_be():
    def kernel(x, w, size):
        patch = np.ascontiguousarray(x[:, 0:size, 0:size, :])
        return np.sum(
            np.reshape(patch, (2, size, size, 2, 1)) * np.reshape(w, (1, size, size, 2, 2))
        )

    x = np.linspace(0.0, 1.0, 100).reshape(2, 5, 5, 2)
    w = np.linspace(1.0, 2.0, 36).reshape(3, 3, 2, 2)
    right = np.zeros_like(x)
    right[:, :3, :3, :] = w.sum(axis=3)
    assert np.allclose(enzyme.grad(kernel)(x, w, 3), right)
    _, slope = enzyme.jvp(kernel, (x, w, 3), (right, np.zeros_like(w), 0))
    assert np.isclose(slope, np.sum(right * right))
