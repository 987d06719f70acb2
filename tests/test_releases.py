"""What a release promises in its files: versions that agree, extras that exist, one wheel for each system."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from enzyme_py.host.installing.pinned import PINS

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_citation_names_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.*)$", text, re.MULTILINE) == [PROJECT["project"]["version"]]


def test_extras_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "installing.md").read_text()
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|.*\|.*\|$", page, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    extras = PROJECT["project"]["optional-dependencies"]
    assert set(extras) <= named
    (everything,) = extras["all"]
    bridges = set(re.findall(r"\[(.*)\]", everything)[0].split(","))
    assert bridges == set(extras) - {"all", "plots", "test", "lint", "docs"}


def test_there_is_a_wheel_for_each_executable() -> None:
    built = PROJECT["tool"]["cibuildwheel"]
    systems = {("linux", arch) for arch in built["linux"]["archs"]}
    systems |= {("darwin", arch) for arch in built["macos"]["archs"]}
    assert systems == set(PINS)
    for arch in built["linux"]["archs"]:
        assert PINS["linux", arch].platform == f"manylinux_2_28_{arch}"
        assert built["linux"][f"manylinux-{arch}-image"] == "manylinux_2_28"
    wanted = built["macos"]["environment"]["MACOSX_DEPLOYMENT_TARGET"].replace(".", "_")
    assert PINS["darwin", "arm64"].platform == f"macosx_{wanted}_arm64"


@pytest.mark.parametrize("script", sorted((ROOT / "ci").glob("*.sh")), ids=lambda path: path.name)
def test_scripts_can_be_read(script: Path) -> None:
    subprocess.run(["sh", "-n", str(script)], check=True)
