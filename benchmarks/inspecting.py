"""Three kernels, their reports, and each before and after its own advice: `python -m benchmarks.inspecting`.

Writes docs/inspecting-figures.md. `--short` takes small sizes and prints the page only: a test runs it so.

An RNN, a wave equation in time and a Gaussian mixture. Each has a second form, whose loop goes through `enzyme.checkpoint` with room for as
many states as the advice says; data are made Const, and slopes not kept, where the report advises that.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py import Const
from enzyme_py.inspect.footprint import readable
from enzyme_py.inspect.report.advice import cost_of
from enzyme_py.inspect.report.question import Question, asked
from enzyme_py.inspect.report.showing.terminal import seconds

GROUP = 40  # iterations of a step of the mixture
PAGE = Path(__file__).parent.parent / "docs" / "inspecting-figures.md"


def rnn(w, u, b, xs):
    h = np.zeros(b.size)
    total = 0.0
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t] + b)
        total += np.sum(h * h)
    return total


def rnn_step(state, t, w, u, b, xs):
    h, total = state
    h = np.tanh(w @ h + u @ xs[t] + b)
    return h, total + np.sum(h * h)


def checkpointed_rnn(w, u, b, xs):
    state = np.zeros(b.size), 0.0
    _, total = enzyme.checkpoint(rnn_step, state, xs.shape[0], (w, u, b, xs), memory=62 * 8 * (b.size + 1))
    return total


def wave(speed, source, steps):
    before = np.zeros(speed.size)
    now = source.copy()
    for _ in range(steps):
        after = np.zeros(speed.size)
        for i in range(1, speed.size - 1):
            after[i] = 2 * now[i] - before[i] + speed[i] ** 2 * (now[i - 1] - 2 * now[i] + now[i + 1])
        before = now
        now = after
    return np.sum(now**2)


def wave_step(state, _i, speed):
    before, now = state
    after = np.zeros(speed.size)
    for i in range(1, speed.size - 1):
        after[i] = 2 * now[i] - before[i] + speed[i] ** 2 * (now[i - 1] - 2 * now[i] + now[i + 1])
    return now, after


def checkpointed_wave(speed, source, steps):
    state = (np.zeros(speed.size), source.copy())
    _, now = enzyme.checkpoint(wave_step, state, steps, (speed,), memory=62 * 16 * speed.size)
    return np.sum(now**2)


def mixture(weights, means, scales, points):
    total = 0.0
    for n in range(points.shape[0]):
        likely = 0.0
        for k in range(means.shape[0]):
            distance = 0.0
            for d in range(points.shape[1]):
                distance += ((points[n, d] - means[k, d]) * np.exp(-scales[k, d])) ** 2
            likely += np.exp(weights[k] - 0.5 * distance - np.sum(scales[k]))
        total += np.log(likely + 1e-300)
    return -total


def mixture_step(total, step, weights, means, scales, points):
    for n in range(step * GROUP, min((step + 1) * GROUP, points.shape[0])):
        likely = 0.0
        for k in range(means.shape[0]):
            distance = 0.0
            for d in range(points.shape[1]):
                distance += ((points[n, d] - means[k, d]) * np.exp(-scales[k, d])) ** 2
            likely += np.exp(weights[k] - 0.5 * distance - np.sum(scales[k]))
        total += np.log(likely + 1e-300)
    return total


def checkpointed_mixture(weights, means, scales, points):
    given = weights, means, scales, points
    steps = (points.shape[0] + GROUP - 1) // GROUP
    return -enzyme.checkpoint(mixture_step, 0.0, steps, given, memory=31 * 8.0)


@dataclass(frozen=True)
class Case:
    """A kernel, its arguments, and what is done by each title of advice that may come."""

    name: str
    kernel: Callable[..., Any]
    arguments: tuple[Any, ...]
    checkpointed: Callable[..., Any]  # the same with its loop through enzyme.checkpoint


def cases(*, short: bool) -> list[Case]:
    """Return the three kernels; small ones for a test."""
    rng = np.random.default_rng(0)
    n, steps = (8, 50) if short else (64, 2000)
    inputs = n // 2 if short else 256
    network = rng.normal(size=(n, n)) / n, rng.normal(size=(n, inputs)) / inputs, rng.normal(size=n), rng.normal(size=(steps, inputs))
    cells, times = (2000, 100) if short else (2000, 2000)
    line = np.full(cells, 0.5), np.exp(-np.linspace(-5, 5, cells) ** 2), times
    count, groups, width = (200, 3, 2) if short else (20_000, 10, 4)
    mixed = rng.normal(size=groups), rng.normal(size=(groups, width)), 0.1 * rng.normal(size=(groups, width)), rng.normal(size=(count, width))
    return [
        Case("RNN", rnn, network, checkpointed_rnn),
        Case("wave equation", wave, line, checkpointed_wave),
        Case("Gaussian mixture", mixture, mixed, checkpointed_mixture),
    ]


def followed(case: Case, title: str) -> Question:
    """Return the question of a kernel after one piece of advice."""
    if title.startswith("checkpoint"):
        return asked(case.checkpointed, case.arguments, enzyme.Reverse, 1)
    names = case.kernel.__code__.co_varnames
    given = [Const(one) if f"`{name}`" in title else one for name, one in zip(names, case.arguments, strict=False)]
    return asked(case.kernel, given, enzyme.Reverse, 1)


def section(case: Case) -> list[str]:
    """Return the part of the page that is one kernel's."""
    report = enzyme.inspect.report(case.kernel, *case.arguments)
    rows = [f"## {case.name}", "", "```text", report.text(colour=False), "```", ""]
    rows += ["| advice | time before | after | tape before | after | peak before | after |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    before = cost_of(asked(case.kernel, case.arguments, enzyme.Reverse, 1))
    for one in report.data["advice"]:
        with enzyme.config(keep_slopes=one["title"] != "keep no slopes"):
            rows.append(_row(one["title"], before, cost_of(followed(case, one["title"]))))
    if not any(one["title"].startswith("checkpoint") for one in report.data["advice"]):
        rows.append(_row("(not advised) checkpoint", before, cost_of(followed(case, "checkpoint"))))
    return [*rows, ""]


def _row(title: str, before: Any, after: Any) -> str:
    times = f"{seconds(before.seconds)} | {seconds(after.seconds)}"
    sizes = " | ".join(readable(one) for one in (before.tape, after.tape, before.peak, after.peak))
    return f"| {title} | {times} | {sizes} |"


HEAD = """# Inspecting: figures

Written by `python -m benchmarks.inspecting`. Each kernel's report, and what following its advice brings: the change is made in the
program, compiled and run, and measured like the report's own figures. Times are of a machine with two cores that others use as well.
`keep no slopes` and an argument made Const are settings of the same kernel; a checkpointed kernel is another program, of which
benchmarks/inspecting.py has both forms. A tape that is not between the sweeps, as checkpoint's states, is in the peak.
"""


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="small sizes; print, and write nothing")
    given = parser.parse_args()
    text = "\n".join([HEAD, *(row for case in cases(short=given.short) for row in section(case))])
    if given.short:
        print(text)
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
