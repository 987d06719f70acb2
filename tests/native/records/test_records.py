"""Records of functions that call themselves: which are allocated as a call ends, and what is left as it was."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import pytest

from enzyme_py.llvm import Module
from enzyme_py.native.machine import initialise_llvm
from enzyme_py.native.rewrites.records import allocate_records_late

HEAD = """
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare void @free(ptr)
declare void @look(ptr)
declare void @raise() noreturn
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
# A walk through a full tree: at a leaf the number is kept, at a node the records of both halves.
WALK = """
define { ptr, i64 } @walk(i64 %n, i64 %x, ptr %other) {
entry:
  %record = call noalias ptr @malloc(i64 24)
  %is = icmp slt i64 %n, 1
  br i1 %is, label %leaf, label %node
leaf:
  %place = getelementptr inbounds i8, ptr %record, i64 16
  store i64 %x, ptr %place, align 8
  br label %end
node:
  %m = sub i64 %n, 1
  %y = mul i64 %x, 2
  %left = call { ptr, i64 } @walk(i64 %m, i64 %y, ptr %other)
  %low = extractvalue { ptr, i64 } %left, 0
  store ptr %low, ptr %record, align 8
  %z = add i64 %y, 1
  %right = call { ptr, i64 } @walk(i64 %m, i64 %z, ptr %other)
  %high = extractvalue { ptr, i64 } %right, 0
  %behind = getelementptr inbounds i8, ptr %record, i64 8
  store ptr %high, ptr %behind, align 8
  %one = extractvalue { ptr, i64 } %left, 1
  %two = extractvalue { ptr, i64 } %right, 1
  %sum = add i64 %one, %two
  br label %end
end:
  %value = phi i64 [ %x, %leaf ], [ %sum, %node ]
  %half = insertvalue { ptr, i64 } poison, ptr %record, 0
  %both = insertvalue { ptr, i64 } %half, i64 %value, 1
  ret { ptr, i64 } %both
}
"""
# Three ways to read a tree: the numbers of its leaves, and how many records lie behind both that they hold.
READ = """
define i64 @numbers(ptr %record, i64 %n) {
entry:
  %is = icmp slt i64 %n, 1
  br i1 %is, label %leaf, label %node
leaf:
  %place = getelementptr i8, ptr %record, i64 16
  %x = load i64, ptr %place
  ret i64 %x
node:
  %m = sub i64 %n, 1
  %low = load ptr, ptr %record
  %next = getelementptr i8, ptr %record, i64 8
  %high = load ptr, ptr %next
  %a = call i64 @numbers(ptr %low, i64 %m)
  %b = call i64 @numbers(ptr %high, i64 %m)
  %more = mul i64 %a, 3
  %sum = add i64 %more, %b
  ret i64 %sum
}
define i64 @behind(ptr %record, i64 %n) {
entry:
  %is = icmp slt i64 %n, 1
  br i1 %is, label %leaf, label %node
leaf:
  ret i64 0
node:
  %m = sub i64 %n, 1
  %low = load ptr, ptr %record
  %next = getelementptr i8, ptr %record, i64 8
  %high = load ptr, ptr %next
  %a = call i64 @behind(ptr %low, i64 %m)
  %b = call i64 @behind(ptr %high, i64 %m)
  %first = icmp ugt ptr %record, %low
  %second = icmp ugt ptr %record, %high
  %is.last = and i1 %first, %second
  %one = zext i1 %is.last to i64
  %c = add i64 %a, %b
  %sum = add i64 %c, %one
  ret i64 %sum
}
define void @run(i64 %n, ptr %found) {
  %made = call { ptr, i64 } @walk(i64 %n, i64 1, ptr null)
  %tree = extractvalue { ptr, i64 } %made, 0
  %value = extractvalue { ptr, i64 } %made, 1
  %numbers = call i64 @numbers(ptr %tree, i64 %n)
  %behind = call i64 @behind(ptr %tree, i64 %n)
  store i64 %value, ptr %found
  %second = getelementptr i64, ptr %found, i64 1
  store i64 %numbers, ptr %second
  %third = getelementptr i64, ptr %found, i64 2
  store i64 %behind, ptr %third
  ret void
}
"""
# An allocator whose blocks lie in the order in which they are asked for.
BUMP = """
@memory = internal global [65536 x i8] zeroinitializer, align 16
@top = internal global i64 0
define noalias ptr @malloc(i64 %size) {
  %now = load i64, ptr @top
  %next = add i64 %now, 32
  store i64 %next, ptr @top
  %block = getelementptr i8, ptr @memory, i64 %now
  ret ptr %block
}
"""


