"""A process that runs the tests of a library by pytest, and asks about what they call: see the package.

It speaks as that of Numba's own tests does (tests/numba_suite/worker.py). A test is a file here: each of its test functions is
recorded, and asked about as soon as it has ended.
"""

from __future__ import annotations

import gc
import importlib.util
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.numba_suite.recording import Recording, watched
from tests.numba_suite.worker import answered, ask_all, megabytes

SECONDS = 20  # for one test function
MOST_SECONDS = 1500  # for a file, questions included


class _Plugin:
    """What pytest is given: it watches each test function, and asks behind it."""

    def __init__(self, known: set[str], most: int, say: Callable[..., None], *, inner: bool) -> None:
        self.left: Counter[str] = Counter()
        self.own, self._inner = 0.0, inner
        self._known, self._most, self._say = known, most, say
        self._end = time.monotonic() + MOST_SECONDS

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        """Watch a test, and ask about what it called."""
        if time.monotonic() > self._end:
            self.left["tests behind the time of their file"] += 1
            item.obj = lambda **_: None
            yield
            return
        taken = Recording()
        begun = time.process_time()
        with watched(taken, set(), self._known, self._most, time.monotonic() + SECONDS, inner=self._inner):
            yield
        self.own += time.process_time() - begun
        self.left.update(taken.left)
        ask_all(taken, self._known, self._say)
        self._say(alive=item.name)


def files_of(name: str) -> list[str]:
    """Return the files of tests of a package, or of a folder; a file is one itself."""
    folder = Path(name)
    if folder.is_file():
        return [name]
    if not folder.is_dir():
        found = importlib.util.find_spec(name)
        assert found is not None, f"no package {name}"
        assert found.origin is not None
        folder = Path(found.origin).parent
    return sorted(map(str, folder.rglob("test_*.py")))


def main(*, inner: bool = False) -> None:
    """Answer with the files of libraries, and with what the tests of a file call."""
    known: set[str] = set()

    def answer(request: dict[str, Any], say: Any) -> None:
        if "module" in request:
            say(tests=files_of(request["module"]))
            return
        known.update(request["known"])
        plugin = _Plugin(known, request["most"], say, inner=inner)
        options = ["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir=/tmp", "-c", "/dev/null"]
        status = pytest.main([request["test"], *options], plugins=[plugin])
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            plugin.left[f"pytest ended with {status}"] += 1
        gc.collect()
        say(end=True, left=dict(plugin.left), seconds=plugin.own, megabytes=megabytes())

    answered(answer)


if __name__ == "__main__":
    main()
