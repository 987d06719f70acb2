"""Pictures of what was measured, where matplotlib is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import report
from .report import Line

COLOURS = {
    "ours": "#b2182b",
    "c": "#333333",
    "cfast": "#aaaaaa",
    "numba": "#777744",
    "jax": "#2166ac",
}
COLOURS |= {"torch": "#e08214", "casadi": "#1b7837"}


def drawn(lines: list[Line], folder: Path) -> list[str]:
    """Draw what there is; return the names of the files."""
    try:
        import matplotlib as mpl
    except ImportError:
        return []
    mpl.use("Agg")
    mpl.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot as plt

    files = []
    for name, draw in (("ratios", _ratios), ("size", _sizes)):
        figure = draw(plt, lines)
        if figure is not None:
            file = folder / f"side-by-side-{name}.png"
            figure.savefig(file, dpi=110, bbox_inches="tight", metadata={"Software": None})
            plt.close(figure)
            files.append(file.name)
    return files


def _ratios(plt: Any, lines: list[Line]) -> Any:
    """Every tool's time over that of C by hand."""
    found = {
        key: {
            tool: report.ratio(report.seconds(at, tool), report.seconds(at, "c"))
            for tool in COLOURS
        }
        for key, at in report.workloads(lines).items()
        if report.seconds(at, "c")
    }
    if not found:
        return None
    figure, axes = plt.subplots(figsize=(9, 3.4))
    tools = [tool for tool in COLOURS if tool != "c"]
    for place, tool in enumerate(tools):
        some = [(at, by[tool]) for at, by in enumerate(found.values()) if by[tool]]
        if not some:
            continue
        across = [at + (place - 2.5) * 0.14 for at, _ in some]
        bars = [ratio - 1.0 for _, ratio in some]
        axes.bar(across, bars, 0.14, 1.0, color=COLOURS[tool], label=report.NAMES[tool])
    axes.axhline(1.0, color=COLOURS["c"], linewidth=0.8)
    axes.set_yscale("log")
    axes.set_ylabel("time / C by hand")
    axes.set_xticks(
        range(len(found)), [f"{p} {size}" for p, size in found], rotation=60, ha="right"
    )
    axes.legend(frameon=False, ncols=6, loc="upper left")
    return figure


def _sizes(plt: Any, lines: list[Line]) -> Any:
    """Time and memory for each element against n."""
    some = [line for line in lines if line["part"] == "size" and "minimum" in line]
    problems = list(dict.fromkeys(line["problem"] for line in some))
    if not problems:
        return None
    figure, panels = plt.subplots(2, len(problems), figsize=(4 * len(problems), 5), squeeze=False)
    for column, problem in enumerate(problems):
        for tool in dict.fromkeys(line["tool"] for line in some):
            own = [line for line in some if (line["problem"], line["tool"]) == (problem, tool)]
            style = {"color": COLOURS[tool], "marker": "o", "markersize": 3}
            n = [line["n"] for line in own]
            values = [1e9 * line["minimum"] / line["n"] for line in own]
            panels[0][column].plot(n, values, label=report.NAMES[tool], **style)
            sizes = [
                (line["n"], line["bytes"] / line["n"]) for line in own if line.get("bytes", 0) > 0
            ]
            panels[1][column].plot(*zip(*sizes, strict=True), **style) if sizes else None
        panels[0][column].set_title(problem)
        for panel, label in zip(
            panels, ("ns for each element", "bytes for each element"), strict=True
        ):
            panel[column].set(xscale="log", yscale="log", ylabel=label, xlabel="n")
    panels[0][0].legend(frameon=False)
    figure.tight_layout()
    return figure
