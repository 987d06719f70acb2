"""Memory of iterations that becomes one buffer in front of the loop, and memory that must stay where it is."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Call, Function, Store
from enzyme_py.passes.memory.hoisted_buffers import HoistedBuffers
from tests.passes.running import is_left_alone, ran, with_line

HEAD = """\
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare void @use(ptr)
declare void @enzyme_py_hint(ptr)
declare void @enzyme_py_copy1_dd(ptr, ptr, i64, i64, i64)
declare void @cblas_dgemv_64_(ptr, ptr, ptr)
"""
# h = x; for i in range(n): h = f(h); return h[0]
CARRIED = """\
define double @k(ptr %x, i64 %n, i1 %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %latch ]
  %h = phi ptr [ %x, %entry ], [ %w, %latch ]
  %w = call noalias ptr @malloc(i64 %n), !dbg !4
  %a = load double, ptr %h, align 8
  %p = getelementptr double, ptr %w, i64 1
  store double %a, ptr %p, align 8
  br label %latch
latch:
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  %r = phi ptr [ %w, %latch ]
  %d = load double, ptr %r, align 8
  ret double %d
}
"""
# for i in range(n): y = A @ v; s += y[0]
PRODUCT = """\
define double @k(ptr %x, i64 %n, i1 %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %latch ]
  %s = phi double [ 0.0, %entry ], [ %t, %latch ]
  %w = tail call noalias ptr @malloc(i64 noundef %n), !noalias !6
  call void @cblas_dgemv_64_(ptr %x, ptr %x, ptr %w)
  %a = load double, ptr %w, align 8
  br label %latch
