"""The storms in a short form; the long ones are commands, with their figures in docs/testing.md."""

from __future__ import annotations

import sys

import pytest

from tests.storms import kills, resources

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_hosts_are_killed_and_entries_damaged_under_load() -> None:
    tally, text = kills.run(kills=12, corrupt=6, threads=8, seed=7, say=lambda line: None)
    assert tally.failures == [], text
    assert tally.kills >= 12
    assert tally.damaged == 6
    assert tally.right > 12


def test_a_wrong_number_in_a_storm_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """It can fail: a host that differentiates another function."""
    wrong = kills.CUBE.replace("%z = fmul double %y, %x", "%z = fmul double %y, %y")
    monkeypatch.setattr(kills, "CUBE", wrong)
    tally, _ = kills.run(kills=1, corrupt=1, threads=1, seed=7, say=lambda line: None)
    assert any(one.startswith("a wrong derivative") for one in tally.failures)


def test_calls_and_derivatives_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "WARM_DERIVATIVES", 10)  # the long form's have time to settle
    said: list[str] = []
    assert resources.run(calls=40_000, derivatives=4, kernels=0, say=said.append) == []
    assert len(said) > 3
