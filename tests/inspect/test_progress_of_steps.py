"""How far long work is: Jacobians in compiled code, sparse patterns, autotune, installing, fuzz."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.foundations import progress, stages
from enzyme_py.foundations.stages import Counted, Work, counted
from enzyme_py.host.installing import progress as installing
from enzyme_py.settings import config, settings
from tests.fuzz.runs import run as fuzz
from tests.inspect.test_progress import ERASE, run
from tests.rotation import sweep

HEAD = """
import numpy as np
import enzyme_py as enzyme

@enzyme.jit
def rows(x):
    return np.sin(x) * x[0]
"""


@enzyme.jit
def chain(x):
    return x[1:] - x[:-1] ** 2


def test_what_is_said_of_steps() -> None:
    count = Counted("autotune of f", 10.0, 6)
    assert progress.said([], 11.9, [count]) == ""
    assert progress.said([], 13.0, [count]) == "enzyme_py: autotune of f: 0 of 6, 3 s"
    count(2, "no vectors")
    work = [Work("grad of f", 12.5, [("f", "optimising")])]
    assert progress.said(work, 13.0, [count]) == "enzyme_py: autotune of f: 2 of 6, no vectors; O3, 3 s"
    assert progress.said([], 13.0, [Counted("benchmarks", 10.0, 0, 7, "lines")]) == "enzyme_py: benchmarks: 7, lines, 3 s"
    # The outermost speaks.
    assert progress.said([], 20.0, [count, Counted("inner", 11.0, 3)]).startswith("enzyme_py: autotune of f")


def test_steps_are_shown_on_a_terminal_and_taken_away() -> None:
    text = """
        from enzyme_py.foundations.stages import counted
        with counted("fuzz", 3) as count:
            for number in range(3):
                count(number, "0 bad")
                until(shown(f"fuzz: {number} of 3, 0 bad"))
    """
    assert run(text).endswith(ERASE)
    assert run(text.replace("until(", "time.sleep(0.02) or print("), ENZYME_PY_PROGRESS="0") == ""


def test_another_thread_may_count_too() -> None:
    seen: list[str] = []
    go = threading.Event()
    with counted("one", 2):
        other = threading.Thread(target=lambda: [seen.append(one.title) for one in stages.counts()] and go.set())
        other.start()
        assert go.wait(10)
        other.join()
    assert seen == ["one"]
    assert not stages.counts()


JACOBIANS = """
    for make in (enzyme.jacfwd, enzyme.jacrev):
        make(rows)(np.linspace(1.0, 2.0, 40))
"""
BY_COLUMNS = "enzyme.jacfwd(rows)(np.linspace(1.0, 2.0, 40))\n"


def test_a_long_jacobian_says_how_far_it_is() -> None:
    written = run(HEAD + textwrap.dedent(JACOBIANS))
    for kind in ("columns", "rows"):
        found = [int(n) for n in re.findall(rf"Jacobian: (\d+) of 40 {kind}, 0 s", written)]
        assert found
        assert found == sorted(found)
        assert found[-1] <= 40
    assert written.endswith(ERASE)


@pytest.mark.parametrize("variables", sweep([{"ENZYME_PY_PROGRESS": "0"}, {"TERM": "dumb"}], 2))
def test_a_jacobian_is_quiet_where_it_shall_be(variables: dict[str, str]) -> None:
    assert run(HEAD + BY_COLUMNS, **variables) == ""


def test_a_jacobian_into_a_pipe_is_quiet() -> None:
    script = f"from enzyme_py.foundations import progress\nprogress.PATIENCE = 0.0\n{HEAD}{BY_COLUMNS}"
    for setting, is_said in (("", False), ("1", True)):
        environment = {**os.environ, "ENZYME_PY_PROGRESS": setting}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        assert ("Jacobian: " in done.stderr) == is_said
        assert "\r" not in done.stderr
        assert is_said or not done.stderr


def test_a_setting_counts_at_once_and_a_raise_takes_the_line_away() -> None:
    text = """
        from enzyme_py.native.runtime import runtime_addresses
        from enzyme_py.settings import config
        import ctypes
        address = runtime_addresses()
        begin = ctypes.CFUNCTYPE(ctypes.c_int64)(address["enzyme_py_count_begin"])
        count = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 4)(address["enzyme_py_count"])

        @enzyme.jit
        def wrong(x):
            if x[0] > 0.0:
                raise ValueError("wrong")
            return x[0]

        gradient = enzyme.grad(wrong)
        gradient(np.zeros(1))
        with config(progress=False):
            assert begin() == 0
        begun = begin()
        assert begun > 0
        count(begun, 2, 3, 12)
        try:
            gradient(np.ones(1))
        except ValueError:
            print("caught", file=sys.stderr)
    """
    written = run(HEAD + textwrap.dedent(text))
    assert f"enzyme_py: Jacobian: 3 of 12 products, 0 s, about 0 s more\r{ERASE}" in written
    assert written.endswith("caught\r\n")


def titles_of(action) -> list[str]:
    """Return the titles and the last step of all counted work within an action."""
    seen: list[str] = []

    def look() -> None:
        seen.extend(one.title for one in stages.counts() if one.title not in seen)

    stages.when_begun.append(look)
    try:
        action()
    finally:
        stages.when_begun.remove(look)
    return seen


def test_a_search_for_a_pattern_is_counted() -> None:
    x = np.linspace(1.0, 2.0, 20)
    steps: list[tuple[int, int]] = []
    before = Counted.__call__

    def noted(self, done, step="", total=None):
        before(self, done, step, total)
        steps.append((self.done, self.total))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Counted, "__call__", noted)
        found = titles_of(lambda: enzyme.sparse.jacobian_sparsity(chain, x, mode=enzyme.Forward))
    assert found == ["sparsity of chain"]
    assert steps[:4] == [(2, 5), (3, 5), (4, 5), (5, 5)]  # 20 columns lie in 2^5 places
    assert len(steps) == 12  # at three points


def test_autotune_is_counted() -> None:
    gradient = enzyme.grad(lambda x: x * x * x)
    found = titles_of(lambda: enzyme.autotune(gradient, 2.0, seconds=0.0))
    assert len(found) == 1
    assert found[0].startswith("autotune of ")


def test_fuzz_is_counted() -> None:
    assert titles_of(lambda: fuzz([], 1, lambda line: None)) == ["fuzz"]


@pytest.mark.parametrize(("setting", "said"), [(None, []), (False, []), (True, [0, 25, 50, 75, 100])])
def test_installing_without_a_terminal(setting: bool | None, said: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    with config(progress=setting), installing.ProgressBar("fetching", 200) as bar:
        for done in range(201):
            bar.show(done)
    assert capsys.readouterr().err == "".join(f"enzyme_py: fetching, {percent} %\n" for percent in said)


def test_installing_at_a_terminal_can_be_switched_off() -> None:
    text = """
        from enzyme_py.host.installing.progress import ProgressBar
        with ProgressBar("fetching", 10) as bar: bar.show(5)
    """
    assert "fetching [===" in run(text)
    assert run(text, ENZYME_PY_PROGRESS="0") == ""


def test_settings_reach_the_runtime() -> None:
    from enzyme_py.native.runtime import runtime_addresses

    begin = ctypes.CFUNCTYPE(ctypes.c_int64)(runtime_addresses()["enzyme_py_count_begin"])
    before = settings.progress
    with config(progress=True):
        assert begin() > 0
    with config(progress=False):
        assert begin() == 0
    assert settings.progress is before
