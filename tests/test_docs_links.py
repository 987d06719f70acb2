"""What the documents point at exists: pages, headings, and every file, folder and program that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("enzyme_py", "csrc", "tests", "benchmarks", "ci", ".ci", "docs", "examples")
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "benchmarks").glob("*.md"),
        *(ROOT / "csrc").glob("*.md"),
    ]
)
PLACEHOLDERS = {"NAME", "ROOM", "FILE", "FOLDER"}
# Files of users in examples, and what is made when something is built or runs.
OTHERS = {
    *("model.h", "model.py", "my.py", "kernels.py", "program.py", "pip.py", "mypackage/__init__.py"),
    *("enzyme_py/_lib", "crashes/", "derivatives/"),
}

FENCES = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
INLINE = re.compile(r"`([^`]+)`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
# A name that ends like a file of ours, whatever stands in front of it; or a folder, `like/this/`.
NAMED = re.compile(
    r"(?<![\w./*<~-])((?:[\w.-]+/)*[\w-]+\.(?:py|c|h|md|sh|toml|ll)|(?:[\w.-]+/)+)(?![\w/*<-])"
)
PATH = re.compile(rf"(?<![\w./-])((?:{'|'.join(map(re.escape, FOLDERS))})/[\w./-]*\w)")
PROGRAM = re.compile(r"python -m ((?:tests|benchmarks|enzyme_py)[\w.]*)")


@cache
def project() -> tuple[set[str], set[str]]:
    """Return the endings of the paths of all files, and of all folders."""
    files, folders = set[str](), set[str]()
    own = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    for path in [*own, *(ROOT / folder for folder in FOLDERS), *ROOT.glob("*.*")]:
        if "__pycache__" not in path.parts:
            parts = path.relative_to(ROOT).parts
            endings = {"/".join(parts[begin:]) for begin in range(len(parts))}
            (folders if path.is_dir() else files).update(endings)
    return files, folders


def exists(name: str) -> bool:
    """Tell whether a name is that of a file or folder, in whatever folder it lies; or stands for any."""
    files, folders = project()
    if name in OTHERS or PLACEHOLDERS & set(re.split(r"[/.]", name)):
        return True
    return name.rstrip("/") in folders if name.endswith("/") else name in files | folders


def is_program(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return (path / "__main__.py").is_file() or path.with_suffix(".py").is_file()


def anchors(page: Path) -> set[str]:
    """Return what links may name behind a `#`, as GitHub makes it of the headings."""
    words = [one.replace("`", "").lower() for one in HEADING.findall(page.read_text())]
    return {re.sub(r"[^\w\- ]", "", one).strip().replace(" ", "-") for one in words}


def missing_links(page: Path, text: str) -> Iterator[str]:
    for link in LINK.findall(FENCES.sub("", text)):
        name, _, heading = link.partition("#")
        if "://" in link:
            continue
        target = page.parent / name if name else page
        if not target.exists() or (heading and heading not in anchors(target)):
            yield link


def missing_names(text: str) -> Iterator[str]:
    for span in INLINE.findall(FENCES.sub("", text)):
        yield from (name for name in NAMED.findall(span) if not exists(name))
    yield from (path for path in PATH.findall(text) if not exists(path))
    yield from (module for module in PROGRAM.findall(text) if not is_program(module.rstrip(".")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_all_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text()
    assert not [*missing_links(page, text), *missing_names(text)]


@pytest.mark.parametrize(
    "text",
    [
        "[gone](docs/gone.md)",
        "[no such heading](README.md#nowhere)",
        "`passes/memory/gone.py`",
        "`gone.py`",
        "in `host/gone.c`, too",
        "`enzyme_py/gone/`",
        "`python benchmarks/gone.py --write`",
        "```\npython -m tests.gone --all\n```",
        "```sh\nsh ci/gone.sh\n```",
        "`python -m tests.gone`",
    ],
)
def test_what_is_gone_is_found(text: str) -> None:
    page = ROOT / "README.md"
    assert [*missing_links(page, text), *missing_names(text)]


@pytest.mark.parametrize(
    "text",
    [
        "[a page](docs/llvm.md#editing), [this one](#install), [the web](https://example.org/gone.md)",
        "`passes/memory/allocations.py`, `allocations.py`, `csrc/region.c`, `tests/traps/NAME.ll`",
        "`enzyme_py/passes/`, `passes/`, `sh ci/test.sh`, `x.size`, `a / b`, `np.sum(x)/n`",
        "```\npython -m tests.fuzz --count 10\n```",
    ],
)
def test_what_is_there_is_not_reported(text: str) -> None:
    page = ROOT / "README.md"
    assert not [*missing_links(page, text), *missing_names(text)]


SCREEN = 30  # lines that a reader sees at once
OPENING = re.compile(r"^(?:```| {4}\S)", re.MULTILINE)
COMMAND = re.compile(r"`(?:python -m tests|python benchmarks/|sh ci/)[^`]*`")
# The blocks that tests run (test_documents.py, test_error_catalogue.py), and those that are no Python of ours.
RUN = re.compile(r'python(?: title="(?:raises|warns) \w+")?')
SHOWN = {"sh", "text", "julia", "dockerfile"}
# Lines of programs in examples/, which are run as they are.
QUOTED = re.compile(r"^```py\n(.*?)^```", re.DOTALL | re.MULTILINE)
RUN_PAGES = [page for page in PAGES if page.parent.name not in ("benchmarks", "csrc")]
# What may stand indented: commands, and what they print.
INDENTED = re.compile(r"\n\n((?:    .*\n)+)")
PRINTED = re.compile(r"    (?:[A-Z_]+=\S+ )?(?:\w+/bin/)?(?:python -m |enzyme_py: |\w+Error: |\d+ \w+, )")


def first_screen(page: Path) -> str:
    return "\n".join(page.read_text().splitlines()[:SCREEN])


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.is_relative_to(ROOT / "docs") and page.parent.name != "decisions"],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_an_example_is_on_the_first_screen(page: Path) -> None:
    """Code; or, on a page that a command writes, that command."""
    seen = first_screen(page)
    assert OPENING.search(seen) or COMMAND.search(seen)


@cache
def lines_of_examples() -> set[str]:
    programs = [path.read_text() for path in (ROOT / "examples").rglob("*.py")]
    return {line.strip() for program in programs for line in program.splitlines()}


def made_up(text: str) -> list[str]:
    """Return the lines that a page quotes, and that no example has."""
    lines = [line.strip() for block in QUOTED.findall(text) for line in block.splitlines()]
    return [line for line in lines if line not in lines_of_examples()]


def test_what_is_quoted_is_there() -> None:
    assert not made_up("```py\nimport numpy as np\n```\n")
    assert made_up("```py\nimport numpy as gone\n```\n") == ["import numpy as gone"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_run_or_is_no_python(page: Path) -> None:
    fences = re.findall(r"^(`{3,}|~{3,})(.*)$", page.read_text(), re.MULTILINE)
    languages = [language for _, language in fences[::2] if language != "py"]
    assert not made_up(page.read_text())
    assert not [one for _, one in fences[1::2] if one], "a block within a block"
    runs = page in RUN_PAGES
    assert not [one for one in languages if one not in SHOWN and not (runs and RUN.fullmatch(one))]
    indented = INDENTED.findall(FENCES.sub("", page.read_text()))
    assert not [one for one in indented if not PRINTED.match(one)]
