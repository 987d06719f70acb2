"""`fastmath`: vector functions and sums in other orders, with the same derivatives to rounding."""

from __future__ import annotations

import math
from collections.abc import Callable

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import inspect
from enzyme_py.llvm import Module
from enzyme_py.native.machine import Cpu, host_cpu
from enzyme_py.native.rewrites.fast_math import (
    allow_fast_math,
    has_vector_function,
    name_vector_functions,
)
from tests.llvm.corpus import verified

UNITS = 1e-14  # relative: some tens of units in the last place, of functions that err by four


def log_sum_exp(x):
    largest = x[0]
    for value in x:
        largest = max(largest, value)
    total = 0.0
    for value in x:
        total += np.exp(value - largest)
    return np.log(total) + largest


def functions(x):
    total = 0.0
    for i in range(x.size):
        v = x[i]
        total += np.exp(v) + np.sin(v) * np.cos(v) + np.tanh(v) + np.log(v) + v**2.5
        total += np.arctan(v) + np.sinh(v) + np.expm1(v) * np.log1p(v) + np.arctan2(v, 2.0)
    return total


def slopes_of_functions(x):
    total = np.exp(x) + np.cos(2 * x) + 1 / np.cosh(x) ** 2 + 1 / x + 2.5 * x**1.5
    total += 1 / (1 + x * x) + np.cosh(x) + np.exp(x) * np.log1p(x) + np.expm1(x) / (1 + x)
    return total + 2 / (4 + x * x)


def guarded(x):
    total = 0.0
    for value in x:
        total += np.sqrt(value - 1.0) if value > 1.0 else 3.0 * value
    return total


def where(x):
    return np.sum(np.where(x > 1.0, np.sqrt(x - 1.0), 3.0 * x))


def fast(f):
    return numba.njit(fastmath=True)(f)


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(3).uniform(0.5, 2.0, 1003)  # some are left over by every width


def test_the_gradient_of_a_fast_kernel_is_the_one_by_hand(numbers):
    found = enzyme.grad(fast(log_sum_exp))(numbers)
    weights = np.exp(numbers - numbers.max())
    # At the largest number 1 - 1 is added: what comes by the maximum itself.
    np.testing.assert_allclose(found, weights / math.fsum(weights), rtol=UNITS, atol=1e-15)


def test_every_function_has_its_slope(numbers):
    found = enzyme.grad(fast(functions))(numbers)
    np.testing.assert_allclose(found, slopes_of_functions(numbers), rtol=10 * UNITS)


def distance(x, y):
    return np.sqrt(x * x + y * y)


def above_one(x, y):
    return np.arccosh(1.0 + x * x * y)


def angle(x, y):
    return np.arcsin(x * y)


OF_TWO_NUMBERS = {
    distance: lambda x, y: (x / math.hypot(x, y), y / math.hypot(x, y)),
    above_one: lambda x, y: (2 * x * y / math.sqrt(x * x * y * (2 + x * x * y)), x * x / math.sqrt(x * x * y * (2 + x * x * y))),
    angle: lambda x, y: (y / math.sqrt(1 - x * x * y * y), x / math.sqrt(1 - x * x * y * y)),
}


@pytest.mark.parametrize("f", OF_TWO_NUMBERS)
def test_what_has_an_infinite_slope_somewhere(f):
    """A processor that multiplies and adds at once may not take the two factors of that slope together: 0 (H H) is NaN."""
    x, y = 0.4, 0.3
    want = OF_TWO_NUMBERS[f](x, y)
    np.testing.assert_allclose(enzyme.grad(fast(f), argnums=(0, 1))(x, y), want, rtol=1e-13)
    slope = enzyme.jvp(fast(f), (x, y), (1.0, -2.0))[1]
    np.testing.assert_allclose(slope, want[0] - 2.0 * want[1], rtol=1e-13)


def test_floats_of_32_bits(numbers):
    single = numbers.astype(np.float32)
    found = enzyme.grad(fast(functions))(single)
    np.testing.assert_allclose(found, slopes_of_functions(single.astype(float)), rtol=1e-5)


@pytest.mark.skipif(not has_vector_function("_ZGVdN4v_exp"), reason="no libmvec here")
def test_vector_functions_are_called_where_they_were_allowed_and_nowhere_else(numbers):
    assert "_ZGV" in inspect.ir(fast(log_sum_exp), numbers, stage="assembly")
    assert "_ZGV" not in inspect.ir(numba.njit(log_sum_exp), numbers, stage="optimised")


