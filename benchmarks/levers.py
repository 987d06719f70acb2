"""What each lever gives: gradients of the table of user kernels with it, and without it.

    python benchmarks/levers.py [--write] [--rows heat_1d,kalman] [--levers "late records,frees"] [--seconds 0.5] [--out FILE]

A lever is a pass, or a rewrite behind Enzyme, that is there for speed or memory; what derivatives need to be right is in
docs/testing-without.md. Each row of user_table.py has a process, which compiles nothing but the primal. Copies of it
(forks) compile the gradient: one with all levers, one without each of them, one with all again. Where the machine code is the
same, the lever has nothing to do. Where it differs, the copy times gradient and primal in turn, says what the gradient
held at most, how far its numbers are from those with all levers, in units of the last place of the largest, and what the first
call took.

`--out FILE` keeps what is found, so that a run can go on. `--write` renews docs/levers.md.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import pickle
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from user_kernels import measure
from user_kernels.rows import kernel_of
from user_kernels.table import ROWS
from user_table import ONE_THREAD

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "levers.md"
HEAD = "<!-- table -->"
sys.path.insert(0, str(HERE.parent))

# Rewrites behind Enzyme, by their functions in enzyme_py/native/optimising.py.
BEHIND = {
    "sums in any order": "allow_any_order",
    "sums put back": "put_back",
    "scattered sums": "separate_adds",
    "usual loops": "add_usual_loops",
    "flat loops": "flatten_loops",
    "lanes together": "put_lanes_together",
    "frees": "add_frees",
    "late records": "allocate_records_late",
}
# Passes in front of Enzyme, as their tables call them.
PASSES = (
    "temporaries that are read once",
    "hoisted buffers",
    "copies of numbers",
    "unescaped blocks",
    "rematerialisable copies",
    "memory of parts",
    "untouched arguments",
    "snapshots",
    "reads of parts",
    "skipped iterations",
    "constant memory",
    "cached slopes",
)
# How machine code is made, by functions that say whether something is to be done, or that do it.
_NATIVE = "enzyme_py.native"
MADE = {
    "addresses left": ((f"{_NATIVE}.machine", "leaves_addresses"),),
    "seldom loops as they are": (
        (f"{_NATIVE}.rewrites.usual_loops", "tell_seldom"),
        (f"{_NATIVE}.rewrites.sums.blocks", "tell_seldom"),
    ),
}
LEVERS = (*BEHIND, *MADE, *PASSES)
ALL = "all"
Found = dict[str, Any]


def leave_out(lever: str) -> None:
    """Switch a lever off in this process."""
    from enzyme_py.native import optimising
    from tests.passes import switches

    if lever in BEHIND:
        setattr(optimising, BEHIND[lever], lambda _code: 0)
    elif lever in MADE:
        for module, name in MADE[lever]:
            setattr(importlib.import_module(module), name, lambda *_: False)
    elif lever != ALL:
        switches.leave_out(lever)


def watched() -> list[str]:
    """Return a list that gets the digest of each machine code that is made from now on."""
    from enzyme_py.native import compilation

    made: list[str] = []
    usual = compilation.optimise

    def optimise(module: Any) -> Any:
        code = usual(module)
        made.append(hashlib.sha256(code.binary).hexdigest())
        return code

    compilation.optimise = optimise
    return made


def asked(name: str, lever: str, seconds: float, known: str) -> Found:
    """Compile a row's gradient without a lever, in this process, and time it, if its machine code is not that which is known."""
    import numba

    import enzyme_py as enzyme
    from enzyme_py.inspect import footprint

    row = ROWS[name]
    given = row.arguments(row.size)
    primal = kernel_of(row, numba.njit)
    leave_out(lever)
    made = watched()
    gradient = enzyme.value_and_grad(row.kernel)
    begun = time.perf_counter()
    _, slope = gradient(*given)
    first = time.perf_counter() - begun
    code = hashlib.sha256("".join(made).encode()).hexdigest()
    if code == known:
        return {"code": code}
    primal(*given)
    times = measure.in_turn({"primal": lambda: primal(*given), "gradient": lambda: gradient(*given)}, seconds)
    peak = footprint._measured(lambda one: gradient(*one), row.arguments(row.size)).peak
    ratio = times["gradient"]["least"] / times["primal"]["least"]
    return {"code": code, "ratio": ratio, "peak": peak, "first": first, "slope": np.asarray(slope)}


