"""A process that asks one suite's questions of kernels, with a cure left out, see the package.

Each line that it reads is a kernel; each that it writes has the kernel, its verdicts by question, and what our passes changed.
"""

from __future__ import annotations

import functools
import json
import os
import resource
import sys
import tempfile
import time
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from enzyme_py.errors import EnzymeError
from enzyme_py.native.runtime import library
from enzyme_py.passes import journal
from enzyme_py.settings import settings
from tests.enzyme_suite import program
from tests.enzyme_suite.programs import SHORT as PROGRAMS
from tests.enzyme_suite.programs import newest_clang
from tests.fuzz import checks, grammar
from tests.fuzz.guided.guide import Guide
from tests.metamorphic import questions as rewriting
from tests.numba_suite import questions as calls
from tests.numba_suite.recording import recorded
from tests.numba_suite.worker import SECONDS as SECONDS_OF_NUMBA
from tests.numba_suite.worker import changed_in, tests_of
from tests.passes.switches import leave_out
from tests.suites.without.mutants import CORPUS, mutant
from tests.textbook import TWINS, kernels
from tests.textbook.orders import answers

SECONDS = 90  # of a processor, for one kernel: what takes more does not end
MOST = 3  # calls of one of Numba's tests
Answer = dict[str, str]
SUITES: dict[str, Callable[[str], Iterator[tuple[str, str]]]] = {}


def suite(function: Callable[[str], Iterator[tuple[str, str]]]) -> Callable[[str], Iterator[tuple[str, str]]]:
    """Put a function among those that ask a kernel: it yields questions and verdicts."""
    SUITES[function.__name__] = function
    return function


@suite
def textbook(name: str) -> Iterator[tuple[str, str]]:
    """`NAME`, `NAME twice` for second orders, or `NAME of complex`."""
    name, _, way = name.partition(" ")
    kernel, x, c = kernels()[name]
    twin = way.removeprefix("of ")
    asked = TWINS[twin](kernel) if twin in TWINS else kernel
    for order, found in answers(asked, x, c, second=way == "twice"):
        yield order, found.partition(":")[0]


@suite
def fuzz(name: str) -> Iterator[tuple[str, str]]:
    """A file of the corpus, with the questions that it names, or `GRAMMAR SEED SIZE`."""
    if " " in name:
        kind, seed, size = name.split()
        source, number = grammar.kernel(int(seed), int(size), kind).source, int(seed)
        names = [*checks.ALWAYS]
    else:
        source, number = (CORPUS / f"{name}.txt").read_text(), 11
        also = source.partition("\n")[0].removeprefix("# also: ").split(", ")
        names = [*checks.ALWAYS, *(one for one in checks.DRAWN if one in also)]
    for one in checks.outcomes(source, number, names):
        yield one.question, one.verdict


@suite
def metamorphic(name: str) -> Iterator[tuple[str, str]]:
    """`SEED KERNEL REWRITES`: a kernel, rewritten as the seed says, with commas between the rewrites that it may draw.

    Where the gradient of the kernel it came from is refused, nothing else is asked.
    """
    seed, kernel, rewrites = name.split(maxsplit=2)
    for one in rewriting.outcomes(int(seed), rewrites.split(","), kernel):
        yield "reverse" if one.question == "origin" else one.question, one.verdict


@functools.cache
def _guide() -> Guide:
    return Guide()


@suite
def guided(name: str) -> Iterator[tuple[str, str]]:
    """`SEED KERNEL DONOR`: a kernel that a run begins with, mutated as the seed says, with parts of another."""
    seed, host, donor = name.split()
    source, _ = mutant(int(seed), host, donor)
    found, told = _guide().asked(source, int(seed), None)
    if "unfit" in told:
        yield "value", "unfit"
    for one in found:
        yield one.question, one.verdict


@suite
def numba_suite(name: str) -> Iterator[tuple[str, str]]:
    """A test of Numba, by its name behind `numba.tests.`: all that it calls, at most three functions, and their second orders.

    One of ours in Numba's form has its whole name.
    """
    whole = name if name.startswith("tests.") else f"numba.tests.{name}"
    test = next(tests_of(unittest.defaultTestLoader.loadTestsFromNames([whole])))
    for number, call in enumerate(recorded(test, set(), MOST, SECONDS_OF_NUMBA).calls, 1):
        for one in calls.outcomes(call, second=True):
            yield f"{one.question} of call {number}", one.verdict


@suite
def enzyme_suite(name: str) -> Iterator[tuple[str, str]]:
    """`PROGRAM LEVEL`: a program of the short form, which states its answers; compiled by clang."""
    file, level = name.split()
    clang = newest_clang()
    assert clang, "needs clang"
    ended: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            status, asked = program.run(PROGRAMS / file, clang, level, Path(folder), lambda verdict, reason: ended.append(verdict))
            assert asked, "the program asks for no derivative"
        except EnzymeError as refusal:
            yield "program", program.refused(refusal)[0]
            return
    yield "program", ended[0] if ended else "wrong" if status else "right"


def main() -> None:
    """Answer until the input ends."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    settings.threads = 2
    library().enzyme_py_scribble(1)  # fresh memory holds NaN, so that nothing rests on luck
    name, cure = sys.argv[1:3]
    if cure:
        leave_out(cure)
    say = functools.partial(print, file=output, flush=True)
    for line in sys.stdin:
        kernel, begun = line.rstrip("\n"), time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(begun) + SECONDS, resource.RLIM_INFINITY))
        with journal.kept() as kept:
            found = dict(SUITES[name](kernel))
        say(json.dumps({"kernel": kernel, "found": found, "changed": changed_in(kept), "seconds": round(time.process_time() - begun, 1)}))


if __name__ == "__main__":
    main()
