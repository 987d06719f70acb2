"""Every edit, checked by LLVM itself, which reads and verifies what is printed."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import (
    Argument,
    Block,
    Builder,
    Call,
    Constant,
    Invoke,
    LLVMSyntaxError,
    Load,
    Module,
    Phi,
    Store,
    Switch,
    clone_blocks,
    clone_function,
    constant,
)  # fmt: skip
from tests.llvm.corpus import FILES, verified

SUM = """\
declare double @weighed(double, ptr nocapture)

; Function Attrs: nounwind
define double @sum(ptr noalias %x, i64 %n, i1 %c) #0 !dbg !4 {
entry:
  %slot = alloca double, align 8
  br i1 %c, label %loop, label %done

loop:                                             ; preds = %loop, %entry
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.000000e+00, %entry ], [ %more, %loop ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8, !tbaa !5
    #dbg_value(double %v, !8, !DIExpression(), !7)
  %w = call double @weighed(double %v, ptr nonnull %slot) #1, !dbg !7
  %more = fadd fast double %s, %w
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %done

done:                                             ; preds = %loop, %entry
  %r = phi double [ 1.000000e+00, %entry ], [ %more, %loop ]
  ret double %r
}

define i32 @chosen(i32 %0) {
  switch i32 %0, label %5 [
    i32 1, label %2
    i32 2, label %2
    i32 3, label %3
  ]

2:                                                ; preds = %1, %1
  br label %5

3:                                                ; preds = %1
  %4 = mul i32 %0, %0
  br label %5

5:                                                ; preds = %3, %2, %1
  %6 = phi i32 [ 0, %1 ], [ 1, %2 ], [ %4, %3 ]
  ret i32 %6
}

