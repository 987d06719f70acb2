"""Which branches become selects, and which stay."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm
import numpy as np

from enzyme_py.llvm import Module
from enzyme_py.passes.control_flow.chosen_integers import ChosenIntegers
from tests.passes.running import is_left_alone, ran, with_line

ROUNDED = """\
define double @f(ptr %x, i64 %n, i64 %m) {
entry:
  %quotient = sdiv i64 %n, %m
  %back = mul i64 %quotient, %m
  %differ = icmp slt i64 %n, %back
  br i1 %differ, label %less, label %rounded

less:                                             ; preds = %entry
  %one.less = add i64 %quotient, -1
  br label %rounded

rounded:                                          ; preds = %less, %entry
  %place = phi i64 [ %one.less, %less ], [ %quotient, %entry ]
  %at = getelementptr double, ptr %x, i64 %place
  %value = load double, ptr %at, align 8
  br label %squares

squares:                                          ; preds = %squares, %rounded
  %i = phi i64 [ 0, %rounded ], [ %i.next, %squares ]
  %s = phi double [ %value, %rounded ], [ %square, %squares ]
  %square = fmul double %s, %s
  %i.next = add i64 %i, 1
  %done = icmp sge i64 %i.next, %place
  br i1 %done, label %out, label %squares

out:                                              ; preds = %squares
  ret double %square
}

define void @derivative(ptr %x, ptr %dx, i64 %n, i64 %m) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n, i64 %m)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
"""
INDEX = """\
define double @f(ptr %x, i64 %n, i64 %m) {
entry:
  br label %turn

turn:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rounded ]
  %rest = srem i64 %i, %m
  %differ = icmp slt i64 %rest, 0
  br i1 %differ, label %more, label %rounded

more:
  %one.more = add i64 %rest, %m
  br label %rounded

rounded:
  %place = phi i64 [ %one.more, %more ], [ %rest, %turn ]
  %at = getelementptr double, ptr %x, i64 %place
  store double 0.0, ptr %at, align 8
  %i.next = add i64 %i, 1
  %done = icmp sge i64 %i.next, %n
  br i1 %done, label %out, label %turn

out:
  %value = load double, ptr %x, align 8
  ret double %value
}
""" + ROUNDED[ROUNDED.index("\ndefine void @derivative") :]
SELECTED = "%place.chosen = select i1 %differ, i64 %one.less, i64 %quotient"


def code(text: str) -> str:
    return str(ran(ChosenIntegers(), text).code)


def test_an_integer_is_selected() -> None:
    made = code(ROUNDED)
    assert SELECTED in made
    assert made.count(" phi ") == 2
    assert made.index("%one.less = ") < made.index(SELECTED) < made.index("br label %rounded")


def test_either_way_may_be_the_branch() -> None:
    turned = with_line(ROUNDED, "br i1 %differ, label %less, label %rounded", "br i1 %differ, label %rounded, label %less")
    assert "%place.chosen = select i1 %differ, i64 %quotient, i64 %one.less" in code(turned)


def test_it_computes_the_same() -> None:
    """Quotients of all signs, of the code as it was and as it is."""
    places = np.arange(-8.0, 9.0)
    middle = places.ctypes.data + 8 * places.itemsize
    found = []
    for text in (ROUNDED, code(ROUNDED)):
        with compiled(text) as f:
            found.append([f(middle, n, m) for n in range(-8, 9) for m in (-3, -1, 1, 2, 5)])
    assert found[0] == found[1]
    assert len(set(found[0])) > 9


@contextmanager
def compiled(text: str) -> Iterator[Callable[[int, int, int], float]]:
    """Let the first function of a module run."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text[: text.index("define void @derivative")])
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    with llvm.create_mcjit_compiler(module, machine) as engine:
        engine.finalize_object()
        prototype = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        yield prototype(engine.get_function_address("f"))


def test_floats_stay() -> None:
    """A slope of what is not taken would be computed."""
    of_floats = with_line(ROUNDED, "%at = getelementptr", "%factor = phi double [ 2.0, %less ], [ 1.0, %entry ]\n  %at = getelementptr")
    assert is_left_alone(ChosenIntegers(), of_floats)


def test_a_float_that_is_the_same_by_both_ways() -> None:
    same = with_line(ROUNDED, "%at = getelementptr", "%factor = phi double [ 2.0, %less ], [ 2.0, %entry ]\n  %at = getelementptr")
    assert SELECTED in code(same)


def test_divisions_and_memory_stay() -> None:
    for line in ("%one.less = sdiv i64 %quotient, %m", "%one.less = load i64, ptr %x, align 8"):
        assert is_left_alone(ChosenIntegers(), with_line(ROUNDED, "%one.less = add i64 %quotient, -1", line))


def test_innermost_loops_stay() -> None:
    """No bound is made there: an index, whose branch is as good as free. Nor where there is no loop at all."""
    assert is_left_alone(ChosenIntegers(), INDEX)
    assert is_left_alone(ChosenIntegers(), INDEX.replace("br i1 %done, label %out, label %turn", "br label %out").replace(", [ %i.next, %rounded ]", ""))


def test_forward_mode() -> None:
    assert is_left_alone(ChosenIntegers(), ROUNDED.replace("__enzyme_autodiff", "__enzyme_fwddiff"))


def test_the_function_stays_readable() -> None:
    assert [one.name for one in Module(code(ROUNDED)).function("f").blocks] == ["entry", "rounded", "squares", "out"]
