"""What has an infinite slope is a call while O2 runs, in nests, and itself again behind it."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Module
from enzyme_py.passes.values.held_operations import hold, release
from tests.llvm.corpus import verified

NESTED = """\
@enzyme_const = external global i32

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
declare double @llvm.sqrt.f64(double)

define double @inner(double %x, double %y) {
  %quotient = fdiv double %x, %y
  %half = fdiv double %quotient, 2.0
  %fast = fdiv fast double %half, %y
  %root = call double @llvm.sqrt.f64(double %fast)
  ret double %root
}

define double @outer(double %x, double %y) {
  %slope = call double (ptr, ...) @__enzyme_autodiff(ptr @inner, double %x, double %y)
  ret double %slope
}

define double @entry(double %x, double %y) {
  %slope = call double (ptr, ...) @__enzyme_fwddiff(ptr @outer, double %x, double 1.0, double %y, double 0.0)
  ret double %slope
}
"""


def test_there_and_back() -> None:
    code = Module(NESTED)
    before = str(code.function("inner").text)
    hold(code)
    verified(code)
    held = str(code.function("inner").text)
    assert "%quotient = call double @enzyme_py_held.fdiv.double(double %x, double %y)" in held
    assert "%half = fdiv double %quotient, 2.0" in held and "fdiv fast" in held
    assert "@enzyme_py_held.llvm.sqrt.f64(double %fast)" in held
    release(code)
    verified(code)
    assert str(code.function("inner").text) == before
    assert not any("held" in one.name for one in code.declarations)


@pytest.mark.parametrize("single", ["@__enzyme_fwddiff(ptr @inner, double %x, double 1.0", "@other(ptr @outer, double %x, double 1.0"])
def test_a_single_derivative_is_left_alone(single: str) -> None:
    text = NESTED.replace("@__enzyme_fwddiff(ptr @outer, double %x, double 1.0", single)
    code = Module(f"{text}\ndeclare double @other(ptr, ...)\n")
    before = str(code)
    hold(code)
    assert str(code) == before
