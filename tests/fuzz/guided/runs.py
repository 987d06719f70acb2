"""A guided run: one kernel after the other, each made of those before it, in a worker that may die.

What a kernel is made of is drawn from the run's seed and its number. So a run that goes on makes what it would have made; which
kernels stand in the corpus depends on what earlier ones reached, and all that is in the run's file.
"""

from __future__ import annotations

import contextlib
import functools
import json
import random
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enzyme_py.foundations.progress import counted
from tests.fuzz import grammar
from tests.fuzz.checks import BAD
from tests.fuzz.guided.mutations import mutated
from tests.fuzz.guided.names import Known
from tests.fuzz.guided.summary import Summary
from tests.fuzz.report import kept
from tests.fuzz.runs import KERNELS, MEGABYTES, Worker

FRESH = 0.12  # of the kernels come from a grammar, not from the corpus; more, while that reaches more in a second
MOST_FRESH = 0.8
LATEST = 40  # kernels of a grammar, and mutations, by which that is judged
LARGEST = 30  # steps that one kernel counts for
OF_CONTAINERS = 0.3  # of these
BEGUN = 10  # kernels of the grammars, to begin with
CANDIDATES = 200  # for one kernel; a fresh one behind them
NEWEST = 40  # kernels of the corpus, of which half of the mutations are made


@dataclass
class Member:
    """A kernel of the corpus: how much it reached that was new, and how often it was taken."""

    number: int
    known: Known
    new: int
    taken: int = 0

    @property
    def weight(self) -> float:
        """Its share of the mutations."""
        return (1.0 + min(self.new, 30)) ** 0.5 / (1.0 + self.taken)


class Corpus:
    """The kernels of a run: all of them give parts, those that reached something new are mutated."""

    def __init__(self, folder: Path | None) -> None:
        self.members: list[Member] = []
        self._all: list[Known] = []
        self._folder = folder / "corpus" if folder else None
        self._by_number: dict[int, Member] = {}
        self._gains: list[tuple[bool, int, float]] = []  # of each kernel: fresh or not, new steps, seconds
        if self._folder:
            self._folder.mkdir(parents=True, exist_ok=True)

    def add(self, line: dict[str, Any]) -> None:
        """Take a kernel, as a line of the run's file has it."""
        new = min(len(line["reached"]), LARGEST)
        self._gains.append((line["parent"] == 0, new, line["seconds"]))
        parent = self._by_number.get(line["parent"])
        if parent is not None:
            parent.taken += 1
        if not line["kinds"] or any(one["verdict"] in ("invalid", *BAD) for one in line["outcomes"]):
            return
        known = Known(line["source"], line["kinds"])
        self._all.append(known)
        if not line["reached"]:
            return
        made = Member(line["number"], known, len(line["reached"]))
        self.members.append(made)
        self._by_number[made.number] = made
        if self._folder:
            words = "\n".join(f"# {one}" for one in line["reached"][:20])
            (self._folder / f"{made.number}.txt").write_text(f"{made.known.source}\n{words}\n")

    def fresh_share(self, least: float) -> float:
        """Return which share of the next kernels comes from a grammar: its part of what both reach in a second."""
        if not 0.0 < least < MOST_FRESH:
            return least
        fresh, mutations = (self._rate(one) for one in (True, False))
        return min(MOST_FRESH, max(least, fresh / (fresh + mutations)))

    def _rate(self, is_fresh: bool) -> float:
        found = [gain for was_fresh, *gain in self._gains if was_fresh is is_fresh][-LATEST:]
        return (1.0 + sum(new for new, _ in found)) / (1.0 + sum(seconds for _, seconds in found))

    def drawn(self, chance: random.Random) -> Member:
        """Return the kernel that is mutated next."""
        offered = self.members[-NEWEST:] if chance.random() < 0.5 else self.members
        return chance.choices(offered, [one.weight for one in offered])[0]

    def donor(self, chance: random.Random) -> Known:
        """Return a kernel of which a mutation may take a part."""
        if chance.random() < 0.5:
            return chance.choice(self.members).known
        return chance.choice(self._all)


@dataclass(frozen=True)
class Plan:
    """What a run is asked for."""

    count: int
    seed: int = 1
    size: int | None = None  # statements of a fresh kernel
    fresh: float = FRESH
    grammar: str | None = None  # of fresh kernels
    questions: Collection[str] | None = None
    folder: Path | None = None
    without: str | None = None  # a cure
    until_bad: bool = False  # end at the first bad answer
    begin: Path | None = None  # a folder of kernels that come first, as *.txt

    @property
    def file(self) -> Path | None:
        """Where all kernels are."""
        return self.folder / "kernels.jsonl" if self.folder else None


