"""What a guided run has found and reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.checks import BAD
from tests.fuzz.guided.reached import sorts
from tests.fuzz.report import Report, without_names

HOUR = 3600.0


@dataclass
class Summary:
    """Counts, as the fuzzer's own report has them; what was reached; and how long ago the last new fault was found."""

    report: Report = field(default_factory=Report)
    reached: set[str] = field(default_factory=set)
    members: int = 0  # of the corpus
    unfit: int = 0  # candidates that were no kernels
    faults: dict[tuple[str, str, str], int] = field(default_factory=dict)  # and their first kernels
    since: float = 0.0  # seconds of processor, behind the last new fault
    mutations: Counter[str] = field(default_factory=Counter)  # of kernels that reached something new

    def new(self, reached: Iterable[str]) -> list[str]:
        """Return what no kernel of the run has reached so far."""
        return sorted(set(reached) - self.reached)

    def add(self, line: dict[str, Any]) -> None:
        """Count one kernel, as a line of the run's file has it."""
        how = line["how"]
        names = {how} if how.startswith("fresh") else set(how.split(", "))
        self.report.count(line["number"], line, names)
        self.unfit += line["unfit"]
        self.reached.update(line["reached"])
        self.mutations.update(names if line["reached"] else ())
        self.since += line["seconds"]
        for one in line["outcomes"]:
            fault = one["question"], one["verdict"], without_names(one["reason"])
            if one["verdict"] in BAD and fault not in self.faults:
                self.faults[fault] = line["number"]
                self.since = 0.0

    def short(self, members: int) -> str:
        """Return where the run stands, in a line."""
        report = self.report
        return (
            f"{report.kernels} kernels, {len(report.bad)} bad, {report.processor:.0f} s of processor, "
            f"{members} in the corpus, {len(self.reached)} reached"
        )

    def text(self) -> str:
        """Return the summary."""
        since = f"{self.since / HOUR:.2f} hours of processor since the last new fault"
        if not self.faults:
            since = f"{self.since / HOUR:.2f} hours of processor, and no fault"
        lines = [
            self.report.text(),
            f"{self.members} kernels in the corpus; {self.unfit} candidates were no kernels",
            "reached:",
            *(f"  {count:6d}  {name}" for name, count in sorts(self.reached).items()),
            "kernels that reached something new, by how they were made:",
            *(f"  {count:6d}  {name}" for name, count in self.mutations.most_common()),
            *(f"FAULT, first in kernel {number}: {': '.join(one)}" for one, number in self.faults.items()),
            since,
        ]
        return "\n".join(lines)
