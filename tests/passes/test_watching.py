"""Watches: which operations have one, what they see, and the places that are told."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import pytest

from enzyme_py.llvm import Call, Constant, Module
from enzyme_py.passes.hunting.watching import SEEN, Site, watched, with_places
from tests.llvm.corpus import verified

CODE = """\
declare double @llvm.sqrt.f64(double)

define double @f(double %a, double %b, i1 %c) #0 {
entry:
  %quotient = fdiv double %a, %b
  %product = fmul double %quotient, 0.000000e+00
  %root = call double @llvm.sqrt.f64(double %product)
  %hidden = fdiv double %a, %b
  %chosen = select i1 %c, double %hidden, double %root
  %bad = select i1 %c, double 0x7FF8000000000000, double %b
  %plain = select i1 %c, double %a, double %b
  %count = fptosi double %a to i64
  store double %bad, ptr @kept, align 8
  store double %plain, ptr @kept, align 8
  %sum = fadd double %chosen, %root
  ret double %sum
}

@kept = global double 0.0
attributes #0 = { nounwind memory(argmem: read) }
"""


def watches(code: Module) -> list[tuple[str, ...]]:
    """Return what each watch is given, its number left out; constants as `-`."""
    found = []
    for one in code.function("f").instructions:
        if isinstance(one, Call) and one.callee == "enzyme_py_watch":
            given = one.arguments[1:]
            found.append(tuple("-" if isinstance(v, Constant) else v.name for v in given))
    return found


def test_operations_and_selects_that_hide_some_are_watched() -> None:
    llvm.parse_assembly(CODE).verify()
    code = Module(CODE)
    sites = watched(code)
    verified(code)
    names = ["fdiv", "fmul", "llvm.sqrt.f64", "fdiv", "select", "fadd"]
    assert [one.operation for one in sites] == names
    assert watches(code) == [
        ("quotient", "a", "b", "-", "-"),
        ("product", "quotient", "-", "-", "-"),
        ("root", "product", "-", "-", "-"),
        ("chosen", "a", "b", "root", "-"),
        ("bad", "b", "-", "-", "-"),
        ("sum", "chosen", "root", "-", "-"),
    ]
    assert not code.function("f").has_attribute("memory")
    assert code.function("f").has_attribute("nounwind")


@pytest.mark.parametrize(
    ("type_", "number"), [("double", ctypes.c_double), ("float", ctypes.c_float)]
)
def test_the_first_are_seen_in_order(type_: str, number: type[ctypes._SimpleCData[float]]) -> None:
    text = f"""\
define {type_} @f({type_} %a, {type_} %b) {{
  %again = fadd {type_} %a, 1.0
  %quotient = fdiv {type_} %again, %b
  %product = fmul {type_} %quotient, 0.0
  %sum = fadd {type_} %product, %a
  ret {type_} %sum
}}
"""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    code = Module(text)
    assert len(watched(code)) == 4
    parsed = llvm.parse_assembly(verified(code))
    machine = llvm.Target.from_default_triple().create_target_machine()
    with llvm.create_mcjit_compiler(parsed, machine) as engine:
        engine.finalize_object()
        f = ctypes.CFUNCTYPE(number, number, number)(engine.get_function_address("f"))
        table = ctypes.CFUNCTYPE(ctypes.c_void_p)(engine.get_function_address(SEEN))()
        seen = (ctypes.c_int64 * 8).from_address(table)
        f(3.0, 2.0)
        assert list(seen) == [0] * 8
        f(3.0, 0.0)  # an infinity by the quotient, a NaN by the product; the sum only has it
        assert list(seen) == [0, 0, 0, 1, 2, 0, 0, 0]
        f(float("nan"), 0.0)  # given, and made by nobody
        assert list(seen) == [0, 0, 0, 1, 2, 0, 0, 0]


PLACED = """\
define double @f(double %a) !dbg !4 {
entry:
  %early = fmul double %a, %a
  %root = fadd double %a, 1.0, !dbg !7
  %late = fmul double %early, %root
  br label %next

next:
  %last = fadd double %late, %root, !dbg !8
  %array = fadd double %last, 2.0, !dbg !11
  ret double %array
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "p", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "model.py", directory: "/elsewhere")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !5)
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !{null}
!6 = distinct !DISubprogram(name: "g", scope: !1, file: !1, line: 20, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 2, column: 1, scope: !4)
!8 = !DILocation(line: 21, column: 1, scope: !9, inlinedAt: !7)
!9 = distinct !DILexicalBlock(scope: !6, file: !1, line: 20)
!10 = distinct !DISubprogram(name: "__numba_array_expr_0", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 1, column: 1, scope: !10, inlinedAt: !7)
"""
FILE = "/elsewhere/model.py"


def test_places_nearest_first() -> None:
    llvm.parse_assembly(PLACED).verify()
    code = Module(PLACED)
    sites = watched(code)
    verified(code)
    here, inner = (FILE, 2), (FILE, 21)
    assert sites == (
        Site("fmul", (here, inner)),  # of what `a` is used for, then by way of `late`
        Site("fadd", (here, inner)),
        Site("fmul", (here, inner)),
        Site("fadd", (inner, here)),
        Site("fadd", (here, inner)),  # no line of what Numba made of an array expression
    )


def test_an_instruction_gets_the_next_place_of_its_block() -> None:
    code = Module(PLACED)
    with_places(code)
    verified(code)
    found = {one.name: one.location for one in code.function("f").instructions if one.has_result}
    assert found == {"early": "!7", "root": "!7", "late": None, "last": "!8", "array": "!11"}
