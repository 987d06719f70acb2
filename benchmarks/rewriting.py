"""The share of a first gradient that rewriting code takes: each in a new process with an empty cache.

Rewriting is what our own code does to LLVM code between lowering and loading: the heart's `differentiate` without its
trips to the host, and `optimise` without LLVM's own work. LLVM and the host are warm: a first gradient of something
tiny came before.

Prints one table; `--write` puts it into docs/rewriting-figures.md. `--beside FOLDER` measures a second source tree in
turn with this one, for a comparison in one run; the table then has the least of each over all rounds.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "rewriting-figures.md"
PROBLEMS: dict[str, dict[str, int]] = {
    "lse": {"n": 1000},
    "gmm": {"d": 10, "k": 5, "n": 100},
    "ht": {"c": 10, "vertices": 500},
    "lstm": {"l": 2, "c": 64},
}


class Clock:
    """The seconds inside of some functions, each counted once where they call each other.

    With a clock given, only what happens inside of its functions: Numba calls LLVM too.
    """

    def __init__(self, within: Clock | None = None) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._within = within

    def around(self, owner: Any, name: str) -> None:
        """Count what `owner.name` takes from here on."""
        inner: Callable[..., Any] = getattr(owner, name)

        @functools.wraps(inner)
        def timed(*args: Any, **options: Any) -> Any:
            self._depth += 1
            begun = time.perf_counter()
            try:
                return inner(*args, **options)
            finally:
                self._depth -= 1
                if self._depth == 0 and (self._within is None or self._within._depth):
                    self.seconds += time.perf_counter() - begun

        setattr(owner, name, timed)


def _clients() -> Iterator[Any]:
    """Yield the host's client, wherever the tree under test has it."""
    try:
        from enzyme_py.host.process import client
    except ImportError:
        from enzyme_py.host import client  # type: ignore[attr-defined, no-redef]
    yield client


def _heart() -> Any:
    """Return the module of the heart, by the name that it has in the tree under test."""
    try:
        return importlib.import_module("enzyme_py.compiling")
    except ModuleNotFoundError:
        return importlib.import_module("enzyme_py.autodiff")


def one(name: str) -> None:
    """Measure one first gradient; print what it took, as JSON."""
    from side_by_side import ours, problems

    import enzyme_py as enzyme

    enzyme.gradient(lambda a: a * a, 2.0)
    compiling = _heart()
    compilation = importlib.import_module("enzyme_py.native.compilation")
    llvm = importlib.import_module("llvmlite.binding")
    around, lowering = Clock(), Clock()
    inside = Clock(around)
    for client in _clients():
        inside.around(client, "_serve")
    inside.around(llvm, "parse_assembly")
    inside.around(llvm.ModulePassManager, "run")
    inside.around(llvm.TargetMachine, "emit_object")
    around.around(compiling, "differentiate")
    around.around(compilation, "optimise")
    lowering.around(compiling, "_assembled")
    given = problems.given(name, PROBLEMS[name])
    function = "gradient" if name in ours.FUNCTIONS else "jacobian"
    begun = time.perf_counter()
    run, _ = ours.prepared(name, function, given)
    run()
    whole = time.perf_counter() - begun
    found = {"all": whole, "lowering": lowering.seconds, "LLVM": inside.seconds}
    print(json.dumps(found | {"rewriting": around.seconds - inside.seconds}))


def measured(name: str, tree: Path) -> dict[str, float]:
    """Return the seconds of a first gradient in a new process of a source tree."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "ENZYME_PY_CACHE_DIR": cache}
        code = (
            "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__]; "
            f"sys.path[:0] = [{str(tree)!r}, {str(HERE)!r}]; import rewriting as it; it.one({name!r})"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return dict(json.loads(done.stdout))


def row(name: str, when: str, got: dict[str, float]) -> str:
    """Return one line of the table."""
    cells = [f"{got[key]:.2f} s" for key in ("all", "lowering", "LLVM", "rewriting")]
    share = got["rewriting"] / got["all"]
    return f"| {name} | {when} | {' | '.join(cells)} | {share:.1%} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew docs/rewriting-figures.md")
    parser.add_argument("--beside", type=Path, help="another source tree, built in place")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    trees = {"now": HERE.parent}
    if chosen.beside:
        trees = {"before": chosen.beside.resolve(), **trees}
    head = "| problem | | first gradient | lowering | host and LLVM | rewriting | share |"
    lines = [head, "| --- " * 7 + "|"]
    for name in PROBLEMS:
        rounds = [
            {when: measured(name, tree) for when, tree in trees.items()}
            for _ in range(chosen.rounds)
        ]
        for when in trees:
            least = {key: min(one[when][key] for one in rounds) for key in rounds[0][when]}
            lines.append(row(name, when, least))
            print(lines[-1], flush=True)
    if chosen.write:
        command = "python benchmarks/rewriting.py --write --beside FOLDER"
        text = "# The share of rewriting in a first gradient\n\nWritten by"
        REPORT.write_text(f"{text} `{command}`.\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
