"""Code in texts for people: what kind of line it is, which type it has, what it names."""

from __future__ import annotations

import pytest

from enzyme_py.llvm.reading.printed import printed, without_debug_information

LINES = [
    ("ptr %arg.h.2", "", "ptr", ["%arg.h.2"]),
    ("double 1.0", "", "double", []),
    ("{ ptr, i64 } %pair", "", "{ ptr, i64 }", ["%pair"]),
    ("  %v = load double, ptr %p, align 8, !dbg !3", "load", "double", ["%v", "%p"]),
    ('%p = phi ptr [ %a, %one ], [ %"b\'", %two ]', "phi", "ptr", ["%p", "%a", "%one", "%two"]),
    ("%c = fcmp olt double %x, %y", "fcmp", "i1", ["%c", "%x", "%y"]),
    ("store double %x, ptr %p", "store", "void", ["%x", "%p"]),
    ("%r = tail call double @f(ptr nonnull @g) #5", "call", "double", ["%r", "@f", "@g"]),
    ("%odd = unheard of ptr %x", "unheard", "", ["%odd", "%x"]),
    ("", "", "", []),
]


@pytest.mark.parametrize(("text", "opcode", "type_", "names"), LINES)
def test_a_line_is_read(text: str, opcode: str, type_: str, names: list[str]) -> None:
    code = printed(text)
    assert (code.opcode, code.type) == (opcode, type_)
    assert [name for name in code.names if '"' not in name] == names
    assert code.addresses == []


def test_quoted_names_and_strings() -> None:
    assert printed('ptr "kind"="@x" %"a\'b"').names == ['%"a\'b"']


def test_addresses() -> None:
    variable = "@g = linkonce global ptr inttoptr (i64 139965820675792 to ptr)"
    assert printed(variable).addresses == [139965820675792]
    assert printed("%r = call i32 inttoptr (i64 -5 to ptr)(double %x)").addresses == [-5]


def test_lines_without_debug_information() -> None:
    text = "define @f() {\n    #dbg_value(x)\n  ret void, !dbg !1\n}\n!1 = !{}\nno code"
    assert without_debug_information(text) == [
        "define @f() {",
        "  ret void, !dbg !1",
        "}",
        "no code",
    ]