attributes #0 = { nounwind "frame-pointer"="none" memory(argmem: readwrite) }
attributes #1 = { nofree willreturn }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "sum", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !{!6, !6, i64 0}
!6 = !{!"double", !9, i64 0}
!7 = !DILocation(line: 2, scope: !4)
!8 = !DILocalVariable(name: "v", scope: !4, file: !1, type: !10)
!9 = !{!"root"}
!10 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
"""


@pytest.fixture
def module():
    return Module(SUM)


@pytest.fixture
def function(module):
    return module.function("sum")


def test_the_code_itself_is_good(module):
    assert verified(module) == SUM


# -- what can be asked -------------------------------------------------------------------------------


def test_parts(module, function):
    assert [block.name for block in function.blocks] == ["entry", "loop", "done"]
    assert [(one.type, one.name, one.attributes) for one in function.arguments] == [
        ("ptr", "x", ["noalias"]), ("i64", "n", []), ("i1", "c", []),
    ]  # fmt: skip
    assert function.return_type == "double"
    assert function.metadata == {"dbg": "!4"}
    assert function.has_attribute("nounwind")
    assert function.attribute("memory") == "memory(argmem: readwrite)"
    assert function["loop"].predecessors == [function.entry, function["loop"]]
    assert function["loop"].successors == [function["loop"], function["done"]]
    load = function["v"]
    assert isinstance(load, Load)
    assert (load.pointer, load.alignment, load.metadata) == (function["p"], 8, {"tbaa": "!5"})
    element = function["p"]
    assert element.flags == ["inbounds"]
    assert element.source_type == "double"
    assert element.indices == (function["i"],)
    assert function["more"].flags == ["fast"]
    assert function["next"].operands[1] == constant("i64", 1)
    assert function["again"].predicate == "slt"
    assert function["slot"].allocated_type == "double"
    call = function["w"]
    assert isinstance(call, Call)
    assert (call.callee, call.arguments) == ("weighed", (function["v"], function["slot"]))
    assert call.argument_attributes(1) == ["nonnull"]
    assert call.argument_has(1, "nocapture")
    assert not call.argument_has(0, "nonnull")
    assert call.has_attribute("nofree")
    assert call.location == "!7"
    assert module.metadata["!7"].fields == {"line": "2", "scope": "!4"}
    assert module.metadata["!5"].operands == ["!6", "!6", "i64 0"]


def test_uses(module, function):
    assert [use.user.ref for use in function["v"].uses] == ["%w"]
    assert [use.slot for use in function["v"].uses] == [1]
    assert function["more"].users == [function["s"], function["r"]]
    assert module.function("weighed").users == [function["w"]]
    assert {user.opcode for user in function["loop"].users} == {"br", "phi"}
    assert not function["r"].is_used or function["r"].users == [function["done"].terminator]


def test_names_are_found_whatever_was_read_before(function):
    assert len(function.arguments) == 3
    assert function["v"].opcode == "load"
    with pytest.raises(KeyError):
        _ = function["nobody"]


def test_invokes_know_their_blocks():
    module = Module((FILES[0].parent / "throws.cpp.O0.ll").read_text())
    found = [one for f in module.functions for one in f.calls if isinstance(one, Invoke)]
    assert found
    for one in found:
        assert one.successors == [one.normal, one.unwind]
        assert one.unwind.instructions[0].opcode == "landingpad"
    first = found[0]
    way = first.block.split_edge(first.normal, "returned")
    assert first.normal is way
    verified(module)


def test_a_location_is_handed_on(module, function):
    builder = Builder(function["w"], keeps_location=True)
    builder.add(function["i"], 1, "moved")
    assert "%moved = add i64 %i, 1, !dbg !7\n" in verified(module)


# -- values --------------------------------------------------------------------------------------------


def test_insert_before_and_behind(module, function):
    builder = Builder(function["w"])
    twice = builder.arithmetic("fmul", function["v"], constant("double", "2.000000e+00"), "twice")
    function["w"].set_operand(1, twice)
    Builder.after(function["i"]).add(function["i"], 1, "i")
    text = verified(module)
    assert "  %twice = fmul double %v, 2.000000e+00\n    #dbg_value(double %v, " in text
    assert "  %w = call double @weighed(double %twice," in text
    assert "  %i.1 = add i64 %i, 1\n  %p = " in text


def test_replace_all_uses_also_tells_the_debugger(module, function):
    new = Builder.after(function["v"]).fneg(function["v"], "minus")
    function["v"].replace_all_uses_with(new)
    new.set_operand(0, function["v"])
    assert "#dbg_value(double %minus, " in verified(module)


def test_erase(module, function):
    function["w"].replace_all_uses_with(function["v"])
    function["w"].erase()
    assert "call double" not in verified(module)
    function["v"].replace_with(constant("double", "3.000000e+00"))
    text = verified(module)
    assert "#dbg_value" not in text or "#dbg_value(double 3.000000e+00" in text
    with pytest.raises(AssertionError, match="still used"):
        function["i"].erase()


def test_move(module, function):
    loop = function["loop"]
    element = function["p"]
    function["next"].move_before(element)
    assert loop.instructions.index(function["next"]) == 2
    function["next"].move_after(function["more"])
    assert function["next"].previous is function["more"]
    assert function["more"].comes_before(function["next"])
    verified(module)


def test_rename(module, function):
    function["i"].rename("counter")
    function["loop"].rename("the loop")
    function["x"].rename("r")
    text = verified(module)
    assert '%counter = phi i64 [ 0, %entry ], [ %next, %"the loop" ]' in text
    assert '"the loop":' in text
    assert "(ptr noalias %r.1, " in text


def test_flags_metadata_alignment(module, function):
    function["more"].set_flags(["reassoc", "contract"])
    function["v"].set_metadata("nontemporal", module.add_node("!{i32 1}"))
    function["v"].set_alignment(4)
    function["v"].remove_metadata("tbaa")
    function["p"].set_source_type("float")
    function["again"].set_predicate("ult")
    text = verified(module)
    assert "fadd reassoc contract double %s, %w\n" in text
    assert "  %v = load double, ptr %p, align 4, !nontemporal !11\n" in text
    assert "getelementptr inbounds float, ptr %x" in text
    assert "icmp ult i64" in text
    assert text.endswith("!11 = !{i32 1}\n")


# -- calls -----------------------------------------------------------------------------------------------


def test_attributes_of_calls(module, function):
    call = function["w"]
    call.add_attribute('"mine"="yes"')
    call.remove_attribute("nofree")
    call.add_argument_attribute(0, "noundef")
    call.remove_argument_attribute(1, "nonnull")
    call.set_tail("tail")
    call.set_flags(["nnan"])
    text = verified(module)
    line = (
        '%w = tail call nnan double @weighed(double noundef %v, ptr %slot) #2 "mine"="yes", !dbg !7'
    )
    assert line in text
    assert "attributes #2 = { willreturn }" in text


def test_other_arguments_and_callee(module, function):
    other = module.declare("other", "double", ["double"], ["nounwind"])
    assert module.declare("other", "double", ["double"]) is other
    call = function["w"]
    call.set_callee(other)
    call.set_arguments([function["v"]], [["noundef"]])
    assert "call double @other(double noundef %v) #1, !dbg !7" in verified(module)
    call.set_arguments([])
    assert "call double @other() #1, !dbg !7" in str(module)
    assert module.function("weighed").users == []


def test_attributes_of_functions_and_parameters(module, function):
    function.add_attribute("noinline")
    function.remove_attribute("memory")
    function.arguments[0].add_attribute("readonly")
    function.arguments[0].remove_attribute("noalias")
    function.set_linkage("internal")
    text = verified(module)
    assert (
        "define internal double @sum(ptr readonly %x, i64 %n, i1 %c) noinline #2 !dbg !4 {" in text
    )
    assert 'attributes #2 = { nounwind "frame-pointer"="none" }' in text
    assert "attributes #0 = {" in text


# -- blocks and edges ------------------------------------------------------------------------------------


def test_split_block(module, function):
    behind = function["loop"].split(function["w"], "behind")
    assert function["loop"].successors == [behind]
    assert function["i"].incoming[1][1] is behind
    assert "behind:                                           ; preds = %loop" in verified(module)


def test_split_edge(module, function):
    way = function["entry"].split_edge(function["done"])
    Builder(way.terminator).call(module.declare("told", "void"), [])
    assert "%r = phi double [ %more, %loop ], [ 1.000000e+00, %entry.done ]" in verified(module)


def test_split_one_of_two_edges():
    module = Module(SUM)
    function = module.function("chosen")
    switch = function.entry.terminator
    assert isinstance(switch, Switch)
    two = switch.cases[0][1]
    way = function.entry.split_edge(two, "once", count=1)
    assert switch.cases[0][1] is way
    assert switch.cases[1][1] is two
    verified(module)


def test_retarget_and_erase_block(module, function):
    entry, loop, done = function.blocks
    entry.retarget(loop, done)
    entry.terminator.erase()
    Builder.at_end(entry).branch(done)
    function["r"].replace_all_uses_with(constant("double", "0.000000e+00"))
    function["r"].erase()
    for phi in loop.phis:
        assert len(phi.incoming) == 1
    loop.terminator.erase()
    Builder.at_end(loop).unreachable()
    loop.erase()
    text = verified(module)
    assert "loop" not in text.partition("define i32")[0]


def test_phis(module, function):
    phi = function["r"]
    assert isinstance(phi, Phi)
    entry, loop, _ = function.blocks
    assert phi.value_from(entry) == constant("double", "1.000000e+00")
    phi.set_value_from(entry, constant("double", "2.000000e+00"))
    assert "[ 2.000000e+00, %entry ]" in verified(module)
    phi.remove_incoming(entry)
    phi.add_incoming(constant("double", "0x7FF8000000000000"), entry)
    assert "%r = phi double [ %more, %loop ], [ 0x7FF8000000000000, %entry ]" in verified(module)
    phi.remove_incoming(entry)
    phi.remove_incoming(loop)
    assert phi.incoming == []


def test_switch():
    module = Module(SUM)
    function = module.function("chosen")
    switch = function.entry.terminator
    zero = constant("i32", 0)
    assert [(case.integer, block.name) for case, block in switch.cases] == [
        (1, "2"),
        (2, "2"),
        (3, "3"),
    ]
    switch.set_cases([*switch.cases[:2], *switch.cases[2:], (zero, function.block("3"))])
    assert "    i32 0, label %3\n  ]\n" in verified(module)


def test_a_new_function_from_nothing():
    module = Module("")
    function = module.add_function("@f", "define double @f(ptr %p, i64 %n, double %x) {\n}\n")
    one, two, three, four = (function.add_block(name) for name in ("one", "two", "three", "four"))
    at = Builder.at_end(one)
    slot = at.alloca("double", "slot", align=8)
    at.store(function["x"], slot, align=8)
    known = at.load("double", slot, "known", align=8)
    narrow = at.cast("trunc", function["n"], "i32", "narrow")
    is_less = at.compare("olt", known, function["x"])
    picked = at.select(is_less, known, function["x"], "picked")
    at.switch(narrow, four, [(0, two), (-1, three)])
    at = Builder.at_end(two)
    element = at.gep(
        "{ i32, [4 x double] }",
        function["p"],
        [1, constant("i32", 1), function["n"]],
        flags="inbounds",
    )
    at.call(module.declare("printf", "i32", ["ptr", "..."]), [element, picked])
    at.branch_if(is_less, three, four)
    at = Builder.at_end(three)
    at.parse("%a = atomicrmw fadd ptr %p, double %picked seq_cst, align 8")
    at.branch(four)
    at = Builder.at_end(four)
    total = at.phi("double", [(known, one), (picked, two), (function["a"], three)], "total")
    least = at.sub(at.mul(function["n"], 3), 1)
    at.call(constant("ptr", "null"), [least], type_="void")
    at.ret(total)
    text = verified(module)
    assert (
        "  switch i32 %narrow, label %four [\n    i32 0, label %two\n    i32 -1, label %three\n  ]\n"
        in text
    )
    assert "call i32 (ptr, ...) @printf(ptr %p.1, double %picked)" in text
    assert "getelementptr inbounds { i32, [4 x double] }, ptr %p, i64 1, i32 1, i64 %n" in text
    assert "%total = phi double [ %known, %one ], [ %picked, %two ], [ %a, %three ]" in text


# -- numbers -----------------------------------------------------------------------------------------------


def test_numbered_values_stay_in_order():
    module = Module(SUM)
    function = module.function("chosen")
    product = function["4"]
    Builder(product).add(function.arguments[0], 5, "sum")
    product.move_before(function.entry.terminator)
    text = verified(module)
    assert "  %4 = mul i32 %0, %0\n  switch" in text or "%v4 = mul" in text
    product.replace_with(function["sum"])
    verified(module)


def test_erased_number_leaves_a_gap():
    module = Module(SUM)
    function = module.function("chosen")
    function["4"].replace_with(function.arguments[0])
    text = verified(module)
    assert "%6 = phi i32 [ 0, %1 ], [ 1, %2 ], [ %0, %3 ]" in text


def test_block_in_front_of_a_numbered_entry():
    module = Module(SUM)
    function = module.function("chosen")
    old = function.entry
    new = function.add_block("start", before=old)
    Builder.at_end(new).branch(old)
    assert (
        "start:\n  br label %1\n\n1:                                                ; preds = %start\n"
        in verified(module)
    )


# -- copies ------------------------------------------------------------------------------------------------


def test_clone_blocks(module, function):
    entry, loop, done = function.blocks
    known = clone_blocks([loop], "again")
    copy = known[loop]
    assert isinstance(copy, Block)
    way = Builder.at_start(done).parse("%never = icmp eq i64 %n, -1")
    assert way.type == "i1"
    entry.terminator.replace_successor(done, copy, 1)
    for phi in done.phis:
        phi.remove_incoming(entry)
    text = verified(module)
    assert "%i.again = phi i64 [ 0, %entry ], [ %next.again, %loop.again ]" in text
    assert "%r = phi double [ %more, %loop ], [ %more.again, %loop.again ]" in text


def test_clone_function(module, function):
    copy = clone_function(function, "sum.copy")
    assert copy.name == "sum.copy"
    copy["more"].set_flags([])
    text = verified(module)
    assert "fadd double %s, %w" in text
    assert "fadd fast double %s, %w" in text
    assert text.count("!dbg !4") == 1


# -- modules -----------------------------------------------------------------------------------------------


def test_declare_variable_node_group(module):
    module.declare("one", "i64", ["ptr noundef", "..."], ["nounwind"])
    variable = module.add_variable("table", "internal global [2 x i64] [i64 1, i64 2], align 8")
    assert (variable.kind, variable.value_type) == ("global", "[2 x i64]")
    assert variable.initializer == "[i64 1, i64 2]"
    variable.set_initializer("zeroinitializer")
    variable.set_words([])
    assert module.node("!{!6, !6, i64 0}") is module.metadata["!5"]
    assert module.node("distinct !{}").ref == "!11"
    assert module.group(["nofree", "willreturn"]) == "#1"
    module.groups["#1"].set_attributes(["nofree"])
    module.named["llvm.module.flags"].set_operands(
        ["!2", str(module.add_node('!{i32 1, !"x", i32 1}'))]
    )
    text = verified(module)
    assert "declare i64 @one(ptr noundef, ...) nounwind\n" in text
    assert "@table = global [2 x i64] zeroinitializer, align 8\n" in text


def test_rename_global(module, function):
    module.rename(module.function("weighed"), "heavy one")
    text = verified(module)
    assert "@weighed" not in text
    assert 'call double @"heavy one"(double %v' in text


def test_a_name_may_be_written_with_quotes_and_without():
    text = 'declare void @"a.b"()\ndefine void @f() {\n  call void @a.b()\n  call void @"nobody"()\n  call void @nobody()\n  ret void\n}\n'
    module = Module(text)
    callee = module.function("a.b")
    assert callee.is_used
    assert len(callee.users) == 1
    first, second = module.function("f").calls[1:]
    assert first.target is second.target
    module.rename(callee, "c")
    nobody = module.declare("nobody", "void")
    assert nobody.users == [first, second]
    assert verified(module).count("@c()") == 2


def test_remove_declaration_and_function(module):
    chosen = module.function("chosen")
    assert not chosen.is_used
    chosen.erase()
    module.function("sum").erase()
    assert not module.function("weighed").is_used
    module.function("weighed").erase()
    text = verified(module)
    assert "@" not in text
    assert "; Function Attrs" not in text


def test_add_text(module, function):
    added = module.add_text(
        "define double @weighed(double %v, ptr %p) {\n  ret double %v\n}\ndeclare double @sum(ptr)\n"
    )
    assert [one.name for one in added] == ["weighed"]
    assert function["w"].target is added[0]
    assert verified(module).count("@weighed(") == 2


def test_what_is_added_keeps_its_order_and_its_lines():
    for end in ("\n", ""):
        module = Module(f"declare ptr @f(ptr){end}")
        module.declare("g", "void")
        names = "bacd"
        module.add_text(
            "".join(f"@{one} = global ptr @f\ndeclare void @{one}2()\n" for one in names)
        )
        kept = [one.split()[0] for one in verified(module).splitlines() if one.startswith("@")]
        assert kept == ["@b", "@a", "@c", "@d"]
        assert [one.name for one in module.declarations][:2] == ["f", "g"]


def test_unknown_instructions_are_edited_too():
    text = 'define i32 @f(ptr %p, i32 %x) {\n  %a = newop ptr %p, i32 %x, [ "b"(i32 %x) ], !z !0\n  ret i32 %a\n}\n'
    module = Module(text)
    function = module.function("f")
    assert function["a"].operands == (function["p"], function["x"], function["x"])
    function["x"].replace_all_uses_with(Constant("i32", "7"))
    function["p"].rename("q")
    assert '  %a = newop ptr %q, i32 7, [ "b"(i32 7) ], !z !0\n' in str(module)


def test_text_that_is_no_instruction(function):
    builder = Builder(function["v"])
    for text in ("", "%x =", "%b = add i64 %nobody, 1"):
        with pytest.raises(LLVMSyntaxError):
            builder.parse(text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_everything_renamed_in_code_of_c(path):
    module = Module(path.read_text())
    if "callbr" in str(module):
        return  # names in assembly's labels are LLVM's own
    for function in module.functions:
        for value in (*function.arguments, *function.blocks[1:], *function.instructions):
            if value.ref and value.type != "void" and not isinstance(value, Store):
                function.rename(value, "any name" if isinstance(value, Argument) else "some")
    verified(module)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_everything_split_and_copied_in_code_of_c(path):
    module = Module(path.read_text())
    for function in module.functions:
        for block in list(function.blocks):
            block.split(block.instructions[-1] if len(block) < 4 else block.first)
        for block in list(function.blocks):
            if block.terminator.opcode in ("br", "switch"):
                for target in block.successors:
                    if target in block.successors:
                        block.split_edge(target, count=1)
        if "blockaddress" not in str(module):
            clone_function(function, "copied")
    verified(module)
