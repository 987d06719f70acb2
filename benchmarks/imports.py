"""What `import enzyme_py` costs on top of `import numba`, and what comes later, each in new processes.

    python benchmarks/imports.py [--rounds N] [--write]     --write renews docs/import-figures.md

All steps of a round are taken in one process, one behind the other, so that a busy machine moves them alike.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

PAGE = Path(__file__).resolve().parent.parent / "docs" / "import-figures.md"
STEPS = {
    "import numba": "import numba",
    "import enzyme_py": "import enzyme_py",
    "grad, hessian, vmap, ... made, not called": """
def f(x):
    return x * x
enzyme_py.grad(f), enzyme_py.value_and_grad(f), enzyme_py.jacrev(f), enzyme_py.hessian(f), enzyme_py.vmap(f)
enzyme_py.autodiff, enzyme_py.jvp, enzyme_py.vjp, enzyme_py.hvp
""",
    "all that compiling takes": "from enzyme_py.frontend.target.teaching import teach; teach()",
}
PROGRAM = """
import json, sys, time
scope, found = {}, []
for text in json.loads(sys.argv[1]):
    code = compile(text, "step", "exec")
    wall, processor = time.perf_counter(), time.process_time()
    exec(code, scope)
    found.append((time.perf_counter() - wall, time.process_time() - processor))
print(json.dumps(found))
"""


def one_round() -> list[tuple[float, float]]:
    """Seconds by the clock and of the processor, for each step."""
    command = [sys.executable, "-c", PROGRAM, json.dumps(list(STEPS.values()))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [tuple(one) for one in json.loads(done.stdout)]


def report(rounds: int) -> str:
    one_round()  # writes bytecode, and reads the disk
    found = [one_round() for _ in range(rounds)]
    lines = ["| step | median | least | of the processor | over numba's |", "| --- | --- | --- | --- | --- |"]
    for place, name in enumerate(STEPS):
        walls = [one[place][0] for one in found]
        processor = median(one[place][1] for one in found)
        share = median(one[place][1] / one[0][1] for one in found)
        lines.append(f"| {name} | {median(walls):.3f} s | {min(walls):.3f} s | {processor:.3f} s | {share:.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    table = report(given.rounds)
    print(table)
    if given.write:
        PAGE.write_text(
            "# Imports\n\nSteps of new processes, each behind the one above it, as `python benchmarks/imports.py` prints them: the\n"
            f"median and the least of {given.rounds} processes. The last column is the ratio of processor times within a process.\n\n{table}\n"
        )


if __name__ == "__main__":
    main()
