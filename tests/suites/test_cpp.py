"""The short form of the random kernels in C++, and that it finds what a cure keeps away."""

from __future__ import annotations

from pathlib import Path

import pytest

from enzyme_py.settings import settings
from tests.cpp.grammar import kernel
from tests.cpp.programs import WAYS, compiled
from tests.cpp.questions import answers
from tests.enzyme_suite.programs import newest_clang
from tests.passes.switches import leave_out

needs_clang = pytest.mark.skipif(newest_clang() is None, reason="needs clang")


def verdicts(seed: int, folder: Path, ways: tuple[str, ...] = WAYS, level: str = "") -> dict[str, str]:
    """Return the verdict of each way."""
    name, clang = f"k{seed}", newest_clang()
    assert clang is not None
    batch = compiled({name: kernel(seed, name)}, folder, clang, level)
    return {way: verdict.partition(":")[0] for way, verdict in answers(batch, name, seed, ways)}


@needs_clang
@pytest.mark.parametrize(("seed", "level"), [(2, ""), (8, "O3"), (188, "O1"), (245, "")])
def test_kernels_are_right(seed: int, level: str, tmp_path: Path) -> None:
    assert verdicts(seed, tmp_path, level=level) == dict.fromkeys(WAYS, "right")


@needs_clang
@pytest.mark.parametrize(("cure", "seed", "way"), [("overlapping moves", 188, "reverse"), ("copies of zeros", 245, "forward")])
def test_what_a_cure_keeps_away_is_found(cure: str, seed: int, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "cache", False)
    leave_out(cure, monkeypatch.setattr)
    assert verdicts(seed, tmp_path, (way,)) == {way: "wrong"}


def test_texts_are_repeatable() -> None:
    assert kernel(3, "k") == kernel(3, "k") != kernel(4, "k")
