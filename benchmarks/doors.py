"""What the native door costs: gradients of a function of ten numbers through a C function pointer.

Run it: `python benchmarks/doors.py [--write]`. A compiled loop calls the kernel itself, as `numba.njit` makes it, the door of the
kernel, and the door of its value and gradient; all in turn in one process. From Python: ctypes beside the call of
`value_and_grad(f)`. `--write` puts the table into docs/bridges-figures.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numba
import numpy as np

import enzyme_py as enzyme

REPORT = Path(__file__).resolve().parent.parent / "docs" / "bridges-figures.md"
SIZE, CALLS, ROUNDS = 10, 200_000, 15
GOAL = 2.0
INTRODUCTION = (
    "Written by `python benchmarks/doors.py --write`; see [bridges](bridges.md). Rosenbrock's function of "
    f"{SIZE} numbers; medians of {ROUNDS} rounds in turn. The goal: a door adds at most {GOAL:.0f} microseconds to what it runs."
)


def rosenbrock(x):
    total = 0.0
    for i in range(x.size - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return total


def compiled_loops():
    """Return loops of compiled code: of each what it calls, named."""
    plain = numba.njit(rosenbrock)
    both = enzyme.value_and_grad(rosenbrock)
    value_door = enzyme.cfunc(rosenbrock, "float64[::1],")
    both_door = enzyme.cfunc(both, "float64[::1],")
    call_value, call_both = value_door.ctypes, both_door.ctypes

    @numba.njit
    def kernel(x, value, gradient, calls):
        for _ in range(calls):
            value[0] = plain(x)

    @numba.njit
    def gradient_itself(x, value, gradient, calls):
        for _ in range(calls):
            value[0], found = both(x)
            gradient[:] = found

    @numba.njit
    def door_of_kernel(x, value, gradient, calls):
        for _ in range(calls):
            call_value(x.ctypes, x.size, value.ctypes)

    @numba.njit
    def door_of_gradient(x, value, gradient, calls):
        for _ in range(calls):
            call_both(x.ctypes, x.size, value.ctypes, gradient.ctypes, gradient.size)

    return {
        "the kernel, `numba.njit`": kernel,
        "its door": door_of_kernel,
        "`value_and_grad`, called": gradient_itself,
        "its door, from compiled code": door_of_gradient,
    }, (both, both_door)


def from_python(both, door, x):
    """Return the same from Python, where calls are fewer."""
    value, gradient = np.zeros(1), np.zeros(SIZE)
    function = door.ctypes
    places = (x.ctypes.data, SIZE, value.ctypes.data, gradient.ctypes.data, SIZE)

    def call(one, *given):
        def calls(count):
            for _ in range(count):
                one(*given)

        return calls

    return {
        "`value_and_grad(f)(x)` from Python": call(both, x),
        "its door, by ctypes from Python": call(function, *places),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew the report")
    given = parser.parse_args()
    x, value, gradient = np.linspace(-1.0, 1.0, SIZE), np.zeros(1), np.zeros(SIZE)
    loops, (both, door) = compiled_loops()
    expected = both(x)
    timed = {name: (lambda count, one=one: one(x, value, gradient, count)) for name, one in loops.items()}
    timed |= from_python(both, door, x)
    for name, one in timed.items():
        value[:] = 0.0
        one(1)
        if "Python" not in name and value[0] != expected[0]:
            raise SystemExit(f"{name} gives {value[0]}, not {expected[0]}")
    if not np.array_equal(gradient, expected[1]):
        raise SystemExit("the door gives another gradient")
    seconds = {name: [] for name in timed}
    for _ in range(ROUNDS):
        for name, one in timed.items():
            begin = time.perf_counter()
            one(CALLS)
            seconds[name].append((time.perf_counter() - begin) / CALLS)
    base = seconds["the kernel, `numba.njit`"]
    lines = ["| what | microseconds a call | beside the kernel | more than the kernel, µs |", "| --- | ---: | ---: | ---: |"]
    for name, found in seconds.items():
        ratio = median(a / b for a, b in zip(found, base, strict=True))
        more = median(a - b for a, b in zip(found, base, strict=True)) * 1e6
        lines.append(f"| {name} | {median(found) * 1e6:.3f} | {ratio:.1f} | {more:.3f} |")
    text = "\n".join(lines)
    print(text)
    if given.write:
        REPORT.write_text(f"# What a door costs\n\n{INTRODUCTION}\n\n{text}\n")


if __name__ == "__main__":
    main()
