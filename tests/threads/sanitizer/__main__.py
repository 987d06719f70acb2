"""The process that derivatives are asked in, under the sanitizer: `runs.py` starts it.

    python -m tests.threads.sanitizer LIBRARIES LOG NAME...

It writes a line of JSON for each kernel: how often loops ran on threads, what was wrong, and how many races the log has more.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from enzyme_py.foundations import libraries

SAID = "WARNING: ThreadSanitizer"
PLANTED = "planted"  # no kernel of the table: `gather`, whose shared array is not copied


def use(folder: Path) -> None:
    """Let the package load the libraries that lie in a folder, before it has loaded any."""
    usual = libraries.library_file
    libraries.library_file = lambda name: folder / name if (folder / name).is_file() else usual(name)


def instrument(code: Any) -> None:
    """Tell the sanitizer of each access of a module."""
    from enzyme_py.llvm import Builder
    from tests.threads.watching import accesses, forget_effects

    names = {False: "__tsan_read_range", True: "__tsan_write_range"}
    for name in names.values():
        code.declare(name, "void", ["ptr", "i64"])
    for function in code.functions:
        for one in list(function.instructions):
            for pointer, size, is_write in accesses(one):
                Builder(one).parse(f"call void @{names[is_write]}(ptr {pointer.ref}, i64 {size})")
    forget_effects(code)


def answers(names: Iterable[str], log: Path) -> None:
    """Ask for each kernel's derivatives, and write what came of it."""
    import enzyme_py as enzyme
    from enzyme_py.errors import EnzymeError
    from enzyme_py.native import optimising
    from enzyme_py.native.threads.counts import fork_count
    from tests.threads.orders import asked, expected
    from tests.threads.table import WATCHED, by_name, is_near
    from tests.threads.watching import planted_race, small_parts

    usual = optimising.finish

    def finish(code: Any, *, fast_math: tuple[str, ...]) -> None:
        usual(code, fast_math=fast_math)
        instrument(code)

    optimising.finish = finish
    for name in names:
        is_planted = name == PLANTED
        case = by_name()["gather" if is_planted else name]
        before, seen, wrong = fork_count(), races(log), []
        for order in ("gradient",) if is_planted else WATCHED:
            try:
                planted = planted_race() if is_planted else nullcontext()
                with enzyme.config(cache=False, threads=4), small_parts(), planted:
                    ask = asked(case.anew().kernel, order)
                    found = [ask() for _ in range(3)]
            except EnzymeError:
                continue  # the table tells it
            if not all(is_near(case, one, expected(case, order)) for one in found):
                wrong.append(order)
        told = {"kernel": name, "forks": fork_count() - before, "wrong": wrong, "races": races(log) - seen}
        print(json.dumps(told), flush=True)


def races(log: Path) -> int:
    """Return how many the sanitizer has told of in this process."""
    own = log.with_name(f"{log.name}.{os.getpid()}")
    return own.read_text(errors="replace").count(SAID) if own.exists() else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    use(Path(sys.argv[1]))
    answers(sys.argv[3:], Path(sys.argv[2]))
