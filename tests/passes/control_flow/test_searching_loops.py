"""In which modules loops of nobody knows how many iterations are gone through in reverse, though nothing in them is active."""

from __future__ import annotations

from enzyme_py.passes.control_flow.searching_loops import SearchingLoops
from tests.passes.running import ran, with_line
from tests.traps.trap import traps

_TRAPS = {one.name: one.text for one in traps()}
SEARCH = _TRAPS["searched_words"]


def options(text: str) -> tuple[str, ...]:
    return ran(SearchingLoops(), text).options


def test_a_loop_in_a_search() -> None:
    assert options(SEARCH) == ("--enzyme-inactive-dynamic=0",)


def test_a_search_alone() -> None:
    """The inner loop is left behind its first iteration: it is none. With an array in it the search must be gone through."""
    once = with_line(SEARCH, "br i1 %go, label %letters, label %done", "br label %done")
    alone = with_line(once, "[ %i, %row ], [ %j.next, %letter.latch ]", "[ %i, %row ]")
    assert options(alone) == ()
    made = with_line(alone, "  %step.size = load", "  %made = call ptr @malloc(i64 8)\n  %step.size = load")
    assert options(made + "\ndeclare ptr @malloc(i64)\n") == ("--enzyme-inactive-dynamic=0",)


def test_loops_that_are_counted() -> None:
    assert options(_TRAPS["equal_loops"]) == ()


def test_forward_mode() -> None:
    assert options(SEARCH.replace("__enzyme_autodiff", "__enzyme_fwddiff")) == ()
