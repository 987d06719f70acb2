"""Tables of what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

Line = dict[str, Any]
Found = dict[tuple[str, str], Line]
NAMES = {
    "ours": "ours",
    "c": "by hand, C",
    "cfast": "by hand, C, fast-math",
    "numba": "by hand, Numba",
    "jax": "JAX",
    "torch": "PyTorch",
    "casadi": "CasADi",
}
LIBRARIES = ("jax", "torch", "casadi")
PRIMALS = ("ours", "c", "cfast")


def shown(line: Line) -> str:
    """Return a line for the eye."""
    names = ("part", "problem", "size", "n", "tool", "what", "function")
    where = " ".join(str(line[name]) for name in names if name in line)
    if "error" in line:
        return f"{where}: {line['error']}"
    if line["part"] == "cold":
        return f"{where}: {line['import']:.3g} s, then {line['first']:.3g} s"
    return f"{where}: {1e3 * line['minimum']:.4g} ms, median {1e3 * line['median']:.4g} ms"


def mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def workloads(lines: list[Line]) -> dict[tuple[str, str], Found]:
    """Return the warm lines by workload, then by function and tool."""
    found: dict[tuple[str, str], Found] = {}
    for line in lines:
        if line["part"] == "warm":
            at = found.setdefault((line["problem"], line["size"]), {})
            at[line["function"], line["tool"]] = line
    return found


def seconds(found: Found, tool: str, function: str = "gradient") -> float | None:
    """Return the least time of one call, if there is one."""
    return found.get((function, tool), {}).get("minimum")


def best(found: Found, tools: Iterable[str]) -> float | None:
    """Return the least time of some tools' gradients."""
    return min((one for tool in tools if (one := seconds(found, tool))), default=None)


def ratio(of: float | None, to: float | None) -> float | None:
    """Return how many times as long the one takes as the other."""
    return None if of is None or to is None else of / to


def ratios(found: Found) -> dict[str, float | None]:
    """Return what a workload's times say, by the heads of the columns."""
    ours, c = seconds(found, "ours"), seconds(found, "c")
    return {
        "ours / C": ratio(ours, c),
        "ours / C, fast-math": ratio(ours, seconds(found, "cfast")),
        "ours / Numba by hand": ratio(ours, seconds(found, "numba")),
        "ours / best library": ratio(ours, best(found, LIBRARIES)),
        "gradient / primal": ratio(ours, seconds(found, "ours", "primal")),
        "C: gradient / primal": ratio(c, seconds(found, "c", "primal")),
    }


def number(value: float | None, form: str = ".2f") -> str:
    """Return a cell; numbers of a thousand and more without an exponent."""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else format(value, form)


def table(head: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    for row in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(row) + " |"


def times(lines: list[Line]) -> list[str]:
    """Return the tables of milliseconds and of ratios."""
    tools = [tool for tool in NAMES if any(line.get("tool") == tool for line in lines)]
    by_time: list[list[str]] = []
    by_ratio: list[list[str]] = []
    columns: dict[str, list[float]] = {}
    for (problem, size), found in workloads(lines).items():
        milliseconds = [_milliseconds(found.get(("gradient", tool))) for tool in tools]
        primals = [_milliseconds(found.get(("primal", tool))) for tool in PRIMALS]
        by_time.append([problem, size, *milliseconds, *primals])
        said = ratios(found)
        for name, value in said.items():
            columns.setdefault(name, []).extend([] if value is None else [value])
        by_ratio.append([problem, size, *map(number, said.values())])
    if not by_time:
        return []
    means = [number(mean(column)) if column else "" for column in columns.values()]
    by_ratio.append(["geometric mean", "", *means])
    head = [
        "problem",
        "size",
        *(NAMES[tool] for tool in tools),
        *(f"primal: {NAMES[tool]}" for tool in PRIMALS),
    ]
    return [
        *table(head, by_time),
        "",
        *table(["problem", "size", *columns], by_ratio),
    ]


def _milliseconds(line: Line | None) -> str:
    if line is None:
        return ""
    return number(1e3 * line["minimum"], ".3g") if "minimum" in line else "-"


def failures(lines: list[Line]) -> list[str]:
    """Return what failed or was left out, and why."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if "error" in line:
            tool = line.get("tool") or line["what"]
            size = line.get("size") or line.get("n", line["part"])
            where = f"{line['problem']} {size}"
            places = found.setdefault((NAMES.get(tool, tool), line["error"]), [])
            places.extend([where] if where not in places else [])
    return [f"* {tool}: {', '.join(places)}: {error}" for (tool, error), places in found.items()]


def cold(lines: list[Line]) -> list[str]:
    """Return the table of first calls: seconds of importing, then of the first call."""
    found: dict[str, dict[str, Line]] = {}
    for line in lines:
        if line["part"] == "cold" and "first" in line:
            found.setdefault(line["problem"], {})[line["what"]] = line
    if not found:
        return []
    ways = list(dict.fromkeys(what for by_way in found.values() for what in by_way))
    imports = [
        min(by_way[what]["import"] for by_way in found.values() if what in by_way) for what in ways
    ]
    rows = [["importing", *(f"{one:.2f}" for one in imports)]]
    for problem, by_way in found.items():
        rows.append(
            [problem, *(f"{by_way[what]['first']:.2f}" if what in by_way else "" for what in ways)]
        )
    return list(table(["first call, s", *ways], rows))


def sizes(lines: list[Line]) -> list[str]:
    """Return the table of time and memory against size."""
    some = [line for line in lines if line["part"] == "size"]
    tools = [tool for tool in NAMES if any(line["tool"] == tool for line in some)]
    at = {(line["problem"], line["n"], line["tool"]): line for line in some}
    rows = []
    for problem, n in dict.fromkeys((line["problem"], line["n"]) for line in some):
        cells = [problem, f"{n:.0e}".replace("e+0", "e")]
        found = [at.get((problem, n, tool), {}) for tool in tools]
        cells += [_nanoseconds(one, n) for one in found]
        cells += [f"{one['bytes'] / n:.1f}" if "bytes" in one else "-" for one in found]
        rows.append(cells)
    if not rows:
        return []
    head = ["problem", "n", *(f"{NAMES[tool]}, ns" for tool in tools)]
    return list(table([*head, *(f"{NAMES[tool]}, bytes" for tool in tools)], rows))


def _nanoseconds(line: Line, n: int) -> str:
    return f"{1e9 * line['minimum'] / n:.3g}" if "minimum" in line else "-"
