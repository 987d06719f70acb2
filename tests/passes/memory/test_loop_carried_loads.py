"""Numbers that an iteration reads from memory of its own for the next one."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Module
from enzyme_py.passes.memory.loop_carried_loads import loop_carried_loads
from enzyme_py.passes.memory.merged_pointers import allocations
from tests.passes.running import with_line

LOOP = """\
declare noalias ptr @malloc(i64)
declare double @sin(double)
define double @k(ptr %x, i64 %n, i1 %b) {
entry:
  %e = call noalias ptr @malloc(i64 %n)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %latch ]
  %s = phi double [ 0.0, %entry ], [ %t, %latch ]
  %w = call noalias ptr @malloc(i64 %n)
  %p = getelementptr double, ptr %w, i64 %i
  %q = getelementptr double, ptr %p, i64 1
  store double %s, ptr %q, align 8
  br i1 %b, label %then, label %latch
then:
  br label %latch
latch:
  %m = phi double [ 1.0, %loop ], [ 2.0, %then ]
  %a = load double, ptr %q, align 8
  %t = call double @sin(double %a)
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret double %t
}
"""


def found(text: str) -> set[str]:
    function = Module(text).function("k")
    return {one.name for one in loop_carried_loads(function, allocations(function))}


def test_a_load_that_goes_into_the_next_iteration():
    assert found(LOOP) == {"a"}


def test_a_load_through_a_merge():
    text = with_line(
        LOOP, "  br label %latch\nlatch", "  %d = load double, ptr %w\n  br label %latch\nlatch"
    )
    text = with_line(text, "[ 2.0, %then ]", "[ %d, %then ]")
    assert found(with_line(text, "@sin(double %a)", "@sin(double %m)")) == {"d"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%t = call double @sin(double %a)", "%t = fadd double %a, %s"),  # a sum: Enzyme caches it
        ("[ %t, %latch ]", "[ 1.0, %latch ]"),  # it stays in its iteration
        ("load double, ptr %q", "load double, ptr %x"),  # memory of the caller
        ("load double, ptr %q", "load double, ptr %e"),  # memory that all iterations share
        ("getelementptr double, ptr %w", "getelementptr double, ptr %e"),
    ],
)
def test_other_loads_are_no_matter(old, new):
    assert found(with_line(LOOP, old, new)) == set()


def test_integers_and_what_they_index():
    text = with_line(LOOP, "load double, ptr %q", "load i64, ptr %q")
    text = with_line(text, "call double @sin(double %a)", "load double, ptr %r")
    text = with_line(text, "  %t =", "  %r = getelementptr double, ptr %x, i64 %a\n  %t =")
    assert found(text) == set()  # the load of the number is from the caller's memory
    text = with_line(text, "  %t = load double, ptr %r", "  %t = sitofp i64 %a to double")
    assert found(text) == {"a"}
