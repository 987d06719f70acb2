"""Edits of whole modules: functions that nobody has read are changed as text, others by their instructions."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import GlobalVariable, Module
from tests.llvm.corpus import verified

TOLD = """\
@place = global i64 0, align 8, !dbg !1

declare !dbg !4 void @told(ptr)

define double @f(double %x, ptr %p) #0 !dbg !5 {
    #dbg_value(double %x, !6, !DIExpression(), !7)
  call void @hint.of.floats(ptr %p), !dbg !7
  tail call void @hint.of.floats(ptr %p) #1
  %y = fmul double %x, %x, !fpmath !8, !dbg !7
    #dbg_value(double %y, !6, !DIExpression(), !7)
  %kept = call i32 @hint.with.result(ptr %p), !dbg !7
  call void @told(ptr %p), !dbg !7
  br label %done, !dbg !7

done:                                             ; preds = %0
  ret double %y, !dbg !7
}

declare void @hint.of.floats(ptr)

declare i32 @hint.with.result(ptr)

attributes #0 = { noinline }
attributes #1 = { nounwind }

!llvm.dbg.cu = !{!9}
!llvm.module.flags = !{!10}

!0 = distinct !DIGlobalVariable(name: "place", scope: !9, file: !2, type: !3)
!1 = !DIGlobalVariableExpression(var: !0, expr: !DIExpression())
!2 = !DIFile(filename: "f.c", directory: "/tmp")
!3 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!4 = !DISubprogram(name: "told", scope: !2, file: !2, type: !11, spFlags: 0)
!5 = distinct !DISubprogram(name: "f", scope: !2, file: !2, type: !11, spFlags: DISPFlagDefinition, unit: !9)
!6 = !DILocalVariable(name: "x", scope: !5, file: !2, type: !3)
!7 = !DILocation(line: 1, scope: !5)
!8 = !{float 2.5}
!9 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)
!10 = !{i32 2, !"Debug Info Version", i32 3}
!11 = !DISubroutineType(types: !12)
!12 = !{null}
"""


@pytest.mark.parametrize("is_read", [False, True])
def test_debug_information_goes(is_read: bool) -> None:
    code = Module(TOLD)
    function = code.function("f")
    if is_read:
        assert function.blocks
    code.drop_debug_information()
    assert function.is_read is is_read
    text = verified(code)
    assert "dbg" not in text
    assert "!fpmath" in text
    assert code.named.keys() == {"llvm.module.flags"}
    assert not function.shape  # what was found out about edges, stays


@pytest.mark.parametrize("is_read", [False, True])
def test_calls_go_by_how_a_name_begins(is_read: bool) -> None:
    code = Module(TOLD)
    function = code.function("f")
    if is_read:
        assert function.blocks
    function.drop_calls("hint.")
    assert function.is_read is is_read
    verified(code)
    assert [one.callee for one in function.calls] == ["hint.with.result", "told"]


@pytest.mark.parametrize("is_read", [False, True])
def test_marked_calls_are_redirected(is_read: bool) -> None:
    text = (
        "define i64 @f(ptr %p) {\n"
        "  %a = call i64 @old(ptr %p), !mark !0\n"
        "  %b = call i64 %p(), !mark !0\n"
        '  %"call i64 @old(c" = call i64 @"old"(ptr @old) #0, !other !1, !mark !1, !far !0\n'
        "  %d = call i64 @old(ptr %p)\n"
        "  %e = add i64 %a, %d, !mark !1\n"
        "  ret i64 %e\n}\ndeclare i64 @old(ptr)\ndeclare i64 @new(ptr)\n"
        "attributes #0 = { nounwind }\n!0 = !{i32 0}\n!1 = !{i32 1}\n"
    )
    code = Module(text)
    function = code.function("f")
    if is_read:
        assert function.blocks
    asked = []

    def target(name: str, node: str):
        asked.append((name, node))
        return code.function("new") if node == "!1" else None

    function.redirect_calls("mark", target)
    assert asked == [("old", "!0"), ("old", "!1")]
    assert function.is_read is is_read
    verified(code)
    calls = function.calls
    assert [one.callee for one in calls] == ["old", "", "new", "old"]
    assert calls[2].metadata == {"other": "!1", "far": "!0"}
    assert calls[2].arguments[0] is code.function("old")
    assert calls[0].metadata == {"mark": "!0"}


def test_a_declaration_is_defined_without_reading_its_callers() -> None:
    code = Module(
        "declare noundef double @g(double) #0\n\n"
        "define double @f(double %x) {\n  %y = call double @g(double %x)\n  ret double %y\n}\n\n"
        "attributes #0 = { nounwind }\n"
    )
    called, caller = code.function("g"), code.function("f")
    called.define_as('define internal double @"g"(double %a) { ret double %a }\n')
    assert not called.is_declaration
    assert not caller.is_read
    verified(code)
    assert called.linkage == "internal"
    assert called.attributes == []
    assert called.entry.terminator.operands == (called["a"],)
    assert caller.calls[0].target is called


def test_text_that_is_added_defines_what_was_declared() -> None:
    code = Module(
        "declare void @g()\n\ndeclare void @other()\n\n"
        "define void @f() {\n  call void @g()\n  ret void\n}\n"
    )
    known = code.function("g")
    added = code.add_text("define internal void @g() {\n  ret void\n}\ndeclare void @other()\n")
    assert added == [known]
    assert not code.function("f").is_read
    assert [one.name for one in code.functions] == ["f", "g"]
    verified(code)


def test_a_variable_is_defined_otherwise() -> None:
    code = Module('@"a b" = private constant [2 x i8] c"xy"\n@other = global ptr @"a b"\n')
    one = code.get("a b")
    assert isinstance(one, GlobalVariable)
    one.define_as('@"a b" = private constant [3 x i8] c"xyz"')
    assert (one.value_type, one.initializer) == ("[3 x i8]", 'c"xyz"')
    verified(code)


def test_a_group_without_attributes_can_be_read() -> None:
    code = Module(TOLD)
    code.groups["#0"].set_attributes([])
    verified(code)
    assert not code.function("f").has_attribute("noinline")


def test_lines_beside_everything_else_go() -> None:
    code = Module('; a\nsource_filename = "x.c"\ntarget triple = "x"\n\n@g = global i64 0\n')
    code.drop_lines("source_filename = ", "target triple = ")
    assert str(code) == "; a\n\n@g = global i64 0\n"
