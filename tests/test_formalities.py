"""The shape of the code: documented names, sizes, links, no local paths. Its rooms: test_rooms.py."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import enzyme_py as enzyme

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "enzyme_py"
MOST_LINES = 400
MOST_LINES_OF_A_TEST = 600
MOST_LINES_OF_C = 700
MOST_LINES_OF_A_FUNCTION = 60

# Who may use the insides of Numba and the engine of llvmlite.
NUMBA_DOORS = (
    *("frontend", "transforms", "calls", "rules", "assembly", "custom", "linalg", "doors", "special", "mpi"),
    *("finished", "native"),  # they load what Numba compiled, without Numba
)


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def imported_modules(path: Path) -> Iterator[str]:
    """The dotted names of every module that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def stage_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_insides_of_numba_have_their_doors() -> None:
    users = {
        stage_of(p)
        for p in sources(PACKAGE)
        for n in imported_modules(p)
        if n.startswith("numba.core")
    }
    beside = users - set(NUMBA_DOORS)
    assert not {stage for stage in beside if (PACKAGE / stage).is_dir()}, beside


def public_names() -> list[str]:
    """What the facade exports: the names that it imports as themselves."""
    facade = ast.parse((PACKAGE / "__init__.py").read_text())
    imports = [node for node in ast.walk(facade) if isinstance(node, ast.ImportFrom)]
    return sorted(
        alias.name for node in imports for alias in node.names if alias.asname == alias.name
    )


@pytest.mark.parametrize("name", public_names())
def test_public_name_is_documented(name: str) -> None:
    thing = getattr(enzyme, name)
    if callable(thing) or inspect.ismodule(thing):
        assert (inspect.getdoc(thing) or "").strip(), f"{name} has no docstring"


def documented(node: ast.AST) -> bool:
    return ast.get_docstring(node) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("path", sources(PACKAGE), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_states_its_contract(path: Path) -> None:
    text = path.read_text()
    assert not text.strip() or documented(ast.parse(text)), "no module docstring"


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            yield node


def test_sizes() -> None:
    python = [*sources(PACKAGE), *sources(ROOT / "benchmarks")]
    long = [p for p in python if len(p.read_text().splitlines()) > MOST_LINES]
    tests = sources(ROOT / "tests")
    long += [p for p in tests if len(p.read_text().splitlines()) > MOST_LINES_OF_A_TEST]
    in_c = [*(ROOT / "csrc").glob("*.c"), *(ROOT / "csrc").glob("*.h")]
    long += [p for p in in_c if len(p.read_text().splitlines()) > MOST_LINES_OF_C]
    assert not long, [str(path.relative_to(ROOT)) for path in long]
    deep = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources(PACKAGE)
        for node in functions(path)
        if (node.end_lineno or node.lineno) - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert not deep, deep


def text_files() -> Iterator[Path]:
    """Every text of the project; what is built or fetched lies elsewhere."""
    for folder in ("enzyme_py", "csrc", "tests", "benchmarks", "ci", ".ci", "docs", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            is_built = path.suffix in (".so", ".pyc", ".o", ".dylib") or "__pycache__" in path.parts
            if path.is_file() and not is_built:
                yield path
    yield from (path for path in ROOT.glob("*.*") if path.is_file() and path.name != ".git")


def test_no_path_of_a_machine() -> None:
    # "/home/u" is the invented user of tests.
    local = re.compile(r"(?<![\w.])/(?:home/(?!u\b)|root/|Users/|work/)\w+")
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in text_files()
        for match in local.finditer(path.read_text(errors="replace"))
    ]
    assert not found, found


@pytest.mark.parametrize(
    "page",
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_resolve(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)  # no code
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [link for link in links if "://" not in link]
    missing = [link for link in local if not (page.parent / link).exists()]
    assert not missing


def test_one_test_command() -> None:
    assert "ci/test.sh" in (ROOT / ".ci" / "run").read_text()
    for command in ("sh ci/demo.sh", "sh ci/test.sh"):
        assert command in (ROOT / "README.md").read_text()


HAPPENED: list[int] = []


@pytest.mark.parametrize("turn", [0, 1])
def test_the_tests_of_a_file_share_a_worker(turn: int, request: pytest.FixtureRequest) -> None:
    """They share what Numba compiled, and fixtures; with `--dist loadgroup`, as `ci/test.sh` has it."""
    HAPPENED.append(turn)
    if not getattr(request.config.option, "loadgroup", True):
        pytest.skip("groups were not asked for")
    name = request.node.name.replace("[1]", "[0]")
    if any(one.name == name for one in request.session.items):
        assert 0 in HAPPENED
