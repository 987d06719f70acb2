"""Programs that state their answers, in the form of Enzyme's own tests: the short form, of a program of ours.

`python -m tests.enzyme_suite CHECKOUT --folder FOLDER` is the long one.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.enzyme_suite.host import Derivative, Program
from tests.enzyme_suite.programs import Declared, NotAsked, fast, newest_clang, programs, signature
from tests.enzyme_suite.worker import outcome

# As clang -O0 writes it. `main` says which derivative is wrong: x^2 y by both at (3, 5) is 30 and 9, by y alone 9;
# the tangent of the squares of (3, 4) along (1, 0.5) is (6, 4).
PROGRAM = """
%struct.both = type { double, double }
@enzyme_const = external global i32
@enzyme_out = external global i32
define double @product(double noundef %x, double noundef %y) {
  %1 = fmul double %x, %x
  %2 = fmul double %1, %y
  ret double %2
}
define void @squares(ptr noundef %x, i32 noundef %n, ptr noundef %out) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %from = getelementptr double, ptr %x, i32 %i
  %to = getelementptr double, ptr %out, i32 %i
  %value = load double, ptr %from
  %square = fmul double %value, %value
  store double %square, ptr %to
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
define i32 @main() {
  %x = alloca [2 x double]
  %dx = alloca [2 x double]
  %out = alloca [2 x double]
  %dout = alloca [2 x double]
  store [2 x double] [double 3.0, double 4.0], ptr %x
  store [2 x double] [double 1.0, double 0.5], ptr %dx
  %1 = call %struct.both (ptr, ...) @__enzyme_autodiff_both(ptr noundef @product, double noundef 3.0, double noundef 5.0)
  %2 = extractvalue %struct.both %1, 0
  %3 = extractvalue %struct.both %1, 1
  %4 = load i32, ptr @enzyme_const, align 4
  %5 = load i32, ptr @enzyme_out, align 4
  %6 = call double (ptr, ...) @__enzyme_autodiff(ptr noundef @product, i32 noundef %4, double noundef 3.0, i32 noundef %5, double noundef 5.0)
  call void (ptr, ...) @_Z16__enzyme_fwddiffPvz(ptr noundef @squares, ptr noundef %x, ptr noundef %dx, i32 noundef 2, ptr noundef %out, ptr noundef %dout)
  %last = getelementptr double, ptr %dout, i64 1
  %7 = load double, ptr %last
  %8 = fcmp une double %2, 30.0
  %9 = fcmp une double %3, 9.0
  %10 = fcmp une double %6, 9.0
  %11 = fcmp une double %7, 4.0
  %12 = select i1 %11, i32 4, i32 0
  %13 = select i1 %10, i32 3, i32 %12
  %14 = select i1 %9, i32 2, i32 %13
  %15 = select i1 %8, i32 1, i32 %14
  ret i32 %15
}
declare %struct.both @__enzyme_autodiff_both(ptr noundef, ...)
declare double @__enzyme_autodiff(ptr noundef, ...)
declare void @_Z16__enzyme_fwddiffPvz(ptr noundef, ...)
"""
DECLARED = {
    "product": Declared("double", ("double", "double")),
    "squares": Declared("void", ("const double *", "int", "double *restrict")),
}


def status(text: str, folder: Path) -> int:
    program = Program(text)
    made = {one.symbol: Derivative(one, DECLARED[one.name], text, folder) for one in program.sites}
    return program.run(dict(made))


def test_a_program_and_its_answers(tmp_path: Path) -> None:
    assert status(PROGRAM, tmp_path) == 0


@pytest.mark.parametrize(("old", "new", "number"), [("30.0", "30.5", 1), ("%7, 4.0", "%7, 8.0", 4)])
def test_a_wrong_answer_is_told(old: str, new: str, number: int, tmp_path: Path) -> None:
    assert PROGRAM.count(old) == 1
    assert status(PROGRAM.replace(old, new), tmp_path) == number


# As C++ has it for an object: its constructor runs before `main`, which returns the number that it leaves.
OBJECT = """
@__dso_handle = external hidden global i8
@seen = global i32 1
@owner = global ptr null
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @made, ptr null }]
define internal void @made() {
  %1 = call i32 @abs(i32 0)
  store i32 %1, ptr @seen
  store ptr @__dso_handle, ptr @owner
  ret void
}
declare i32 @abs(i32)
"""


def test_objects_of_the_program(tmp_path: Path) -> None:
    """MCJIT says nothing of a symbol that it misses, and resolves no other one: the program jumps to address 0."""
    text = PROGRAM.replace("ret i32 %15", "%16 = load i32, ptr @seen\n  %17 = or i32 %15, %16\n  ret i32 %17")
    assert status(text + OBJECT, tmp_path) == 0
    with pytest.raises(NotAsked, match="no library here has of_no_library"):
        status(text + OBJECT.replace("@abs", "@of_no_library"), tmp_path)


@pytest.mark.parametrize(("others", "is_fast"), [("", True), ("// RUN: %clang -O1 %s\n", False)])
def test_fast_numbers_where_the_program_has_them(others: str, is_fast: bool, tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text(f"// RUN: %clang -ffast-math -O2 %s\n{others}int one;\n")
    assert fast(tmp_path / "one.c") == (("-ffast-math",) if is_fast else ())


def test_calls_of_fast_numbers(tmp_path: Path) -> None:
    text = PROGRAM.replace(
        "call double (ptr, ...) @__enzyme_autodiff(ptr noundef @product,",
        "call fast nofpclass(nan inf) double (ptr, ...) @__enzyme_autodiff(ptr noundef @product,",
    ).replace("double noundef 3.0", "double noundef nofpclass(nan inf) 3.0")
    assert text.count("nofpclass") > 1
    assert status(text, tmp_path) == 0


def test_what_is_not_asked() -> None:
    assert signature(DECLARED["squares"]) == ("void", ["float64[::1]", "int32", "float64[::1]"])
    matrix = Declared("void", ("const Eigen::Matrix<float, 3, IN> *__restrict", "double &"))
    assert signature(matrix)[1] == ["float32[::1]", "float64[::1]"]
    for one in (
        "double **",
        "struct pair",
        "double (*)(double)",
        "Eigen::Matrix<double, -1, -1> *",
    ):
        with pytest.raises(NotAsked, match="argument"):
            signature(Declared("void", (one,)))
    with pytest.raises(NotAsked, match="__enzyme_virtualreverse"):
        Program(
            PROGRAM.replace("@__enzyme_autodiff(ptr noundef @p", "@__enzyme_virtualreverse(ptr @p")
        )
    with pytest.raises(NotAsked, match="without a program"):
        Program(PROGRAM.replace("@main", "@another"))
    with pytest.raises(NotAsked, match="calls no derivative"):
        Program("define i32 @main() {\n  ret i32 0\n}\n")


@pytest.mark.full
@pytest.mark.skipif(newest_clang() is None, reason="needs clang")
@pytest.mark.parametrize(("wanted", "verdict"), [("12.0", "right"), ("13.0", "wrong")])
def test_a_program_in_c(wanted: str, verdict: str, tmp_path: Path) -> None:
    folder = tmp_path / "enzyme" / "test" / "Integration"
    folder.mkdir(parents=True)
    (folder / "cube.c").write_text(
        "double __enzyme_autodiff(void *, double);\n"
        "static double cube(double x) { return x * x * x; }\n"
        f"int main() {{ return __enzyme_autodiff((void *)cube, 2.0) != {wanted}; }}\n"
    )
    (file,) = programs(tmp_path)
    clang: Any = newest_clang()
    assert shutil.which(clang)
    assert outcome(str(file), clang, "O1")["verdict"] == verdict