def rewritten(text: str) -> str:
    """Return a module with records allocated late where that is possible, checked by LLVM."""
    code = Module(text)
    moved = allocate_records_late(code)
    assert (str(code) != text) == bool(moved)
    found = str(code)
    llvm.parse_assembly(found, llvm.create_context()).verify()
    return found


def walk_of(text: str) -> dict[str, list[str]]:
    """Return the lines of each block of `walk`."""
    return {
        block.name: [one.text for one in block.instructions]
        for block in Module(text).function("walk").blocks
    }


def changed(old: str, new: str, text: str = WALK) -> str:
    assert text.count(old) == 1, old
    return HEAD + text.replace(old, new)


def is_late(text: str) -> bool:
    """Tell whether the records of a module are allocated late."""
    found = rewritten(text)
    return found != text


def ran(text: str, n: int) -> list[int]:
    """Return what the program finds: the sum, the numbers in order, the records behind both halves."""
    initialise_llvm()
    module = llvm.parse_assembly(text, llvm.create_context())
    engine = llvm.create_mcjit_compiler(
        module, llvm.Target.from_default_triple().create_target_machine()
    )
    engine.finalize_object()
    found = (ctypes.c_int64 * 3)()
    kind = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)
    kind(engine.get_function_address("run"))(n, found)
    return list(found)


def test_a_record_is_allocated_in_front_of_the_return() -> None:
    blocks = walk_of(rewritten(HEAD + WALK))
    assert blocks["entry"][0] == "%kept = alloca [24 x i8], align 16"
    assert not any("@malloc" in line for line in blocks["entry"] + blocks["leaf"] + blocks["node"])
    assert blocks["end"][1] == "%record.end = call noalias ptr @malloc(i64 24)"
    assert "%half = insertvalue { ptr, i64 } poison, ptr %record.end, 0" in blocks["end"]
    assert sum(line.startswith("store ") for line in blocks["end"]) == 3


@pytest.mark.parametrize("n", range(6))
def test_records_lie_in_the_order_in_which_calls_end(n: int) -> None:
    text = BUMP + WALK + READ
    before, after = ran(text, n), ran(rewritten(text), n)
    nodes = 2**n - 1
    assert before == [*after[:2], 0]
    assert after[2] == nodes
    assert after[0] == sum(range(2**n, 2 ** (n + 1)))  # the leaves have these numbers


def test_each_return_allocates_its_own() -> None:
    """What is stored on the way to one is not put into the other's."""
    own = """  %mine = insertvalue { ptr, i64 } poison, ptr %record, 0
  %same = insertvalue { ptr, i64 } %mine, i64 %x, 1
  ret { ptr, i64 } %same
node:"""
    text = WALK.replace("  br label %end\nnode:", own).replace("[ %x, %leaf ], ", "")
    blocks = walk_of(rewritten(HEAD + text))
    stored = {
        name: sum(one.startswith("store ") for one in lines) for name, lines in blocks.items()
    }
    assert stored == {"entry": 0, "leaf": 2, "node": 2, "end": 2}
    assert sum("@malloc" in line for lines in blocks.values() for line in lines) == 2
    before, after = ran(BUMP + text + READ, 4), ran(rewritten(BUMP + text + READ), 4)
    assert after == [*before[:2], 15]


def test_a_path_that_raises_allocates_nothing() -> None:
    text = changed(
        "  %one = extractvalue", "  call void @raise()\n  unreachable\nmore:\n  %one = extractvalue"
    )
    text = text.replace("[ %sum, %node ]", "[ %sum, %more ]")
    text = text.replace(
        "  call void @raise()\n  unreachable\n",
        "  %bad = icmp eq i64 %x, 7\n  br i1 %bad, label %raises, label %more\n"
        "raises:\n  call void @raise()\n  unreachable\n",
    )
    blocks = walk_of(rewritten(text))
    assert blocks["raises"] == ["call void @raise()", "unreachable"]
    assert [name for name, lines in blocks.items() if any("@malloc" in one for one in lines)] == [
        "end"
    ]


def test_a_record_or_nothing_is_returned() -> None:
    """A phi takes the record from one side alone: it is allocated there."""
    text = changed(
        "  %half =",
        "  %given = phi ptr [ null, %leaf ], [ %record, %node ]\n  %half =",
    ).replace("poison, ptr %record, 0", "poison, ptr %given, 0")
    blocks = walk_of(rewritten(text))
    assert any("@malloc" in one for one in blocks["node"])
    assert blocks["end"][1] == "%given = phi ptr [ null, %leaf ], [ %record.end, %node ]"


