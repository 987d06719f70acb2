"""The package as it is built and installed: what a wheel holds, and that each way of installing works.

Nothing is fetched: the environments made here see this one's packages through a .pth file.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIBRARIES = {"libenzyme_py_runtime.so", "libenzyme_py_host.so", "libenzyme_py_calls.so"}
NEEDED = ("scikit_build_core", "pip")

pytestmark = [
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in NEEDED),
        reason="building needs pip and scikit-build-core in this environment",
    ),
    pytest.mark.skipif(shutil.which("cmake") is None, reason="building needs cmake"),
    pytest.mark.xdist_group("packaging"),
]

PROBE = """
from enzyme_py import native
from enzyme_py.host.process.forkserver import shim_path
assert native.memory_stats().regions_open == 0
assert shim_path().is_file()
print(native.__file__)
"""


def run(*command: object) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env=environment, cwd="/"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, so that nothing is built in the working tree."""
    copy = tmp_path_factory.mktemp("packaging") / "source"
    ignored = shutil.ignore_patterns(
        ".git", "build", "dist", ".venv", "*_cache", "__pycache__", "*.so"
    )
    shutil.copytree(ROOT, copy, ignore=ignored)
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    target = source.parent / "wheels"
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
        "--disable-pip-version-check", "-w", target, source)  # fmt: skip
    (found,) = target.iterdir()
    return found


def environment(folder: Path) -> Path:
    """Make an environment that sees the packages of this one, but no enzyme_py of its own."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def install(python: Path, *what: object) -> str:
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation",
        "--disable-pip-version-check", "--ignore-installed", *what)  # fmt: skip
    return run(python, "-c", PROBE)


def test_the_wheel_fits_every_python(wheel: Path) -> None:
    assert wheel.name.startswith("enzyme_py-")
    assert "-py3-none-" in wheel.name


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    libraries = {Path(name).name for name in names if name.startswith("enzyme_py/_lib/")}
    assert libraries == LIBRARIES
    assert {name.split("/")[0].split("-")[0] for name in names} == {"enzyme_py"}
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "enzyme_py").rglob("*.py")}
    assert sources <= set(names)


def test_installed_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    where = install(environment(tmp_path / "venv"), wheel)
    assert where.startswith(str(tmp_path))


def test_installed_from_the_source(source: Path, tmp_path: Path) -> None:
    where = install(environment(tmp_path / "venv"), source)
    assert where.startswith(str(tmp_path))


def test_installed_editable(source: Path, tmp_path: Path) -> None:
    where = install(environment(tmp_path / "venv"), "--editable", source)
    assert where.startswith(str(source))


def test_the_source_archive_builds(source: Path, tmp_path: Path) -> None:
    program = "from scikit_build_core.build import build_sdist; print(build_sdist('.'))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=source, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    archive = source / done.stdout.splitlines()[-1]
    where = install(environment(tmp_path / "venv"), archive)
    assert where.startswith(str(tmp_path))
