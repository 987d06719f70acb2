"""`install --rules`: what it compiles is found by other kernels, in other processes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from enzyme_py.rules_ahead import KERNELS

AHEAD = """
import enzyme_py as enzyme
from enzyme_py import rules_ahead as ahead
ahead.KERNELS = {{"slogdet": ahead.KERNELS["slogdet"]}}
enzyme.config(cache_dir={folder!r})
told = []
ahead.compiled(told.append)
assert told == ["slogdet"]
"""
BEHIND = """
import numpy as np
import enzyme_py as enzyme
from enzyme_py.native import rule_code
enzyme.config(cache_dir={folder!r})

def refuse(symbol):
    raise AssertionError(symbol)

rule_code._compiled = refuse

def f(a, s):
    return s * np.linalg.slogdet(a)[1]

a = np.diag([2.0, 4.0])
assert np.allclose(enzyme.grad(f)(a, 3.0), np.diag([1.5, 0.75]))  # of 3 log det: 3 inv(a).T
assert np.allclose(enzyme.jvp(f, (a, 3.0), (a, 0.0))[1], 6.0)
"""


def test_other_kernels_find_the_code_on_the_disk(tmp_path) -> None:
    for text in (AHEAD, BEHIND):
        program = text.format(folder=str(tmp_path))
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_each_kernel_calls_its_function(name) -> None:
    assert name in KERNELS[name].__code__.co_names
    assert hasattr(np.linalg, name)
