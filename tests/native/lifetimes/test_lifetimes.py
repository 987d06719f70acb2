"""Temporaries are freed when nobody can look at them any more: rule by rule, and at random.

The rules are tested on IR written by hand, the whole on random programs that a machine runs while
it watches every block (machine.py). test_in_use.py tests the effect.
"""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from enzyme_py.llvm import Module
from enzyme_py.native.rewrites.lifetimes import add_frees
from tests.native.lifetimes.machine import HEAD, Generator, Machine

LOOP = """
define void @run(ptr %argument, i64 %n) {{
start:
  {before}
  br label %loop
loop:
  {phis}
  %i = phi i64 [ 0, %start ], [ %next, %{latch} ]
  {body}
{latch}:
  {end}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  {after}
  ret void
}}
"""


def with_frees(text: str) -> str:
    """Return the text of a module in which temporaries are freed where they end."""
    code = Module(text)
    add_frees(code)
    return str(code)


def loop(
    body: str, *, before: str = "", phis: str = "", end: str = "", after: str = ""
) -> dict[str, list[str]]:
    """The frees, by block, in a loop with the given pieces; `latch` is its last block."""
    if "br " not in body:
        body += "\n  br label %latch"
    return frees(
        LOOP.format(before=before, phis=phis, body=body, end=end, after=after, latch="latch")
    )


def frees(function: str) -> dict[str, list[str]]:
    """What is freed in which block."""
    text = with_frees(HEAD + function)
    llvm.parse_assembly(text, llvm.create_context()).verify()
    found: dict[str, list[str]] = {}
    for call in Module(text).calls_of("free"):
        found.setdefault(call.home.name, []).append(call.arguments[0].ref)
    return found


MAKE = "%p = call ptr @malloc(i64 64)"
LOOK = "call void @look(ptr %p)"


def test_what_is_made_in_a_turn_ends_in_it() -> None:
    assert loop(f"{MAKE}\n  {LOOK}") == {"loop": ["%p"]}
    assert loop("%p = call ptr @calloc(i64 8, i64 8)\n  store i64 1, ptr %p") == {"loop": ["%p"]}


def test_it_ends_behind_its_last_use() -> None:
    text = with_frees(
        HEAD
        + LOOP.format(
            before="",
            phis="",
            body=f"{MAKE}\n  {LOOK}\n  br label %latch",
            end=LOOK,
            after="",
            latch="latch",
        )
    )
    lines = [line.strip() for line in text.split("\n")]
    assert lines[lines.index("call void @free(ptr %p)") - 1] == LOOK
    assert lines.index("call void @free(ptr %p)") > lines.index("latch:")


@pytest.mark.parametrize(
    "derived",
    [
        "%q = getelementptr i8, ptr %p, i64 8",
        "%q = freeze ptr %p",
        "%q = select i1 true, ptr %p, ptr %argument",
        "%a = ptrtoint ptr %p to i64\n  %b = add i64 %a, 8\n  %q = inttoptr i64 %b to ptr",
        """%v = insertelement <2 x ptr> poison, ptr %p, i64 0
  %q = extractelement <2 x ptr> %v, i64 0""",
    ],
)
def test_what_is_made_from_it_keeps_it(derived: str) -> None:
    found = loop(f"{MAKE}\n  {derived}", end="call void @look(ptr %q)")
    assert found == {"latch": ["%p"]}


def test_a_walk_through_it_keeps_it() -> None:
    body = f"""{MAKE}
  br label %walk
walk:
  %at = phi ptr [ %p, %loop ], [ %on, %walk ]
  %on = getelementptr i8, ptr %at, i64 8
  %x = load double, ptr %at
  %c = call i1 @coin()
  br i1 %c, label %walk, label %latch"""
    # On the edge out of the walk, which is the only way into the latch.
    assert loop(body) == {"latch": ["%p"]}


