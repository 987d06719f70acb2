"""What is said of loads, stores and parameters."""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.types.flat_parameters import FlatParameters
from enzyme_py.passes.types.integers.fields import IntegerFields
from enzyme_py.passes.types.integers.loads import IntegerLoads
from enzyme_py.passes.types.typed_accesses import TypedAccesses
from tests.llvm.corpus import verified
from tests.passes.running import tag_of


def made(change: Pass, text: str) -> Module:
    """Return what a pass makes of a module; LLVM has verified it."""
    draft = Draft(Module(text))
    if change.applies(draft):
        change.run(draft)
    verified(draft.code)
    return draft.code


ACCESSES = """\
define void @f(ptr %p, ptr %q) {
  %d = load double, ptr %p, align 8
  %s = load float, ptr %q, align 4
  %i = load i64, ptr %p, align 8
  %v = load <2 x double>, ptr %p, align 16
  %t = load double, ptr %p, align 8, !tbaa !0
  store double %d, ptr %q, align 8
  store i64 %i, ptr %q, align 8
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"other", !2, i64 0}
!2 = !{!"root"}
"""


def test_accesses_of_floats_have_tags() -> None:
    code = made(TypedAccesses(), ACCESSES)
    assert [tag_of(code, name) for name in "dsivt"] == ["double", "float", "", "", "other"]
    stores = [one for one in code.function("f").instructions if one.opcode == "store"]
    assert [one.has_metadata("tbaa") for one in stores] == [True, False]
    assert str(made(TypedAccesses(), str(code))) == str(code)


def test_double_lies_below_float_below_long_below_whole() -> None:
    contents = [one.content for one in made(TypedAccesses(), ACCESSES).metadata.values()]
    assert contents[3:] == [
        '!{!"enzyme_py"}',
        '!{!"whole", !3, i64 0}',
        '!{!"long", !4, i64 0}',
        '!{!"float", !5, i64 0}',
        '!{!"double", !6, i64 0}',
        "!{!7, !7, i64 0}",
        "!{!6, !6, i64 0}",
    ]


COUNTS = """\
declare i64 @llvm.smax.i64(i64, i64)

define double @f(ptr %p, ptr %x) {
  %index = load i64, ptr %p, align 8
  %most = call i64 @llvm.smax.i64(i64 %index, i64 0)
  %at = getelementptr double, ptr %x, i64 %most
  %bits = load i64, ptr %at, align 8
  %double = bitcast i64 %bits to double
  %stored = load i64, ptr %p, align 8
  store i64 %stored, ptr %x, align 8
  %number = load i32, ptr %p, align 4
  %float = sitofp i32 %number to double
  %given = load i64, ptr %p, align 8
  %more = add i64 %given, 1
  call void @g(i64 %more)
  %sum = fadd double %double, %float
  ret double %sum
}

declare void @g(i64)
"""


def test_loads_that_only_count_have_tags() -> None:
    code = made(IntegerLoads(), COUNTS)
    found = {name: tag_of(code, name) for name in ("index", "bits", "stored", "number", "given")}
    assert found == {"index": "long", "bits": "", "stored": "", "number": "long", "given": ""}


def test_a_count_goes_around_a_loop() -> None:
    loop = """\
define void @f(ptr %p) {
entry:
  %first = load i64, ptr %p, align 8
  br label %loop

loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 9
  br i1 %more, label %loop, label %done

done:
  ret void
}
"""
    assert tag_of(made(IntegerLoads(), loop), "first") == "long"
    returned = loop.replace("void @f", "i64 @f").replace("ret void", "ret i64 %next")
    code = made(IntegerLoads(), returned)
    assert str(code) == returned


RECORD = """\
declare void @enzyme_py_hint.record.0Pointer.8Integer.16Float.double(ptr)

define i64 @f(ptr %r, ptr %other) {
  call void @enzyme_py_hint.record.0Pointer.8Integer.16Float.double(ptr %r)
  %p = getelementptr inbounds i8, ptr %r, i64 8
  %integer = load i64, ptr %p, align 8
  %q = getelementptr inbounds i8, ptr %r, i64 16
  %float = load i64, ptr %q, align 8
  %pointer = load i64, ptr %r, align 8
  %o = getelementptr inbounds i8, ptr %other, i64 8
  %unknown = load i64, ptr %o, align 8
  %s = add i64 %integer, %float
  ret i64 %s
}
"""


def test_integers_of_hinted_records_have_tags() -> None:
    code = made(IntegerFields(), RECORD)
    names = ("integer", "float", "pointer", "unknown")
    assert [tag_of(code, name) for name in names] == ["long", "", "", ""]
    first = RECORD.replace("record.0Pointer", "record.0Integer")
    assert tag_of(made(IntegerFields(), first), "pointer") == "long"
    plain = RECORD.replace("hint.record.", "other.record.")
    assert str(made(IntegerFields(), plain)) == plain


def test_fields_are_counted_from_where_their_list_begins() -> None:
    """LLVM writes `list + 32` in place of `(list + 24) + 8`."""
    text = RECORD.replace("ptr %r, i64 8", "ptr %list, i64 32").replace("ptr %r, i64 16", "ptr %list, i64 40")
    text = text.replace("ptr %r, ptr %other) {", "ptr %list, ptr %other) {\n  %r = getelementptr inbounds i8, ptr %list, i64 24")
    code = made(IntegerFields(), text)
    assert [tag_of(code, name) for name in ("integer", "float", "pointer", "unknown")] == ["long", "", "", ""]
    other = text.replace("ptr %list, i64 32", "ptr %list, i64 28")
    assert tag_of(made(IntegerFields(), other), "integer") == ""


TAPE = """\
define double @outside({ ptr, double } %s) {
  %r = call double @f(ptr null, { ptr, double } %s, i64 1)
  ret double %r
}

define internal double @f(ptr nocapture %p, { ptr, double } %tape, i64 %n) {
  %x = extractvalue { ptr, double } %tape, 1
  %r = call double @f(ptr nocapture %p, { ptr, double } %tape, i64 %n)
  %s = fadd double %x, %r
  ret double %s
}
"""


def test_structs_become_parameters() -> None:
    code = made(FlatParameters(), TAPE)
    function = code.function("f")
    assert [one.type for one in function.arguments] == ["ptr", "ptr", "double", "i64"]
    assert function.arguments[0].attributes == ["nocapture"]
    for call in (*function.calls, *code.function("outside").calls):
        assert [one.type for one in call.arguments] == ["ptr", "ptr", "double", "i64"]
    assert function.calls[0].argument_attributes(0) == ["nocapture"]
    # The struct is the one that was there: its second field is the third parameter.
    whole = function["x"].operands[0]  # type: ignore[attr-defined]
    assert whole.name == "tape"
    assert whole.operands[1] is function.arguments[2]
    assert [one.type for one in code.function("outside").arguments] == ["{ ptr, double }"]
    assert str(made(FlatParameters(), str(code))) == str(code)


def test_functions_whose_address_is_taken_are_left_alone() -> None:
    table = TAPE + "\n@table = global ptr @f\n"
    assert str(made(FlatParameters(), table)) == table
    handed = TAPE.replace("ret double %s", "store ptr @f, ptr %p\n  ret double %s")
    assert str(made(FlatParameters(), handed)) == handed
