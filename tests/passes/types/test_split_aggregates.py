"""Records that merge are split field by field: the code by hand, and a kernel that was refused."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.llvm.analyses.addresses import Addresses
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

# Behind `i8` there is a gap, so LLVM leaves such records whole.
MOVED = """define void @f(ptr %from, ptr %to, i64 %n) {
entry:
  %inner = insertvalue { i64, i8 } undef, i64 %n, 0
  %flagged = insertvalue { i64, i8 } %inner, i8 1, 1
  %both = insertvalue { { i64, i8 }, ptr } undef, { i64, i8 } %flagged, 0
  %whole = insertvalue { { i64, i8 }, ptr } %both, ptr %from, 1
  store { { i64, i8 }, ptr } %whole, ptr %to, align 4
  %again = load { { i64, i8 }, ptr }, ptr %from, align 8
  %behind = getelementptr i8, ptr %to, i64 24
  store { { i64, i8 }, ptr } %again, ptr %behind, align 8
  %flag = extractvalue { { i64, i8 }, ptr } %again, 0, 1
  store i8 %flag, ptr %from, align 1
  ret void
}
"""

KEPT = """define void @f(ptr %from, ptr %to) {
  %one = load volatile { i64, i8 }, ptr %from, align 8
  store volatile { i64, i8 } %one, ptr %to, align 8
  %many = load [65 x i64], ptr %from, align 8
  store [65 x i64] %many, ptr %to, align 8
  ret void
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


def test_loads_and_stores_of_each_field():
    code = split(MOVED)
    llvm.parse_assembly(str(code)).verify()
    function = code.function("f")
    assert not [one for one in function.instructions if one.opcode == "insertvalue" or one.type.startswith("{")]
    addresses = function.analysis(Addresses)
    stores = [one for one in function.instructions if one.opcode == "store"]
    places = [(address.base.ref, address.offset.number) for address in (addresses.of(one.pointer) for one in stores)]
    assert places == [*(("%to", offset) for offset in (0, 8, 16, 24, 32, 40)), ("%from", 0)]
    assert [one.value.ref for one in stores[:3]] == ["%n", "1", "%from"]
    assert [one.alignment for one in stores] == [4, 4, 4, 8, 8, 8, 1]
    loads = {one.name: one.type for one in function.instructions if one.opcode == "load"}
    assert loads == {"again.0.0": "i64", "again.0.1": "i8", "again.1": "ptr"}
    assert stores[-1].value.name == "again.0.1"


def test_what_is_volatile_or_large_is_left_whole():
    assert str(split(KEPT)) == KEPT


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
