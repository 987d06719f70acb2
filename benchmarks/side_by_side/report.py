"""Tables of what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

Line = dict[str, Any]
NAMES = {"ours": "ours", "c": "by hand, C", "numba": "by hand, Numba", "jax": "JAX"}
NAMES["torch"] = "PyTorch"


def shown(line: Line) -> str:
    """Return a line for the eye."""
    where = f"{line['problem']} {line.get('size', '')} {line['tool']} {line.get('function', '')}"
    if "error" in line:
        return f"{where}: {line['error']}"
    return f"{where}: {1e3 * line['minimum']:.4g} ms, median {1e3 * line['median']:.4g} ms"


def mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def workloads(lines: list[Line]) -> dict[tuple[str, str], dict[tuple[str, str], Line]]:
    """Return the lines by workload, then by function and tool."""
    found: dict[tuple[str, str], dict[tuple[str, str], Line]] = {}
    for line in lines:
        if "size" in line:
            at = found.setdefault((line["problem"], line["size"]), {})
            at[line["function"], line["tool"]] = line
    return found


def milliseconds(line: Line | None) -> str:
    if line is None:
        return ""
    return f"{1e3 * line['minimum']:.3g}" if "minimum" in line else "-"


def ratio(of: Line | None, to: Line | None) -> float | None:
    """Return how many times as long the one takes as the other."""
    if of is None or to is None or "minimum" not in of or "minimum" not in to:
        return None
    return of["minimum"] / to["minimum"]


def cell(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


def times(lines: list[Line]) -> list[str]:
    """Return the table of times and ratios."""
    tools = [tool for tool in NAMES if any(line["tool"] == tool for line in lines)]
    head = ["problem", "size", *(NAMES[tool] for tool in tools), "primal: ours", "primal: C"]
    head += ["ours / C", "ours / Numba", "ours / best of JAX, PyTorch", "gradient / primal", "C: gradient / primal"]
    rows = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    ratios: dict[str, list[float]] = {name: [] for name in head[-5:]}
    for (problem, size), found in workloads(lines).items():
        gradients = {tool: found.get(("gradient", tool)) for tool in NAMES}
        ours = gradients["ours"]
        others = [one for tool in ("jax", "torch") if (one := ratio(ours, gradients[tool]))]
        numbers = [
            ratio(ours, gradients["c"]),
            ratio(ours, gradients["numba"]),
            max(others, default=None),
            ratio(ours, found.get(("primal", "ours"))),
            ratio(gradients["c"], found.get(("primal", "c"))),
        ]
        for name, number in zip(ratios, numbers, strict=True):
            if number is not None:
                ratios[name].append(number)
        cells = [problem, size, *(milliseconds(gradients[tool]) for tool in tools)]
        cells += [milliseconds(found.get(("primal", tool))) for tool in ("ours", "c")]
        rows.append("| " + " | ".join([*cells, *map(cell, numbers)]) + " |")
    means = [cell(mean(some)) if some else "" for some in ratios.values()]
    rows.append("| " + " | ".join(["geometric mean", *[""] * (len(tools) + 3), *means]) + " |")
    return rows
