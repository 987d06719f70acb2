"""Who may import whom: the rooms of the house, from the bottom to the top, read from the imports themselves."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "enzyme_py"

# A file imports from its own room and from rooms above its row. So there are no circles between rooms. Imports inside of
# functions count as well; those for type checkers alone do not.
ROOMS = (
    ("settings", "what users set"),
    ("symbols", "names that generated code calls and passes know"),
    ("modes", "the modes of differentiation"),
    ("errors", "every exception"),
    ("request", "what is to be differentiated"),
    ("foundations.libraries", "where the package's C libraries are"),
    ("foundations.quick", "calls that were made before"),
    ("annotations", "what happens to each argument"),
    ("llvm", "LLVM code as objects"),
    ("foundations", "small helpers"),
    ("rules", "tables of what Enzyme lacks"),
    ("passes", "rewrites of LLVM code"),
    ("frontend.codegen", "how kernels are lowered"),
    ("frontend.arrays", "arrays in kernels"),
    ("frontend.containers", "lists, sets and dicts in kernels"),
    ("frontend.numpy_functions", "functions of NumPy lowered our way"),
    ("frontend.parallel", "parallel loops, lowered for threads"),
    ("frontend.target", "the Numba target"),
    ("frontend.functions", "functions of Python as kernels"),
    ("frontend", "types as Enzyme must see them"),
    ("frontend.external", "code that Numba did not make"),
    ("special", "SciPy's special functions"),
    ("mpi.library", "the MPI library of this process"),
    ("assembly", "a request becomes a module"),
    ("host", "Enzyme, in its own process"),
    ("native", "machine code"),
    ("finished", "derivatives that an earlier process compiled"),
    ("relaxing", "other requests with the same answer"),
    ("parallel_loops", "loops on threads first, then on one"),
    ("compiling", "the trip from a request to machine code"),
    ("linalg", "the rules of linear algebra"),
    ("transforms.plans", "a transform as one call"),
    ("transforms.values", "copies, shadows, results"),
    ("transforms.derivatives", "gradients and directional derivatives"),
    ("transforms.jacobians", "Jacobians and second derivatives"),
    ("transforms.checking", "new derivatives beside differences"),
    ("calls", "what users call"),
    ("custom", "rules of users"),
    ("mpi", "messages between processes"),
    ("calls.checkpointing", "checkpoint and remat"),
    ("calls.compiled", "what users call, in compiled code"),
    ("sparse", "sparse Jacobians"),
    ("doors", "derivatives that C calls"),
    ("inspect", "what was compiled, and why"),
    ("", "the public names"),
    ("testing", "checks of users' kernels"),
    ("bridges", "derivatives in other libraries"),
    ("cluster", "sums over pieces of data, on several machines"),
    ("rules_ahead", "the rules of linear algebra, compiled before they are needed"),
    ("__main__", "the command line"),
)
PLACES = {room: place for place, (room, _) in enumerate(ROOMS)}

# Imports against the order, each within a function, so that nothing is imported in a circle; and why they stay.
TOLERATED = {
    ("errors", "native.faults.refusals"): (
        "compiled code raises OutOfMemoryError without arguments: the class itself asks who wanted the memory. Were the "
        "answer put in from above, whoever raises it would have to know that somebody has"
    ),
    ("transforms.plans.dispatcher", "transforms.checking.asking"): (
        "config(check=True) may be said at any time, and the dispatcher sees the first call. Were the check put in from "
        "above, each start would import it, and differences with it (tests/test_light_import.py)"
    ),
}

# Rooms that know less than lies below them, and the packages that they may use beside Python's own.
KNOW = {
    "llvm": set(),
    "rules": {"llvm", "symbols"},
    "passes": {"errors", "foundations", "llvm", "rules", "symbols"},
    "foundations": {"annotations", "errors", "foundations.libraries", "foundations.quick", "request", "settings"},
}
OTHERS = {"llvm": set(), "passes": {"llvmlite"}}
DOOR_OF_PASSES = "enzyme_py/passes/llvm_own.py"  # the one file of passes that speaks to LLVM itself

MOST_MODULES = 15
LARGER = {"tests/coverage": 18, "tests/fuzz": 16}


def module_of(path: Path) -> str:
    """The dotted name of a file, without the package: `frontend.target.lower`, "" for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The smallest room that a module lies in."""
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        if (room := ".".join(parts[:count])) in PLACES:
            return room
    return ""


def files(folder: Path = PACKAGE) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


MODULES = {module_of(path) for path in files()}


def nodes(tree: ast.AST, *, is_lazy: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Every node that runs, with whether it runs only when a function is called."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        lazy = is_lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        yield node, lazy
        yield from nodes(node, is_lazy=lazy)


def imported(text: str) -> Iterator[tuple[str, bool]]:
    """The dotted name of each import of a text, and whether it stands in a function."""
    for node, is_lazy in nodes(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, is_lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "relative imports are not read"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", is_lazy


def own(name: str) -> str | None:
    """The module of ours that an imported name is, or lies in."""
    if name != "enzyme_py" and not name.startswith("enzyme_py."):
        return None
    module = name.removeprefix("enzyme_py").removeprefix(".")
    while module and module not in MODULES:
        module = module.rpartition(".")[0]
    return module


def wrong_imports(module: str, text: str) -> list[str]:
    """What a file may not import, in words."""
    room, found = room_of(module), []
    for name, is_lazy in imported(text):
        target = own(name)
        if target is None:
            first = name.split(".")[0]
            others = OTHERS.get(room)
            if others is not None and first not in sys.stdlib_module_names | others:
                found.append(f"{module} imports {first}, and {room} knows nothing of it")
            continue
        if room_of(target) == room or (is_lazy and (module, target) in TOLERATED):
            continue
        if PLACES[room_of(target)] > PLACES[room]:
            found.append(f"{module} imports {target}, which is a room of later")
        elif room in KNOW and room_of(target) not in KNOW[room]:
            found.append(f"{module} imports {target}, and {room} knows nothing of it")
    return found


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_follow_the_order_of_rooms(path: Path) -> None:
    assert not wrong_imports(module_of(path), path.read_text())


@pytest.mark.parametrize(
    ("module", "text", "said"),
    [
        ("llvm.values", "from enzyme_py.errors import EnzymeError", "llvm knows nothing"),
        ("llvm.values", "import numpy", "llvm knows nothing"),
        ("passes.base", "from numba.core import types", "passes knows nothing"),
        ("passes.memory.blocks.fills", "from enzyme_py.settings import settings", "passes knows nothing"),
        ("rules.blas", "from enzyme_py.errors import EnzymeError", "rules knows nothing"),
        ("passes.steps", "from enzyme_py.frontend.target import lower", "a room of later"),
        ("host.client", "def f():\n    from enzyme_py import native", "a room of later"),
        ("errors", "from enzyme_py.native.faults.refusals import Refusal", "a room of later"),
        ("frontend.arrays.axes", "import enzyme_py.frontend.target.target", "a room of later"),
        ("transforms.values.copies", "from enzyme_py import calls", "a room of later"),
        ("calls.operators", "from enzyme_py.calls import compiled", "a room of later"),
    ],
)
def test_a_wrong_import_is_named(module: str, text: str, said: str) -> None:
    assert [said in one for one in wrong_imports(module, text)] == [True]


def test_right_imports_are_left_alone() -> None:
    text = "import numpy\nfrom enzyme_py.llvm import Load\nfrom enzyme_py.frontend.target import lower"
    assert not wrong_imports("calls.compiled.vjp", text)
    assert not wrong_imports("errors", "def f():\n    from enzyme_py.native.faults.refusals import Refusal")
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from enzyme_py import native"
    assert not wrong_imports("errors", text)


def circles(edges: dict[str, set[str]]) -> list[str]:
    """What is left of a graph when whatever leads nowhere is taken away, again and again."""
    left = {one: set(others) for one, others in edges.items()}
    while ends := [one for one, others in left.items() if not others & left.keys()]:
        for one in ends:
            del left[one]
    return sorted(left)


def at_import(path: Path) -> set[str]:
    """The modules of ours that a file imports when it is imported, itself left out."""
    names = {own(name) for name, is_lazy in imported(path.read_text()) if not is_lazy}
    return {name for name in names if name is not None} - {module_of(path)}


def test_no_module_imports_itself_in_a_circle() -> None:
    assert not circles({module_of(path): at_import(path) for path in files()})


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


def test_only_one_file_of_passes_speaks_to_llvm() -> None:
    users = {
        str(path.relative_to(ROOT))
        for path in files(PACKAGE / "passes")
        for name, _ in imported(path.read_text())
        if name.split(".")[0] == "llvmlite" or own(name) == "foundations.llvm_modules"
    }
    assert users <= {DOOR_OF_PASSES}


def test_what_is_tolerated_is_there() -> None:
    for module, target in TOLERATED:
        path = PACKAGE / (module.replace(".", "/") + ".py")
        assert (target, True) in {(own(name), lazy) for name, lazy in imported(path.read_text())}


def test_rooms_are_there() -> None:
    for room, _ in ROOMS:
        place = PACKAGE / room.replace(".", "/")
        assert place.is_dir() or place.with_suffix(".py").is_file(), room


def crowded(folders: Iterable[Path]) -> list[str]:
    """Folders with too many modules."""
    found = []
    for folder in folders:
        name = folder.relative_to(ROOT).as_posix()
        count = sum(path.name != "__init__.py" for path in folder.glob("*.py"))
        if count > LARGER.get(name, MOST_MODULES):
            found.append(f"{name}: {count}")
    return found


def test_folders_are_small() -> None:
    assert not crowded({path.parent for path in [*files(), *files(ROOT / "tests")]})


def test_every_folder_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in files()
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert not silent


def test_what_is_left_out_is_there() -> None:
    rows = (ROOT / "tests" / "left_out.txt").read_text().splitlines()[1:]
    assert rows == sorted(set(rows))
    for row in rows:
        file, _, name = row.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text(), row
