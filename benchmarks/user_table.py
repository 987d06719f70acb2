"""A table of kernels as users write them: their derivatives beside the primal, and beside adjoints by hand.

    python benchmarks/user_table.py [--write] [--rows heat_1d,kalman] [--orders] [--first-order] [--seconds 2]
                                    [--rounds 1] [--beside FOLDER] [--out FILE] [--python jax=PATH]

The kernels are in user_kernels/, one subject a file; user_kernels/by_hand.py has adjoints by hand. Each row runs in a process
of its own, on one thread, with an empty cache; what is compared there is called in turn, and a time is the least of its
rounds. `--orders` adds the other three second orders (`hvp` is forward over reverse; RoR, RoF and FoF are reverse over
reverse, reverse over forward and forward over forward). `--first-order` leaves second orders out. `--beside FOLDER` measures a
second source tree in turn with this one: by FOLDER/.venv where that is, else built in place. `--python jax=PATH` measures
JAX's best form of each row that has one (user_kernels/in_jax.py) by an interpreter that has JAX. `--out FILE` keeps what
is found, and shows the rows that FILE has and `--rows` leaves out, so that a run can go on. `--write` renews
docs/user-kernels.md; docs/user-kernels-reasons.md has why rows miss their goals, by user_machine_code.py.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import first_calls
from user_kernels.table import ROWS

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "user-kernels.md"
HEAD = "<!-- table -->"
MEAN_GOAL, ROW_GOAL = 1.8, 4.0
HAND_MEAN_GOAL, HAND_ROW_GOAL = 1.2, 1.6
SECOND_GOAL = 3.0
SECOND = ("hvp", "jvp of grad")
ORDERS = ("RoR", "RoF", "FoF")
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "NUMBA", "OMP", "MKL", "VECLIB_MAXIMUM")
}
PROGRAM = (
    "import sys; {alone}sys.path[:0] = [{tree!r}, {here!r}]; "
    "from user_kernels import measure; measure.one({row!r}, {seconds}, {orders}, {second}, {keep!r})"
)
# A tree that is built in place is found in front of what is installed.
ALONE = "sys.meta_path[:] = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__]; "

Found = dict[str, Any]


def measured(row: str, tree: Path, folder: Path, chosen: argparse.Namespace) -> Found:
    """Return what a new process says about a row, or why it says nothing."""
    own = tree / ".venv" / "bin" / "python"
    is_here = tree == HERE.parent
    kept, cache = folder / "row.pickle", folder / "cache"
    cache.mkdir(exist_ok=True)
    program = PROGRAM.format(
        alone="" if is_here or own.exists() else ALONE,
        tree=str(tree),
        here=str(HERE),
        row=row,
        seconds=chosen.seconds,
        orders=chosen.orders,
        second=not chosen.first_order,
        keep=str(kept),
    )
    python = str(own) if own.exists() and not is_here else sys.executable
    environment = {**os.environ, **ONE_THREAD, "ENZYME_PY_CACHE_DIR": first_calls.emptied(cache)}
    done = subprocess.run(
        [python, "-c", program], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        return {"failed": {"row": last}}
    found = dict(json.loads(done.stdout.splitlines()[-1]))
    if is_here and "jax" in chosen.pythons:
        found["jax"] = in_jax(chosen.pythons["jax"], kept, chosen.seconds)
    return found


def in_jax(python: str, kept: Path, seconds: float) -> Found:
    """Return the times of JAX's form of the row that was measured last; nothing where there is none."""
    command = [python, str(HERE / "user_kernels" / "in_jax.py"), str(kept), str(seconds)]
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def ratios_of(found: Found) -> dict[str, float]:
    """Return the ratios of one process: the gradient over the primal and over hand, the others over the gradient."""
    times = {name: each["least"] for name, each in found["times"].items()}
    gradient = times["gradient"]
    ratios = {"gradient": gradient / times["primal"]}
    ratios |= {name: times[name] / gradient for name in (*SECOND, *ORDERS) if name in times}
    if "hand" in times:
        ratios["hand"] = gradient / times["hand"]
    jax = found.get("jax", {})
    if "gradient" in jax:
        ratios["JAX"] = gradient / jax["gradient"]
    if "hvp" in jax and "hvp" in times:
        ratios["JAX's hvp"] = times["hvp"] / jax["hvp"]
    return ratios


def together(runs: list[Found]) -> Found:
    """Return the medians of several processes."""
    good = [one for one in runs if "times" in one]
    if not good:
        return runs[0]
    each = [ratios_of(one) for one in good]
    return {
        **good[0],
        "ratios": {
            name: statistics.median(one[name] for one in each if name in one)
            for name in {name: None for one in each for name in one}
        },
        "primal": min(one["times"]["primal"]["least"] for one in good),
        "first": {
            name: statistics.median(one["first"][name] for one in good) for name in good[0]["first"]
        },
    }


def columns(chosen: argparse.Namespace) -> dict[str, float]:
    """Return the ratios that are shown, with the goal of a row."""
    second = {} if chosen.first_order else dict.fromkeys(SECOND, SECOND_GOAL)
    more = dict.fromkeys(ORDERS, SECOND_GOAL) if chosen.orders and second else {}
    jax = dict.fromkeys(("JAX", "JAX's hvp") if second else ("JAX",), 1.0) if chosen.pythons else {}
    return {"gradient": ROW_GOAL, "hand": HAND_ROW_GOAL, **second, **more, **jax}


def marked(ratio: float | None, goal: float) -> str:
    if ratio is None:
        return ""
    return f"**{ratio:.2f}**" if ratio > goal else f"{ratio:.2f}"


