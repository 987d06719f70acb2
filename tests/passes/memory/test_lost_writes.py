"""Const arrays that take active values: what is told of small functions."""

from __future__ import annotations

import textwrap

import llvmlite.binding as llvm
import pytest

from enzyme_py.errors import ActivityError, ConstWrittenWarning, Where
from enzyme_py.llvm import Module
from enzyme_py.passes.checks.lost import Lost, tell_lost
from enzyme_py.passes.checks.lost_writes import (
    has_constant_arrays,
    lost_writes,
    simplified,
    without_returned_views,
)

FLOATS = '"enzyme_type"="{[-1]:Pointer, [-1,-1]:Float@double}"'
INTEGERS = '"enzyme_type"="{[-1]:Pointer, [-1,-1]:Integer}"'
ROWS = '"enzyme_type"="{[-1]:Pointer, [-1,8]:Pointer}"'

MODULE = """\
@enzyme_const = external global i32
@enzyme_dup = external global i32

declare void @__enzyme_autodiff(...)

declare void @__enzyme_fwddiff(...)

declare noalias ptr @malloc(i64)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @put(ptr %to, double %value) {
  store double %value, ptr %to, align 8
  ret void
}

define internal double @shim.inner(ptr %a, ptr %b) {
  %1 = load double, ptr %a, align 8
  store double %1, ptr %b, align 8
  ret double %1
}

define internal double @shim.f(ptr FLOATS %arg.x.0, ptr TYPE %arg.w.0, i64 %arg.n) {
entry:
  %x = load double, ptr %arg.x.0, align 8
BODY
  ret double 0.0
}

define void @entry(ptr %x, ptr %dx, ptr %w) {
  %dup = load i32, ptr @enzyme_dup, align 4
  %const = load i32, ptr @enzyme_const, align 4
  call void (...) @__enzyme_autodiff(ptr @shim.f, i32 %dup, ptr %x, ptr %dx, i32 %const, ptr %w, i32 %const, i64 3)
  ret void
}

!0 = !{}
"""

CERTAIN = {
    "a store": "store double %x, ptr %arg.w.0",
    "at an offset": "%p = getelementptr double, ptr %arg.w.0, i64 %arg.n\nstore double %x, ptr %p",
    "of what is computed": "%y = fmul double %x, %x\n%z = select i1 true, double %y, double 0.0\nstore double %z, ptr %arg.w.0",
    "a copy": "call void @llvm.memcpy.p0.p0.i64(ptr %arg.w.0, ptr %arg.x.0, i64 8, i1 false)",
    "by a callee": "call void @put(ptr %arg.w.0, double %x)",
    "through local memory": "%v = alloca double\nstore double %x, ptr %v\n%y = load double, ptr %v\nstore double %y, ptr %arg.w.0",
    "through local memory and a callee": "%v = call ptr @malloc(i64 8)\ncall void @put(ptr %v, double %x)\n%y = load double, ptr %v\nstore double %y, ptr %arg.w.0",
    "as the shadow of a derivative": "%v = alloca double\n%d = load i32, ptr @enzyme_dup\ncall void (...) @__enzyme_autodiff(ptr @shim.inner, i32 %d, ptr %arg.x.0, ptr %arg.w.0, i32 %d, ptr %v, ptr %v)",
    "where a derivative writes": "%v = alloca double\n%d = load i32, ptr @enzyme_dup\ncall void (...) @__enzyme_fwddiff(ptr @shim.inner, i32 %d, ptr %arg.x.0, ptr %v, i32 %d, ptr %arg.w.0, ptr %v)",
}
PERHAPS = {
    "one of two": "%v = call ptr @malloc(i64 8)\n%is = icmp eq i64 %arg.n, 3\n%p = select i1 %is, ptr %v, ptr %arg.w.0\nstore double %x, ptr %p",
    "a pointer that lay in memory": "%s = alloca [2 x ptr]\n%v = call ptr @malloc(i64 8)\n%s1 = getelementptr i8, ptr %s, i64 8\nstore ptr %v, ptr %s\nstore ptr %arg.w.0, ptr %s1\n%p = load ptr, ptr %s1\nstore double %x, ptr %p",
}
NOTHING = {
    "constants": "store double 2.0, ptr %arg.w.0",
    "constant memory": "%y = load double, ptr %arg.w.0\n%z = fmul double %y, 2.0\nstore double %z, ptr %arg.w.0",
    "integers": "%i = fptosi double %x to i64\n%y = sitofp i64 %i to double\nstore double %y, ptr %arg.w.0",
    "what a comparison chooses": "%is = fcmp ogt double %x, 1.0\n%y = select i1 %is, double 1.0, double 2.0\nstore double %y, ptr %arg.w.0",
    "memory of its own": "%v = alloca double\nstore double %x, ptr %v",
    "memory that is surely its own": "store double %x, ptr %arg.w.0, !enzyme_py_own !0",
    "another item": "%s = alloca [2 x ptr]\n%v = call ptr @malloc(i64 8)\n%s1 = getelementptr i8, ptr %s, i64 8\nstore ptr %v, ptr %s\nstore ptr %arg.w.0, ptr %s1\n%p = load ptr, ptr %s\nstore double %x, ptr %p",
    "a derivative by nothing active": "%v = alloca double\n%d = load i32, ptr @enzyme_dup\nstore double 1.0, ptr %v\ncall void (...) @__enzyme_autodiff(ptr @shim.inner, i32 %d, ptr %v, ptr %arg.w.0, i32 %d, ptr %v, ptr %v)",
}


