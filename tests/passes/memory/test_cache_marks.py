"""How the mark of cached memory is declared, by what a module asks for."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.memory.cache_marks import NO_RECOMPUTING, declared_mark, without_recomputing
from tests.llvm.corpus import verified

HEAD = """\
@enzyme_width = external global i32
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
define double @k(ptr %x) {
  call void @enzyme_py_hint.kept(ptr %x)
  ret double 0.0
}
"""
REQUEST = """\
define double @NAME(ptr %x) {
  %w = load i32, ptr @enzyme_width
  %r = call double (...) @__enzyme_MODE(ptr @OF, i32 %w, i32 WIDTH, ptr %x, ptr %x)
  ret double %r
}
"""


def request(name: str, mode: str, of: str, width: int = 1) -> str:
    text = REQUEST.replace("NAME", name).replace("MODE", mode)
    return text.replace("OF", of).replace("WIDTH", str(width))


def marked(*requests: str) -> Draft:
    draft = Draft(Module(HEAD + "".join(requests)), options=("-x",))
    mark = declared_mark(draft)
    text = verified(draft.code)
    assert declared_mark(draft) is mark
    assert str(draft.code) == text
    return draft


def has_rules(draft: Draft) -> bool:
    """Tell whether Enzyme is told derivatives of the mark."""
    told = [one.name for one in draft.code.variables if "register" in one.name]
    assert len(told) in (0, 2)
    is_inactive = draft.code.function("enzyme_py_hint.kept").has_attribute("enzyme_inactive")
    assert is_inactive != bool(told)
    return bool(told)


@pytest.mark.parametrize(
    ("requests", "is_ruled"),
    [
        ((), True),
        ([request("a", "autodiff", "k")], False),
        ([request("a", "fwddiff", "k")], True),
        ([request("a", "autodiff", "k"), request("b", "autodiff", "a")], True),
        ([request("a", "fwddiff", "k"), request("b", "autodiff", "a")], True),
        ([request("a", "fwddiff", "k"), request("b", "fwddiff", "a")], False),
    ],
)
def test_rules_where_the_shadow_needs_a_mark(requests, is_ruled):
    draft = marked(*requests)
    assert has_rules(draft) == is_ruled
    assert draft.options == ("-x",)


@pytest.mark.parametrize(
    ("inner", "outer", "options"),
    [
        ("fwddiff", "autodiff", ("-x", NO_RECOMPUTING)),
        ("autodiff", "autodiff", ("-x",)),
        ("fwddiff", "fwddiff", ("-x",)),
    ],
)
def test_of_several_shadows_under_reverse_mode_nothing_is_made_again(inner, outer, options):
    draft = marked(request("a", inner, "k", 4), request("b", outer, "a"))
    assert not has_rules(draft)
    assert draft.options == options


def test_an_option_is_given_once():
    draft = Draft(Module(""), options=(NO_RECOMPUTING, "-x"))
    without_recomputing(draft)
    assert draft.options == ("-x", NO_RECOMPUTING)
