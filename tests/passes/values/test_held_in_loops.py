"""What has an infinite slope stays behind its question in a loop: second derivatives at zero are those of the branch that is taken, by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.values.held_in_loops import HeldInLoops
from tests.passes.running import is_left_alone, ran

S = np.ones(3)


def quotient(b, s):
    total = b * b
    for i in range(s.size):
        if b != 0.0:
            total += s[i] * (2.0 / b)
    return total


def power(b, s):
    total = b * b
    for i in range(s.size):
        if b > 0.0:
            total += s[i] * b**0.7
    return total


def asked_of_something_else(b, s):
    total = b * b
    for i in range(s.size):
        if s[i] > 5.0:
            total += s[i] * np.exp(-1.0 / b)
    return total


def root_and_logarithm(b, s):
    total = b * b
    for i in range(s.size):
        if b > 0.0:
            total += s[i] * np.sqrt(3.0 * b) * np.log(b)
    return total


def exponent(b, s):
    total = b * b
    for i in range(s.size):
        if b != 0.0:
            total += s[i] * 2.0 ** (1.0 / b)
    return total


def complex_quotient(b, s):
    total = b * b
    for i in range(s.size):
        if b != 0.0:
            total += s[i] * ((2.0 + 1j) / (b + 0j)).real
    return total


def loops_in_loops(b, s):
    total = b * b
    for i in range(s.size):
        if b != 0.0:
            for k in range(i + 1):
                total += k * s[i] / b
    return total


def inverse(b):
    return 1.0 / b if b != 0.0 else 0.0


def called(b, s):
    total = b * b
    for i in range(s.size):
        total += s[i] * inverse(b)
    return total


def left_early(b, s):
    total, i = b * b, 0
    while i < s.size:
        if b == 0.0:
            break
        total += s[i] / b
        i += 1
    return total


KERNELS = [quotient, power, asked_of_something_else, root_and_logarithm, exponent, complex_quotient, loops_in_loops, called, left_early]


@pytest.mark.parametrize("kernel", KERNELS)
def test_second_derivatives_of_what_is_not_asked_for(kernel: Callable[..., Any]) -> None:
    """At zero all of them are b * b."""
    assert enzyme.hvp(kernel, 0.0, 1.0, S) == 2.0
    assert enzyme.grad(enzyme.grad(kernel))(0.0, S) == 2.0
    assert enzyme.jacfwd(enzyme.jacfwd(kernel))(0.0, S) == 2.0


def test_second_derivatives_of_what_is() -> None:
    """b^2 + 6 / b has the second derivative 2 + 12 / b^3."""
    assert enzyme.hvp(quotient, 2.0, 1.0, S) == 2.0 + 12.0 / 8.0
    second = 2.0 + 3 * 0.7 * -0.3 * 2.0**-1.3
    assert math.isclose(enzyme.grad(enzyme.grad(power))(2.0, S), second, rel_tol=1e-14)


LOOP = """\
declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
declare double @llvm.pow.f64(double, double)

define double @inner(double %x, double %y, i64 %n) {
entry:
  %asked = fcmp une double %y, 0.0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi double [ 0.0, %entry ], [ %more, %latch ]
  br i1 %asked, label %then, label %latch
then:
  %twice = fmul double %y, 2.0
  %quotient = fdiv double %x, %twice
  %half = fdiv double %quotient, 2.0
  %moving = fdiv double %sum, %sum
  %power = call double @llvm.pow.f64(double %y, double %x)
  %all = fadd double %half, %power
  %added = fadd double %all, %moving
  br label %latch
latch:
  %given = phi double [ %added, %then ], [ 0.0, %loop ]
  %always = fdiv double %x, %y
  %first = fadd double %given, %always
  %more = fadd double %sum, %first
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret double %more
}

define double @outer(double %x, double %y, i64 %n) {
  %slope = call double (ptr, ...) @__enzyme_autodiff(ptr @inner, double %x, double %y, i64 %n)
  ret double %slope
}

define double @entry(double %x, double %y, i64 %n) {
  %slope = call double (ptr, ...) @__enzyme_fwddiff(ptr @outer, double %x, double 1.0, double %y, double 0.0, i64 %n)
  ret double %slope
}
"""


def test_only_what_could_be_moved_out_of_a_loop_unasked() -> None:
    code = ran(HeldInLoops(), LOOP).code
    body = str(code.function("inner").text)
    assert "fadd double %twice, %nothing" in body and "%quotient = fdiv double %x, %twice.held" in body
    assert "@llvm.pow.f64(double %y.held" in body
    assert "%moving = fdiv double %sum, %sum" in body and "%always = fdiv double %x, %y\n" in body
    assert is_left_alone(HeldInLoops(), str(code))


def test_a_single_derivative_is_left_alone() -> None:
    assert is_left_alone(HeldInLoops(), LOOP.partition("define double @entry")[0])
