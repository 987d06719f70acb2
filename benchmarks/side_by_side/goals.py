"""The goals, and by how much they are missed."""

from __future__ import annotations

from collections.abc import Iterator

from . import report
from .report import Line, number

# What others reached on the same evals (milliseconds, two cores Zen 4, measured apart): the primal in C++,
# and the least of all tools, hand-written ones among them but for ode's, which is a closed form.
PUBLISHED: dict[tuple[str, str], tuple[float, float, str]] = {
    ("lse", "n=2500"): (0.0183, 0.0143, "manual C++"),
    ("lse", "n=80000"): (0.571, 0.215, "JAX"),
    ("lse", "n=320000"): (2.27, 0.908, "JAX"),
    ("llsq", "n=16"): (0.00161, 0.00217, "Enzyme C++"),
    ("llsq", "n=1024"): (0.101, 0.137, "Enzyme C++"),
    ("llsq", "n=131072"): (13.0, 26.2, "manual C++"),
    ("llsq", "n=524288"): (52.3, 106.0, "manual C++"),
    ("ode", "n=1000,s=10"): (0.012, 0.154, "JAX"),
    ("ode", "n=10000,s=100"): (1.97, 13.9, "JAX"),
    ("ode", "n=100000,s=100"): (23.8, 155.0, "JAX"),
    ("ode", "n=100000,s=400"): (91.0, 602.0, "JAX"),
    ("gmm", "d=2,k=5"): (0.0833, 0.141, "manual C++"),
    ("gmm", "d=10,k=25"): (1.9, 3.58, "manual C++"),
    ("gmm", "d=64,k=25"): (15.5, 44.7, "PyTorch"),
    ("gmm", "d=64,k=100"): (63.4, 237.0, "manual C++"),
    ("lstm", "l=2,c=1024"): (0.716, 1.95, "CoDiPack"),
    ("lstm", "l=4,c=4096"): (5.55, 14.7, "CoDiPack"),
    ("lstm", "l=6,c=8192"): (16.6, 44.1, "CoDiPack"),
    ("ht", "c=100"): (2.27, 10.2, "manual C++"),
    ("ht", "c=800"): (2.3, 10.8, "manual C++"),
    ("ht", "c=12800"): (2.34, 25.4, "manual C++"),
    ("ba", "p=31843"): (0.839, 5.63, "manual C++"),
    ("ba", "p=225911"): (6.02, 82.5, "manual C++"),
    ("ba", "p=563734"): (15.4, 209.0, "manual C++"),
}

Named = list[tuple[str, float]]


def beside_published(lines: list[Line]) -> list[str]:
    """Return the table of our times beside those that others reached on another machine."""
    rows = []
    for (problem, size), found in report.workloads(lines).items():
        ours, known = report.seconds(found, "ours"), PUBLISHED.get((problem, size))
        if ours is None or known is None:
            continue
        primal, least, tool = known
        here = report.seconds(found, "c", "primal")
        relative = None if here is None else ours / here / (least / primal)
        cells = [number(1e3 * ours, ".3g"), number(least, ".3g"), tool]
        rows.append([problem, size, *cells, number(1e3 * ours / least), number(relative)])
    if not rows:
        return []
    means = [report.mean(float(row[column]) for row in rows if row[column]) for column in (5, 6)]
    rows.append(["geometric mean", *[""] * 4, *map(number, means)])
    head = ["problem", "size", "ours, ms", "best there, ms", "by", "ratio"]
    return list(report.table([*head, "ratio, both over the C primal of their machine"], rows))


def _named(lines: list[Line], column: str, problems: str = "") -> Named:
    """Return a ratio of every workload."""
    found = []
    for (problem, size), at in report.workloads(lines).items():
        value = report.ratios(at)[column]
        if value is not None and (not problems or problem in problems.split()):
            found.append((f"{problem} {size}", value))
    return found


def _mean(what: str, found: Named, most: float) -> Iterator[str]:
    if found:
        value = report.mean(ratio for _, ratio in found)
        yield f"* {what}: geometric mean {value:.2f}, goal {most:g}: {_verdict(value, most)}."


def _each(what: str, found: Named, most: float) -> Iterator[str]:
    over = [f"{name} ({ratio:.2f})" for name, ratio in found if ratio > most]
    if found:
        said = f"missed by {', '.join(over)}" if over else "met"
        yield f"* {what}: none above {most:g}, {said}."


def _verdict(value: float, most: float) -> str:
    return "met" if value <= most else f"missed by a factor {value / most:.2f}"


def said(lines: list[Line]) -> list[str]:
    """Return a sentence for each goal of which something was measured."""
    c, libraries = _named(lines, "ours / C"), _named(lines, "ours / best library")
    primal = _named(lines, "gradient / primal")
    deep = [one for one in _named(lines, "gradient / primal", "gmm") if "d=64" in one[0]]
    return [
        *_each("Beside the best of JAX, PyTorch and CasADi here", libraries, 1.0),
        *_mean("Beside the best of JAX, PyTorch and CasADi here", libraries, 0.5),
        *_mean("Beside the adjoint by hand in C", c, 1.2),
        *_each("Beside the adjoint by hand in C", c, 2.0),
        *_mean("The same compiled with -ffast-math", _named(lines, "ours / C, fast-math"), 1.2),
        *_mean("Gradient over primal", primal, 3.0),
        *_each(
            "Gradient over primal, lse and llsq",
            _named(lines, "gradient / primal", "lse llsq"),
            2.0,
        ),
        *_each("Gradient over primal, gmm with d = 64", deep, 4.0),
        *_each("Jacobians of ba and ht beside C by hand", _named(lines, "ours / C", "ba ht"), 1.0),
        *_cold(lines),
        *_linear(lines),
    ]


def _cold(lines: list[Line]) -> Iterator[str]:
    first = {
        (line["problem"], line["what"]): line["first"]
        for line in lines
        if line["part"] == "cold" and "first" in line
    }
    found = [
        (problem, seconds / first[problem, "Numba, the primal"])
        for (problem, what), seconds in first.items()
        if what == "ours" and (problem, "Numba, the primal") in first
    ]
    yield from _each("First gradient over Numba's first call of the primal", found, 1.5)
    cached = {p: one for (p, what), one in first.items() if what == "ours, from the disk cache"}
    over = [f"{problem} ({one:.2f} s)" for problem, one in cached.items() if one > 0.1]
    if cached:
        said = f"missed by {', '.join(over)}" if over else "met"
        yield f"* First gradient from the disk cache, after importing: at most 0.1 s, {said}."


def _linear(lines: list[Line]) -> Iterator[str]:
    """How much more an element costs at the largest size than at the cheapest."""
    for problem in ("lse", "llsq"):
        found = {
            line["n"]: line["minimum"] / line["n"]
            for line in lines
            if line["part"] == "size" and line["problem"] == problem and "minimum" in line
            if line["tool"] == "ours"
        }
        if found:
            large = {n: cost for n, cost in found.items() if n >= 1e4}
            growth = max(large.values()) / min(large.values()) if large else 1.0
            yield (
                f"* {problem}: an element costs at most {growth:.2f} times as much at one size as at another, "
                f"from n = {min(large):.0e} to {max(large):.0e}."
            )
