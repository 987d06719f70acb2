"""What is read is printed as it was, byte for byte: untouched, looked into, and made anew from its parts."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme_py.inspect import ir
from enzyme_py.llvm import LLVMSyntaxError, Module, types
from enzyme_py.llvm.naming import unescaped
from enzyme_py.llvm.reading.constants import fixed_addresses
from tests.llvm.corpus import FILES, check_reading, in_known_form


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_code_of_c(path):
    check_reading(path.read_text())


def test_there_are_enough_files():
    assert len({path.name.split(".")[0] for path in FILES}) >= 12


def powers(x, n):
    v = x.copy()
    for _ in range(n):
        v = np.sin(v) * x
    t = v[v > 0.5]
    return np.sum(t * t)


@pytest.mark.parametrize("stage", ["assembled", "simplified", "differentiated", "optimised"])
def test_code_of_kernels(stage):
    check_reading(ir(powers, np.ones(3), 2, stage=stage))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "; only a comment",
        "define void @f() {\n  ret void\n}",
        "define void @f() {\n  ret void\n}\n",
        "define double @f(double %x) { ret double %x }\n",
        "define void @f() {\nentry:\n  br label %entry ; a comment\n}\ndeclare void @g(...)\n",
        'module asm "define void @f() {"\n@x = global i8 0\n',
    ],
)
def test_odd_texts(text):
    module = Module(text)
    for function in module.functions:
        assert function.blocks
    assert str(module) == text


RARE = """\
%z = fneg nnan fast double %x | double | %x
%z = atomicrmw volatile fadd ptr %p, double %x syncscope("agent") acq_rel, align 8 | double | %p %x
%z = atomicrmw usub_sat ptr %p, i64 5 seq_cst, align 8 | i64 | %p 5
%z = cmpxchg weak volatile ptr %p, i64 %i, i64 -1 acquire monotonic, align 8 | { i64, i1 } | %p %i -1
%z = extractvalue { i64, [2 x { ptr, double }] } zeroinitializer, 1, 0, 1 | double | zeroinitializer
%z = insertvalue { i64, double } { i64 1, double undef }, double %x, 1 | { i64, double } | { i64 1, double undef } %x
%z = extractelement <4 x double> splat (double 1.0), i64 %i | double | splat (double 1.0) %i
%z = insertelement <vscale x 4 x double> poison, double %x, i64 0 | <vscale x 4 x double> | poison %x 0
%z = shufflevector <2 x float> poison, <2 x float> poison, <8 x i32> <i32 0, i32 1, i32 0, i32 1, i32 0, i32 1, i32 0, i32 1> | <8 x float> | poison poison <i32 0, i32 1, i32 0, i32 1, i32 0, i32 1, i32 0, i32 1>
%z = freeze [2 x ptr] undef | [2 x ptr] | undef
%z = va_arg ptr %p, { i32, double } | { i32, double } | %p
%z = icmp samesign ult <4 x i32> zeroinitializer, splat (i32 4) | <4 x i1> | zeroinitializer splat (i32 4)
%z = fcmp reassoc nnan uno double %x, 0x7FF8000000000000 | i1 | %x 0x7FF8000000000000
%z = select nnan i1 %c, { i64, double } { i64 1, double 2.0 }, { i64, double } poison | { i64, double } | %c { i64 1, double 2.0 } poison
%z = getelementptr inbounds nuw i8, <4 x ptr> %v, <4 x i64> splat (i64 8) | <4 x ptr> | %v splat (i64 8)
%z = getelementptr i8, ptr getelementptr inbounds nuw (i8, ptr @g, i64 8), i64 %i | ptr | getelementptr inbounds nuw (i8, ptr @g, i64 8) %i
%z = load atomic volatile i64, ptr addrspace(1) %q syncscope("agent") acquire, align 8 | i64 | %q
%z = inttoptr i64 ptrtoint (ptr @g to i64) to ptr addrspace(3) | ptr addrspace(3) | ptrtoint (ptr @g to i64)
%z = zext nneg i32 7 to i64 | i64 | 7
%z = alloca [4 x i8], i64 %i, align 16, addrspace(5) | ptr addrspace(5) | %i
%z = tail call fast fastcc noundef nofpclass(nan inf) double @h(double nofpclass(nan) %x, ptr byval({ i64, [2 x i8] }) align 8 %p, metadata !5, metadata !"a, b") #5 [ "deopt"(i64 %i, ptr @g) ] | double | @h %x %p !5 !"a, b" %i @g
%z = call range(i64 0, 9) i64 (ptr, ...) @h(ptr noundef nonnull align 8 dereferenceable(16) captures(ret: address, provenance) %p, i64 noundef range(i64 -1, 5) 3) | i64 | @h %p 3
%z = call i64 asm sideeffect inteldialect "mov $0, %rax ; (", "=r,~{memory}"() | i64 | asm sideeffect inteldialect "mov $0, %rax ; (", "=r,~{memory}"
%z = call ptr inttoptr (i64 12345 to ptr)(ptr null, i1 true, double 0xFFF0000000000000) | ptr | inttoptr (i64 12345 to ptr) null true 0xFFF0000000000000
%z = phi { double, ptr } [ { double 0.0, ptr null }, %"a block" ], [ poison, %b ] | { double, ptr } | { double 0.0, ptr null } %"a block" poison %b
"""


@pytest.mark.parametrize("row", RARE.splitlines())
def test_rare_forms(row):
    line, type_, operands = row.split(" | ")
    module = Module(
        "@g = global i64 0\ndeclare void @h()\n"
        "define void @f(ptr %p, ptr addrspace(1) %q, i64 %i, double %x, i1 %c, <4 x ptr> %v) {\n"
        f'  {line}\n  br label %b\n\nb:\n  br label %"a block"\n\n"a block":\n  ret void\n}}\n'
    )
    function = module.function("f")
    one = function["z"]
    assert in_known_form(one)
    assert one.type == type_
    assert " ".join(operand.ref for operand in one.operands) == operands
    one._line = None
    assert one.line == f"  {line}"
    if "%i" in operands:
        function["i"].rename("new")
        assert one.line == f"  {line.replace('%i', '%new')}"


def test_names_stand_behind_attributes_with_signs() -> None:
    text = 'declare "enzyme_type"="{[-1]:Float@double}" double @f(double)\n'
    code = Module(text)
    assert code.function("f").return_type == "double"
    assert str(code) == text


@pytest.mark.parametrize("indentation", ["", " ", "    "])
def test_an_instruction_that_is_not_indented_as_llvm_does_is_refused(indentation: str) -> None:
    """It is no comment: what reads the function would not see it."""
    text = f"define void @f(ptr %p) {{\n{indentation}store double 1.0, ptr %p\n  ret void\n}}\n"
    with pytest.raises(LLVMSyntaxError, match=r"no line as LLVM prints it: *store double"):
        _ = Module(text).function("f").blocks


def test_addresses_in_constants_and_instructions() -> None:
    text = (
        "@g = global ptr inttoptr (i64 140243 to ptr)\n"
        "define ptr @f(i64 %n) {\n  %a = inttoptr i64 %n to ptr\n  %b = inttoptr i64 -7 to ptr\n"
        "  store ptr getelementptr (i8, ptr inttoptr (i64 8 to ptr), i64 9), ptr %a\n  ret ptr %b\n}\n"
    )
    assert list(fixed_addresses(text)) == [140243, -7, 8]


def test_strings_of_metadata() -> None:
    assert unescaped(r"a\\41 \22quoted\22 \C3\BC") == 'a\\41 "quoted" ü'


def test_who_uses_a_parameter_is_known_of_functions_that_nobody_has_read() -> None:
    text = "define i64 @f(i64 %n, i64 %m) {\n  %twice = add i64 %n, %n\n  ret i64 %twice\n}\n"
    n, m = Module(text).function("f").arguments
    assert [one.name for one in n.users] == ["twice"]
    n, m = Module(text).function("f").arguments
    assert n.is_used
    assert not m.is_used
    n, m = Module(text).function("f").arguments
    assert [use.slot for use in n.uses] == [0, 1]


def test_where_the_fields_of_records_lie() -> None:
    record = "{ double, { { ptr, i64, [2 x i64] }, i8 }, i64, [3 x { i8, i16 }], <{ i8, i32 }> }"
    places = {(0,): 0, (1, 0, 0): 8, (1, 0, 2, 1): 32, (1, 1): 40, (2,): 48, (3, 2, 1): 66, (4, 1): 69}
    assert {path: types.offset_of(record, path) for path in places} == places
    assert types.offset_of("{ double, %unknown, i64 }", (2,)) is None
