"""The command of the fuzzer: see the package."""

from __future__ import annotations

import argparse
import signal
import sys
from dataclasses import replace
from pathlib import Path

from tests.fuzz import checks, grammar
from tests.fuzz.guided.runs import FRESH, Plan, found, guided_run
from tests.fuzz.report import Report
from tests.fuzz.runs import Worker, cores, run, smallest


def main() -> int:
    """Run, sum up, and make what failed small."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, help="statements of a kernel; drawn, if not given")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--questions", help="with commas, for all kernels; drawn, if not given")
    parser.add_argument("--grammar", choices=grammar.NAMES, help="drawn, if not given")
    parser.add_argument("--only", type=int, help="one kernel, with its source and all questions")
    parser.add_argument("--shrink", action="store_true", help="make what failed small")
    parser.add_argument("--begin", type=Path, help="a folder of kernels that come first, guided")
    parser.add_argument("--without", help="a cure to leave out, guided")
    parser.add_argument("--guided", action="store_true", help="mutations of what reached something new")
    parser.add_argument("--fresh", type=float, default=FRESH, help="share of kernels of the grammars, guided")
    given = parser.parse_args()
    if given.guided:
        return guided(given, parser)
    if given.only is not None:
        return one_kernel(given.only, given.size, given.shrink, given.grammar)
    # As Ctrl-C does: the run ends its processes and removes what it wrote outside of its folder.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    seeds = range(given.seed, given.seed + given.count)
    questions = questions_of(given, parser)
    report = run(seeds, given.workers, tell, given.size, given.folder, questions, given.grammar)
    print(report.text(), flush=True)
    if given.shrink:
        write_small(report, given.size, given.folder)
    return 1 if report.bad else 0


def questions_of(given: argparse.Namespace, parser: argparse.ArgumentParser) -> list[str] | None:
    """Return the questions that all kernels are asked, or None if they are drawn."""
    questions = given.questions.split(",") if given.questions else None
    known = (*checks.ALWAYS, *checks.DRAWN, checks.RAISES, checks.THREADS)
    for question in set(questions or ()) - set(known):
        parser.error(f"no question is called {question!r}; they are {', '.join(known)}")
    return questions


def guided(given: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run by what is reached, or ask everything of one kernel of such a run."""
    if given.only is not None:
        if given.folder is None:
            parser.error("--guided --only asks for a kernel of a run: name its folder with --folder")
        return ask_all(found(given.folder, given.only), given.only, given.shrink, is_guided=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    questions = questions_of(given, parser)
    plan = Plan(
        given.count, given.seed, given.size, given.fresh, given.grammar, questions, given.folder, given.without
    )
    plan = replace(plan, begin=given.begin)
    summary = guided_run(plan, tell)
    print(summary.text(), flush=True)
    return 1 if summary.report.bad else 0


def tell(line: str) -> None:
    """Print what a run has to say at once."""
    print(line, flush=True)


def one_kernel(seed: int, size: int | None, is_shrunk: bool, name: str | None) -> int:
    """Ask everything of one kernel; make it small for each of its refusals and bad answers, if asked to."""
    return ask_all(grammar.kernel(seed, size, name).source, seed, is_shrunk)


def ask_all(source: str, seed: int, is_shrunk: bool, *, is_guided: bool = False) -> int:
    """Ask everything of a kernel, and make it small, if asked to."""
    print(source)
    worker = Worker(is_guided=is_guided)
    names = [*checks.ALWAYS, *checks.DRAWN, *(checks.questions(source, 0)[-1:])]
    answer = worker.ask(source, seed, names)
    worker.close()
    found = answer["outcomes"] if answer else [{"question": "all", "verdict": "crashed"}]
    for one in found:
        print(*one.values(), flush=True)
        if is_shrunk and one["verdict"] not in ("right", "inconclusive", "invalid"):
            words = one["reason"] if one["verdict"] not in checks.BAD else ""
            asked = source, seed, one["question"], one["verdict"], words
            print(smallest(*asked, is_guided=is_guided), flush=True)
    return int(any(one["verdict"] in checks.BAD for one in found))


def write_small(report: Report, size: int | None, folder: Path | None) -> None:
    """Make the first bad answer of each kernel small; print it, and keep it in the folder."""
    first = {one["seed"]: one for one in reversed(report.bad)}
    for seed, one in sorted(first.items()):
        source = grammar.kernel(seed, size, report.grammar).source
        small = smallest(source, seed, one["question"], one["verdict"])
        text = f"# {one['question']}: {one['verdict']}, seed {seed}\n{small}"
        print(text, flush=True)
        if folder:
            (folder / f"{seed}.txt").write_text(f"{text}\n# of\n{source}")


if __name__ == "__main__":
    sys.exit(main())
