"""What a run has found, kernel by kernel, and its summary."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz import grammar
from tests.fuzz.checks import BAD, THREADS

_NUMBERS = re.compile(r"\b[a-z]+\d+\b|`[^`]*`|<fuzz \d+>|line \d+|-?\d+[.\d]*(?:e[-+]?\d+)?")


def without_names(reason: str) -> str:
    """Return a reason without the numbers and names of its kernel."""
    return _NUMBERS.sub("_", reason)


@dataclass
class Report:
    """Counts of what came out, and all that was bad."""

    kernels: int = 0
    seconds: float = 0.0  # of this run, on the clock
    grammar: str | None = None  # drawn, if not given
    processor: float = 0.0  # of all kernels, without what the host's processes took
    megabytes: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    unclear: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    bad: list[dict[str, Any]] = field(default_factory=list)

    def add(self, seed: int, size: int | None, answer: dict[str, Any]) -> None:
        """Count the answers of the kernel of a seed."""
        self.count(seed, answer, grammar.kernel(seed, size, self.grammar).features)

    def count(self, seed: int, answer: dict[str, Any], features: Iterable[str]) -> None:
        """Count the answers of a kernel of these features."""
        self.kernels += 1
        self.processor += answer.get("seconds", 0.0)
        self.megabytes = max(self.megabytes, answer.get("megabytes", 0))
        self.features.update(features)
        for one in answer["outcomes"]:
            self.totals[one["verdict"]] += 1
            self.verdicts[f"{one['question']}: {one['verdict']}"] += 1
            if one["question"] == THREADS and one["verdict"] == "right":
                self.features[one["reason"]] += 1
            reason = f"{one['question']}: {without_names(one['reason'])}"
            if one["verdict"] in ("refused", "pass crashed"):
                self.refusals[f"{reason} (first: {seed})"] += 1
            if one["verdict"] in ("inconclusive", "invalid"):
                self.unclear[reason] += 1
            if one["verdict"] in BAD:
                self.bad.append({"seed": seed, **one})

    def text(self) -> str:
        """Return the summary."""
        totals = ", ".join(f"{count} {name}" for name, count in self.totals.most_common())
        lines = [
            f"{self.kernels} kernels in {self.seconds:.0f} s, {len(self.bad)} bad answers",
            f"answers: {totals}",
            f"{self.processor:.0f} s of workers' processors, workers up to {self.megabytes} MB",
        ]
        for title, counter in (
            ("answers by question", self.verdicts),
            ("refusals by reason", _merged(self.refusals)),
            ("not compared", self.unclear),
            ("kernels by feature", self.features),
        ):
            lines.append(f"{title}:")
            lines += [f"  {count:6d}  {name}" for name, count in counter.most_common()]
        lines += [f"BAD {json.dumps(one)}" for one in self.bad]
        return "\n".join(lines)


def _merged(refusals: Counter[str]) -> Counter[str]:
    """Return the refusals with one line for each reason, which names the first kernel."""
    merged: Counter[str] = Counter()
    first: dict[str, str] = {}
    for text, count in refusals.items():
        reason, _, seed = text.partition(" (first: ")
        first.setdefault(reason, seed)
        merged[reason] += count
    return Counter({f"{one} (first: {first[one]}": count for one, count in merged.items()})


def kept(path: Path) -> Iterable[dict[str, Any]]:
    """Yield what earlier runs have written to a file; its last line may be cut off."""
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            continue
