"""A long life and surroundings that misbehave, in short forms; the long ones are commands, with their figures in docs/testing.md."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.storms import life, surroundings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and preloads")


def nothing(line: str) -> None:
    """Say nothing."""


def test_servers_die_in_the_middle_of_a_life() -> None:
    said: list[str] = []
    assert life.run(calls=20_000, derivatives=16, say=said.append, seconds_between_kills=0.2) == []
    assert "killed" in said[-2]


def test_what_a_life_leaves_behind_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It can fail: each derivative keeps a page of code, and a descriptor."""
    one = life.Life(0, 0, nothing, 1.0, 1.0)
    held = life.holding()
    one.looks = [life.Look(0, 0, held, 0, 1, 0, 0.0), life.Look(0, 0, held, 0, 1, 0, 0.0)]
    one._judge()
    assert one.failures == []
    worse = life.Holding(held.resident_kib + 10_000, held.descriptors + 10, held.mappings)
    one.looks += [life.Look(0, 10, worse, 4096, 2, 1, 0.0)]
    one._judge()
    assert len(one.failures) == 4


def test_a_laptop_that_sleeps() -> None:
    assert surroundings.clocks(8, nothing) == []


def test_two_versions_at_one_cache() -> None:
    assert surroundings.versions(8, nothing, processes=2) == []


@pytest.mark.full
def test_a_full_disk() -> None:
    assert surroundings.disks(40, nothing) == []


@pytest.mark.full
def test_versions_that_take_each_others_code_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It can fail: the other version is expected to give what it does not."""
    monkeypatch.setattr(surroundings, "twice", lambda text: f"{text}\n# the same\n")
    failures = surroundings.versions(8, nothing, processes=2)
    assert any("a wrong derivative" in one for one in failures)