@pytest.mark.parametrize(
    "escape",
    [
        "store ptr %p, ptr @kept",
        "call void @take(ptr %p)",
        "%a = ptrtoint ptr %p to i64\n  store i64 %a, ptr %argument",
        "%q = getelementptr i8, ptr %p, i64 8\n  store ptr %q, ptr %argument",
        "%r = call ptr @realloc(ptr %p, i64 80)",
        "%w = insertvalue {ptr, i64} poison, ptr %p, 0\n  store {ptr, i64} %w, ptr %argument",
        "%u = cmpxchg ptr @kept, ptr null, ptr %p seq_cst seq_cst",
    ],
)
def test_what_others_may_know_is_left(escape: str) -> None:
    assert loop(f"{MAKE}\n  {escape}\n  {LOOK}") == {}


def test_marks_on_calls_change_nothing() -> None:
    """Calls of allocators carry the line that they come from."""
    make = "%p = call ptr @calloc(i64 8, i64 8) #0, !enzyme_py.line !0"
    head = HEAD.replace("@kept", "attributes #0 = { nounwind }\n!0 = !{i32 0}\n@kept", 1)
    text = with_frees(f"{head}define void @run() {{\n  {make}\n  {LOOK}\n  ret void\n}}\n")
    assert f"{LOOK}\n  call void @free(ptr %p)\n" in text


def test_what_returns_last_is_left() -> None:
    """Nothing may stand between such a call and the return."""
    last = "musttail call void @last()"
    text = (
        f"{HEAD}declare void @last()\ndefine void @run() {{\n  {MAKE}\n  {last}\n  ret void\n}}\n"
    )
    assert with_frees(text) == text


def test_where_nothing_is_allocated_nothing_is_read() -> None:
    code = Module(f"{HEAD}define void @run(ptr %x) {{\n  call void @free(ptr %x)\n  ret void\n}}\n")
    add_frees(code)
    assert not code.function("run").is_read


def test_what_is_returned_is_left() -> None:
    assert frees(f"define ptr @run() {{\n  {MAKE}\n  {LOOK}\n  ret ptr %p\n}}\n") == {}


def test_comparing_tells_nothing_of_the_memory() -> None:
    assert loop(f"{MAKE}\n  %c = icmp eq ptr %p, %argument") == {"loop": ["%p"]}


def test_the_next_turn_takes_over() -> None:
    found = loop(
        f"call void @look(ptr %h)\n  {MAKE}\n  {LOOK}",
        before="%first = call ptr @calloc(i64 8, i64 8)",
        phis="%h = phi ptr [ %first, %start ], [ %p, %latch ]",
        after=LOOK,
    )
    assert found == {"loop": ["%h"], "done": ["%p"]}


def test_buffers_that_change_places_end_behind_the_loop() -> None:
    found = loop(
        "call void @look(ptr %old)\n  store i64 %i, ptr %new",
        before="%a = call ptr @malloc(i64 64)\n  %b = call ptr @malloc(i64 64)",
        phis="%old = phi ptr [ %a, %start ], [ %new, %latch ]\n"
        "  %new = phi ptr [ %b, %start ], [ %old, %latch ]",
        after="call void @look(ptr %old)",
    )
    assert found == {"done": ["%new", "%old"]}


def test_two_names_for_one_block_do_not_both_own_it() -> None:
    found = loop(
        f"call void @look(ptr %x)\n  call void @look(ptr %y)\n  {MAKE}",
        before="%a = call ptr @malloc(i64 64)",
        phis="%x = phi ptr [ %a, %start ], [ %p, %latch ]\n"
        "  %y = phi ptr [ %a, %start ], [ %p, %latch ]",
    )
    assert found.get("loop", []) == []  # of the two that the loop carries, neither is freed in it
    assert all(names == ["%a"] for names in found.values())


def test_an_argument_among_the_choices_is_not_freed() -> None:
    """`v = x` before the loop, `v = np.sin(v)` in it: what is freed is null in the first turn."""
    function = LOOP.format(
        before="",
        phis="%h = phi ptr [ %argument, %start ], [ %p, %latch ]",
        body=f"call void @look(ptr %h)\n  {MAKE}\n  br label %latch",
        end="",
        after="",
        latch="latch",
    )
    assert frees(function) == {"loop": ["%enzyme_py_own.0"], "done": ["%p"]}
    companion = "%enzyme_py_own.0 = phi ptr [ null, %start ], [ %p, %latch ]"
    assert companion in with_frees(HEAD + function)


