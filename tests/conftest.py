"""Options, one cache folder for the run, which tests a run takes, and which of them share a worker."""

from __future__ import annotations

import gc
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FOLDER = "ENZYME_PY_TEST_CACHE"
GROUPS = "groups.json"  # in that folder: the group of each test, as the workers have it
# Long files whose tests have nothing in common. They come last, and fill up what the workers have left.
SPREAD = ("test_fuzz.py", "test_textbook.py", "test_tensors.py", "test_coverage_table.py")
COLLECTED = (
    10_000,
    10,
    10,
)  # Python's own thresholds take 11 % of a test's time, these 5 (measured)
VERIFIED = (
    3  # one change of a pass in so many: all would take 4 % of the time of compiling (measured)
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="every scenario with every variant and every mode, not the rotating selection",
    )
    parser.addoption(
        "--verify-passes",
        action="store_true",
        help="verify the code behind each pass that changed something, in all tests",
    )
    parser.addoption(
        "--read-back",
        action="store_true",
        help="read each module that goes into the pass or comes out, to the last operand, and print it again",
    )
    parser.addoption(
        "--without",
        action="append",
        default=[],
        help="a cure to switch off, by its name in tests/passes/switches.py: what fails without it",
    )


@pytest.fixture(scope="session", autouse=True)
def cures_are_left_out(request: pytest.FixtureRequest) -> Iterator[None]:
    """What --without names is switched off."""
    with pytest.MonkeyPatch.context() as patch:
        for name in request.config.getoption("--without"):
            from tests.passes.switches import leave_out

            leave_out(name, patch.setattr)
        yield


@pytest.fixture(scope="session", autouse=True)
def modules_are_read_back(request: pytest.FixtureRequest) -> Iterator[None]:
    """What the pass reads and makes is printed as it was read: the module always, instructions if asked for."""
    from enzyme_py.host.process import client
    from tests.llvm.corpus import check_reading

    run, whole = client._run, request.config.getoption("--read-back")

    @wraps(run)  # so that a test finds the real one
    def checked(module, asked):
        check_reading(module.ir, whole=whole, is_llvms=False)
        outcome = run(module, asked)
        check_reading(outcome.output, whole=whole and not outcome.wait_status)
        return outcome

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "_run", checked)
        yield


@pytest.fixture(scope="session", autouse=True)
def passes_are_verified(request: pytest.FixtureRequest) -> Iterator[None]:
    """LLVM verifies what passes leave: of one change in VERIFIED, of every one if asked for."""
    from enzyme_py.passes import journal
    from tests.passes.running import verifier

    every = 1 if request.config.getoption("--verify-passes") else VERIFIED
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal, "verify", verifier(every))
        yield


@pytest.fixture(autouse=True)
def settings_come_back() -> Iterator[None]:
    """What a test leaves behind is not the next one's.

    A page of the docs may call `enzyme.config(threads=None)` for good. Dask sets variables for its workers in this process and leaves them
    there: with MALLOC_TRIM_THRESHOLD_, a test of the heap behind docs/cluster.md counted 13,200 page faults for 0.
    """
    from enzyme_py.settings import config, settings

    before = {one.name: getattr(settings, one.name) for one in fields(settings)}
    variables = dict(os.environ)
    yield
    pytests = {"PYTEST_CURRENT_TEST": os.environ["PYTEST_CURRENT_TEST"]}
    changed = {name: value for name, value in before.items() if getattr(settings, name) is not value}
    if changed:
        config(**changed)
    for name in set(os.environ).difference(variables):
        del os.environ[name]
    os.environ.update(variables | pytests)


@pytest.fixture(scope="module", autouse=True)
def what_is_there_stays() -> None:
    """The collector looks at what the tests of a file make, and no more at what files before it left.

    A worker holds what many files made, mostly Numba's objects: tests/transforms/test_keeping.py, whose tests ask for collections to
    see what stays alive, took 38 s behind others, and 6 by itself. Whatever is garbage by now goes first.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def scribbled_memory() -> Iterator[None]:
    """What generated code allocates and has not written is NaN, so that nothing rests on luck."""
    from enzyme_py.native.runtime import library

    library().enzyme_py_scribble(1)
    yield
    library().enzyme_py_scribble(0)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Hardly anything that is made while tests are collected goes again: 26 in place of 35 s (measured)."""
    if session.config.getoption("dist", "no") == "no":  # not where workers collect
        gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for the full run; keep the tests of a file on one worker: they share what Numba compiles.

    Files of SPREAD, and those with a test that has a group of its own, are spread over the workers.
    """
    if not config.getoption("full"):
        named = set((HERE / "left_out.txt").read_text().splitlines())
        left_out = [one for one in items if one.get_closest_marker("full") or one.nodeid in named]
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [one for one in items if one not in gone]
    own = {one.path for one in items if one.get_closest_marker("xdist_group")}
    for one in items:
        if one.path not in own and one.path.name not in SPREAD:
            one.add_marker(pytest.mark.xdist_group(one.path.relative_to(HERE).as_posix()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep groups together. xdist writes them into the names of tests, where pytest 9.2 does not look."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Groups(LoadGroupScheduling):  # type: ignore[misc]
        def schedule(self) -> None:
            self.groups = json.loads((Path(os.environ[FOLDER]) / GROUPS).read_text())
            super().schedule()

        def _split_scope(self, nodeid: str) -> str:
            return self.groups.get(nodeid, nodeid)

    return Groups(config, log)


@pytest.hookimpl(tryfirst=True)  # xdist tells the scheduler behind this
def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell the scheduler the groups; what was made so far stays.

    The collector need not look at it each time that Numba makes as much again.
    """
    if hasattr(session.config, "workerinput"):
        marks = ((one.nodeid, one.get_closest_marker("xdist_group")) for one in session.items)
        path = Path(os.environ[FOLDER]) / GROUPS
        own = path.with_suffix(f".{os.getpid()}")
        own.write_text(json.dumps({name: mark.args[0] for name, mark in marks if mark is not None}))
        own.replace(path)
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED)


def pytest_configure(config: pytest.Config) -> None:
    """Derivatives of an earlier run must not answer for this one: start from an empty cache.

    The workers of xdist inherit the folder, so that they also test sharing it. The Enzyme
    executable itself stays where it is installed.
    """
    if FOLDER in os.environ:
        return
    from enzyme_py.host.installing.locate import find_toolchain

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