def line_of(row: str, when: str, found: Found, chosen: argparse.Namespace) -> str:
    shown = columns(chosen)
    if "ratios" not in found:
        return f"| {row} | {when} | failed" + " |" * (len(shown) + 6)
    ratios, failed = found["ratios"], found["failed"]
    cells = [ROWS[row].form, f"{1e3 * found['primal']:.2f}"]
    cells += [
        "refused" if name in failed and name not in ratios else marked(ratios.get(name), goal)
        for name, goal in shown.items()
    ]
    cells += [f"{found['peak'] / 1e6:.2f}", f"{found['tape'] / 1e6:.2f}"]
    cells += [f"{found['first'][name]:.2f}" for name in ("primal", "gradient")]
    return f"| {row} | {when} | {' | '.join(cells)} |"


def titles(chosen: argparse.Namespace) -> list[str]:
    over = {"gradient": "gradient / primal", "hand": "gradient / by hand"}
    over |= {"JAX": "gradient / JAX", "JAX's hvp": "hvp / JAX"}
    names = [over.get(name, f"{name} / gradient") for name in columns(chosen)]
    cells = ["kernel", "", "form", "primal, ms", *names, "peak, MB", "tape, MB"]
    cells += ["first primal, s", "first gradient, s"]
    return [
        f"| {' | '.join(cells)} |",
        "| --- | --- | --- " + "| ---: " * (len(cells) - 3) + "|",
    ]


def means(when: str, rows: dict[str, Found], chosen: argparse.Namespace) -> list[str]:
    """Return the geometric means and what misses its goal."""
    goals = {"gradient": MEAN_GOAL, "hand": HAND_MEAN_GOAL}
    said = []
    for name, row_goal in columns(chosen).items():
        known = {
            row: one["ratios"][name] for row, one in rows.items() if name in one.get("ratios", {})
        }
        if not known:
            continue
        over = "the primal" if name == "gradient" else "the gradient"
        title = "Gradient over the adjoint by hand" if name == "hand" else f"{name.capitalize()} over {over}"
        if name.startswith("JAX"):
            title = "Gradient over JAX's" if name == "JAX" else "hvp over JAX's"
        if name in (*SECOND, *ORDERS):
            title = f"{name} over the gradient"
        missed = sorted((row for row in known if known[row] > row_goal), key=lambda row: -known[row])
        goal = f", goal {goals[name]}" if name in goals else ""
        end = ", ".join(f"{row} ({known[row]:.1f})" for row in missed) or "none"
        mean = statistics.geometric_mean(known.values())
        said.append(
            f"* {title}, {when}: geometric mean {mean:.2f}{goal}, of {len(known)} rows; above {row_goal:g}: {end}."
        )
    for form in ("loops", "NumPy"):
        part = [
            one["ratios"]["gradient"]
            for row, one in rows.items()
            if "ratios" in one and ROWS[row].form == form
        ]
        if part:
            said.append(f"* Gradient over the primal, {form}, {when}: {statistics.geometric_mean(part):.2f}.")
    said += [
        f"* {row}, {which}, {when}: {why}."
        for row, one in rows.items()
        for which, why in one.get("failed", {}).items()
    ]
    said += [
        f"* {row}, JAX: {one['jax']['failed']}."
        for row, one in rows.items()
        if "failed" in one.get("jax", {})
    ]
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="renew docs/user-kernels.md")
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--orders", action="store_true", help="all four second orders")
    parser.add_argument("--first-order", action="store_true", help="no second orders")
    parser.add_argument("--seconds", type=float, default=2.0, help="of timing, a row and process")
    parser.add_argument("--rounds", type=int, default=1, help="processes a row")
    parser.add_argument("--beside", type=Path, help="another source tree")
    parser.add_argument("--out", type=Path, help="a file that keeps what is found")
    parser.add_argument("--python", action="append", default=[], metavar="jax=PATH")
    chosen = parser.parse_args()
    chosen.pythons = dict(one.split("=", 1) for one in chosen.python)
    trees = {"now": HERE.parent}
    if chosen.beside:
        trees = {"before": chosen.beside.resolve(), **trees}
    print(*titles(chosen), sep="\n", flush=True)
    found: dict[str, dict[str, Found]] = {when: {} for when in trees}
    if chosen.out and chosen.out.exists():
        found |= json.loads(chosen.out.read_text())
    with tempfile.TemporaryDirectory() as folder:
        for row in filter(None, chosen.rows.split(",")):
            runs: dict[str, list[Found]] = {when: [] for when in trees}
            for _ in range(chosen.rounds):
                for when, tree in trees.items():
                    runs[when].append(measured(row, tree, Path(folder), chosen))
            for when in trees:
                found[when][row] = together(runs[when])
                print(line_of(row, when, found[when][row], chosen), flush=True)
            if chosen.out:
                chosen.out.write_text(json.dumps(found))
    lines = [
        *titles(chosen),
        *(
            line_of(row, when, found[when][row], chosen)
            for row in ROWS
            for when in trees
            if row in found[when]
        ),
    ]
    said = [one for when in trees for one in means(when, found[when], chosen)]
    machine = platform.processor() or platform.machine()
    where = f"{machine}, one thread, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}, Numba {version('numba')}."
    print(*said, where, sep="\n")
    if chosen.write:
        head, _, _ = REPORT.read_text().partition(HEAD)
        REPORT.write_text("\n".join([head + HEAD, *said, "", *lines, "", where]) + "\n")


if __name__ == "__main__":
    main()