def test_a_block_that_is_needed_behind_the_loop_is_lent_to_it() -> None:
    """`v = y` before the loop, `v = np.sin(v)` in it, and y behind it."""
    pieces = {
        "body": f"call void @look(ptr %h)\n  {MAKE}",
        "before": "%y = call ptr @malloc(i64 64)",
        "phis": "%h = phi ptr [ %y, %start ], [ %p, %latch ]",
        "after": f"call void @look(ptr %y)\n  {LOOK}",
    }
    assert loop(**pieces) == {"loop": ["%enzyme_py_own.0"], "done": ["%y", "%p"]}
    # What was lent is not freed by what takes over either.
    pieces["phis"] += "\n  %old = phi ptr [ null, %start ], [ %h, %latch ]"
    pieces["body"] = f"call void @look(ptr %old)\n  {pieces['body']}"
    assert "%h" not in loop(**pieces).get("loop", [])


def test_a_choice_between_a_block_and_its_own_middle_is_no_owner() -> None:
    body = f"""{MAKE}
  %q = getelementptr i8, ptr %p, i64 8
  %c = call i1 @coin()
  br i1 %c, label %yes, label %latch
yes:
  br label %latch"""
    either = "%either = phi ptr [ %p, %loop ], [ %q, %yes ]\n  call void @look(ptr %either)"
    assert loop(body, end=either) == {"latch": ["%p"]}
    carried = "%h = phi ptr [ null, %start ], [ %either, %latch ]"
    assert loop(body, end=either + "\n  call void @look(ptr %h)", phis=carried) == {}


def test_a_block_made_on_some_ways_only() -> None:
    body = f"""%c = call i1 @coin()
  br i1 %c, label %yes, label %join
yes:
  {MAKE}
  br label %join
join:
  %q = phi ptr [ %p, %yes ], [ %other, %loop ]
  %d = icmp eq ptr %q, null
  br label %latch"""
    assert loop(body.replace("%other", "null")) == {"join": ["%q"]}
    assert loop(body.replace("%other", "%argument")) == {"join": ["%enzyme_py_own.0"]}


def test_leaving_early_ends_it_on_both_ways() -> None:
    body = f"""{MAKE}
  %c = call i1 @coin()
  br i1 %c, label %done, label %latch"""
    found = loop(body, end=LOOK)
    assert sorted(found.values()) == [["%p"], ["%p"]]
    assert "latch" in found  # and a block on the edge to `done`, which has other ways in


def test_nothing_is_freed_on_the_way_to_a_raise() -> None:
    body = f"""{MAKE}
  %c = call i1 @coin()
  br i1 %c, label %bad, label %latch
bad:
  {LOOK}
  call void @enzyme_py_raise(i32 1, ptr null)
  unreachable"""
    assert loop(body, end=LOOK) == {"latch": ["%p"]}


def test_what_an_earlier_turn_made_is_not_mistaken_for_the_newest() -> None:
    """A derived pointer that crosses into the next turn points into another block than its base."""
    found = loop(
        f"{MAKE}\n  call void @look(ptr %before)\n  %q = getelementptr i8, ptr %p, i64 8",
        phis="%before = phi ptr [ null, %start ], [ %q, %latch ]",
    )
    assert found == {}


RECORD = """%record = alloca [4 x i64]
  %place = getelementptr i8, ptr %record, i64 16
  %shape = getelementptr i8, ptr %record, i64 24
  %d = call i32 @numba_attempt_nocopy_reshape(ptr %shape)"""


def test_a_pointer_that_goes_through_the_stack() -> None:
    """As where Numba reshapes: the record of the array lies on the stack."""
    body = f"{MAKE}\n  store ptr %p, ptr %place\n  %q = load ptr, ptr %place"
    size = "%size = load i64, ptr %shape\n  store i64 %size, ptr %argument"
    clear = "call void @llvm.memset.p0.i64(ptr %record, i8 0, i64 32, i1 false)"
    assert loop(f"{clear}\n  {body}\n  {size}", before=RECORD, end="call void @look(ptr %q)") == {
        "latch": ["%p"]
    }


def test_a_header_that_holds_the_pointer() -> None:
    body = f"""%header = call ptr @malloc(i64 8)
  {MAKE}
  store ptr %p, ptr %header
  store ptr %header, ptr %record
  {LOOK}"""
    assert sorted(loop(body, before=RECORD)["loop"]) == ["%header", "%p"]
    taken = "%h = load ptr, ptr %record\n  %q = load ptr, ptr %h"
    assert "%p" not in loop(f"{body}\n  {taken}", before=RECORD)["loop"]


