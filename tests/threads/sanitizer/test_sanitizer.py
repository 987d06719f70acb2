"""ThreadSanitizer: a race that is planted is seen, and one kernel of the table has none; `--sanitizer` asks for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rotation import sweep
from tests.threads.sanitizer import runs
from tests.threads.sanitizer.__main__ import PLANTED, SAID
from tests.threads.table import TABLE

WHY_NOT = runs.why_not()
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
THREADED = [one.name for one in TABLE if not one.why_serial]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runs.built(tmp_path_factory.mktemp("sanitized"))


def test_a_race_is_seen(libraries: Path, tmp_path: Path) -> None:
    (row,) = runs.rows([PLANTED], libraries, tmp_path)
    assert row["forks"] > 0
    assert row["races"] > 0
    assert not runs.is_good(row)
    (log,) = tmp_path.glob("log.*")
    assert SAID in log.read_text()


@pytest.mark.parametrize("name", sweep(THREADED, len(THREADED), 5))
def test_a_kernel_has_none(name: str, libraries: Path, tmp_path: Path) -> None:
    (row,) = runs.rows([name], libraries, tmp_path)
    assert runs.is_good(row), row
    assert row["forks"] > 0