def forked(call: Callable[[], Found]) -> Found:
    """Return what a call finds in a copy of this process."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found = call()
        except BaseException as error:  # noqa: BLE001  (it is told)
            found = {"failed": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
        with os.fdopen(sending, "wb") as pipe:
            pickle.dump(found, pipe)
        os._exit(0)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return dict(pickle.loads(told)) if told else {"failed": "it ended without a word"}


def one(name: str, levers: list[str], seconds: float) -> None:
    """Ask all levers of a row, and print what is found as JSON."""
    import numba

    import enzyme_py as enzyme

    enzyme.config(cache=False)
    row = ROWS[name]
    kernel_of(row, numba.njit)(*row.arguments(row.size))
    first = forked(lambda: asked(name, ALL, seconds, ""))
    found = {}
    for lever in levers if "failed" not in first else []:
        here = forked(lambda lever=lever: asked(name, lever, seconds, first["code"]))
        if "slope" in here:
            here["places"] = places_apart(first["slope"], here.pop("slope"))
        found[lever] = here
    if any("ratio" in here for here in found.values()):
        again = forked(lambda: asked(name, ALL, seconds, ""))
        for what in ("ratio", "first"):
            first[what] = min(first[what], again[what])
    first.pop("slope", None)
    print(json.dumps({ALL: first, **found}))


def places_apart(first: np.ndarray, second: np.ndarray) -> float:
    """Return how far arrays are from each other, in units of the last place of the largest number."""
    largest = np.max(np.abs(first))
    return float(np.max(np.abs(first - second)) / np.spacing(largest)) if largest else 0.0


def row_in_a_process(name: str, levers: list[str], seconds: float) -> Found:
    program = f"import sys; sys.path[:0] = [{str(HERE.parent)!r}, {str(HERE)!r}]; import levers; levers.one({name!r}, {levers!r}, {seconds})"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **ONE_THREAD}, capture_output=True, text=True)
    if done.returncode:
        return {ALL: {"failed": (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]}}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def line_of(lever: str, rows: dict[str, Found]) -> str:
    """Return a lever's line: over the rows whose machine code it changes, the gradient without it over that with it."""
    changed = {
        name: found[lever]["ratio"] / found[ALL]["ratio"] for name, found in rows.items() if "ratio" in found.get(lever, {})
    }
    failed = [name for name, found in rows.items() if "failed" in found.get(lever, {})]
    if not changed and not failed:
        return f"| {lever} | 0 |" + " |" * 7
    best = sorted(changed, key=lambda name: -changed[name])[:3]
    worst = min(changed, key=lambda name: changed[name], default="")
    peaks = {name: rows[name][lever]["peak"] / max(rows[name][ALL]["peak"], 1) for name in changed if rows[name][lever]["peak"] > 10**5}
    held = max(peaks, key=lambda name: peaks[name], default="")
    cells = [
        str(len(changed)),
        f"{statistics.geometric_mean(changed.values()):.2f}" if changed else "",
        ", ".join(f"{name} {changed[name]:.2f}" for name in best),
        f"{worst} {changed[worst]:.2f}" if worst else "",
        f"{held} {peaks[held]:.1f}" if held and peaks[held] > 1.05 else "",
        f"{max(rows[name][lever]['places'] for name in changed):.0f}" if changed else "",
        f"{statistics.geometric_mean(rows[name][lever]['first'] / rows[name][ALL]['first'] for name in changed):.2f}" if changed else "",
        ", ".join(failed),
    ]
    return f"| {lever} | {' | '.join(cells)} |"


TITLES = (
    "| lever | rows it changes | mean | most gained | least | memory, most | last places, most | first calls | refused without it |",
    "| --- | ---: | ---: | --- | --- | --- | ---: | ---: | --- |",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="renew docs/levers.md")
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--levers", default=",".join(LEVERS))
    parser.add_argument("--seconds", type=float, default=0.5, help="of timing, a row and lever")
    parser.add_argument("--out", type=Path, help="a file that keeps what is found")
    chosen = parser.parse_args()
    levers = chosen.levers.split(",")
    rows: dict[str, Found] = json.loads(chosen.out.read_text()) if chosen.out and chosen.out.exists() else {}
    for name in chosen.rows.split(","):
        if name in rows:
            continue
        rows[name] = row_in_a_process(name, levers, chosen.seconds)
        changed = [lever for lever in levers if "ratio" in rows[name].get(lever, {})]
        told = [f"{lever} {rows[name][lever]['ratio'] / rows[name][ALL]['ratio']:.2f}" for lever in changed]
        print(f"{name}: {', '.join(told) or rows[name][ALL].get('failed', 'no lever changes it')}", flush=True)
        if chosen.out:
            chosen.out.write_text(json.dumps(rows))
    lines = [*TITLES, *(line_of(lever, rows) for lever in levers)]
    failed = [f"* {name}: {found[ALL]['failed']}." for name, found in rows.items() if "failed" in found[ALL]]
    where = f"{len(rows)} rows. {platform.machine()}, one thread, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}."
    print(*lines, *failed, where, sep="\n")
    if chosen.write:
        head, _, _ = REPORT.read_text().partition(HEAD)
        REPORT.write_text("\n".join([head + HEAD, "", *lines, "", *failed, where]) + "\n")


if __name__ == "__main__":
    main()
