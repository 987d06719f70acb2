"""A process that runs tests of Numba, and asks about what they call: see the package.

It reads a line for each test, and writes lines: the key of each call before it asks, then the answer; at last what was not
asked. So whoever reads knows which call a process died of.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
import unittest
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from enzyme_py.native.runtime import library
from enzyme_py.passes import journal
from tests.numba_suite.questions import outcomes
from tests.numba_suite.recording import Recording, recorded
from tests.passes.switches import leave_out

SECONDS = 20  # for a test of Numba


def tests_of(suite: Any) -> Iterator[unittest.TestCase]:
    """Yield the tests of a suite."""
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from tests_of(one)
        else:
            yield one


def ids_of(module: str) -> list[str]:
    """Return the names of all tests of a module of Numba's."""
    found = unittest.defaultTestLoader.loadTestsFromName(f"numba.tests.{module}")
    return [one.id() for one in tests_of(found) if not _is_elsewhere(one.id())]


def _is_elsewhere(name: str) -> bool:
    """Tell whether a test could not be imported, or runs others in a process of its own."""
    return name.startswith("unittest.loader") or "Runner." in name or "Subprocess" in name


def answered(answer: Callable[[dict[str, Any], Any], None]) -> None:
    """Answer requests until the input ends; whatever else prints does not disturb the answers."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(**what: Any) -> None:
        print(json.dumps(what), file=answers, flush=True)

    library().enzyme_py_scribble(1)  # fresh memory holds NaN, so that nothing rests on luck
    if "SUITE_WITHOUT" in os.environ:  # a cure, as tests/passes/switches.py names it
        leave_out(os.environ["SUITE_WITHOUT"])
    for line in sys.stdin:
        answer(json.loads(line), say)


def changed_in(kept: journal.Journal) -> list[str]:
    """Return the passes that changed the code of what was compiled meanwhile, and the attempts."""
    changed = {one.name for one in kept.steps if one.has_changed}
    return sorted(changed | {one.name for one in kept.attempts})


def megabytes() -> int:
    """Return how large this process has been."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    """Answer with the tests of modules, and with what tests call."""
    known: set[str] = set()

    def answer(request: dict[str, Any], say: Any) -> None:
        if "module" in request:
            say(tests=ids_of(request["module"]))
            return
        known.update(request["known"])
        _answer(request["test"], known, request["most"], say)

    answered(answer)


def _answer(name: str, known: set[str], most: int, say: Any) -> None:
    begun = time.process_time()
    test = next(tests_of(unittest.defaultTestLoader.loadTestsFromNames([name])))
    taken = recorded(test, known, most, SECONDS)
    own = time.process_time() - begun
    ask_all(taken, known, say)
    gc.collect()
    say(end=True, left=dict(taken.left), seconds=own, megabytes=megabytes())


def ask_all(taken: Recording, known: set[str], say: Callable[..., None]) -> None:
    """Ask about all calls of a test; each is known then."""
    while taken.calls:
        call = taken.calls.pop(0)
        known.add(call.key)
        say(begin=call.key)
        begun = time.process_time()
        with journal.kept() as kept:
            found = outcomes(call)
        say(
            key=call.key,
            outcomes=[asdict(one) for one in found],
            changed=changed_in(kept),
            seconds=time.process_time() - begun,
        )
        del call


if __name__ == "__main__":
    main()
