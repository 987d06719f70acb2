"""Memory that is refused: the error tells how much was asked for, by which derivative, in which line."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import njit

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, ImpossibleSizeError, OutOfMemoryError
from enzyme_py.llvm import Module
from enzyme_py.native.faults.layouts import Layout, allocator_of
from enzyme_py.native.faults.sites import layout, mark_calls, rename_calls
from enzyme_py.native.runtime import library
from enzyme_py.settings import config

FILE = __file__
TERABYTES = 2**38  # elements: 2.2 TB, which no machine of ours has
X = np.ones(2)


@njit
def keeps(x, n):
    s = 0.0
    a = np.empty(n)  # asked for here
    for i in range(n):
        a[i] = np.sin(x[0] * i)
    for i in range(n):
        s += np.exp(a[i]) * a[i]
    return s


@njit
def makes(n):
    return np.zeros(n)  # and here, inlined


@njit
def called(x, n):
    a = makes(n)
    for i in range(n):
        a[i] = x[0] + i
    s = x[1]
    for i in range(n):
        s = np.sin(s) * a[n - 1 - i]
    return s


def line_with(text: str) -> int:
    lines = Path(FILE).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def first_refused(call) -> OutOfMemoryError:
    """Refuse the first request of a call that went well before."""
    call()
    library().enzyme_py_fail_after(1)
    try:
        with pytest.raises(OutOfMemoryError) as caught:
            call()
    finally:
        library().enzyme_py_fail_after(0)
    call()
    return caught.value


def test_bytes_derivative_and_line() -> None:
    with pytest.raises(MemoryError) as caught:
        enzyme.gradient(keeps, X, TERABYTES)
    error = caught.value
    assert isinstance(error, OutOfMemoryError)
    assert "the derivative `reverse_of_keeps` asked for 2199023255552 bytes (2.2 TB)" in str(error)
    assert (error.where.kernel, error.where.file) == ("keeps", FILE)
    # What Enzyme keeps in front of all loops has no line of its own: then it is the kernel's first.
    assert error.where.line == line_with("@njit")
    assert "docs/memory.md" in error.remedy


def test_lines_of_functions_that_are_called() -> None:
    error = first_refused(lambda: enzyme.gradient(called, X, 7))
    assert "asked for 56 bytes" in error.what
    assert error.where.line == line_with("# and here, inlined")


def test_forward_mode_and_second_orders() -> None:
    forward = first_refused(lambda: enzyme.jvp(called, (X, 7), (X, None)))
    assert forward.where.kernel == "called"
    assert "asked for 56 bytes" in forward.what
    second = first_refused(lambda: enzyme.hessian(called)(X, 7))
    assert "called" in second.where.kernel
    assert "bytes" in second.what


def test_from_compiled_code() -> None:
    @njit
    def run(x, n):
        return enzyme.grad(keeps)(x, n)

    run(X, 3)
    with pytest.raises(OutOfMemoryError, match=r"2\.2 TB"):
        run(X, TERABYTES)


def test_each_thread_reads_its_own() -> None:
    found: dict[int, str] = {}

    def ask(count: int) -> None:
        for _ in range(20):
            with pytest.raises(OutOfMemoryError) as caught:
                enzyme.gradient(keeps, X, count)
            assert f"asked for {8 * count} bytes" in caught.value.what
        found[count] = caught.value.what

    enzyme.gradient(keeps, X, 3)
    threads = [threading.Thread(target=ask, args=(TERABYTES + i,)) for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 4


def test_the_error_travels() -> None:
    error = first_refused(lambda: enzyme.gradient(called, X, 7))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_a_size_that_cannot_be_meant(tmp_path) -> None:
    with config(cache_dir=tmp_path):
        with pytest.raises(ImpossibleSizeError) as caught:
            enzyme.gradient(keeps, X, 2**45)
        error = caught.value
        assert isinstance(error, EnzymeError)
        assert isinstance(error, MemoryError)
        assert "281474976710656 bytes (281 TB): no size that can be meant" in error.what
        (saved,) = (tmp_path / "crashes").glob("*.ll")
        assert str(saved) in error.remedy
        assert "reverse_of_keeps" in saved.read_text()


WISHES = """
declare noalias ptr @malloc(i64)
declare void @free(ptr)
define double @wishes(double %x, i64 %n) {
  %room = call noalias ptr @malloc(i64 %n)
  store double %x, ptr %room
  %read = load double, ptr %room
  %y = fmul double %read, %x
  call void @free(ptr %room)
  ret double %y
}
"""


def test_a_negative_size_of_foreign_code(tmp_path) -> None:
    file = tmp_path / "wishes.ll"
    file.write_text(WISHES.replace("store double", "store volatile double"))
    wishes = enzyme.link_ir(file, "wishes", "float64(float64, int64)")

    @njit
    def f(x, n):
        return wishes(x, n)

    with config(cache_dir=tmp_path):
        assert enzyme.grad(f)(3.0, 8) == pytest.approx(6.0)
        with pytest.raises(ImpossibleSizeError, match=r"asked for -1 bytes") as caught:
            enzyme.grad(f)(3.0, -1)
    assert caught.value.where.kernel == "f"


def test_primal_errors_stay() -> None:
    with pytest.raises(ValueError, match="negative dimensions"):
        enzyme.gradient(keeps, X, -3)


LIMITED = """
import resource, numpy as np, enzyme_py as enzyme
from tests.native.test_refused_memory import keeps
enzyme.gradient(keeps, np.ones(2), 3)
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 2**29, now + 2**29))
try:
    enzyme.gradient(keeps, np.ones(2), 2**33)  # more than a region has reserved
