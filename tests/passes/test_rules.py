"""The order of rules, which are needed, what is declared; names and strong zero."""

from __future__ import annotations

import pytest

from enzyme_py.errors import DerivativeError
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.checks.endless_rules import CheckEndlessRules
from enzyme_py.passes.checks.recursive_calls import CheckRecursiveCalls
from enzyme_py.passes.checks.reverse_depth import CheckReverseDepth
from enzyme_py.passes.module.stable_names import StableNames
from enzyme_py.passes.rules.declarations import Declarations
from enzyme_py.passes.rules.needed_rules import NeededRules
from enzyme_py.passes.rules.rules_first import RulesFirst
from enzyme_py.passes.rules.strong_zero import PlainInside
from tests.llvm.corpus import verified


def made(change: Pass, text: str, entries: tuple[str, ...] = ()) -> Module:
    """Return what a pass makes of a module; LLVM has verified it."""
    draft = Draft(Module(text), entries=entries)
    if change.applies(draft):
        change.run(draft)
    verified(draft.code)
    return draft.code


RULES = """\
@__enzyme_register_derivative_enzyme_py_ruled.g.float64 = global [1 x ptr] [ptr @enzyme_py_ruled.g.float64.forward]
@__enzyme_register_gradient_enzyme_py_ruled.g.float64 = global [1 x ptr] [ptr @enzyme_py_ruled.g.float64.reverse]

declare void @enzyme_py_ruled.g.float64(ptr)
declare void @__enzyme_autodiff(...)
declare void @__enzyme_fwddiff(...)

define void @entry(ptr %p) {
  call void (...) @__enzyme_autodiff(ptr @kernel, ptr %p)
  ret void
}

define internal void @kernel(ptr %p) {
  call void @enzyme_py_ruled.f.float64(ptr %p)
  ret void
}

define linkonce_odr void @enzyme_py_ruled.f.float64(ptr %p) {
  call void @enzyme_py_ruled.g.float64(ptr %p)
  ret void
}

define linkonce_odr void @enzyme_py_ruled.g.float64.forward(ptr %p) {
  ret void
}

define linkonce_odr void @enzyme_py_ruled.g.float64.reverse(ptr %p) {
  ret void
}
"""
TABLES = (
    "__enzyme_register_derivative_enzyme_py_ruled.g.float64",
    "__enzyme_register_gradient_enzyme_py_ruled.g.float64",
)


def test_rules_come_first_and_what_they_call_before() -> None:
    names = [
        one.name.removeprefix("enzyme_py_ruled.") for one in made(RulesFirst(), RULES).functions
    ]
    assert names == ["g.float64.forward", "g.float64.reverse", "f.float64", "entry", "kernel"]
    unruled = RULES.replace("enzyme_py_ruled", "ours")
    assert str(made(RulesFirst(), unruled)) == unruled


def test_rules_of_directions_that_nobody_asks_for_go() -> None:
    code = made(NeededRules(), RULES)
    assert [code.get(name) is not None for name in TABLES] == [False, True]
    forward = RULES.replace("@__enzyme_autodiff(ptr", "@__enzyme_fwddiff(ptr")
    code = made(NeededRules(), forward)
    assert [code.get(name) is not None for name in TABLES] == [True, False]
    # The reverse of the rule asks for forward mode itself.
    inside = "reverse(ptr %p) {\n  call void (...) @__enzyme_fwddiff(ptr @kernel, ptr %p)\n"
    code = made(NeededRules(), RULES.replace("reverse(ptr %p) {\n", inside))
    assert [code.get(name) is not None for name in TABLES] == [True, True]


DECLARED = """\
declare void @enzyme_py_hint.Integer(ptr)
declare double @enzyme_py_inactive.double(double)
declare i64 @enzyme_py_inactive.i64(i64)
declare void @enzyme_py_ruled.g.float64(ptr)
declare i64 @enzyme_py_scan.max.float64(ptr, i64)
declare i32 @numba_attempt_nocopy_reshape(i64, ptr, ptr, i64, ptr, ptr, i64, i32)
declare double @mine(double)
"""


def test_declarations_say_what_tables_say() -> None:
    code = made(Declarations(), DECLARED)
    tree = '"enzyme_type"="{[-1]:Float@double}"'
    assert code.function("enzyme_py_hint.Integer").has_attribute("enzyme_inactive")
    barrier = code.function("enzyme_py_inactive.double")
    assert tree in barrier.return_attributes
    assert barrier.arguments[0].attributes == [tree]
    assert not code.function("enzyme_py_inactive.i64").arguments[0].attributes
    assert "Float@double" in code.function("enzyme_py_ruled.g.float64").head
    assert code.function("enzyme_py_scan.max.float64").arguments[0].has_attribute("readonly")
    reshape = code.function("numba_attempt_nocopy_reshape")
    pointers = [one for one in reshape.arguments if one.type == "ptr"]
    assert all(one.has_attribute("enzyme_type") for one in pointers)
    assert [one.has_attribute("readonly") for one in pointers] == [True, True, True, False]
    assert code.function("mine").head == "declare double @mine(double)"
    assert len(Module(str(code)).declarations) == len(DECLARED.splitlines())


