"""Compiling ahead, and derivatives that a package brings with it: found anywhere, right, without a host."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import enzyme_py as enzyme
from enzyme_py.errors import CacheWarning, LoweringError

PACKAGE = """
import numpy as np
import enzyme_py as enzyme

def loss(x, a, scale=2.0):
    if x[0] > 100:
        raise ValueError("too big")
    v = np.zeros(3)
    for i in range(3):
        v = np.sin(v) * x + a
    return np.sum(v * v) * scale

def mixed(a, x, n):
    y = a  # constant memory, then active: refused at first, and asked in another way
    for _ in range(n):
        y = y * x
    return np.sum(y)

by_loss = enzyme.value_and_grad(loss, argnums=(0, 1))
by_mixed = enzyme.grad(mixed, argnums=1)
"""
BUILD = """
with enzyme.record_precompiled(sys.argv[2]):
    enzyme.precompile(package.by_loss, np.ones(3), 0.5)
    enzyme.precompile(package.by_mixed, np.ones(3), np.ones(3), 2)
"""
USE = """
enzyme.add_precompiled(sys.argv[2])
x = np.array([0.3, 0.1, -0.2])
value, (by_x, by_a) = package.by_loss(x, 0.5)
v, dv, da = np.zeros(3), np.zeros(3), np.zeros(3)
for i in range(3):
    dv, da = np.cos(v) * dv * x + np.sin(v), np.cos(v) * da * x + 1
    v = np.sin(v) * x + 0.5
assert abs(value - 2 * np.sum(v * v)) < 1e-14
assert np.allclose(by_x, 4 * v * dv, rtol=1e-13) and abs(by_a - np.sum(4 * v * da)) < 1e-13
assert np.allclose(package.by_mixed(np.ones(3), x, 2), 2 * x, rtol=1e-14)
try:
    package.by_loss(x + 1000, 0.5)
except ValueError as error:
    assert str(error) == "too big"
else:
    raise AssertionError
"""


def process(folder: Path, program: str, *arguments: str, host: str | None) -> str:
    """Run a program beside the package, in a folder and with a cache of its own; returns its stderr."""
    folder.mkdir()
    (folder / "package.py").write_text(PACKAGE)
    head = "import sys\nsys.path.insert(0, sys.argv[1])\nimport numpy as np\nimport enzyme_py as enzyme\nimport package\n"
    (folder / "program.py").write_text(head + program)
    environment = {**os.environ, "ENZYME_PY_CACHE_DIR": str(folder / "cache")}
    if host is not None:
        environment["ENZYME_PY_HOST"] = host
        environment.pop("ENZYME_PY_PLUGIN", None)
    command = [sys.executable, str(folder / "program.py"), str(folder), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.skipif("ENZYME_PY_PLUGIN" in os.environ, reason="folders are for the pinned host")
def test_a_package_brings_its_derivatives(tmp_path) -> None:
    """Made in one folder, used in another by a process that has no host at all."""
    brought = tmp_path / "brought"
    process(tmp_path / "here", BUILD, str(brought), host=None)
    assert len(list(brought.iterdir())) == 3
    process(tmp_path / "elsewhere", USE, str(brought), host="/nowhere/host")
    for one in brought.iterdir():
        content = bytearray(one.read_bytes())
        content[-5] ^= 1
        one.write_bytes(content)
    said = process(tmp_path / "broken", USE, str(brought), host=None)
    assert "is damaged; enzyme_py goes on without" in said


NOTHING_LEFT = """
def quintic(x, scale=3.0):
    return scale * np.sum(x**5)

kernel = enzyme.jit(quintic)
gradient = enzyme.grad(kernel)
enzyme.precompile(kernel, np.zeros(2))
enzyme.precompile(gradient, np.zeros(2))
before = enzyme.inspect.timings(), len(gradient.overloads), len(kernel.overloads)
assert before[0]
x = np.array([1.0, 2.0])
assert kernel(x) == 99.0
np.testing.assert_allclose(gradient(x), 15 * x**4)
assert before == (enzyme.inspect.timings(), len(gradient.overloads), len(kernel.overloads))
"""


def test_precompiling_leaves_nothing_to_compile(tmp_path) -> None:
    """In a process of its own."""
    process(tmp_path / "own", NOTHING_LEFT, host=None)


def test_errors_are_those_of_a_call() -> None:
    def wrong(x):
        return x.nothing

    with pytest.raises(LoweringError, match="nothing"):
        enzyme.precompile(enzyme.grad(wrong), 1.0)


def test_settings_come_back(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(enzyme.settings.settings, "precompiled", ())
    with pytest.raises(ZeroDivisionError), enzyme.record_precompiled(tmp_path):
        raise ZeroDivisionError
    assert enzyme.settings.settings.record is None
    enzyme.add_precompiled(tmp_path)
    enzyme.add_precompiled(str(tmp_path))
    assert enzyme.settings.settings.precompiled == (tmp_path,)
    assert issubclass(CacheWarning, UserWarning)
