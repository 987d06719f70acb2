"""Functions that call themselves return their number: what is changed, and what must stay."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.values.returned_numbers import ReturnedNumbers
from tests.passes.running import is_left_alone, ran, with_line

TEXT = """
define internal fastcc void @tree(ptr noalias writeonly %result, ptr %x, i64 %n) {
entry:
  %left = alloca double, align 8
  %ends = icmp eq i64 %n, 0
  br i1 %ends, label %leaf, label %knot

leaf:
  %value = load double, ptr %x, align 8
  store double %value, ptr %result, align 8
  ret void

knot:
  %less = sub i64 %n, 1
  call fastcc void @tree(ptr nonnull %left, ptr nonnull %x, i64 %less)
  %half = load double, ptr %left, align 8
  %whole = fmul double %half, %half
  store double %whole, ptr %result, align 8
  ret void
}

define void @start(ptr %out, ptr %x) {
  tail call fastcc void @tree(ptr %out, ptr %x, i64 3) #0
  ret void
}

define void @asks(ptr %out, ptr %x) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @start, ptr %out, ptr %out, ptr %x, ptr %x)
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)

attributes #0 = { nounwind }
"""


def test_the_text() -> None:
    code = str(ran(ReturnedNumbers(), TEXT).code)
    assert "define internal fastcc double @tree(ptr %x, i64 %n) {" in code
    assert "%number = call fastcc double @tree(ptr nonnull %x, i64 %less)" in code
    assert "%number = call fastcc double @tree(ptr %x, i64 3) #0\n  store double %number, ptr %out" in code
    assert "void @tree" not in code
    assert is_left_alone(ReturnedNumbers(), code)


OTHER_USES = {
    "a result that is read": ("  %less = sub", "  %seen = load double, ptr %result\n  %less = sub"),
    "a result handed on": (
        "call fastcc void @tree(ptr nonnull %left",
        "call fastcc void @tree(ptr %result",
    ),
    "a way without a store": ("  store double %whole, ptr %result, align 8\n", ""),
    "a result that others may see": ("ptr noalias writeonly %result", "ptr writeonly %result"),
    "numbers of two types": ("store double %whole, ptr %result", "store i64 %less, ptr %result"),
    "a result that is stored": ("  %less = sub", "  store ptr %result, ptr %x\n  %less = sub"),
    "a volatile store": ("store double %whole", "store volatile double %whole"),
    "others may call it": ("define internal fastcc void @tree", "define fastcc void @tree"),
    "its address is taken": ("  ret void\n}\n\ndefine void @asks", "  store ptr @tree, ptr %x\n  ret void\n}\n\ndefine void @asks"),
    "nobody asks for reverse mode": ("declare void @__enzyme_autodiff(ptr, ...)", "declare void @__enzyme_fwddiff(ptr, ...)"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_USES)
def test_what_stays(name: str) -> None:
    text = with_line(TEXT, *OTHER_USES[name])
    if "reverse" in name:
        text = text.replace("@__enzyme_autodiff(ptr @start", "@__enzyme_fwddiff(ptr @start")
    assert is_left_alone(ReturnedNumbers(), text)


def test_what_does_not_call_itself_stays() -> None:
    text = with_line(TEXT, "call fastcc void @tree(ptr nonnull %left, ptr nonnull %x, i64 %less)", "store double 1.0, ptr %left")  # fmt: skip
    assert is_left_alone(ReturnedNumbers(), text)


@numba.njit
def product_of(x, begin, end):
    if end - begin == 1:
        return x[begin]
    middle = (begin + end) // 2
    return product_of(x, begin, middle) * product_of(x, middle, end)


X = np.random.default_rng(8).random(9) + 0.5


def test_one_block_of_tape_for_a_call() -> None:
    """17 calls; a cell for each of two results would be three blocks of each."""
    found = enzyme.inspect.memory(product_of, X, 0, X.size)
    assert found.left == 0
    assert found.allocations <= 17 + 3


def test_gradient() -> None:
    found = enzyme.grad(product_of)(X, 0, X.size)
    np.testing.assert_allclose(found, np.prod(X) / X, rtol=1e-13)


def test_single_precision() -> None:
    x = X.astype(np.float32)
    found = enzyme.grad(product_of)(x, 0, x.size)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.prod(x) / x, rtol=1e-5)


def test_a_zero_among_the_numbers() -> None:
    x = X.copy()
    x[3] = 0.0
    others = np.prod(np.delete(x, 3))
    np.testing.assert_allclose(enzyme.grad(product_of)(x, 0, x.size), others * (np.arange(9) == 3))


def test_halves_of_reverse() -> None:
    """The tape outlives the call that made it."""

    def scaled(x):
        return product_of(x, 0, x.size) * x

    value, back = enzyme.vjp(scaled, X)
    seed = np.linspace(-1.0, 1.0, X.size)
    whole = np.prod(X)
    np.testing.assert_allclose(value, whole * X, rtol=1e-13)
    for factor in (1.0, -2.0):
        wanted = factor * (whole * seed + (seed @ X) * whole / X)
        np.testing.assert_allclose(back(factor * seed)[0], wanted, rtol=1e-12)


@pytest.mark.parametrize("chunk", [1, 3])
def test_rows_at_once(chunk: int) -> None:
    def of_parts(x):
        return np.array([product_of(x, 0, 4), product_of(x, 2, 9), product_of(x, 0, 9)])

    found = enzyme.jacrev(of_parts, chunk=chunk)(X)
    places = np.arange(9)
    ranges = (places < 4, places >= 2, places >= 0)
    wanted = [np.where(inside, np.prod(X[inside]) / X, 0.0) for inside in ranges]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_third_orders() -> None:
    """Of a product along v: the sum over triples."""
    v = np.linspace(-1.0, 1.0, X.size)

    def product(x):
        return product_of(x, 0, 9)

    def along(x):
        return enzyme.jvp(product, (x,), (v,))[1]

    def twice_along(x):
        return enzyme.jvp(along, (x,), (v,))[1]

    ratio = v / X
    first, second = np.sum(ratio), np.sum(ratio**2)
    whole = np.prod(X)
    # d^2/dv^2 = P (s1^2 - s2); its gradient by x_i.
    wanted = whole / X * (first**2 - second) + whole * (-2 * first * ratio / X + 2 * ratio**2 / X)
    np.testing.assert_allclose(enzyme.grad(twice_along)(X), wanted, rtol=1e-11)
    forward = enzyme.jvp(lambda x: enzyme.jvp(enzyme.grad(product), (x,), (v,))[1], (X,), (v,))[1]
    np.testing.assert_allclose(forward, wanted, rtol=1e-11)
