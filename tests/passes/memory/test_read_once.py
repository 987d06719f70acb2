"""Temporaries that are read once, in order, go; whatever else happens to one, it stays."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Function, Load
from enzyme_py.passes.memory.read_once import ReadOnce
from tests.passes.running import is_left_alone, ran, with_line

HEAD = """\
declare noalias ptr @malloc(i64)
declare double @llvm.fabs.f64(double)
declare double @sin(double)
declare i64 @llvm.smax.i64(i64, i64)
declare void @use(ptr)
declare void @say(i64)
declare void @enzyme_py_hint(ptr)
"""
# for i: t[i] = y[i] * y[i]; for k: s += t[k]
LOOPS = """\
define double @k(ptr %y, ptr %z, i64 %n, i64 %m) {
entry:
  %t = call noalias ptr @malloc(i64 %n)
  call void @enzyme_py_hint(ptr %t)
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %ahead, label %done
ahead:
  %two = fadd double 1.0, 1.0
  br label %fill
fill:
  %i = phi i64 [ 0, %ahead ], [ %j, %fill ]
  %p = getelementptr inbounds double, ptr %y, i64 %i
  %a = load double, ptr %p, align 8
  %b = fmul double %a, %two
  %q = getelementptr inbounds double, ptr %t, i64 %i
  store double %b, ptr %q, align 8
  %j = add nuw nsw i64 %i, 1
  %d = icmp eq i64 %j, %n
  br i1 %d, label %between, label %fill
between:
  br label %done
done:
  %end = call i64 @llvm.smax.i64(i64 %n, i64 1)
  br label %read
read:
  %k = phi i64 [ 0, %done ], [ %l, %read ]
  %s = phi double [ 0.0, %done ], [ %u, %read ]
  %r = getelementptr inbounds double, ptr %t, i64 %k
  %v = load double, ptr %r, align 8
  %u = fadd double %s, %v
  %l = add nuw nsw i64 %k, 1
  %e = icmp eq i64 %l, %end
  br i1 %e, label %out, label %read
out:
  ret double %u
}
"""


def fused(text: str) -> Function:
    """Return the function without its temporary."""
    k = ran(ReadOnce(), HEAD + text).code.function("k")
    assert not k.calls_of("malloc", "enzyme_py_hint")
    assert [one.opcode for one in k.block("fill")] == ["br"]
    return k


def is_kept(text: str) -> bool:
    return is_left_alone(ReadOnce(), HEAD + text)


def test_elements_are_computed_where_they_are_read():
    k = fused(LOOPS)
    value = k["v"]
    assert value.text == "%v = fmul double %t.a, %t.two"
    assert value.users == [k["u"]]
    load = k["t.a"]
    assert isinstance(load, Load)
    assert load.pointer.text == "%t.p = getelementptr inbounds double, ptr %y, i64 %k"
    order = [one.name for one in k.block("read") if one.name.startswith(("t.", "v"))]
    assert order == ["t.two", "t.p", "t.a", "v"]  # what stands in front of the loop comes first
    assert k.block("fill").successors == [k.block("between")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%b = fmul double %a, %two", "%b = call double @sin(double %a)"),
        ("%b = fmul double %a, %two", "%b = call double @llvm.fabs.f64(double %a)"),
        ("%some = icmp sgt i64 %n, 0", "%some = icmp samesign sgt i64 %n, 0"),
        ("out:\n", "out:\n  store double 0.0, ptr %y\n"),
    ],
)
def test_what_changes_nothing(old, new):
    fused(with_line(LOOPS, old, new))


def test_an_index_that_is_broadcast():
    text = with_line(LOOPS, "i64 %k\n", "i64 %x\n")
    chosen = "  %one = icmp eq i64 %end, 1\n  %x = select i1 %one, i64 0, i64 %k\n  %r = "
    fused(with_line(text, "  %r = ", chosen))
    assert is_kept(with_line(text, "  %r = ", chosen.replace("%end, 1", "%end, 2")))


def test_other_memory_may_be_written_in_between():
    text = with_line(LOOPS, "  %some", "  %o = call noalias ptr @calloc(i64 1, i64 %n)\n  %some")
    text = with_line(text, "between:\n", "between:\n  store double %two, ptr %o\n")
    fused(f"declare noalias ptr @calloc(i64, i64)\n{text}")


def test_loops_that_surely_run():
    text = with_line(LOOPS, "br i1 %some, label %ahead, label %done", "br label %ahead")
    fused(with_line(text, "i64 %l, %end", "i64 %l, %n"))


def test_a_gate_the_other_way_round():
    text = with_line(LOOPS, "icmp sgt i64 %n, 0", "icmp slt i64 %n, 1")
    fused(with_line(text, "label %ahead, label %done", "label %done, label %ahead"))
    assert is_kept(text)


def test_single_precision():
    text = LOOPS.replace("double", "float").replace("llvm.fabs.f64", "llvm.fabs.f32")
    k = ran(
        ReadOnce(), HEAD.replace("double", "float").replace(".f64", ".f32") + text
    ).code.function("k")
    assert not k.calls_of("malloc")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("out:\n", "out:\n  call void @use(ptr %t)\n"),
        ("out:\n", "out:\n  %w = load double, ptr %t\n"),  # read twice
        ("  %u = ", "  %w = load double, ptr %r\n  %u = "),
        ("  %u = ", "  store double %v, ptr %r\n  %u = "),
        ("load double, ptr %r", "load volatile double, ptr %r"),
        ("store double %b", "store volatile double %b"),
        ("store double %b", "store double 0.0"),  # nothing to be moved
        ("%v = load double, ptr %r, align 8", "%f = load float, ptr %r\n  %v = fpext float %f to double"),
        ("ptr %t, i64 %k", "ptr %t, i64 %m"),  # of another iteration
        ("ptr %t, i64 %i", "ptr %t, i64 %m"),
        ("i64 %l, %end", "i64 %l, %m"),  # to another end
        ("(i64 %n, i64 1)", "(i64 %n, i64 11)"),
        ("(i64 %n, i64 1)", "(i64 %m, i64 1)"),
        ("[ 0, %done ], [ %l, %read ]", "[ 1, %done ], [ %l, %read ]"),  # from another begin
        ("%k, 1", "%k, 2"),
        ("  %b = ", "  store double 0.0, ptr %z\n  %b = "),  # the first loop does more
        ("  %b = ", "  call void @say(i64 %i)\n  %b = "),
        ("  %p = ", "  %c = phi double [ 0.0, %ahead ], [ %a, %fill ]\n  %p = "),
        ("between:\n", "between:\n  %w = phi double [ %b, %fill ]\n"),  # which is used behind
        ("between:\n", "between:\n  store double %two, ptr %y\n"),  # where the first one reads
        ("between:\n", "between:\n  store double %two, ptr %z\n"),  # where it may read
        ("between:\n", "between:\n  call void @use(ptr %z)\n"),
        ("between:\n", "between:\n  fence seq_cst\n"),
        ("  %u = ", "  store double %v, ptr %y\n  %u = "),
        ("%some = icmp sgt i64 %n, 0", "%some = icmp sgt i64 %m, 0"),  # of something else
        ("%b = fmul double %a, %two", "%g = sdiv i64 %i, %m\n  %b = sitofp i64 %g to double"),
    ],
)  # fmt: skip
def test_what_stays(old, new):
    assert is_kept(with_line(LOOPS, old, new))


def test_a_second_loop_that_runs_again():
    text = with_line(LOOPS, "label %out, label %read", "label %again, label %read")
    again = "again:\n  %c = icmp eq i64 %m, 0\n  br i1 %c, label %out, label %done\nout:\n"
    assert is_kept(with_line(text, "out:\n", again))


def test_what_is_read_in_front_of_the_loop_may_be_written_there():
    text = with_line(LOOPS, "%two = fadd double 1.0, 1.0", "%two = load double, ptr %z")
    fused(text)
    text = with_line(text, "ptr %z\n  br", "ptr %z\n  store double %two, ptr %z\n  br")
    assert is_kept(text)


def test_modules_without_memory():
    assert is_left_alone(ReadOnce(), "define void @f() {\n  ret void\n}\n")
