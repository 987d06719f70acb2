"""Where the time of compiling went: one record per derivative and stage."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds that one stage took for one derivative.

    The stages: "numba" (typing, lowering and assembling), "host" (the pass), "native" (optimising
    and loading), "cache" (loading from disk, instead of the two before).
    """

    kernel: str
    stage: str
    seconds: float


_records: list[Timing] = []


def record(kernel: str, stage: str, seconds: float) -> None:
    """Keep one record."""
    _records.append(Timing(kernel, stage, seconds))


def timings() -> list[Timing]:
    """Return the records of this process, in order."""
    return list(_records)
