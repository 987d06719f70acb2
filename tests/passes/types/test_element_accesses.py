"""Pointers to elements that are read or written say that they stay in their memory, steps on the way do not."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import GetElementPtr
from enzyme_py.passes.types.integers.loads import IntegerLoads
from tests.passes.running import is_left_alone, ran

HEAD = "declare void @g(ptr)\ndeclare void @enzyme_py_hint.written(ptr)\n\n"
HEAD += "define double @f(ptr %p, ptr %q, i64 %n, double %d) {\nentry:\n"
END = "  ret double %d\n}\n"
AT = "  %at = getelementptr double, ptr %p, i64 %n\n"
ACCESSES = {
    "read": AT + "  %r = load double, ptr %at, align 8\n",
    "written": AT + "  store double %d, ptr %at, align 8\n",
    "written and marked": AT + "  call void @enzyme_py_hint.written(ptr %at)\n  store double %d, ptr %at, align 8\n",
    "behind a header": "  %items = getelementptr i8, ptr %p, i64 24\n"
    + AT.replace("%p", "%items")
    + "  %r = load double, ptr %at, align 8\n",
}
OTHERS = {
    "handed to a call": AT + "  call void @g(ptr %at)\n",
    "kept": AT + "  store ptr %at, ptr %q, align 8\n",
    "the start of a view": AT + "  %next = getelementptr double, ptr %at, i64 %n\n",
    "from no memory": AT.replace("%p", "null") + "  %r = load double, ptr %at, align 8\n",
    "of a number that is known": AT.replace("%n", "1") + "  %r = load double, ptr %at, align 8\n",
}
# x[n] of a negative n lies in front of the memory until its size is added.
WRAPPED = AT + "  %back = getelementptr double, ptr %at, i64 %n\n  %r = load double, ptr %back, align 8\n"


def said(text: str) -> list[str]:
    code = ran(IntegerLoads(), HEAD + text + END).code
    return [
        one.ref
        for one in code.function("f").instructions
        if isinstance(one, GetElementPtr) and one.is_inbounds
    ]


@pytest.mark.parametrize("text", ACCESSES.values(), ids=ACCESSES)
def test_elements_are_inbounds(text: str) -> None:
    assert said(text) == ["%at"]


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_pointers_are_left_alone(text: str) -> None:
    assert is_left_alone(IntegerLoads(), HEAD + text + END)


def test_an_index_that_wraps_is_left_alone() -> None:
    assert is_left_alone(IntegerLoads(), HEAD + WRAPPED + END)