def test_what_is_loaded_from_a_record_comes_from_the_stack() -> None:
    text = changed("  %one =", "  %again = load ptr, ptr %record, align 8\n  %one =")
    assert "%again = load ptr, ptr %kept, align 8" in walk_of(rewritten(text))["node"]


def test_functions_that_call_each_other() -> None:
    """The branches are in one of them; the records of both go with them."""
    other = WALK[WALK.index("define") :].replace("@walk(i64 %n", "@pass(i64 %n")
    single = other[: other.index("  %left")] + other[other.index("  %z = ") :]
    single = single.replace("  %one = extractvalue { ptr, i64 } %left, 1\n", "")
    single = single.replace("add i64 %one, %two", "add i64 %two, 0")
    text = HEAD + WALK.replace("@walk(i64 %m", "@pass(i64 %m") + single
    code = Module(text)
    assert allocate_records_late(code) == 2
    llvm.parse_assembly(str(code), llvm.create_context()).verify()


LOOP = """
define ptr @walk(i64 %n) {
entry:
  %record = call noalias ptr @malloc(i64 16)
  store i64 %n, ptr %record, align 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %again, label %end
again:
  %inner = call ptr @walk(i64 %i)
  %place = getelementptr i8, ptr %record, i64 8
  store ptr %inner, ptr %place, align 8
  %next = add i64 %i, 1
  br label %loop
end:
  ret ptr %record
}
"""


def test_calls_in_a_loop() -> None:
    blocks = walk_of(rewritten(HEAD + LOOP))
    assert blocks["end"][0] == "%record.end = call noalias ptr @malloc(i64 16)"
    assert blocks["end"][-1] == "ret ptr %record.end"


def test_a_record_that_is_returned_out_of_a_loop_again_and_again_is_left_alone() -> None:
    """It would be allocated in each iteration."""
    text = HEAD + LOOP.replace(
        "  %more = icmp",
        "  %kept = phi { ptr, i64 } [ poison, %entry ], [ %made, %again ]\n  %more = icmp",
    ).replace("  %next =", "  %made = insertvalue { ptr, i64 } poison, ptr %record, 0\n  %next =")
    text = text.replace("ret ptr %record", "%out = extractvalue { ptr, i64 } %kept, 0\n  ret ptr %out")
    assert not is_late(text)


LINEAR = WALK.replace(
    "%right = call { ptr, i64 } @walk(i64 %m, i64 %z, ptr %other)",
    "%right = insertvalue { ptr, i64 } %left, i64 %z, 1",
)


def test_a_function_that_calls_itself_once_is_left_alone() -> None:
    """Its records lie in order, and the stack is short where it calls itself a thousand times."""
    assert is_late(HEAD + WALK)
    assert not is_late(HEAD + LINEAR)


def test_calls_on_two_paths_are_one_call() -> None:
    text = LINEAR.replace("leaf:", "leaf:\n  %far = call { ptr, i64 } @walk(i64 0, i64 %x, ptr %other)")
    assert not is_late(HEAD + text)


def test_a_function_that_calls_others_is_left_alone() -> None:
    text = WALK.replace("@walk(i64 %m", "@elsewhere(i64 %m")
    assert not is_late(f"{HEAD}declare {{ ptr, i64 }} @elsewhere(i64, i64, ptr){text}")


LAST = """%last = musttail call { ptr, i64 } @walk(i64 %m, i64 %x, ptr %other)
  ret { ptr, i64 } %last
more:"""


