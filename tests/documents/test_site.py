"""The site of the documentation: built without a warning, every page in a group, nothing loaded from elsewhere.

What a warning would be is planted in a small project of its own: there the same configuration must fail.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("material", reason="sh ci/docs.sh needs `pip install enzyme_py[docs]`")

# What a browser fetches by itself: scripts, styles, pictures, fonts. Links for readers may lead anywhere.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//[^>]*>"""
    r"""|<link\b[^>]*\brel=["']?(?:stylesheet|preconnect|preload|icon)[^>]*\bhref=["']?(?:https?:)?//[^>]*>"""
    r"""|@import[^;]*//|url\(["']?(?:https?:)?//"""
)
GOOD = "# Documentation\n\n## Start\n\n* [a page](page.md), [its part](page.md#part)\n* [the licence](../LICENSE)\n"


def build(project: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(project / "ci" / "docs.sh"), "--site-dir", str(site)],
        env={**os.environ, "ENZYME_PY_VENV": str(Path(sys.executable).parents[1])},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="session")  # building takes half a minute
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site")
    done = build(ROOT, made)
    assert not done.returncode, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    return made


def test_every_page_is_built(site: Path) -> None:
    pages = [one.relative_to(ROOT / "docs") for one in (ROOT / "docs").rglob("*.md")]
    made = [
        site / page.parent / ("index" if page.stem == "README" else page.stem) for page in pages
    ]
    assert not [one for one in made if not one.with_suffix(".html").is_file()]


def test_documents_and_sources_outside_of_docs_are_pages(site: Path) -> None:
    for name in ("index", "CONTRIBUTING", "benchmarks/index", "enzyme_py/compiling.py"):
        assert (site / "project" / f"{name}.html").is_file(), name


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    looked_at = [*site.rglob("*.html"), *site.rglob("*.css")]
    found = {one.name: FETCHED.findall(one.read_text()) for one in looked_at}
    assert len(looked_at) > 50
    assert not {name: what for name, what in found.items() if what}


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        "@font-face { src: url(https://example.org/a.woff) }",
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(text: str) -> None:
    assert FETCHED.search(text)


def small_project(folder: Path) -> Path:
    (folder / "ci").mkdir()
    shutil.copytree(
        ROOT / "ci" / "docs", folder / "ci" / "docs", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "ci" / "docs.sh", folder / "ci")
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text(GOOD)
    (folder / "docs" / "page.md").write_text("# Page\n\n## Part\n")
    (folder / "LICENSE").write_text("free\n")
    return folder


def test_mistakes_are_told(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    done = build(project, tmp_path / "site")
    assert not done.returncode, done.stderr

    (project / "docs" / "lost.md").write_text(
        "# In no group\n\n[gone](gone.md), [part](page.md#no)\n"
    )
    done = build(project, tmp_path / "site")
    assert done.returncode
    for told in ("lost.md", "gone.md", "#no"):
        assert told in done.stderr


def test_a_link_out_of_docs_to_nothing_is_told(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    (project / "docs" / "page.md").write_text("# Page\n\n## Part\n\n[gone](../gone.py)\n")
    done = build(project, tmp_path / "site")
    assert done.returncode
    assert "gone.py" in done.stderr
