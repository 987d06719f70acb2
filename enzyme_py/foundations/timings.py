"""Where the time of compiling went: one record per derivative and stage."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds that one stage took for one derivative.

    The stages: "numba" (typing, lowering and assembling), "host" (Enzyme), "native" (optimising
    and loading), "cache" (loading from disk, instead of the two before).
    """

    kernel: str
    stage: str
    seconds: float


_records: deque[Timing] = deque(maxlen=10_000)


def record(kernel: str, stage: str, seconds: float) -> None:
    """Keep one record."""
    _records.append(Timing(kernel, stage, seconds))


def timings() -> list[Timing]:
    """Return the records of this process, in order; of very many, the last."""
    return list(_records)