@pytest.mark.parametrize(
    "use",
    [
        "store ptr %record, ptr %other, align 8",
        "call void @look(ptr %record)",
        "%at = getelementptr i8, ptr %record, i64 %m\n  store i8 1, ptr %at, align 1",
        "%same = icmp eq ptr %record, %other",
        "%bits = ptrtoint ptr %record to i64",
        "%either = select i1 true, ptr %record, ptr %other",
        "store volatile i64 %x, ptr %record, align 8",
        "store atomic i64 %x, ptr %record seq_cst, align 8",
        "%old = load volatile i64, ptr %record, align 8",
        "store i64 %x, ptr %record, align 8",
        "%at = getelementptr i8, ptr %record, i64 4\n  store i32 1, ptr %at, align 4",
        "%at = getelementptr i8, ptr %record, i64 20\n  %old = load i64, ptr %at, align 4",
        "%at = getelementptr i8, ptr %record, i64 -8\n  %old = load i64, ptr %at, align 8",
        "%at = getelementptr i8, ptr %record, i64 %x\n  %old = load i8, ptr %at, align 1",
        "call void @llvm.memset.p0.i64(ptr %record, i8 0, i64 24, i1 false)",
        "call void @free(ptr %record)",
        "%old = atomicrmw add ptr %record, i64 1 seq_cst",
        LAST,
    ],
)
def test_what_else_is_done_with_a_record_leaves_it_alone(use: str) -> None:
    text = changed("  %one =", f"  {use}\n  %one =")
    if use == LAST:
        text = text.replace("[ %sum, %node ]", "[ %sum, %more ]")
        text = text.replace("%left, 1", "zeroinitializer, 1").replace("%right, 1", "zeroinitializer, 1")
    assert not is_late(text)


# A block that nothing leads to.
LOST = """alone:
  %lost = insertvalue { ptr, i64 } poison, ptr %record, 0
  ret { ptr, i64 } %lost
end:"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@malloc(i64 24)", "@malloc(i64 %n)"),
        ("@malloc(i64 24)", "@malloc(i64 4096)"),
        ("@malloc(i64 24)", "@calloc(i64 1, i64 24)"),
        ("  ret {", "  store ptr null, ptr %record, align 8\n  ret {"),  # behind the return's use
        ("  ret {", "  %late = load ptr, ptr %record, align 8\n  ret {"),
        ("poison, ptr %record, 0", "poison, ptr %behind, 0"),  # a pointer into it
        ("poison, ptr %record, 0", "poison, ptr null, 0"),
        ("end:", LOST),
    ],
)
def test_other_records_are_left_alone(old: str, new: str) -> None:
    text = changed(old, new)
    if "%behind, 0" in new:
        text = text.replace("  %behind =", "  %unused =").replace("ptr %behind, align", "ptr %unused, align")
        text = text.replace("  %is =", "  %behind = getelementptr i8, ptr %record, i64 8\n  %is =")
    assert not is_late(text)


def test_a_record_of_some_calls_is_left_alone() -> None:
    """It is not allocated in the function's first block."""
    text = changed("  %record = call noalias ptr @malloc(i64 24)\n", "").replace(
        "leaf:\n", "leaf:\n  %record = call noalias ptr @malloc(i64 24)\n"
    )
    for line in ("store ptr %low, ptr %record", "store ptr %high, ptr %behind"):
        text = text.replace(f"  {line}, align 8\n", "")
    text = text.replace("  %behind = getelementptr inbounds i8, ptr %record, i64 8\n", "")
    text = text.replace(
        "  %half =", "  %given = phi ptr [ %record, %leaf ], [ null, %node ]\n  %half ="
    ).replace("poison, ptr %record, 0", "poison, ptr %given, 0")
    assert not is_late(text)


def test_the_first_of_several_uses_counts() -> None:
    """A phi, which takes the record at the end of a block, may be read before what stands in that block."""
    text = HEAD + WALK.replace(
        "node:",
        "twice:\n  %again = phi ptr [ %record, %node ]\n  %second = insertvalue { ptr, i64 } %mine, i64 %sum, 1\n"
        "  %third = insertvalue { ptr, i64 } %second, ptr %again, 0\n  ret { ptr, i64 } %third\nnode:",
    )
    text = text.replace(
        "%two\n  br label %end",
        "%two\n  %mine = insertvalue { ptr, i64 } poison, ptr %record, 0\n  br label %twice",
    ).replace(", [ %sum, %node ]", "")
    blocks = walk_of(rewritten(text))
    at = [place for place, one in enumerate(blocks["node"]) if "@malloc" in one]
    assert len(at) == 1
    assert at[0] < blocks["node"].index(
        "%mine = insertvalue { ptr, i64 } poison, ptr %record.end, 0"
    )
    assert blocks["twice"][0] == "%again = phi ptr [ %record.end, %node ]"


def test_exceptions_of_other_languages_leave_it_alone() -> None:
    text = WALK.replace("ptr %other) {", "ptr %other) personality ptr @look {")
    caught = text.replace(
        "  %low =",
        "  invoke void @look(ptr null) to label %goes unwind label %thrown\nthrown:\n"
        "  %pad = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %pad\ngoes:\n  %low =",
    ).replace("[ %sum, %node ]", "[ %sum, %goes ]")
    assert is_late(HEAD + text)
    assert not is_late(HEAD + caught)
