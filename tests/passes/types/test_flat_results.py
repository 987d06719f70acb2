"""Results with pointers and numbers go through memory, and derivatives of what calls itself in a loop keep their slopes."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.llvm import Alloca, Load, Store
from enzyme_py.passes.types.flat_results import FlatResults
from tests.passes.running import is_left_alone, ran
from tests.passes.switches import leave_out

TAPE = """\
define internal { ptr, { i64, double } } @f(ptr %x, i64 %n) memory(argmem: read) {
entry:
  %s = load double, ptr %x, align 8
  %a = insertvalue { ptr, { i64, double } } poison, ptr %x, 0
  %b = insertvalue { ptr, { i64, double } } %a, i64 %n, 1, 0
  %c = insertvalue { ptr, { i64, double } } %b, double %s, 1, 1
  ret { ptr, { i64, double } } %c
}

define double @outside(ptr %x) {
entry:
  %t = call { ptr, { i64, double } } @f(ptr nonnull %x, i64 3)
  %s = extractvalue { ptr, { i64, double } } %t, 1, 1
  ret double %s
}
"""


def test_fields_are_stored_and_read() -> None:
    code = ran(FlatResults(), TAPE).code
    function, caller = code.function("f"), code.function("outside")
    assert function.return_type == "void"
    assert [one.type for one in function.arguments] == ["ptr", "ptr", "i64"]
    assert not function.has_attribute("memory")
    assert [one.value.type for one in function.instructions if isinstance(one, Store)] == ["ptr", "i64", "double"]
    (call,) = caller.calls
    assert isinstance(call.arguments[0], Alloca)
    assert call.argument_attributes(1) == ["nonnull"]
    assert [one.type for one in caller.instructions if isinstance(one, Load)] == ["ptr", "i64", "double"]
    assert is_left_alone(FlatResults(), str(code))


OF_INTEGERS = """\
define internal { ptr, i64 } @f(ptr %x, i64 %n) {
entry:
  %a = insertvalue { ptr, i64 } poison, ptr %x, 0
  %b = insertvalue { ptr, i64 } %a, i64 %n, 1
  ret { ptr, i64 } %b
}
"""
OF_NUMBERS = OF_INTEGERS.replace("i64 }", "double }").replace("{ ptr", "{ double")
OF_NUMBERS = OF_NUMBERS.replace("ptr %x, 0", "double 1.0, 0").replace("i64 %n, 1", "double 2.0, 1")


@pytest.mark.parametrize("text", [OF_INTEGERS, OF_NUMBERS, TAPE.replace("define internal", "define")], ids=["no number", "no pointer", "others call it"])
def test_other_results_are_left_alone(text: str) -> None:
    assert is_left_alone(FlatResults(), text)


@numba.njit
def product_from(x, i):
    if i == x.size:
        return 1.0
    return x[i] * product_from(x, i + 1)


def products(x, count):
    """The product of three numbers, so many times."""
    total = 0.0
    for _ in range(count):
        total += product_from(x, 0)
    return total


def test_a_product_by_recursion_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of n xyz, along (u, v, w): n (vz + wy, uz + wx, uy + vx)."""
    leave_out("LLVM's inlining", monkeypatch.setattr)
    x, v = np.array([2.0, 3.0, 5.0]), np.array([0.5, -1.0, 2.0])
    gradient = enzyme.grad(products)
    found = enzyme.grad(lambda x: np.sum(gradient(x, 3) * v))(x)
    np.testing.assert_allclose(found, 3 * np.array([1.0, 6.5, -0.5]), rtol=1e-14)
