"""Arguments that a kernel does not write are marked; where anything is unknown, nothing is."""

from __future__ import annotations

import pytest

from enzyme_py.passes.memory.overwriting.untouched_arguments import UntouchedArguments
from tests.passes.running import is_left_alone, ran, with_line

KERNEL = """\
@enzyme_width = external global i32
@somewhere = global ptr null
declare noalias ptr @malloc(i64)
declare void @use(ptr)
declare double @sin(double)
declare void @enzyme_py_hint(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @enzyme_py_copy1_dd(ptr, ptr, i64, i64, i64)
declare void @cblas_dgemv_64_(ptr, ptr, ptr)
declare double @__enzyme_autodiff(...)
define double @k(ptr %result, ptr %x, ptr nocapture %y, double %s, ptr writeonly %o) {
entry:
  %w = call noalias ptr @malloc(i64 80)
  %slot = alloca { i64, ptr }, align 8
  %p = getelementptr i8, ptr %w, i64 8
  %field = getelementptr inbounds { i64, ptr }, ptr %slot, i64 0, i32 1
  store ptr %w, ptr %field, align 8
  %held = load ptr, ptr %field, align 8
  %q = getelementptr double, ptr %held, i64 1
  store double %s, ptr %q, align 8
  %v = select i1 true, ptr %w, ptr null
  store double %s, ptr %v, align 8
  call void @enzyme_py_hint(ptr %x)
  call void @enzyme_py_copy1_dd(ptr %p, ptr %x, i64 1, i64 8, i64 8)
  call void @cblas_dgemv_64_(ptr %x, ptr %y, ptr %w)
  call void @llvm.memset.p0.i64(ptr %result, i8 0, i64 8, i1 false)
  call void @use(ptr %w)
  %r = call double @sin(double %s)
  store double %r, ptr %result, align 8
  ret double %r
}
define double @g(ptr %x) {
  %w = load i32, ptr @enzyme_width
  %r = call double (...) @__enzyme_autodiff(ptr @k, i32 %w, i32 1, ptr %x, ptr %x)
  ret double %r
}
"""
END = "  store double %r, ptr %result"


def test_arguments_are_marked():
    k = ran(UntouchedArguments(), KERNEL).code.function("k")
    told = [sorted(one.attributes) for one in k.arguments]
    marks = ["noalias", "readonly"]
    assert told == [[], marks, ["noalias", "nocapture", "readonly"], [], ["writeonly"]]


def test_arguments_are_marked_where_forward_mode_differentiates_the_gradient():
    whole = KERNEL.replace(
        "declare double @__enzyme_autodiff(...)",
        "declare double @__enzyme_autodiff(...)\ndeclare double @__enzyme_fwddiff(...)",
    )
    outer = "define double @h(ptr %x) {\n  %t = call double (...) @__enzyme_fwddiff(ptr @g, ptr %x, ptr %x)\n  ret double %t\n}\n"
    code = ran(UntouchedArguments(), whole + outer).code
    assert {"noalias", "readonly"} <= set(code.function("k").arguments[1].attributes)
    assert not code.function("g").arguments[0].attributes


@pytest.mark.parametrize(
    "more",
    [
        "store double %s, ptr %x",
        "store ptr %x, ptr %field",  # then what is loaded from there may be x
        "store <2 x ptr> zeroinitializer, ptr %slot",
        "store ptr null, ptr @somewhere",
        "store volatile double %s, ptr %w",
        "call void @use(ptr %y)",
        "call void @enzyme_py_copy1_dd(ptr %x, ptr %w, i64 1, i64 8, i64 8)",
        "call void @cblas_dgemv_64_(ptr %w, ptr %w, ptr %x)",
        "call void @llvm.memset.p0.i64(ptr %y, i8 0, i64 8, i1 false)",
        "call void %held(double 0.0)",
        "%z = atomicrmw add ptr %w, i64 1 seq_cst",
        "%m = select i1 true, ptr %w, ptr %x\n  store double %s, ptr %m",
        "%n = load ptr, ptr %x\n  store double %s, ptr %n",
        "%n = load ptr, ptr @somewhere\n  store double %s, ptr %n",
    ],
)
def test_where_arguments_may_be_written_nothing_is_marked(more):
    assert is_left_alone(UntouchedArguments(), with_line(KERNEL, END, f"  {more}\n{END}"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("i32 %w, i32 1", "i32 %w, i32 4"),  # several shadows
        ("  ret double %r\n}\n", "  %t = call double (...) @__enzyme_autodiff(ptr @g, ptr %x, ptr %x)\n  ret double %r\n}\n"),
        ("ptr @k, i32", "ptr @sin, i32"),  # not defined here
        ("@somewhere =", "@enzyme_runtime_activity = external global i32\n@somewhere ="),
    ],
)  # fmt: skip
def test_other_requests(old, new):
    place = KERNEL.rindex(old)
    assert is_left_alone(UntouchedArguments(), KERNEL[:place] + new + KERNEL[place + len(old) :])


DRIVER = """\
define internal void @threads_driver_3(ptr readonly captures(none) %read, ptr %row) noinline memory(argmem: readwrite, inaccessiblemem: readwrite) {
  store double 0.0, ptr %row, align 8
  ret void
}
"""
DRIVEN = f"{DRIVER}{KERNEL}".replace(END, f"  call void @threads_driver_3(ptr %x, ptr %w)\n{END}")


def test_what_a_driver_only_reads_is_marked():
    assert "readonly" in ran(UntouchedArguments(), DRIVEN).code.function("k").arguments[1].attributes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(ptr %x, ptr %w)\n  store", "(ptr %w, ptr %x)\n  store"),  # it writes there
        ("readonly captures(none) %read", "%read"),
        ("readonly captures(none) %read", "readonly %read"),  # it may be kept, and written later
        ("memory(argmem: readwrite, inaccessiblemem: readwrite)", "memory(readwrite)"),
        ("memory(argmem: readwrite, inaccessiblemem: readwrite)", ""),
    ],
)
def test_what_a_driver_may_write_is_not_marked(old, new):
    assert is_left_alone(UntouchedArguments(), with_line(DRIVEN, old, new))