NESTED = """\
@enzyme_strong_zero = external global i32
@enzyme_dup = external global i32

declare void @__enzyme_autodiff(...)

define void @entry(ptr %p) {
  %zero = load i32, ptr @enzyme_strong_zero, align 4
  %dup = load i32, ptr @enzyme_dup, align 4
  call void (...) @__enzyme_autodiff(ptr @outer, i32 %zero, i32 %dup, ptr %p, ptr %p)
  ret void
}

define internal void @outer(ptr %p) {
  %zero = load i32, ptr @enzyme_strong_zero, align 4
  call void (...) @__enzyme_autodiff(ptr @inner, i32 noundef %zero, ptr nonnull %p)
  ret void
}

define internal void @inner(ptr %p) {
  ret void
}
"""


def test_the_outermost_has_strong_zero() -> None:
    code = made(PlainInside(), NESTED)
    (outer,), (inner,) = code.function("entry").calls, code.function("outer").calls
    assert [one.name for one in outer.arguments] == ["outer", "zero", "dup", "p", "p"]
    assert [one.name for one in inner.arguments] == ["inner", "p"]
    assert inner.argument_attributes(1) == ["nonnull"]


NAMED = """\
source_filename = "kernel_0x7f0011223344"

@_ZN5thing4data = linkonce_odr constant [10 x i8] c"@_ZN5outer"
@enzyme_const = external global i32

define linkonce_odr dso_local i32 @_ZN7library6kernel(ptr %p) !dbg !3 {
  %v = load i8, ptr @_ZN5thing4data, align 1
  ret i32 0
}

define i32 @entry(ptr %p) {
  %r = call i32 @_ZN7library6kernel(ptr %p)
  ret i32 %r
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, producer: "x", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "a.py", directory: "")
!3 = distinct !DISubprogram(name: "kernel_0x7f0011223344", linkageName: "_ZN7library6kernel", scope: !2, file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
"""


def test_names_go_by_position() -> None:
    code = made(StableNames(), NAMED, ("entry",))
    text = str(code)
    assert "0x7f" not in text
    assert "define internal i32 @k1.kernel(ptr %p) !dbg !3" in text
    assert "define i32 @entry(" in text
    assert 'linkageName: "k1.kernel"' in text
    assert '@k0.data = linkonce_odr constant [10 x i8] c"@_ZN5outer"' in text
    assert "load i8, ptr @k0.data" in text
    assert "@enzyme_const = external" in text


CHAIN = """\
declare void @__enzyme_autodiff(...)
declare void @__enzyme_fwddiff(...)
declare void @enzyme_py_ruled.g.float64(ptr)

define void @a(ptr %p) {
  call void (...) @__enzyme_autodiff(ptr @b, ptr %p)
  ret void
}

define void @b(ptr %p) {
  call void (...) @__enzyme_autodiff(ptr @c, ptr %p)
  ret void
}

define void @c(ptr %p) {
  call void (...) @__enzyme_fwddiff(ptr @d, ptr %p)
  ret void
}

define void @d(ptr %p) {
  call void @enzyme_py_ruled.g.float64(ptr %p)
  ret void
}
"""


def test_reverse_over_reverse_over_a_third_is_refused_with_rules() -> None:
    with pytest.raises(DerivativeError, match="a third derivative"):
        made(CheckReverseDepth(), CHAIN)
    made(CheckReverseDepth(), CHAIN.replace("enzyme_py_ruled", "other"))
    made(
        CheckReverseDepth(), CHAIN.replace("@__enzyme_autodiff(ptr @b", "@__enzyme_fwddiff(ptr @b")
    )
    made(
        CheckReverseDepth(), CHAIN.replace("@__enzyme_autodiff(ptr @c", "@__enzyme_fwddiff(ptr @c")
    )


CYCLE = """\
define void @diffeenzyme_py_ruled.f.reverse(ptr %p) {
  call void @helper(ptr %p)
  ret void
}

define void @helper(ptr %p) {
  call void @diffeenzyme_py_ruled.f.reverse(ptr %p)
  ret void
}
"""


def test_rules_that_lead_to_themselves_are_refused() -> None:
    with pytest.raises(DerivativeError, match="needs its own derivative"):
        made(CheckEndlessRules(), CYCLE)
    made(CheckEndlessRules(), CYCLE.replace("f.reverse", "f_silent.reverse"))
    handed = CYCLE.replace(
        "call void @diffeenzyme_py_ruled.f.reverse(ptr %p)",
        "store ptr @diffeenzyme_py_ruled.f.reverse, ptr %p",
    )
    made(CheckEndlessRules(), handed)


TWICE = """\
declare void @__enzyme_autodiff(...)

define void @entry(ptr %p) {
  call void (...) @__enzyme_autodiff(ptr @k0.outer, ptr %p)
  ret void
}

define internal void @k0.outer(ptr %p) {
  call void (...) @__enzyme_autodiff(ptr @k1.product, ptr %p)
  ret void
}

define internal void @k1.product(ptr %p) {
  call void @k1.product(ptr %p)
  ret void
}
"""


def test_recursion_under_reverse_over_reverse_is_refused() -> None:
    with pytest.raises(DerivativeError, match="`product`, which calls itself"):
        made(CheckRecursiveCalls(), TWICE)
    made(
        CheckRecursiveCalls(),
        TWICE.replace("call void @k1.product(ptr %p)", "store ptr null, ptr %p"),
    )
    made(
        CheckRecursiveCalls(), TWICE.replace("@__enzyme_autodiff(ptr @k1", "@k1.product(ptr %p) ;")
    )
