"""A tool for the public GradBench suite: JSON lines on stdin and stdout, see benchmarks/gradbench/.

    gradbench run --eval "EVAL" --tool "python benchmarks/gradbench_tool.py"

Each message gets one line in answer. `define` imports, compiles and warms up; of `evaluate` only the
computation is timed, as often as the input asks for. What goes wrong is said in the answer.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

EVALUATIONS = ("hello", "lse", "llsq", "ode", "gmm", "lstm", "ht", "ba")

sys.path.insert(0, str(Path(__file__).resolve().parent))


def module_of(name: str) -> Any:
    """Import the module of an evaluation."""
    if name not in EVALUATIONS:
        raise ValueError(f"no evaluation {name!r}: there are {', '.join(EVALUATIONS)}")
    return importlib.import_module(f"gradbench.{name}")


def define(message: dict[str, Any]) -> dict[str, Any]:
    """Import and compile."""
    begun = time.perf_counter_ns()
    module_of(message["module"]).warm_up()
    return {"success": True, "timings": [_timing("define", time.perf_counter_ns() - begun)]}


def evaluate(message: dict[str, Any]) -> dict[str, Any]:
    """Run one function as often as is asked for."""
    functions = module_of(message["module"]).FUNCTIONS
    given = message["input"]
    evaluation = functions[message["function"]](given)
    wanted = given if isinstance(given, dict) else {}
    times: list[int] = []
    while len(times) < wanted.get("min_runs", 1) or sum(times) < 1e9 * wanted.get("min_seconds", 0):
        begun = time.perf_counter_ns()
        found = evaluation.run()
        times.append(time.perf_counter_ns() - begun)
    timings = [_timing("evaluate", one) for one in times]
    return {"success": True, "output": evaluation.answer(found), "timings": timings}


def _timing(name: str, nanoseconds: int) -> dict[str, Any]:
    return {"name": name, "nanoseconds": nanoseconds}


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one message."""
    kind = message["kind"]
    if kind == "start":
        return {"tool": "enzyme_py"}
    handler = {"define": define, "evaluate": evaluate}.get(kind)
    if handler is None:
        return {}
    try:
        return handler(message)
    except Exception as error:  # noqa: BLE001  # whatever it is, the suite is told
        return {"success": False, "error": "".join(traceback.format_exception(error))}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        print(json.dumps({"id": message["id"], **answer(message)}), flush=True)


if __name__ == "__main__":
    main()