def of_logs_and_exps(x):
    return np.sum(np.log(1.0 + np.exp(-x)) * np.tanh(x) + np.sin(x))


def slopes_of_logs_and_exps(x):
    below = 1.0 / (1.0 + np.exp(x))
    return -below * np.tanh(x) + np.log1p(np.exp(-x)) / np.cosh(x) ** 2 + np.cos(x)


@pytest.mark.skipif(not has_vector_function("_ZGVdN4v_exp"), reason="no libmvec here")
def test_approximate_functions_alone(numbers):
    """They are LLVM's `afn`: functions, and neither sums nor denormal numbers."""
    kernel = numba.njit(fastmath={"afn"})(of_logs_and_exps)
    code = inspect.ir(kernel, numbers, stage="optimised")
    assert "_ZGV" in code
    assert "reassoc" not in code
    assert "ldmxcsr" not in code
    found = enzyme.grad(kernel)(numbers)
    # A sum of three terms of about one.
    np.testing.assert_allclose(found, slopes_of_logs_and_exps(numbers), rtol=0.0, atol=UNITS)


@pytest.mark.skipif(not has_vector_function("_ZGVdN4v_exp"), reason="no libmvec here")
def test_sums_in_any_order_alone(numbers):
    kernel = numba.njit(fastmath={"reassoc"})(log_sum_exp)
    code = inspect.ir(kernel, numbers, stage="optimised")
    assert "_ZGV" not in code
    assert "reassoc" in code
    assert "ldmxcsr" not in code


@pytest.mark.skipif(not has_vector_function("_ZGVdN4v_exp"), reason="no libmvec here")
def test_a_derivative_of_a_derivative_allows_what_its_kernel_allows(numbers):
    def exps(x):
        return np.sum(np.exp(x))

    kernel, ones = numba.njit(fastmath={"afn"})(exps), np.ones_like(numbers)
    found = enzyme.hvp(kernel, numbers, ones)
    assert np.any(found != enzyme.hvp(exps, numbers, ones))  # other last places
    np.testing.assert_allclose(found, np.exp(numbers), rtol=UNITS)


def test_what_is_allowed_to_sums_alone_changes_no_function_and_the_other_way_round(numbers):
    """Without functions, `afn` changes no bit."""

    def plain(x):
        total = 0.0
        for i in range(1, x.size):
            total += x[i] * x[i - 1] / (1.0 + x[i] * x[i])
        return total

    same = enzyme.grad(numba.njit(fastmath={"afn"})(plain))(numbers)
    np.testing.assert_array_equal(same, enzyme.grad(plain)(numbers))


@pytest.mark.parametrize("allowed", [{"afn"}, True])
def test_functions_at_their_edges(allowed):
    """Overflow, zero and what is no number are as they are one at a time; so are tiny numbers, if only `afn` is said."""

    def exps(x):
        return np.exp(x)

    def logs(x):
        return np.log(x)

    of_exp = np.array([-np.inf, -800.0, -720.0, -0.0, 0.0, 1.0, 709.7, 800.0, np.inf, np.nan] * 3)
    of_log = np.array([0.0, 5e-324, 1e-310, 2.3e-308, 1.0, 1.7e308, np.inf, np.nan, -1.0] * 3)
    for f, at in ((exps, of_exp), (logs, of_log)):
        found = enzyme.jvp(numba.njit(fastmath=allowed)(f), (at,), (np.ones_like(at),))[0]
        with np.errstate(all="ignore"):
            wanted = {exps: np.exp, logs: np.log}[f](at)
        if allowed is True:
            tiny = 2.2250738585072014e-308
            kept = (np.abs(at) >= tiny) & ((np.abs(wanted) >= tiny) | (wanted == 0.0))
            found, wanted = found[kept], wanted[kept]
            usual = np.isfinite(wanted)  # of others fastmath promises nothing
            found, wanted = found[usual], wanted[usual]
        np.testing.assert_allclose(found, wanted, rtol=UNITS)


@pytest.mark.parametrize("f", [guarded, where])
def test_edges_stay_as_they_are_without_fastmath(f):
    at = np.array([0.0, 0.5, 1.0, 2.0, 5.0])
    found = enzyme.grad(fast(f))(at)
    np.testing.assert_allclose(found, [3.0, 3.0, 3.0, 0.5, 0.25], rtol=UNITS)