except MemoryError as error:
    print(error.what)
print(enzyme.gradient(keeps, np.ones(2), 3)[0][0] != 0)
"""


def test_a_limit_of_the_system() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        cwd=Path(FILE).parent.parent.parent,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stdout.splitlines() == [
        "out of memory: the derivative `reverse_of_keeps` asked for 68719476736 bytes (68.7 GB)",
        "True",
    ]


def test_other_formats_have_no_lines() -> None:
    assert layout(b"\xcf\xfa\xed\xfe" + bytes(100), "entry", []) == Layout()
    assert mark_calls(Module("define void @f() {\n  ret void\n}\n")) == []
    assert allocator_of("malloc.line.12") == "malloc"
    assert allocator_of("malloc_line") == "malloc_line"
    assert allocator_of("free.line.12") == "free.line.12"


MARKED = r"""
define ptr @f(i64 %n) {
  %a = call ptr @malloc(i64 %n), !dbg !4
  %b = call ptr @malloc(i64 8), !dbg !5
  %c = call ptr @calloc(i64 1, i64 %n), !dbg !4
  %d = call ptr @malloc(i64 8), !dbg !7
  call void @free(ptr %a), !dbg !4
  ret ptr %b
}
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare void @free(ptr)
!1 = !DIFile(filename: "my\C3\BC.py", directory: "/at\\home")
!2 = !DIFile(filename: "arrayobj.py", directory: "NUMBA")
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, unit: !8)
!4 = !DILocation(line: 12, column: 1, scope: !3)
!5 = !DILocation(line: 99, column: 1, scope: !6, inlinedAt: !9)
!6 = distinct !DISubprogram(name: "empty", scope: !2, file: !2, line: 90, unit: !8)
!7 = !DILocation(line: 99, column: 1, scope: !6)
!8 = distinct !DICompileUnit(language: DW_LANG_C, file: !1)
!9 = distinct !DILocation(line: 13, column: 1, scope: !3)
"""


def test_marks_before_the_pipeline_and_names_behind_it() -> None:
    code = Module(MARKED.replace("NUMBA", os.path.dirname(numba.__file__) + "/np"))
    lines = mark_calls(code)
    assert lines == [("/at\\home/my\u00fc.py", 12), ("/at\\home/my\u00fc.py", 13)]
    code.drop_debug_information()
    text = str(code)
    assert "dbg" not in text
    rename_calls(code)
    for one in (code, renamed := Module(text)):  # functions that were read, and ones that were not
        if one is renamed:
            rename_calls(one)
            assert not one.function("f").is_read
        calls = [call.callee for call in one.function("f").calls]
        assert calls == ["malloc.line.0", "malloc.line.1", "calloc.line.0", "malloc", "free"]
        assert one.function("malloc.line.1").return_attributes == ["noalias"]
        assert "enzyme_py.line" not in str(one)