latch:
  %t = fadd double %s, %a
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret double %t
}
"""
PLACES = """\
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "f", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "k", file: !1, line: 1, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 7, scope: !3)
!6 = !{!7}
!7 = distinct !{!7, !8}
!8 = distinct !{!8}
"""


def whole(text: str) -> str:
    return HEAD + text.replace("i1 %b) {", "i1 %b) !dbg !3 {") + PLACES


def hoisted(text: str) -> Function:
    """Return the function with its buffers in front of the loop."""
    return ran(HoistedBuffers(), whole(text)).code.function("k")


def is_kept(text: str) -> bool:
    return is_left_alone(HoistedBuffers(), whole(text))


def test_what_is_carried_is_copied_into_a_buffer():
    k = hoisted(CARRIED)
    buffer, made, copied = k["w.buffer"], k["w"], k.calls_of("enzyme_py_into_buffer_d")[0]
    assert isinstance(buffer, Call)
    assert buffer.home.name == "entry"
    assert k["w.count"].text == "%w.count = lshr i64 %n, 3"
    assert copied.home.name == "latch"
    assert copied.location == "!4"
    assert [one.ref for one in copied.arguments] == ["%w.buffer", "%w", "%w.count", "8", "8"]
    assert copied.next is k.calls_of("free")[0]
    assert copied.next.arguments == (made,)
    for name in ("h", "r"):
        assert k[name].value_from(k.block("latch")) is buffer
    copier = k.module.function("enzyme_py_into_buffer_d")
    assert copier.linkage == "internal"


@pytest.mark.parametrize(
    "uses",
    [
        "  %d = load double, ptr %w\n",
        "  %q = getelementptr double, ptr %w, i64 1\n  %d = load double, ptr %q\n",
        "  br label %last\nlast:\n  %e = phi ptr [ %w, %out ]\n  %d = load double, ptr %e\n",
    ],
)
def test_what_is_used_behind_the_loop_is_the_buffer(uses: str):
    """As in `for _ in range(50): x = np.sin(x)`: LLVM names the array of the last iteration itself."""
    k = hoisted(behind_the_loop(uses))
    assert {one.home.name for one in k["w"].users} == {"loop", "latch"}
    assert {one.home.name for one in k["w.buffer"].users} & {"out", "last"}


@pytest.mark.parametrize(
    "text",
    [
        "  %d = load double, ptr %p\n",
        "  %e = phi ptr [ %p, %latch ]\n  %d = load double, ptr %e\n",
        "  call void @use(ptr %w)\n  %d = load double, ptr %h\n",
    ],
)
def test_what_is_used_behind_the_loop_and_stays(text: str):
    assert is_kept(behind_the_loop(text))


def test_an_exit_that_leaves_before_the_copy():
    """A block behind the loop that is reached from its middle as well: it may see an unfinished iteration."""
    text = behind_the_loop("  %d = load double, ptr %w\n")
    assert is_kept(with_line(text, "  br label %latch\n", "  br i1 %b, label %latch, label %out\n"))


def behind_the_loop(uses: str) -> str:
    a, _, b = CARRIED.partition("  %r = phi ptr [ %w, %latch ]\n  %d = load double, ptr %r, align 8\n")
    return a + uses + b


def test_products_are_the_buffer():
    k = hoisted(PRODUCT)
    (made,) = k.calls_of("malloc")
    assert made is k["w"]
    assert made.home.name == "entry"
    assert (
        made.text == "%w = call noalias ptr @malloc(i64 %n)"
    )  # what was said inside of the loop, is not true here


def test_a_loop_that_is_entered_from_a_choice():
    """The size of the array is asked in front of the loop, and a negative one raises."""
    text = with_line(
        CARRIED,
        "entry:\n  br label %loop",
        "entry:\n  br i1 %b, label %loop, label %none\nnone:\n  ret double 0.0",
    )
    k = hoisted(text)
    (ahead,) = (one for one in k.block("loop").predecessors if one.name != "latch")
    assert [one.callee for one in ahead.instructions if isinstance(one, Call)] == ["malloc"]
    assert not any(isinstance(one, Call) for one in k.entry)


def test_zeros_in_front_of_the_copy():
    k = hoisted(with_line(CARRIED, "@malloc(i64 %n)", "@calloc(i64 1, i64 %n)"))
    assert [one.callee for one in k.entry if isinstance(one, Call)] == ["malloc"]
    assert k["w"].callee == "calloc"


def test_single_precision():
    k = hoisted(CARRIED.replace("double, ptr %h", "float, ptr %h").replace("store double", "store float")
                .replace("%d = load double, ptr %r, align 8", "%d = fadd double 0.0, 0.0"))  # fmt: skip
    assert k["w.count"].text.endswith("lshr i64 %n, 2")
    assert k.calls_of("enzyme_py_into_buffer_s")


def test_a_loop_in_a_loop_has_its_buffers_in_front_of_both():
    text = with_line(
        PRODUCT,
        "entry:\n  br label %loop\n",
        "entry:\n  br label %outer\nouter:\n  %o = phi i64 [ 0, %entry ], [ %u, %next ]\n  br label %loop\n",
    )
    text = text.replace("%entry ], [ %j", "%outer ], [ %j").replace(
        "[ 0.0, %entry ]", "[ 0.0, %outer ]"
    )
    text = with_line(
        text,
        "label %out, label %loop\n",
        "label %next, label %loop\nnext:\n  %u = add i64 %o, 1\n  br i1 %b, label %out, label %outer\n",
    )
    assert hoisted(text)["w"].home.name == "entry"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@malloc(i64 %n)", "@malloc(i64 %i)"),  # of another size in each iteration
        ("@malloc(i64 %n)", "@calloc(i64 2, i64 %n)"),
        ("  store double", "  call void @use(ptr %w)\n  store double"),  # somebody else may keep it
        ("  store double", "  store ptr %p, ptr %x\n  store double"),
        ("  store double", "  %q = icmp eq ptr %w, %x\n  store double"),  # its address is looked at
        ("  store double %a", "  store float 0.0"),  # written as other numbers than it is read
        ("  store double", "  store float 0.0, ptr %p\n  store double"),
        (
            "[ %x, %entry ], [ %w, %latch ]",
            "[ %x, %entry ], [ %p, %latch ]",
        ),  # a part is carried on
        (
            "%r = phi ptr [ %w,",
            "%r = phi ptr [ %h,",
        ),  # the state of the iteration before is used behind
        ("  store double", "  call void @use(ptr %h)\n  store double"),
        ("  store double", "  store ptr %h, ptr %x\n  store double"),
        (
            "  %h = phi",
            "  %g = phi ptr [ %x, %entry ], [ %h, %latch ]\n  %h = phi",
        ),  # two states are carried
        ("  %h = phi", "  %g = phi ptr [ %x, %entry ], [ %w, %latch ]\n  %h = phi"),  # by two names
        ("latch:\n", "latch:\n  %m = phi ptr [ %w, %loop ]\n"),  # it merges inside of the loop
    ],
)
def test_what_is_carried_and_stays(old, new):
    assert is_kept(with_line(CARRIED, old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@cblas_dgemv_64_(ptr %x, ptr %x, ptr %w)", "@enzyme_py_hint(ptr %w)"),  # no product
        ("@malloc(i64 noundef %n)", "@calloc(i64 1, i64 %n)"),  # whose zeros are needed
        ("out:\n", "out:\n  %e = load double, ptr %w\n"),
        ("out:\n", "out:\n  %e = phi ptr [ %w, %latch ]\n"),
    ],
)
def test_products_that_stay(old, new):
    assert is_kept(with_line(PRODUCT, old, new))


def test_what_some_iterations_do_without_stays():
    text = with_line(
        PRODUCT, "  %w = tail", "  br i1 %b, label %then, label %latch\nthen:\n  %w = tail"
    )
    text = with_line(text, "latch:\n", "latch:\n  %m = phi double [ %a, %then ], [ 0.0, %loop ]\n")
    assert is_kept(with_line(text, "fadd double %s, %a", "fadd double %s, %m"))


def test_block_copies_and_hints_are_harmless():
    more = "  call void @enzyme_py_copy1_dd(ptr %p, ptr %h, i64 1, i64 8, i64 8)\n  call void @enzyme_py_hint(ptr %w)\n"
    k = hoisted(with_line(CARRIED, "  store double", f"{more}  store double"))
    assert k["w.buffer"].home.name == "entry"
    assert any(isinstance(one, Store) for one in k.block("loop"))


def test_the_state_before_a_break_is_the_buffer():
    text = with_line(
        CARRIED,
        "  store double %a, ptr %p, align 8\n  br label %latch",
        "  store double %a, ptr %p, align 8\n  br i1 %b, label %early, label %latch",
    )
    text = with_line(
        text,
        "out:\n",
        "early:\n  %e = phi ptr [ %h, %loop ]\n  %f = load double, ptr %e\n  ret double %f\nout:\n",
    )
    assert hoisted(text)["w.buffer"].home.name == "entry"


def test_modules_without_memory():
    assert is_left_alone(HoistedBuffers(), "define void @f() {\n  ret void\n}\n")
