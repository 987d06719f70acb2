"""Stores of integers that a function itself chose: which get a tag, and a structured array with such a column."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.types.integers.stores import IntegerStores
from tests.passes.running import is_left_alone, ran, with_line
from tests.passes.switches import leave_out

CHOSEN = """define void @f(ptr %p, i64 %n, double %x) {
entry:
  %is_none = icmp eq i64 %n, 0
  %one = select i1 %is_none, i64 1, i64 2
  br i1 %is_none, label %more, label %end

more:
  %next = add i64 %one, 3
  br label %end

end:
  %status = phi i64 [ %one, %entry ], [ %next, %more ]
  store i64 %status, ptr %p, align 8
  ret void
}
"""
STORE = "store i64 %status, ptr %p, align 8"
OTHERS = {
    "bits of a float": ("%next = add i64 %one, 3", "%next = bitcast double %x to i64"),
    "an argument": ("i64 [ %one, %entry ]", "i64 [ %n, %entry ]"),
    "memory": ("%next = add i64 %one, 3", "%next = load i64, ptr %p, align 8"),
    "nothing that was made": ("i64 [ %one, %entry ]", "i64 [ poison, %entry ]"),
    "bits of constants": ("select i1 %is_none, i64 1, i64 2", "select i1 %is_none, i64 0, i64 4607182418800017408"),
}


def test_what_is_chosen_among_small_constants_is_told() -> None:
    assert f"{STORE}, !tbaa !" in str(ran(IntegerStores(), CHOSEN).code)


def test_so_is_the_answer_to_a_question() -> None:
    text = with_line(CHOSEN, "%next = add i64 %one, 3", "%next = zext i1 %is_none to i64")
    assert f"{STORE}, !tbaa !" in str(ran(IntegerStores(), text).code)


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_what_may_be_something_else_is_not(change: tuple[str, str]) -> None:
    text = CHOSEN.replace("add i64 %one, 3", "add i64 %one, 0") if change[0].startswith("select") else CHOSEN
    assert change[0] in text
    assert is_left_alone(IntegerStores(), text.replace(*change))


def test_a_store_with_a_tag_keeps_it() -> None:
    types = '!7 = !{!8, !8, i64 0}\n!8 = !{!"other", !9, i64 0}\n!9 = !{!"root"}\n'
    assert is_left_alone(IntegerStores(), CHOSEN.replace(STORE, f"{STORE}, !tbaa !7") + types)


KIND = np.dtype([("value", np.float64), ("status", np.int64)], align=True)
X = np.array([1.0, 3.0, 2.0, 1.5, 3.5])
V = np.array([1.0, -1.0, 0.5, 2.0, -0.5])


@numba.njit
def recorded(x):
    """The sum of the fourth powers, by way of records."""
    prices = x.copy()
    records = np.zeros(x.size, dtype=KIND)
    for i in range(x.size):
        price, status = prices[i], 2
        if price > 2.1:
            status = 1
        if i == 3:
            status = 0
        records[i]["value"] = price * price
        records[i]["status"] = status
    s = 0.0
    for i in range(x.size):
        s += records[i]["value"] ** 2
    return s


slopes_of_recorded = enzyme.grad(recorded)


@numba.njit
def along(x, v):
    return np.sum(slopes_of_recorded(x) * v)


def test_a_column_of_integers_in_a_structured_array() -> None:
    np.testing.assert_allclose(enzyme.jvp(recorded, (X,), (V,))[1], 4 * X**3 @ V, rtol=1e-14)


def test_its_second_derivatives() -> None:
    curvature = 12 * X**2 * V
    np.testing.assert_allclose(enzyme.jvp(slopes_of_recorded, (X,), (V,))[1], curvature, rtol=1e-14)
    np.testing.assert_allclose(enzyme.grad(along)(X, V), curvature, rtol=1e-14)


def test_it_is_this_that_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out("integer stores", monkeypatch.setattr)
    with pytest.raises(enzyme.errors.ActivityError, match="constant memory"):
        enzyme.jvp(lambda x: recorded(x), (X,), (V,))
