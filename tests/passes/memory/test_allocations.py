"""Which allocations and loads are marked to be cached, and which Enzyme may make again."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Call, Load
from enzyme_py.passes.memory.allocations import CachedAllocations
from tests.passes.running import is_left_alone, ran, with_line

HEAD = """\
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare void @use(ptr)
declare void @enzyme_py_copy1_dd(ptr, ptr, i64, i64, i64)
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
"""
# v = x; for i in range(n): v = f(v)
CARRIED = """\
define double @k(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %v = phi ptr [ %x, %entry ], [ %w, %loop ]
  %w = call noalias ptr @malloc(i64 noundef range(i64 0, 99) %n)
  %a = load double, ptr %v, align 8
  %b = fmul double %a, %a
  store double %b, ptr %w, align 8
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret double 0.0
}
"""
# for i in range(n): t = f(x); s += t[0]
INSIDE = """\
define double @k(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %latch ]
  %s = phi double [ 0.0, %entry ], [ %t, %latch ]
  br i1 false, label %other, label %make
make:
  %w = call noalias ptr @malloc(i64 %n)
  store double 2.0, ptr %w, align 8
  %a = load double, ptr %w, align 8
  br label %latch
other:
  br label %latch
latch:
  %m = phi double [ %a, %make ], [ 0.0, %other ]
  %t = fadd double %s, %m
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret double %t
}
"""
# for i in range(n): c = empty(n); for k in range(n): r = empty(n); c[0] = r[0]
NESTED = """\
define double @k(ptr %x, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %j, %latch ]
  %w = call noalias ptr @malloc(i64 %n)
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %l, %inner ]
  %r = call noalias ptr @malloc(i64 %n)
  %y = load double, ptr %x, align 8
  store double %y, ptr %r, align 8
  %p = getelementptr double, ptr %w, i64 1
  store double %y, ptr %p, align 8
  %l = add i64 %k, 1
  %d = icmp eq i64 %l, %n
  br i1 %d, label %latch, label %inner