def test_what_an_earlier_turn_left_on_the_stack() -> None:
    body = f"{MAKE}\n  %q = load ptr, ptr %place\n  call void @look(ptr %q)"
    put = "store ptr %p, ptr %place"
    assert loop(f"{body}\n  {put}", before=RECORD) == {}
    assert loop(body.replace(MAKE, f"{MAKE}\n  {put}"), before=RECORD) == {"loop": ["%p"]}


@pytest.mark.parametrize(
    "use",
    [
        "call void @take(ptr %record)",
        "call void @look(ptr %record)",  # it keeps not the record, but what it finds there
        "store ptr %place, ptr @kept",
        "%e = getelementptr i8, ptr %record, i64 %i\n  %f = load ptr, ptr %e",
    ],
)
def test_a_stack_variable_that_others_may_look_into(use: str) -> None:
    body = f"{MAKE}\n  store ptr %p, ptr %place\n  {use}\n  {LOOK}"
    assert loop(body, before=RECORD) == {}


def test_a_free_of_the_kernel_is_moved_not_doubled() -> None:
    assert loop(f"{MAKE}\n  {LOOK}\n  call void @free(ptr %p)") == {"loop": ["%p"]}
    twice = """%c = call i1 @coin()
  %p = call ptr @malloc(i64 64)
  br i1 %c, label %yes, label %latch
yes:
  call void @free(ptr %p)
  br label %latch"""
    assert sorted(loop(twice).values()) == [["%p"]]


def test_a_free_of_something_unknown_stays() -> None:
    body = "%q = load ptr, ptr %argument\n  call void @free(ptr %q)"
    assert loop(f"{MAKE}\n  {body}") == {"loop": ["%p", "%q"]}


def test_names_that_begin_alike_are_told_apart() -> None:
    """What a callee may keep is `%p8`, not `%p`."""
    declared = "declare void @product(ptr captures(none), ptr) nofree\n"
    text = f"""{HEAD}{declared}
define void @run(ptr %p8) {{
  {MAKE}
  call void @product(ptr %p, ptr %p8)
  ret void
}}
"""
    assert with_frees(text).count("call void @free(ptr %p)") == 1
    assert with_frees(text.replace("ptr %p8)\n  ret", "ptr %p)\n  ret")).count("@free(ptr %p)") == 0


def test_callees_are_believed_what_they_say() -> None:
    keeps = HEAD.replace("captures(none)", "")
    frees_it = HEAD.replace(") nofree", ")")
    for head, expected in ((HEAD, 1), (keeps, 0), (frees_it, 0)):
        text = f"{head}define void @run() {{\n  {MAKE}\n  {LOOK}\n  ret void\n}}\n"
        assert with_frees(text).count("call void @free") == expected


def test_functions_of_the_module_are_looked_into() -> None:
    text = (
        HEAD
        + """
define internal void @mine(ptr captures(none) %x) {{
  call void @look(ptr %x)
  call void @enzyme_py_raise(i32 1, ptr null)
  {more}
  ret void
}}
define void @run() {{
  %p = call ptr @malloc(i64 64)
  call void @mine(ptr %p)
  ret void
}}
"""
    )
    assert with_frees(text.format(more="")).count("free(ptr %p)") == 1
    assert with_frees(text.format(more="call void @free(ptr %x)")).count("free(ptr %p)") == 0


@pytest.mark.parametrize("start", range(0, 240, 40))
def test_random_programs_never_touch_what_was_freed(start: int) -> None:
    made = freed = 0
    for seed in range(start, start + 40):
        before = Generator(seed).program()
        after = with_frees(before)
        llvm.parse_assembly(after, llvm.create_context()).verify()
        for coins in range(6):
            expected = Machine(coins).run(before)
            machine = Machine(coins).run(after)  # raises at a wrong touch
            assert expected.reads[: len(machine.reads)] == machine.reads
            made, freed = made + machine.made, freed + len(machine.freed)
    assert freed > made / 4  # and it is not that nothing is freed at all
