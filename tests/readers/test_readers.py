"""A few of them, and that they find the cure that is left out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.readers.questions import answers


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_random_loops_that_read_the_same(seed: int) -> None:
    found = dict(answers(seed))
    assert len(found) == 4
    assert set(found.values()) == {"right"}, found


def test_without_the_cure_one_is_refused() -> None:
    command = [sys.executable, "-m", "tests.readers", "--without", "own bounds", "--count", "1", "--seed", "90"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "90 refused: refused: Enzyme would read a number of a loop's last turn" in told.stdout
