"""Clocks that were set, or jumped: what the dates of files say then."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from enzyme_py.host import crash_files
from enzyme_py.native.stored import shelf
from enzyme_py.settings import config

DAY = 86_400.0


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "derivatives"
    folder.mkdir(mode=0o700)
    with config(cache_dir=tmp_path):
        yield folder


def put(path: Path, days: float, size: int = 1000) -> Path:
    """A file that was last used so many days from now."""
    path.write_bytes(bytes(size))
    when = time.time() + days * DAY
    os.utime(path, (when, when))
    return path


def test_what_was_never_finished_goes_whatever_its_date(cache: Path) -> None:
    left = [put(cache / f"{name}.part", days) for name, days in (("old", -1), ("future", 400))]
    now = put(cache / "now.part", 0)
    shelf.evict(0)
    assert [one.exists() for one in (*left, now)] == [False, False, True]


def test_a_date_to_come_says_nothing_of_when_a_file_was_used(cache: Path) -> None:
    future = put(cache / "future.derivative", 400)
    earlier, latest = put(cache / "earlier.derivative", -2), put(cache / "latest.derivative", 0)
    shelf.evict(2000)
    assert [one.exists() for one in (future, earlier, latest)] == [False, True, True]
    shelf.evict(1000)
    assert [one.exists() for one in (earlier, latest)] == [False, True]


def test_the_crash_that_is_saved_now_stays(tmp_path: Path) -> None:
    """Of a clock that was set back it would be the oldest, and the message would name a file that is gone."""
    with config(cache_dir=tmp_path):
        crash_files.crash_folder().mkdir(mode=0o700)
        for number in range(crash_files.KEPT + 3):
            put(crash_files.crash_folder() / f"{number}.ll", 400 + number)
        saved = crash_files.save_module("; a module\n", "a crash")
        assert saved is not None
        assert saved.is_file()
        kept = {one.stem for one in crash_files.crash_folder().glob("*.ll")} - {saved.stem}
        assert kept == {str(number) for number in range(4, crash_files.KEPT + 3)}