ARITHMETIC = """
define float @f(double %b, double %c, float %e, <2 x double> %v) {
  %a = fadd double %b, %c
  %d = fmul fast float %e, %e
  %p = fmul double %b, %a
  %w = fadd <2 x double> %v, %v
  ret float %d
}
"""


def test_marks_promise_neither_numbers_nor_finite_ones():
    code = Module(ARITHMETIC)
    allow_fast_math(code)
    marked = verified(code)
    assert "fadd reassoc nsz contract double" in marked
    assert "fmul nsz contract double" in marked
    assert "nnan" not in marked
    assert "fmul fast float" in marked
    assert "fadd <2 x double>" in marked


STEEP = """
define double @f(double %b, double %c, i1 %is.rim) {
  %once = fmul double %b, 1.000000e+308
  %twice = fmul double %once, 0x7FE1CCF385EBC8A0
  %either = select i1 %is.rim, double 1.000000e+308, double 1.0
  %third = fmul double %twice, %either
  %a = fadd double %third, %c
  ret double %a
}
"""


def test_products_with_what_is_huge_stay_apart():
    code = Module(STEEP)
    allow_fast_math(code)
    marked = verified(code)
    assert marked.count("fmul nsz double") == 3
    assert "fadd reassoc nsz contract double" in marked


CALL = """
define double @f(double %x) {
  %r = tail call double @llvm.exp.f64(double %x) #5
  ret double %r
}
declare double @llvm.exp.f64(double)
attributes #5 = { nounwind }
"""


def named(text: str, cpu: Cpu, has: Callable[[str], bool]) -> str:
    """The text with its vector functions named, checked by LLVM."""
    code = Module(text)
    name_vector_functions(code, cpu, has)
    return verified(code)


def test_a_call_names_what_this_processor_has():
    plain = Cpu("x86_64-unknown-linux-gnu", "generic", "+sse2,-avx2")
    text = named(CALL, plain, lambda name: True)
    assert "_ZGV_LLVM_N2v_llvm.exp.f64(_ZGVbN2v_exp)" in text
    assert "N4v" not in text
    arm = Cpu("aarch64-unknown-linux-gnu", "generic", "+neon")
    assert "_ZGVnN2v_exp" in named(CALL, arm, lambda name: True)


def test_calls_stay_where_the_library_has_nothing():
    cpu = Cpu("x86_64-unknown-linux-gnu", "generic", "+avx2")
    assert named(CALL, cpu, lambda name: False) == CALL
    other = CALL.replace("llvm.exp.f64", "my_function")
    assert named(other, cpu, lambda name: True) == other


ENTERS = """
define i32 @entry(ptr %pack, ptr %excinfo) {
  %first = tail call i32 @enzyme_py_enter(ptr null, ptr %pack, ptr %excinfo, i32 0)
  %second = tail call i32 @enzyme_py_enter(ptr null, ptr %pack, ptr %excinfo, i32 0)
  ret i32 %second
}
declare i32 @enzyme_py_enter(ptr, ptr, ptr, i32)
"""


@pytest.mark.skipif(not host_cpu().triple.startswith("x86_64"), reason="the x86 control register")
def test_the_control_register_is_restored_behind_each_entry():
    code = Module(ENTERS)
    allow_fast_math(code)
    text = verified(code)
    assert text.count("call void @llvm.x86.sse.stmxcsr(") == 2
    assert text.count("call void @llvm.x86.sse.ldmxcsr(") == 4
    assert "tail call" not in text


def halves(x):
    if x[0] < 0.0:
        raise ValueError("negative")
    return np.sum(x * 5e-310) * 0.5


def is_denormal_kept():
    return np.array([5e-310])[0] * np.array([0.5])[0] > 0.0


def test_denormals_are_zero_within_and_numbers_without():
    x = np.ones(4)
    found = enzyme.grad(fast(halves))
    assert is_denormal_kept()
    np.testing.assert_array_equal(found(x), np.zeros(4))
    assert is_denormal_kept()
    with pytest.raises(ValueError, match="negative"):
        found(-x)
    assert is_denormal_kept()
    assert enzyme.grad(numba.njit(halves))(x)[0] > 0.0
