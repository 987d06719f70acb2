"""Public names have types: each is used in uses.py, mypy finds there what is written, and the program runs."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

import enzyme_py as enzyme
from tests.typed import uses
from tests.typed.checkers import MYPY, USES, complaint, unseen

pytest.importorskip("mypy")


def names_used() -> set[str]:
    nodes = ast.walk(ast.parse(USES.read_text()))
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "enzyme"
    }


def test_no_public_name_is_left_out() -> None:
    modules = {"cluster", "errors", "inspect", "rules", "sparse", "testing"}
    assert not (set(enzyme.__all__) | modules) - names_used()


def test_mypy_finds_the_types_that_are_written() -> None:
    assert not complaint(MYPY, USES)


def test_mypy_refuses_what_is_wrong(tmp_path: Path) -> None:
    assert not unseen(MYPY, tmp_path)


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cc") is None, reason="a library is exported, by a C compiler")
def test_the_typed_program_runs(tmp_path: Path) -> None:
    uses.everything(tmp_path)
