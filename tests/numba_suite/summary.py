"""What a run has found: kernels by verdict and reason."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.checks import BAD
from tests.fuzz.report import without_names

_ORDER = (
    *BAD,
    "pass crashed",
    "changed",
    "kink",
    "refused",
    "inconclusive",
    "right",
    "invalid",
    "not asked",
)  # the worst first


@dataclass
class Summary:
    """Counts of what came out, and all that was bad."""

    tests: int = 0
    kernels: int = 0
    seconds: float = 0.0  # of this run, on the clock
    processor: float = 0.0  # of all kernels, without what the host's processes took
    verdicts: Counter[str] = field(default_factory=Counter)  # of kernels: their worst answer
    answers: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)
    bad: list[dict[str, Any]] = field(default_factory=list)

    def add(self, line: dict[str, Any]) -> None:
        """Count a line of the file of answers."""
        self.processor += line.get("seconds", 0.0)
        if "key" not in line:
            self.tests += 1
            self.left.update(line["left"])
            return
        self.kernels += 1
        verdicts = {one["verdict"] for one in line["outcomes"]}
        self.verdicts[next(one for one in _ORDER if one in verdicts)] += 1
        for one in line["outcomes"]:
            self.answers[f"{one['question']}: {one['verdict']}"] += 1
            if one["verdict"] != "right":
                reason = f"{one['question']}: {without_names(one['reason'])}"
                self.reasons.setdefault(one["verdict"], Counter())[reason] += 1
                self.first.setdefault(f"{one['verdict']} {reason}", f"{line['test']} {line['key']}")
            if one["verdict"] in BAD:
                self.bad.append({"test": line["test"], "key": line["key"], **one})

    def text(self) -> str:
        """Return the summary."""
        verdicts = ", ".join(f"{count} {name}" for name, count in self.verdicts.most_common())
        lines = [
            f"{self.tests} tests, {self.kernels} kernels in {self.seconds:.0f} s, {len(self.bad)} bad answers",
            f"kernels: {verdicts}",
            f"{self.processor:.0f} s of workers' processors",
            "answers:",
            *(f"  {count:6d}  {name}" for name, count in self.answers.most_common()),
        ]
        for verdict, counter in self.reasons.items():
            lines.append(f"{verdict}:")
            for reason, count in counter.most_common():
                lines += [
                    f"  {count:6d}  {reason}",
                    f"          first: {self.first[f'{verdict} {reason}']}",
                ]
        lines.append("calls that are no kernels:")
        lines += [f"  {count:6d}  {name}" for name, count in self.left.most_common()]
        lines += [f"BAD {json.dumps(one)}" for one in self.bad]
        return "\n".join(lines)
