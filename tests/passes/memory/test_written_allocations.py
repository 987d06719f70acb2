"""Memory of constants that merges with other memory is marked, and is an attempt where activity was refused."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import ActivityError
from enzyme_py.llvm import Call
from enzyme_py.passes import attempts
from enzyme_py.passes.attempts import FORMS
from enzyme_py.passes.memory.written_pointers import WrittenAllocations, WrittenPointers
from enzyme_py.symbols import WRITTEN
from tests.passes.running import is_left_alone, ran

MERGED = """declare noalias ptr @calloc(i64, i64)

define double @f(ptr %x, i1 %c) {
entry:
  %own = call noalias ptr @calloc(i64 1, i64 16)
  %apart = call noalias ptr @calloc(i64 1, i64 16)
  %a = load double, ptr %apart, align 8
  %one = select i1 %c, ptr %own, ptr %x
  %b = load double, ptr %one, align 8
  %s = fadd double %a, %b
  ret double %s
}
"""


def marked(code) -> list[str]:
    calls = [one for one in code.function("f").instructions if isinstance(one, Call)]
    return [one.arguments[0].ref for one in calls if one.callee == WRITTEN]


def test_what_merges_is_marked_behind_its_allocation_and_nothing_else() -> None:
    code = ran(WrittenAllocations(), MERGED).code
    assert marked(code) == ["%own"]
    function = code.function("f")
    assert function["own"].next.callee == WRITTEN


def test_in_front_of_every_run_no_allocation_is_marked() -> None:
    assert is_left_alone(WrittenPointers(), MERGED)


def test_the_row_answers_refusals_of_activity_only() -> None:
    row = next(one for one in FORMS if isinstance(one.change, WrittenAllocations))
    assert row.answers in "constant memory is used where the derivative needs memory with a shadow"


def recurrence(x):
    """h begins with ones; each state is kept, in both directions."""
    y = np.zeros((x.shape[0], 2 * x.shape[1]))
    h = np.ones(x.shape[1])
    for t in range(x.shape[0]):
        h = np.tanh(x[t] + h)
        y[t, : x.shape[1]] = h
    h = np.ones(x.shape[1])
    for t in range(x.shape[0] - 1, -1, -1):
        h = np.tanh(x[t] - h)
        y[t, x.shape[1] :] = h
    return np.sum(y * y)


X = np.linspace(-0.8, 0.9, 6).reshape(3, 2)


def test_it_serves_where_the_plain_form_is_refused() -> None:
    """Forward over forward, by differences of the slope, which needs no second order."""
    x, v = X, np.sin(2.0 * X)

    def slope(x):
        return enzyme.jvp(recurrence, (x,), (np.cos(x),))[1]

    found = enzyme.jvp(slope, (x,), (v,))[1]
    h = 1e-6
    wanted = (slope(x + h * v) - slope(x - h * v)) / (2.0 * h)
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9)


def test_without_it_the_same_is_refused(monkeypatch) -> None:
    rows = tuple(one for one in FORMS if not isinstance(one.change, WrittenAllocations))
    monkeypatch.setattr(attempts, "FORMS", rows)

    def slope(x):
        return enzyme.jvp(recurrence, (x,), (np.cos(x),))[1]

    with enzyme.config(cache=False), pytest.raises(ActivityError, match="constant memory"):
        enzyme.jvp(slope, (X,), (X * 2.0,))
