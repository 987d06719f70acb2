"""Intrinsics that newer compilers make of C's functions: answers by hand, at 0.6."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import enzyme_py as enzyme
from enzyme_py.errors import RuleError

X = 0.6
SINE, COSINE, TANGENT = math.sin(X), math.cos(X), math.tan(X)
LENGTH, LN10 = X * X + 0.49, math.log(10.0)
# Of one number: the value, the slope, and the second derivative.
OF_ONE = {
    "tan": (TANGENT, 1 + TANGENT**2, 2 * TANGENT * (1 + TANGENT**2)),
    "asin": (math.asin(X), 1 / 0.8, X / 0.8**3),
    "acos": (math.acos(X), -1 / 0.8, -X / 0.8**3),
    "atan": (math.atan(X), 1 / 1.36, -2 * X / 1.36**2),
    "sinh": (math.sinh(X), math.cosh(X), math.sinh(X)),
    "cosh": (math.cosh(X), math.sinh(X), math.cosh(X)),
    "tanh": (math.tanh(X), 1 / math.cosh(X) ** 2, -2 * math.tanh(X) / math.cosh(X) ** 2),
    "exp10": (10.0**X, LN10 * 10.0**X, LN10**2 * 10.0**X),
    "canonicalize": (X, 1.0, 0.0),
    "arithmetic.fence": (X, 1.0, 0.0),
}
OF_TWO = {  # the other one is 0.7
    "atan2": (math.atan2(X, 0.7), 0.7 / LENGTH, -2 * 0.7 * X / LENGTH**2),
    "minimumnum": (X, 1.0, 0.0),
    "maximumnum": (0.7, 0.0, 0.0),
}
# The first part, and twice the square of the second.
OF_PARTS = {
    "sincos": (SINE + 2 * COSINE**2, COSINE - 4 * SINE * COSINE, -SINE - 4 * math.cos(2 * X)),
    "modf": (X, 1.0, 0.0),
}


def linked(folder: Path, kind: str, body: str) -> Any:
    """Return a function of a double whose body computes %r from %x."""
    single = kind == "float"
    head = "  %x = fptrunc double %wide to float\n" if single else "  %x = fadd double %wide, 0.0\n"
    end = "  %result = fpext float %r to double\n  ret double %result\n" if single else "  ret double %r\n"
    file = folder / "code.ll"
    file.write_text(body.replace("BEGIN", f"define double @f(double %wide) {{\n{head}") + end + "}\n")
    return enzyme.link_ir(file, "f", "float64(float64)")


def of_two(folder: Path, name: str) -> Any:
    """Return an intrinsic of a number and 0.7."""
    called = f"@llvm.{name}.f64"
    body = f"declare double {called}(double, double)\nBEGIN  %r = call double {called}(double %x, double 0.7)\n"
    return linked(folder, "double", body)


def check(kernel: Any, right: tuple[float, float, float], kind: str) -> None:
    gradient = enzyme.grad(kernel)
    first, second = enzyme.jvp(kernel, (X,), (1.0,))[1], enzyme.jvp(gradient, (X,), (1.0,))[1]
    found = [kernel(X), gradient(X), first, second, enzyme.grad(gradient)(X)]
    value, slope, curvature = right
    assert found == pytest.approx([value, slope, slope, curvature, curvature], rel=1e-12 if kind == "double" else 2e-6, abs=1e-15)


@pytest.mark.parametrize(("kind", "bits"), [("double", "f64"), ("float", "f32")])
@pytest.mark.parametrize("name", OF_ONE)
def test_of_one_number(name: str, kind: str, bits: str, tmp_path: Path) -> None:
    called = f"@llvm.{name}.{bits}"
    body = f"declare {kind} {called}({kind})\nBEGIN  %r = call {kind} {called}({kind} %x)\n"
    check(linked(tmp_path, kind, body), OF_ONE[name], kind)


@pytest.mark.parametrize("name", OF_TWO)
def test_of_two_numbers(name: str, tmp_path: Path) -> None:
    check(of_two(tmp_path, name), OF_TWO[name], "double")


@pytest.mark.parametrize("name", ["minimumnum", "maximumnum"])
def test_a_number_and_none(name: str, tmp_path: Path) -> None:
    """Of NaN and 0.7 it is 0.7, a constant."""
    value, slope = enzyme.value_and_grad(of_two(tmp_path, name))(math.nan)
    assert (value, slope) == (0.7, 0.0)


@pytest.mark.parametrize("name", OF_PARTS)
def test_of_two_parts(name: str, tmp_path: Path) -> None:
    both, called = "{ double, double }", f"@llvm.{name}.f64"
    body = (
        f"declare {both} {called}(double)\nBEGIN  %both = call {both} {called}(double %x)\n"
        f"  %a = extractvalue {both} %both, 0\n  %b = extractvalue {both} %both, 1\n"
        "  %square = fmul double %b, %b\n  %twice = fmul double %square, 2.0\n  %r = fadd double %a, %twice\n"
    )
    check(linked(tmp_path, "double", body), OF_PARTS[name], "double")


def test_mantissa_and_power(tmp_path: Path) -> None:
    """0.6 is 0.6 times one: its square, and the slope is 2 x."""
    both, called = "{ double, i32 }", "@llvm.frexp.f64.i32"
    body = (
        f"declare {both} {called}(double)\nBEGIN  %both = call {both} {called}(double %x)\n"
        f"  %a = extractvalue {both} %both, 0\n  %r = fmul double %a, %a\n"
    )
    check(linked(tmp_path, "double", body), (X * X, 2 * X, 2.0), "double")


def test_what_the_library_lacks_is_refused(tmp_path: Path) -> None:
    """It ended the process where machine code was made."""
    called = "@llvm.sincospi.f80"
    body = (
        f"declare {{ x86_fp80, x86_fp80 }} {called}(x86_fp80)\nBEGIN  %wider = fpext double %x to x86_fp80\n"
        f"  %both = call {{ x86_fp80, x86_fp80 }} {called}(x86_fp80 %wider)\n"
        "  %a = extractvalue { x86_fp80, x86_fp80 } %both, 0\n  %r = fptrunc x86_fp80 %a to double\n"
    )
    with pytest.raises(RuleError, match="sincospil"):
        linked(tmp_path, "double", body)
