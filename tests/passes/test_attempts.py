"""Rows of tables of attempts: each begins with the draft as it was given, and what nobody changed is not read again."""

from __future__ import annotations

import pytest

from enzyme_py.errors import DerivativeError, HostCrashed
from enzyme_py.llvm import Module
from enzyme_py.passes.attempts import NONE, Attempt, Given, first_that_serves
from enzyme_py.passes.base import Draft, Pass

CODE = "define double @f(double %x) {\n  ret double %x\n}\n"


class Renames(Pass):
    """Gives the function another name, and remembers what it was given."""

    name = "renames"

    def __init__(self, *, changes: bool = True) -> None:
        self.given: list[Module] = []
        self._changes = changes

    def run(self, draft: Draft) -> None:
        self.given.append(draft.code)
        draft.add_option("--renamed")
        draft.hidden_numbers["f"] = "", ""
        if self._changes:
            draft.code.rename(draft.code.function("f"), "g")


def no_o2(draft: Draft) -> Draft:
    raise AssertionError("no row asks for O2")


def tried(*table: Attempt, refusals: int) -> tuple[list[Draft], Draft]:
    """Ask with a table whose first rows are refused; returns what was asked with, and what was given."""
    asked = list[Draft]()

    def ask(draft: Draft) -> str:
        asked.append(draft)
        draft.code.add_node("!{}")
        if len(asked) <= refusals:
            raise HostCrashed(f"crash {len(asked)}", remedy="")
        return str(draft.code)

    draft = Draft(Module(CODE))
    first_that_serves(table, Given(draft), ask, no_o2)
    return asked, draft


def row(change: Pass | None, name: str = "row") -> Attempt:
    return Attempt(name, change, (HostCrashed,), "nothing")


def test_the_first_row_takes_the_draft_itself() -> None:
    change = Renames()
    (asked,), draft = tried(row(change), row(None), refusals=0)
    assert asked.code is draft.code
    assert change.given == [draft.code]


def test_each_row_begins_with_what_was_given() -> None:
    change, again = Renames(), Renames()
    (first, plain, last), draft = tried(row(change), row(None), row(again), refusals=2)
    assert "@g(" in str(first.code)
    assert "@f(" in str(plain.code)
    assert plain.code is not draft.code
    assert str(last.code).count("!{}") == str(plain.code).count("!{}") == 1
    assert (first.options, plain.options) == (("--renamed",), ())
    assert (plain.hidden_numbers, draft.hidden_numbers) == ({}, {})


def test_what_no_row_changed_is_not_read_again() -> None:
    change = Renames(changes=False)
    (asked,), draft = tried(row(change), row(None), refusals=0)
    assert asked.code is draft.code
    assert asked.options == ()


def test_the_first_refusal_is_told_unless_the_code_as_it_is_has_its_own() -> None:
    with pytest.raises(HostCrashed, match="crash 2"):
        tried(row(Renames()), row(None), row(Renames()), refusals=3)
    with pytest.raises(HostCrashed, match="crash 1"):
        tried(row(None), row(Renames()), refusals=2)


def test_a_refusal_that_no_row_answers_is_the_users() -> None:
    def refuse(draft: Draft) -> str:
        raise DerivativeError("never", remedy="")

    with pytest.raises(DerivativeError, match="never"):
        first_that_serves(
            (row(None), Attempt("last", Renames(), NONE, "nothing")),
            Given(Draft(Module(CODE))),
            refuse,
            no_o2,
        )
