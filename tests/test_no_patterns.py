"""Printed LLVM code is read by enzyme_py/llvm alone: nobody else has a regular expression for it.

Each file outside of it that uses `re` stands in a table here, with how many patterns it has and what they read.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "enzyme_py"
LLVM = PACKAGE / "llvm"
MODULES = ("re", "regex", "sre_compile", "fnmatch")
PATTERNS = "enzyme_py.llvm.reading.patterns"  # are for that package
MAKES_ONE = frozenset("compile match fullmatch search sub subn split findall finditer".split())

# What they read is no LLVM code: the number of patterns, and whose text it is.
OTHER_TEXTS = {
    "errors.py": (1, "colours in messages of Numba"),
    "frontend/target/lower.py": (1, "messages of Numba"),
    "frontend/target/refusals/remedies.py": (6, "messages of Numba"),
    "native/runtime.py": (1, "declarations in C, of our own header"),
    "doors/exporting.py": (1, "what our own file of C defines"),
    "host/diagnostics.py": (6, "messages of Enzyme, and the names in them"),
    "host/diagnose.py": (2, "what a process that died said last"),
    "host/refusals.py": (1, "messages of Enzyme"),
    "frontend/external/linked_blas.py": (1, "names of BLAS routines"),
    "passes/checks/linked_code/changing_scalars.py": (1, "names of BLAS and LAPACK routines"),
    "native/stored/holdings.py": (0, "patterns of names of kernels, as a shell has them"),
}


def sources() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if LLVM not in path.parents)


def imported(tree: ast.Module) -> Iterator[str]:
    """The dotted names of what a file imports, also inside of functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def patterns(tree: ast.Module) -> int:
    """How many calls of functions of `re` take a pattern."""
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in MAKES_ONE
        for node in ast.walk(tree)
    )


def found() -> dict[str, int]:
    """The files that use regular expressions, with the number of their patterns."""
    trees = {path: ast.parse(path.read_text()) for path in sources()}
    return {
        path.relative_to(PACKAGE).as_posix(): patterns(tree)
        for path, tree in trees.items()
        if any(name.partition(".")[0] in MODULES for name in imported(tree))
    }


def test_patterns_read_no_printed_code() -> None:
    allowed = {name: count for name, (count, _) in OTHER_TEXTS.items()}
    more = {name: count for name, count in found().items() if count > allowed.get(name, -1)}
    assert not more, (
        f"read code with enzyme_py.llvm (docs/llvm.md), other text with a row here: {more}"
    )


def test_the_tables_have_no_row_too_many() -> None:
    known = found()
    fewer = {
        name: known.get(name, 0)
        for name, (count, _) in OTHER_TEXTS.items()
        if known.get(name) != count
    }
    assert not fewer, "these have another number of patterns: correct the table"


def test_nobody_borrows_the_patterns_of_llvm() -> None:
    borrowing = [
        path.relative_to(PACKAGE).as_posix()
        for path in sources()
        if any(name.startswith(PATTERNS) for name in imported(ast.parse(path.read_text())))
    ]
    assert not borrowing


def test_what_counts() -> None:
    tree = ast.parse(
        "import re\nA = re.compile('x')\ndef f(t: re.Pattern):\n    return re.sub('a', 'b', t)\n"
    )
    assert patterns(tree) == 2
    assert "re" in imported(tree)


def test_each_pattern_that_is_asked_for_is_there_and_compiles() -> None:
    """They are compiled when they are first asked for, so that neither is seen before."""
    known = importlib.import_module(PATTERNS)
    asked = {
        node.attr
        for path in (PACKAGE / "llvm").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "patterns"
    }
    assert asked >= set(known._TEXTS), "nobody asks for these"
    for name in asked:
        assert getattr(known, name) is getattr(known, name)
    assert not hasattr(known, "NOTHING")
