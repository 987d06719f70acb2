"""What `enzyme_py.inspect` tells of passes and attempts, from Python and on the command line."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import enzyme_py.host
import enzyme_py.settings
from enzyme_py.errors import EnzymeError, NoDerivativeError

X = np.array([0.3, 0.7, -0.2])


def carried(x, n):
    v = x * 1.0
    for _ in range(n):
        v = np.sin(v) * x
    return np.sum(v)


def test_passes_that_changed_the_code():
    found = enzyme_py.inspect.passes(carried, X, 4)
    names = [one.name for one in found]
    assert names.index("O2") < names.index("cached allocations")  # v is carried from iteration to iteration
    assert names[-1] == "Enzyme"
    assert all(one.lines > 0 and one.seconds >= 0.0 for one in found)


def test_code_behind_a_pass():
    behind = enzyme_py.inspect.ir(carried, X, 4, after="cached allocations")
    assert "@calloc(" in behind
    with pytest.raises(EnzymeError, match="no pass 'none' ran"):
        enzyme_py.inspect.ir(carried, X, 4, after="none")


def test_attempts_end_with_the_one_that_served():
    found = enzyme_py.inspect.attempts(carried, X, 4)
    assert [one.name for one in found][-1] == "as asked"
    assert found[-1].has_served


def test_a_refusal_tells_what_was_tried_on_request(monkeypatch):
    def refuse(module):
        raise NoDerivativeError("it has none", where=module.where)

    monkeypatch.setattr(enzyme_py.host, "differentiate", refuse, raising=False)
    with pytest.raises(NoDerivativeError) as told:
        enzyme_py.grad(lambda x: np.sum(x * np.sin(x)))(X)
    assert "slopes cached: it has none" in told.value.tried
    assert "plain: it has none" in told.value.tried
    assert "tried:" not in str(told.value)
    monkeypatch.setattr(enzyme_py.settings.settings, "verbose", True)
    assert "tried:" in str(told.value)


def test_the_command_line(tmp_path):
    file = tmp_path / "kernels.py"
    file.write_text("def cube(x):\n    t = 0.0\n    for v in x:\n        t += v**3\n    return t\n")
    command = [sys.executable, "-m", "enzyme_py", "inspect", f"{file}:cube", "np.ones(3)"]
    told = subprocess.run([*command, "--passes", "--attempts"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert "Enzyme" in told.stdout
    assert "as asked: served" in told.stdout
    wrong = subprocess.run([*command[:4], f"{file}:square"], capture_output=True, text=True)
    assert wrong.returncode == 1
    assert "no function 'square'" in wrong.stderr


def test_constants_are_given_as_to_gradient():
    def scaled(x, c):
        return np.sum(x * c)

    x, c = np.ones(3), np.full(3, 2.0)
    one, both = (
        enzyme_py.inspect.ir(scaled, x, given, stage="assembled") for given in (enzyme_py.Const(c), c)
    )
    assert one.count("@enzyme_dup") < both.count("@enzyme_dup")
    assert enzyme_py.inspect.attempts(scaled, x, enzyme_py.Const(c))[-1].refusal == ""
