"""What is written runs: the Python of the README and of docs/, and every example."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHARED = ("training",)  # imported by examples, no example itself
# Of enzyme_py.bridges, enzyme_py.cluster, MPI and their pages, which need not be installed.
LIBRARIES = ("autograd", "jax", "torch", "nutpie", "pymc", "casadi", "lmfit", "iminuit", "dask", "numba_mpi")
SHORT = ("--epochs", "2", "--steps", "3")
ARGUMENTS = dict.fromkeys(("rnn", "gru", "lstm"), SHORT)
EXAMPLES = sorted(p for p in (ROOT / "examples").glob("*.py") if p.stem not in SHARED)


def python_of(page: Path) -> str:
    """The python blocks of a page, as one program: later ones go on where earlier ones end."""
    return "\n".join(
        re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    )


@pytest.mark.parametrize(
    "page", [p for p in PAGES if python_of(p)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a page may write files
    for library in LIBRARIES:
        if re.search(rf"^import {library}\b", python_of(page), re.MULTILINE):
            pytest.importorskip(library)
    program = tmp_path / f"{page.stem}_blocks.py"  # a file, since Numba reads the source
    program.write_text(python_of(page))
    runpy.run_path(str(program))


def test_the_first_screen_of_the_readme(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it is, one line to install, a program of some ten lines that prints what is said, a picture."""
    first, _, _ = (ROOT / "README.md").read_text().partition("\n## ")
    assert len(first.splitlines()) <= 40
    (install,) = re.findall(r"^```sh\n(.*?)^```", first, re.DOTALL | re.MULTILINE)
    assert len(install.splitlines()) == 1
    (code,) = re.findall(r"^```python\n(.*?)^```", first, re.DOTALL | re.MULTILINE)
    *lines, said = code.strip().splitlines()
    assert sum(1 for line in lines if line.strip()) <= 10
    assert re.search(r"!\[.+\]\(docs/.+\.svg\)", first)
    program = tmp_path / "first.py"
    program.write_text(code)
    runpy.run_path(str(program))
    assert capsys.readouterr().out.strip() == said.removeprefix("# ")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_runs(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", [str(example), *ARGUMENTS.get(example.stem, ())])
    monkeypatch.syspath_prepend(example.parent)  # as for a program that is started
    monkeypatch.chdir(tmp_path)  # where pictures go
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out, "an example says what it found"
