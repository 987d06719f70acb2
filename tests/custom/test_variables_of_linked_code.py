"""Variables of linked IR: what is only read is constant, what numbers are kept in is refused."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import NoDerivativeError, RuleError

# Of another library: a table, a pointer into it, and a count of the calls.
CODE = """
@tests_gains = external global [3 x double]
@tests_row = external global ptr
@tests_calls = external global i64
@old = global [2 x double] [double 1.0, double 2.0]
@begun = internal global double 0.0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @begin, ptr null }]
define double @read(double %x) {
  %gain = load double, ptr getelementptr inbounds ([3 x double], ptr @tests_gains, i64 0, i64 1)
  %row = load ptr, ptr @tests_row
  %place = getelementptr double, ptr %row, i64 2
  %more = load double, ptr %place
  %calls = load i64, ptr @tests_calls
  %next = add i64 %calls, 1
  store i64 %next, ptr @tests_calls
  %square = fmul double %x, %x
  %first = fmul double %square, %gain
  %second = fmul double %x, %more
  %y = fadd double %first, %second
  ret double %y
}
define double @kept(double %x, i64 %i) {
  %place = getelementptr [2 x double], ptr @old, i64 0, i64 %i
  %value = load double, ptr %place
  store double %x, ptr %place
  %y = fmul double %value, %x
  ret double %y
}
define double @written(double %x) {
  %row = load ptr, ptr @tests_row
  store double %x, ptr %row
  %y = load double, ptr getelementptr inbounds ([3 x double], ptr @tests_gains, i64 0, i64 0)
  ret double %y
}
define double @filled(double %x) {
  %value = load double, ptr @begun
  %y = fmul double %value, %x
  ret double %y
}
define internal void @begin() {
  %value = call double @nowhere_to_be_found()
  store double %value, ptr @begun
  ret void
}
declare double @nowhere_to_be_found()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "code.ll"
    path.write_text(CODE)
    return path


@pytest.fixture(scope="module")
def memory() -> dict[str, np.ndarray]:
    gains, calls = np.array([1.0, 2.0, 3.0]), np.zeros(1, np.int64)
    found = {"gains": gains, "row": np.array([gains.ctypes.data]), "calls": calls}
    for name, one in found.items():
        llvm.add_symbol(f"tests_{name}", one.ctypes.data)
    return found


def test_variables_of_another_library_that_are_read(file: Path, memory: dict[str, np.ndarray]) -> None:
    """Refused as a defect before; here 2 x^2 + 3 x, and 7 x^2 + 3 x once the library says so."""
    read = enzyme.link_ir(file, "read", "float64(float64)")
    before = memory["calls"][0]
    assert enzyme.value_and_grad(read)(5.0) == (65.0, 23.0)
    assert enzyme.jvp(read, (5.0,), (1.0,)) == (65.0, 23.0)
    assert memory["calls"][0] == before + 2
    memory["gains"][1] = 7.0
    assert enzyme.grad(read)(5.0) == 73.0
    assert enzyme.hessian(read)(5.0) == 14.0
    memory["gains"][1] = 2.0


def test_variables_that_numbers_are_kept_in(file: Path, memory: dict[str, np.ndarray]) -> None:
    """The pass crashed."""
    kept = enzyme.link_ir(file, "kept", "float64(float64, int64)")
    assert [kept(3.0, 1), kept(4.0, 1)] == [6.0, 12.0]
    for mode in (enzyme.grad, enzyme.jacfwd):
        with pytest.raises(NoDerivativeError, match="keeps numbers in its variable `old`") as told:
            mode(kept)(3.0, 1)
        assert "as an argument" in str(told.value.remedy)
    written = enzyme.link_ir(file, "written", "float64(float64)")
    with pytest.raises(NoDerivativeError, match="may keep numbers in its variable `tests_row`"):
        enzyme.grad(written)(3.0)


def test_variables_that_a_program_fills_before_it_begins(file: Path) -> None:
    """The constructor was never run: value and slope were 0 without a word. Who does not need it, does not miss what it calls."""
    with pytest.raises(RuleError, match="fills `begun` before a program begins"):
        enzyme.link_ir(file, "filled", "float64(float64)")
