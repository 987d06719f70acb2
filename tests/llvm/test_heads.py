"""Heads of functions, and a whole module: attributes, parameters, names, order."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Builder, Module
from tests.llvm.corpus import verified


@pytest.mark.parametrize(
    "words",
    ["", " unnamed_addr", " local_unnamed_addr", " addrspace(0)", " unnamed_addr addrspace(0) #0"],
)
def test_an_attribute_stands_behind_what_says_how_the_address_counts(words: str) -> None:
    """LLVM parses no attribute in front of `unnamed_addr`: every ruled kernel with a helper was refused."""
    module = Module(
        f"define internal void @f(){words} {{\n  ret void\n}}\n\nattributes #0 = {{ nounwind }}\n"
    )
    module.function("f").add_attribute("alwaysinline")
    assert module.function("f").has_attribute("alwaysinline")
    verified(module)
    module.function("f").remove_attribute("alwaysinline")
    assert not module.function("f").has_attribute("alwaysinline")
    verified(module)


def test_callees_are_told_from_other_names() -> None:
    code = Module(
        'define void @f() {\n  %x = call i32 (ptr, ...) @g(ptr @a, ptr @"b c")\n'
        '  tail call void @"b c"(ptr @a)\n  call void asm "@d(", ""()\n  store ptr @e, ptr @a\n  ret void\n}\n'
    )
    (f,) = code.functions
    assert f.callees() == {"g", "b c"}
    assert not f.is_read
    assert {call.callee for call in f.calls} == {"g", "b c", ""}


def test_parameters_are_others() -> None:
    code = Module(
        "define internal double @f({ ptr, double } %s, i64 %n) {\n"
        "  %x = extractvalue { ptr, double } %s, 1\n  ret double %x\n}\n"
    )
    function = code.function("f")
    old = function.arguments[0]
    pointer, number, _ = function.set_arguments([("ptr", "p"), ("double", "n"), function["n"]])  # type: ignore[list-item]
    at = Builder.at_start(function.entry)
    half = at.parse("%h = insertvalue { ptr, double } poison, ptr %p, 0")
    whole = at.parse(f"%s = insertvalue {{ ptr, double }} {half.ref}, double {number.ref}, 1")
    old.replace_all_uses_with(whole)
    text = verified(code)
    assert "@f(ptr %p, double %n.1, i64 %n) {" in text
    assert "extractvalue { ptr, double } %s, 1" in text
    assert pointer.name == "p"


def test_what_is_attached_goes_without_reading() -> None:
    text = (
        "define i64 @f(ptr %p) {\n  %x = load i64, ptr %p, align 8, !invariant.group !0, !noundef !0\n"
        "  ret i64 %x\n}\n\n!0 = !{}\n"
    )
    code = Module(text)
    code.function("f").drop_metadata("invariant.group")
    assert not code.function("f").is_read
    assert str(code) == text.replace(", !invariant.group !0", "")
    code.function("f").drop_metadata("none")
    _ = code.function("f").blocks
    code.function("f").drop_metadata("noundef")
    assert "%x = load i64, ptr %p, align 8\n" in verified(code)


def test_many_names_in_one_go() -> None:
    text = (
        '@"a b" = internal constant [4 x i8] c"@f()"\n@t = global [1 x ptr] [ptr @f]\n\n'
        'define void @f() {\n  call void @g(ptr @"a b")\n  ret void\n}\n\n'
        "define void @g(ptr %p) {\n  call void @f()\n  ret void\n}\n"
    )
    for is_read in (False, True):
        code = Module(text)
        f, g = code.function("f"), code.function("g")
        if is_read:
            _ = f.blocks, g.blocks
        code.rename_all({f: "g", g: "f", code.get("a b"): "c"})  # type: ignore[dict-item]
        made = verified(code)
        assert 'c"@f()"' in made
        assert "[ptr @g]" in made
        assert "define void @g() {\n  call void @f(ptr @c)" in made
        assert "define void @f(ptr %p) {\n  call void @g()" in made
        assert code.function("g") is f


def test_functions_move_and_tell_their_names() -> None:
    code = Module(
        "declare void @h()\n\ndefine void @f() {\n  call void @g()\n  ret void\n}\n\n"
        "define void @g() {\n  ret void\n}\n"
    )
    f, g = code.functions
    code.move_before(g, f)
    assert code.functions == [g, f]
    assert f.global_names() == {"g"}
    assert f.mentions("call void @g(")
    assert not f.is_read
    f.calls[0].set_callee(code.function("h"))
    assert f.global_names() == {"h"}
    assert f.callees() == {"h"}
    assert not f.mentions("@g(")
    code.function("h").declare_as('declare void @"h"() nounwind')
    assert "declare void @h() nounwind\n" in verified(code)


def test_parameters_are_others_before_anybody_reads_the_body() -> None:
    code = Module("define double @f(double %x) {\n  ret double %x\n}\n")
    function = code.function("f")
    old = function.arguments[0]
    (new,) = function.set_arguments([("double", "y")])
    old.replace_all_uses_with(new)
    assert "@f(double %y) {\n  ret double %y\n" in verified(code)


def test_an_attribute_of_a_function_stands_behind_the_words_on_its_address() -> None:
    code = Module(
        "define internal void @f() local_unnamed_addr #0 {\n  ret void\n}\n\nattributes #0 = { nounwind }\n"
    )
    code.function("f").add_attribute("alwaysinline")
    assert "@f() local_unnamed_addr alwaysinline #0 {" in str(code)
    verified(code)