def code(body: str, type_: str = FLOATS) -> Module:
    text = (
        MODULE.replace("BODY", textwrap.indent(body, "  "))
        .replace("TYPE", type_)
        .replace("FLOATS", FLOATS)
    )
    llvm.parse_assembly(text).verify()
    return Module(text)


@pytest.mark.parametrize("name", CERTAIN)
def test_what_is_written(name: str) -> None:
    assert lost_writes(code(CERTAIN[name])) == (Lost("f", "w", True),)


@pytest.mark.parametrize("name", PERHAPS)
def test_what_may_be_written(name: str) -> None:
    assert lost_writes(code(PERHAPS[name])) == (Lost("f", "w", False),)


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_lost(name: str) -> None:
    assert lost_writes(code(NOTHING[name])) == ()


def test_memory_that_is_copied_in_a_circle() -> None:
    """What is asked of one part of a circle does not settle the other."""
    body = """\
%a = alloca double
%b = alloca double
call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 8, i1 false)
call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 8, i1 false)
call void @put(ptr %a, double %x)
%of.a = load double, ptr %a
%of.b = load double, ptr %b
store double %of.a, ptr %arg.w.0
store double %of.b, ptr %arg.u.0"""
    text = str(code(body.replace("%arg.u.0", "%arg.x.0")))
    text = text.replace("store double %of.b, ptr %arg.x.0", "store double %of.b, ptr %arg.u.0")
    text = text.replace("i64 %arg.n)", f"i64 %arg.n, ptr {FLOATS} %arg.u.0)")
    text = text.replace("i64 3)", "i64 3, i32 %const, ptr %w)")
    llvm.parse_assembly(text).verify()
    assert lost_writes(Module(text)) == (Lost("f", "u", True), Lost("f", "w", True))
    idle = text.replace("call void @put(ptr %a, double %x)", "")
    assert lost_writes(Module(idle)) == ()


def test_only_arrays_of_floats_count() -> None:
    written = CERTAIN["a store"]
    assert has_constant_arrays(code(written))
    for type_ in (INTEGERS, '"enzyme_type"="{[-1]:Pointer, [-1,0]:Integer}"'):
        assert not has_constant_arrays(code(written, type_))
        assert lost_writes(code(written, type_)) == ()


@pytest.mark.parametrize("type_", [ROWS, "noundef"])  # a typed list of arrays, and what has no type
def test_an_item_of_a_list_may_be_written(type_: str) -> None:
    body = "%p = load ptr, ptr %arg.w.0\nstore double %x, ptr %p"
    assert has_constant_arrays(code(body, type_))
    assert lost_writes(code(body, type_)) == (Lost("f", "w", False),)
    assert lost_writes(code(body)) == (Lost("f", "w", False),)


def test_nothing_active_nothing_lost() -> None:
    text = (
        str(code(CERTAIN["a store"]))
        .replace("ptr %dx, i32", "i32")
        .replace("i32 %dup,", "i32 %const,")
    )
    llvm.parse_assembly(text).verify()
    assert not has_constant_arrays(Module(text))
    assert lost_writes(Module(text)) == ()


def test_of_lists_callees_are_marked_for_inlining() -> None:
    given = list[Module]()

    def in_registers(text: str) -> str:
        given.append(Module(text))
        return text

    endless = "define internal void @endless() {\n  call void @endless()\n  ret void\n}\n"
    for type_ in (ROWS, FLOATS):
        module = Module(str(code(CERTAIN["a store"], type_)) + endless)
        assert str(simplified(module, in_registers)) == str(given[-1])
    names = ("put", "shim.f", "endless", "entry")
    marked, plain = (
        [one.function(name).has_attribute("alwaysinline") for name in names] for one in given
    )
    assert marked == [True, True, False, False]
    assert not any(plain)


VIEWS = """
define internal void @behind(ptr %to, ptr %from) {
  %next = getelementptr i8, ptr %from, i64 8
  store ptr %next, ptr %to, align 8
  ret void
}

define internal void @held(ptr %to, ptr %from) {
  %slot = alloca ptr, align 8
  store ptr %from, ptr %slot, align 8
  %again = load ptr, ptr %slot, align 8
  store ptr %again, ptr %to, align 8
  ret void
}

define internal void @made(ptr %to) {
  %new = call ptr @malloc(i64 8)
  store ptr %new, ptr %to, align 8
  ret void
}

define internal void @counted(ptr %to, i64 %n) {
  store i64 %n, ptr %to, align 8
  ret void
}

define internal void @endless(ptr %to, ptr %from) {
  call void @endless(ptr %to, ptr %from)
  store ptr %from, ptr %to, align 8
  ret void
}
"""


def test_what_returns_views_is_inlined() -> None:
    given = list[Module]()

    def in_registers(text: str) -> str:
        given.append(Module(text))
        return text

    module = Module(str(code(CERTAIN["a store"])) + VIEWS)
    before = str(module)
    done = without_returned_views(module, in_registers)
    names = ("behind", "held", "made", "counted", "endless", "shim.f")
    marked = [done.function(name).has_attribute("alwaysinline") for name in names]
    assert marked == [True, True, False, False, False, False]
    assert len(given) == 1  # what was not inlined for all that is not asked again
    assert str(module) == before


def test_telling() -> None:
    where = Where("f", "file.py", 3)
    with pytest.warns(ConstWrittenWarning, match="may write `w`, which is Const"):
        tell_lost([Lost("f", "w", False)], where, is_strict=False)
    with pytest.raises(ActivityError, match="writes `w`, which is Const"):
        tell_lost([Lost("f", "w", True)], where, is_strict=True)
    tell_lost([], where, is_strict=True)
