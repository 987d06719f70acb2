"""A few of them, and that they can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.called.kernels import GRAMMARS, arguments, kernel
from tests.numba_suite.runs import run

WORKER = "tests.called.worker"
SEEDS = ("83", "185")  # small ones
WRONG, CURE = "6", "allocations first"


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("seed", range(4))
def test_kernels_are_functions_of_their_arguments(seed: int, grammar: str) -> None:
    x, w = arguments(seed)
    found = kernel(seed, grammar)(x.copy(), w.copy())
    assert found == kernel(seed, grammar)(x.copy(), w.copy())
    assert abs(found) < 1e3


def test_called_functions(tmp_path: Path) -> None:
    summary = run(tmp_path, (), print, 1, 1, SEEDS, None, WORKER)
    assert not summary.bad
    assert summary.answers["reverse: right"] == len(SEEDS)


def test_it_can_fail(tmp_path: Path) -> None:
    assert run(tmp_path, (), print, 1, 1, (WRONG,), CURE, WORKER).bad
