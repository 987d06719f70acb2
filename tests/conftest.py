"""One option, one cache folder for the run, and cases of one kernel kept on one worker."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = "ENZYME_PY_TEST_CACHE"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="every scenario with every variant and every mode, not the rotating selection",
    )


@pytest.fixture(autouse=True)
def scribbled_memory() -> Iterator[None]:
    """What generated code allocates and has not written is NaN, so that nothing rests on luck."""
    from enzyme_py.native.runtime import library

    library().enzyme_py_scribble(1)
    yield
    library().enzyme_py_scribble(0)


def pytest_configure(config: pytest.Config) -> None:
    """Derivatives of an earlier run must not answer for this one: start from an empty cache.

    The workers of xdist inherit the folder, so that they also test sharing it. The Enzyme
    executable itself stays where it is installed.
    """
    if FOLDER in os.environ:
        return
    from enzyme_py.host.locate import find_toolchain

    if not os.environ.get("ENZYME_PY_HOST") and not os.environ.get("ENZYME_PY_PLUGIN"):
        os.environ["ENZYME_PY_HOST"] = str(find_toolchain().executable)
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="enzyme_py_tests_")
    os.environ["ENZYME_PY_CACHE_DIR"] = os.environ[FOLDER]
    config.add_cleanup(remove_folder)
    point_settings_at(Path(os.environ[FOLDER]))


def point_settings_at(folder: Path) -> None:
    """The settings were read when the executable was looked for, before the folder existed."""
    from enzyme_py.settings import settings

    settings.cache_dir = folder
    settings.host = os.environ.get("ENZYME_PY_HOST")


def remove_folder() -> None:
    shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)