class GuidedRun:
    """The kernels of one run, and the process that answers."""

    def __init__(self, plan: Plan, tell: Callable[[str], None], cache: Path) -> None:
        self.plan, self._tell, self._cache = plan, tell, cache
        self._corpus, self.summary = Corpus(plan.folder), Summary()
        self._begun = kernels_of(plan.begin) if plan.begin else []
        self._worker: Worker | None = None
        self._asked = 0  # of this worker, without what was no kernel
        for line in kept(plan.file) if plan.file else ():
            self._take(line)

    def go(self) -> None:
        """Ask of one kernel after the other."""
        with counted("guided fuzz", self.plan.count) as count:
            while self.summary.report.kernels < self.plan.count:
                line = self._next()
                self._take(line)
                if self.plan.file:
                    with self.plan.file.open("a") as file:
                        file.write(json.dumps(line) + "\n")
                count(self.summary.report.kernels, f"{len(self.summary.report.bad)} bad")
                if self.plan.until_bad and self.summary.report.bad:
                    break

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.close()

    def _next(self) -> dict[str, Any]:
        """Make kernels until one is a kernel, and ask its questions."""
        number, unfit = self.summary.report.kernels + 1, 0
        candidates = self._candidates(number)
        while True:
            source, how, parent = next(candidates)
            answer = self._answer(source, number)
            if "unfit" not in answer:
                return {
                    "number": number,
                    "source": source,
                    "how": how,
                    "parent": parent,
                    "unfit": unfit,
                    "outcomes": answer["outcomes"],
                    "reached": self.summary.new(answer.get("reached", ())),
                    "kinds": answer.get("kinds", {}),
                    "seconds": answer.get("seconds", 0.0),
                    "megabytes": answer.get("megabytes", 0),
                }
            unfit += 1

    def _candidates(self, number: int) -> Iterator[tuple[str, str, int]]:
        plan, members = self.plan, self._corpus.members
        chance = random.Random(f"guided {plan.seed} {number}")
        if number <= len(self._begun):
            yield self._begun[number - 1], "fresh kernel of a folder", 0
        few = 0 if self._begun else BEGUN
        is_fresh = not members or number <= few or chance.random() < self._corpus.fresh_share(plan.fresh)
        for _ in range(0 if is_fresh else CANDIDATES):
            member = self._corpus.drawn(chance)
            donors = functools.partial(self._corpus.donor, chance)
            source, done = mutated(member.known, donors, chance)
            if done and source != member.known.source:
                yield source, ", ".join(done), member.number
        while True:
            seed = chance.randrange(1 << 40)
            name = plan.grammar or ("containers" if chance.random() < OF_CONTAINERS else grammar.grammar_of(seed))
            yield grammar.kernel(seed, plan.size, name).source, f"fresh {name}", 0

    def _answer(self, source: str, number: int) -> dict[str, Any]:
        if self._worker is None:
            self._worker = Worker(self._cache, self.plan.without, is_guided=True)
        worker = self._worker
        answer = worker.ask(source, number, self.plan.questions)
        if answer is None:
            verdict = "hung" if worker.status == -9 else "crashed"
            reason = f"the process ended with {worker.status}"
            answer = {"outcomes": [{"question": "all", "verdict": verdict, "reason": reason}]}
        is_full = self._asked >= KERNELS or answer.get("megabytes", 0) > MEGABYTES
        if worker.status is not None or is_full:
            worker.close()
            self._worker, self._asked = None, 0
        self._asked += "unfit" not in answer
        return answer

    def _take(self, line: dict[str, Any]) -> None:
        self._corpus.add(line)
        self.summary.add(line)
        for one in line["outcomes"]:
            if one["verdict"] in BAD:
                self._tell(f"BAD kernel {line['number']}: {json.dumps(one)}\n{line['source']}")
        if line["number"] % 50 == 0:
            self._tell(self.summary.short(len(self._corpus.members)))


def guided_run(plan: Plan, tell: Callable[[str], None]) -> Summary:
    """Run as far as the plan says, from an empty cache of derivatives; go on where an earlier run ended."""
    if plan.folder:
        plan.folder.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="enzyme_py_fuzz_") as cache:
        work = GuidedRun(plan, tell, Path(cache))
        with contextlib.closing(work):
            work.go()
    work.summary.report.seconds = time.monotonic() - begun
    work.summary.members = len(work._corpus.members)
    return work.summary


def kernels_of(folder: Path) -> list[str]:
    """Return the kernels of the text files of a folder, one or more in each, without the comments between them."""
    return [one for path in sorted(folder.glob("*.txt")) for one in kernels_in(path)]


def kernels_in(path: Path) -> list[str]:
    """Return the kernels of a text file."""
    lines = [one for one in path.read_text().splitlines(keepends=True) if one.strip() and not one.startswith("#")]
    begun = [place for place, one in enumerate(lines) if one.startswith("def kernel(")]
    ends = [*begun[1:], len(lines)]
    return ["".join(lines[first:end]) for first, end in zip(begun, ends, strict=True)]


def found(folder: Path, number: int) -> str:
    """Return the text of a kernel of a run."""
    lines = [one for one in kept(folder / "kernels.jsonl") if one["number"] == number]
    if not lines:
        raise SystemExit(f"{folder} has no kernel {number}: give the folder of a run, and a number below its count")
    source: str = lines[-1]["source"]
    return source
