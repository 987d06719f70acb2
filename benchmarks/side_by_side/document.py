"""docs/side-by-side.md, from the lines of a run."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

from . import goals, plots, report
from .report import Line

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def processor() -> str:
    """Name the processor as the system does."""
    file = Path("/proc/cpuinfo")
    if file.exists():
        for line in file.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def write(lines: list[Line]) -> None:
    """Renew the page and its pictures."""
    pictures = plots.drawn(lines, DOCS)
    (DOCS / "side-by-side.md").write_text("\n".join(page(lines, pictures)) + "\n")


def page(lines: list[Line], pictures: list[str]) -> Iterator[str]:
    """Yield the lines of the page."""
    clock = next((_CLOCKS[line["clock"]] for line in lines if line.get("clock")), "")
    yield _BEGIN.format(machine=processor(), python=platform.python_version(), clock=clock)
    yield from _section("Goals", goals.said(lines))
    shown = [f"![{_CAPTIONS[name]}]({name})" for name in pictures if name in _CAPTIONS]
    yield from _section("Why, where it is known", [_WHY])
    yield from _section("Warm", [*report.times(lines), "", _RATIOS, "", *shown[:1]])
    yield from _section("Beside what others reached", [*goals.beside_published(lines), "", _THERE])
    yield from _section("Cold", [*report.cold(lines), "", _COLD])
    yield from _section("Against size", [*report.sizes(lines), "", _SIZES, "", *shown[1:]])
    yield from _section("What failed or was left out", report.failures(lines))


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if any(lines[:1]):
        yield from ("", f"## {title}", "", *lines)


_CAPTIONS = {
    "side-by-side-ratios.png": "Times over that of C by hand",
    "side-by-side-size.png": "Time and memory against size",
}

_CLOCKS = {"wall": "", "cpu": ", in seconds of the processor: the machine was busy"}

_BEGIN = """# Side by side

Written by `python benchmarks/run.py --write`; see [how](../benchmarks/README.md). {machine}, one core, one
thread, Python {python}. The problems are those of the public GradBench suite, with our own numbers; the objectives of our
column are the plain Numba kernels of `benchmarks/gradbench/`. Each tool runs in a process of its own and the rounds
go from tool to tool; a figure is the minimum of all rounds{clock}. Answers were compared with the adjoint in C to 1e-8
before anything was timed."""

_RATIOS = """Milliseconds of one gradient (ht, ba: Jacobian), then ratios. By hand in C (`benchmarks/by_hand/`, gcc -O3
-march=native -ffp-contract=fast): the adjoint of the same algorithm, with memory kept between the calls; loops of the objective
stay the loops they are, except in gmm, where both sides multiply many points at once (ours by BLAS). All results but C's are
allocated anew at each call. In ht the one by hand, too, is forward, but all columns at once. The column
fast-math is the same C with -ffast-math on top, which lets gcc take the C library's vector functions and flush denormal
numbers to zero: our kernels that are marked fastmath are to be read beside it."""

_WHY = """* gmm with d = 64: most points belong to one component, and the weights of others are denormal numbers (1e-310): products
  with these take a hundred cycles each. JAX and our fastmath kernels flush them to zero, C does with -ffast-math.
* gmm with d = 2: a third of the time was BLAS's, of products with two rows: it takes 3 to 8 ns for each column where a matrix is transposed or
  added to. These go by loops of our own since (`csrc/products.h`): 122 us for 166, by C 87, both trees in turn on a busy machine (seconds of the
  processor); the table may be from before. The rest is spread out: short copies and zeros 15 %, exp 5 %, five terms a point in loops of five.
* ht: by hand the twenty angles lie innermost, and one pass over the vertices does; ours makes two passes, of fourteen
  columns each, with the objective in each of them, and takes care of zero times infinity. All 28 columns in one pass were 2 times C by
  hand, but took 9 s to compile.
* llsq with many points: the loss is known behind the last point, so the powers of all points are kept for the way back, 128
  bytes each, which no cache holds; by hand both sweeps of a point are done at once, which a tool could do only if it knew that
  the sum's slope is the same for all. Up to 1024 points it is 1.1 times C.
* ode with n = 10000: the pass keeps four arrays of a step, by hand one, and the other three are made again. Where nothing fits any
  cache (n = 100000) that does not matter.
* ba: the primal, too, takes 1.7 times C's: in Numba each division looks for zero and each index for a negative number.
  Gradient over primal is 1.7 to 2.2, in C 2.2 to 2.6.
* First gradient: the kernel is typed and lowered for a target of its own, whose registries take Numba 0.1 s to fill, once a process,
  beside those of `numba.njit` (0.15 s); then come the pass (0.05 s of lse) and code generation for twice the code (0.07 s).
* From the disk cache: a derivative is found by what Numba lowers, so the kernel is typed and lowered first, and the entry, too, is
  compiled by Numba. A changed callee, global or version of Numba can never be answered by an old derivative in this way, as it can by a look at
  files and times. 0.1 s is out of reach with it: Numba's first compilation of anything takes 0.2 s in a new process."""

_THERE = """Their times are from two cores of a Zen 4, ours from this machine: the last column takes the machines out by
putting both over the time of a primal in C or C++ on the same machine."""

_COLD = """Seconds of the first call in a new process, at the small size, after importing (the first row, Python's
start not included). C: gcc and loading. The disk cache is the one that the column before filled."""

_SIZES = """Nanoseconds and bytes for each element: the memory is the peak during a call above that of a process which has
compiled, its input and result included. llsq has 16 coefficients here. Memory that stays reserved between calls
is counted."""