latch:
  %a = load double, ptr %w, align 8
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %outer
out:
  ret double 0.0
}
"""
# old, new = new, old
EXCHANGED = """\
define double @k(i64 %n) {
entry:
  %u = call noalias ptr @malloc(i64 %n)
  %v = call noalias ptr @malloc(i64 %n)
  %z = call noalias ptr @malloc(i64 %n)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %old = phi ptr [ %u, %entry ], [ %new, %loop ]
  %new = phi ptr [ %v, %entry ], [ %old, %loop ]
  %p = getelementptr double, ptr %old, i64 1
  %a = load double, ptr %p, align 8
  %b = load double, ptr %z, align 8
  store double %a, ptr %new, align 8
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret double %b
}
"""
REVERSE = """\
define double @inner(ptr %x, i64 %n) {
  %r = call double (...) @__enzyme_autodiff(ptr @k, ptr %x, ptr %x, i64 %n)
  ret double %r
}
"""
FORWARD = REVERSE.replace("__enzyme_autodiff", "__enzyme_fwddiff")
OVER = """\
define double @outer(ptr %x, i64 %n) {
  %r = call double (...) @__enzyme_autodiff(ptr @inner, ptr %x, ptr %x, i64 %n)
  ret double %r
}
"""


def cached(text: str) -> set[str]:
    """Return the allocations and loads that are marked."""
    code = ran(CachedAllocations(), HEAD + text).code
    marked = set[str]()
    for function in code.functions:
        for call in function.calls_of("enzyme_py_hint.kept") if function.name == "k" else ():
            (made,) = call.arguments
            assert isinstance(made, Call)
            assert made.has_attribute("enzyme_active_val")
            assert made.next is call
            marked.add(made.name)
        loads = (one for one in function.instructions if isinstance(one, Load))
        marked |= {one.name for one in loads if "enzyme_mustcache" in one.metadata}
    return marked


def test_memory_begins_as_zeros():
    text = str(ran(CachedAllocations(), HEAD + CARRIED).code)
    assert "@calloc(i64 1, i64 noundef range(i64 0, 99) %n)" in text
    assert "@malloc(i64 noundef" not in text
    assert 'declare noalias ptr @calloc(i64, i64) allockind("alloc,zeroed")' in text
    assert text.count("declare noalias ptr @calloc") == 1


def test_what_is_carried_is_cached():
    assert cached(CARRIED) == {"w"}


def test_what_stays_in_its_iteration_is_made_again():
    assert cached(INSIDE) == set()


def test_what_merges_is_cached():
    text = with_line(
        INSIDE,
        "  %a = load double, ptr %w",
        "  %q = select i1 true, ptr %w, ptr %x\n  %a = load double, ptr %q",
    )
    assert cached(text) == {"w"}


def test_what_is_used_behind_its_loop_is_cached():
    text = with_line(CARRIED, "[ %x, %entry ], [ %w, %loop ]", "[ %x, %entry ], [ %x, %loop ]")
    assert cached(text) == set()
    assert cached(with_line(text, "out:\n", "out:\n  %e = load double, ptr %w, align 8\n")) == {"w"}


def test_what_is_used_behind_by_an_offset_is_cached():
    text = with_line(CARRIED, "[ %x, %entry ], [ %w, %loop ]", "[ %x, %entry ], [ %x, %loop ]")
    behind = "out:\n  %p = getelementptr i8, ptr %w, i64 8\n  store i8 0, ptr %p\n"
    assert cached(with_line(text, "out:\n", behind)) == {"w"}


def test_what_an_inner_loop_fills_with_temporaries_is_cached():
    assert cached(NESTED) == {"w"}


def test_what_an_inner_loop_fills_without_temporaries_is_made_again():
    text = with_line(
        NESTED, "%r = call noalias ptr @malloc(i64 %n)", "%r = getelementptr i8, ptr %x, i64 0"
    )
    assert cached(text) == set()


@pytest.mark.parametrize(
    "reads",
    [
        "%e = load double, ptr %p, align 8",
        "%e = icmp eq ptr %p, null",
        "call void @enzyme_py_copy1_dd(ptr %r, ptr %p, i64 %n, i64 8, i64 8)",
    ],
)
def test_what_an_inner_loop_reads_is_made_again(reads):
    assert cached(with_line(NESTED, "store double %y, ptr %p, align 8", reads)) == set()


@pytest.mark.parametrize(
    ("writes", "kept"),
    [
        ("call void @use(ptr %p)", {"w"}),
        # Of the other one an element is written in no loop of its own, and copied: its length may be known to LLVM.
        ("call void @enzyme_py_copy1_dd(ptr %p, ptr %r, i64 %n, i64 8, i64 8)", {"w", "r"}),
        ("store ptr %p, ptr %x", {"w"}),
    ],
)
def test_what_an_inner_loop_may_write_is_cached(writes, kept):
    assert cached(with_line(NESTED, "store double %y, ptr %p, align 8", writes)) == kept


WALKING = """\
define double @k(i64 %n, i64 %m, i1 %b) {
entry:
  %w = call noalias ptr @malloc(i64 %n)
  br label %loop
loop:
  %p = phi ptr [ %w, %entry ], [ %q, %loop ]
  %a = load double, ptr %p, align 8
  %q = getelementptr i8, ptr %p, i64 %m
  br i1 %b, label %out, label %loop
out:
  ret double %a
}
"""


def test_a_pointer_that_walks_by_a_count_is_no_merge():
    assert cached(WALKING) == set()


def test_a_pointer_that_leaves_its_loop_by_a_phi_is_cached():
    text = with_line(WALKING, "ret double %a", "%r = phi ptr [ %q, %loop ]\n  ret double %a")
    assert cached(text) == {"w"}


def test_a_pointer_that_walks_on_in_an_outer_loop_is_cached():
    text = with_line(
        WALKING,
        "loop:",
        "outer:\n  %o = phi ptr [ %w, %entry ], [ %q, %latch ]\n  br label %loop\nloop:",
    )
    text = with_line(text, "br label %loop\nouter", "br label %outer\nouter")
    text = with_line(text, "[ %w, %entry ], [ %q, %loop ]", "[ %o, %outer ], [ %q, %loop ]")
    text = with_line(
        text,
        "label %out, label %loop\n",
        "label %latch, label %loop\nlatch:\n  br i1 %b, label %out, label %outer\n",
    )
    assert cached(text) == {"w"}


def test_reads_of_buffers_that_change_places_are_cached():
    assert cached(EXCHANGED) == {"u", "v", "a"}


@pytest.mark.parametrize(
    "call",
    [
        "call void @enzyme_py_copy1_dd(ptr %p, ptr %new, i64 1, i64 8, i64 8)",
        "call void @free(ptr %new)",
        "call void @use(ptr %z)",
        "call void @use(ptr %p)",
    ],
)
def test_calls_beside_buffers_that_change_places(call):
    text = with_line(EXCHANGED, "  store double %a", f"  {call}\n  store double %a")
    assert cached(text) == {"u", "v", "a"}


def test_a_buffer_that_stays_in_its_place_is_not_exchanged():
    text = with_line(
        EXCHANGED, "[ %v, %entry ], [ %old, %loop ]", "[ %v, %entry ], [ %new, %loop ]"
    )
    text = with_line(text, "[ %u, %entry ], [ %new, %loop ]", "[ %u, %entry ], [ %old, %loop ]")
    assert "a" not in cached(text)


def test_what_some_iterations_do_without_is_cached_in_nested_reverse_mode():
    assert cached(INSIDE + REVERSE) == set()
    assert cached(INSIDE + FORWARD) == set()
    assert cached(INSIDE + REVERSE + OVER) == {"w"}
    assert cached(INSIDE + FORWARD + OVER) == {"w"}
    assert cached(INSIDE + REVERSE + OVER.replace("__enzyme_autodiff", "__enzyme_fwddiff")) == set()


def test_what_holds_integers_only_is_cached_in_nested_reverse_mode():
    always = with_line(INSIDE, "br i1 false, label %other, label %make", "br label %make")
    always = with_line(always, "other:\n  br label %latch\n", "").replace(", [ 0.0, %other ]", "")
    assert cached(always + REVERSE + OVER) == set()
    integers = with_line(always, "store double 2.0", "store i64 2")
    assert cached(integers + REVERSE + OVER) == {"w"}
    assert cached(integers + REVERSE) == set()


def test_loads_for_the_next_iteration_are_cached():
    text = with_line(INSIDE, "%t = fadd double %s, %m", "%t = fadd double %m, 1.0")
    assert cached(text) == {"a"}


def test_modules_without_memory_are_left_alone():
    text = "define double @k(double %x) {\n  ret double %x\n}\n"
    assert is_left_alone(CachedAllocations(), text)


def test_declarations_alone_change_nothing():
    assert is_left_alone(CachedAllocations(), HEAD)
