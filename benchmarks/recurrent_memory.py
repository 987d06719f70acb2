"""Peak memory and time of gradients through long sequences, beside an adjoint written by hand.

Run it: `python benchmarks/recurrent_memory.py [--write] [--quick]`. Who is measured has a process
of its own for each loss, which first compares our gradient with the one by hand, then, for each size, sets the
high-water mark of its resident memory back and measures one call. `--write` also puts the table into docs/memory-figures.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import recurrent_by_hand as by_hand
import recurrent_by_statements as by_statements
from timing import resident_bytes

import enzyme_py as enzyme
from enzyme_py.native.runtime import library, memory_stats

REPORT = Path(__file__).resolve().parent.parent / "docs" / "memory-figures.md"
INPUTS = 4
LONG = 100_000  # steps
GOAL = 1.5
CALLS = 100_000


@enzyme.jit
def loss_a(W, U, b, inputs):
    """The state is updated; the mean of the last."""
    h = np.zeros(b.size)
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
    return np.mean(h)


@enzyme.jit
def loss_b(W, U, b, inputs):
    """The states are collected in a list; the mean of all."""
    h = np.zeros(b.size)
    states = [h]
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
        states.append(h)
    total = np.zeros(b.size)
    for state in states:
        total += state
    return np.mean(total) / len(states)


@enzyme.jit
def loss_c(W, U, b, inputs):
    """The states are assigned to slices of one array; the mean of all."""
    h = np.zeros(b.size)
    states = np.zeros((inputs.shape[0], b.size))
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
        states[t, :] = h
    return np.mean(states)


@enzyme.jit
def loss_d(W, U, b, inputs):
    """The states are joined by concatenation in the loop; the mean of squares."""
    h = np.zeros(b.size)
    y = np.zeros(0)
    for t in range(inputs.shape[0]):
        h = np.tanh(W @ h + U @ inputs[t] + b)
        y = np.concatenate((y, h))
    return np.mean(y * y)


LOSSES = {"a": loss_a, "b": loss_b, "c": loss_c, "d": loss_d}
REFERENCES = {"by hand": by_hand, "by statements": by_statements}

Call = Callable[..., Any]


def arguments(hidden: int, steps: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(hidden)
    W = random.normal(size=(hidden, hidden)) / np.sqrt(hidden)
    U = random.normal(size=(hidden, INPUTS)) / 2
    return W, U, random.normal(size=hidden), random.normal(size=(steps, INPUTS))


# --- in the process that is measured --------------------------------------------------------------


def gradient_of(who: str, loss: str) -> Call:
    if who in REFERENCES:
        gradient: Call = getattr(REFERENCES[who], f"gradient_{loss}")
        return gradient
    return lambda *args: enzyme.gradient(LOSSES[loss], *args)


def compare(loss: str, hidden: int) -> None:
    """Raise unless ours and those by hand agree; all are compiled by it."""
    args = arguments(hidden, 300)
    ours = gradient_of("ours", loss)(*args)
    for who in REFERENCES:
        for one, other in zip(ours, gradient_of(who, loss)(*args), strict=True):
            scale = float(np.max(np.abs(other)))
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11 * scale)


def set_mark_back() -> None:
    """From now on VmHWM is the peak since now (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


def high_water_mark() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not tell the peak of resident memory")


def measure(who: str, loss: str, sizes: list[int], steps: int) -> dict[str, list[float]]:
    """One call for each size: seconds, growth of resident memory, the region's own peak."""
    compare(loss, sizes[0])
    call = gradient_of(who, loss)
    found: dict[str, list[float]] = {"seconds": [], "resident": [], "region": []}
    for hidden in sizes:
        args = arguments(hidden, steps)
        enzyme.inspect.trim()
        library().enzyme_py_reset_stats()
        before = resident_bytes()
        set_mark_back()
        begin = time.perf_counter()
        call(*args)
        found["seconds"].append(time.perf_counter() - begin)
        found["resident"].append(high_water_mark() - before)
        found["region"].append(memory_stats().peak)
    return found


def many_calls(calls: int) -> dict[str, float]:
    """The growth of resident memory over many gradients of loss d."""
    call, args = gradient_of("ours", "d"), arguments(8, 50)
    for _ in range(1000):
        call(*args)
    before = resident_bytes()
    for _ in range(calls):
        call(*args)
    return {"grown": resident_bytes() - before, "of": before}


# --- the table ------------------------------------------------------------------------------------


def new_process(*question: object) -> Any:
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", json.dumps(question)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise SystemExit(answer.stderr)
    return json.loads(answer.stdout.splitlines()[-1])


def mib(size: float) -> str:
    return f"{size / 2**20:.1f}"


def rows(*, quick: bool) -> list[str]:
    lines = []
    sizes, steps = ([8], LONG // 10) if quick else ([8, 64], LONG)
    for loss in LOSSES:
        ours, least, plain = (
            new_process(who, loss, sizes, steps) for who in ("ours", "by hand", "by statements")
        )
        for place, hidden in enumerate(sizes):
            needed = 8.0 * steps * hidden  # old pages may do
            states, arrays = (max(one["resident"][place], needed) for one in (least, plain))
            resident, seconds = ours["resident"][place], least["seconds"][place]
            lines.append(
                f"| {loss} | {hidden} | {steps} | {mib(resident)} | {mib(states)} "
                f"| {resident / states:.2f} | {mib(arrays)} | {resident / arrays:.2f} "
                f"| {mib(ours['region'][place])} | {ours['seconds'][place] / seconds:.2f} "
                f"| {seconds:.2f} s |"
            )
            print(lines[-1], flush=True)
    return lines


HEAD = f"""\
# Memory of long sequences

Written by `python benchmarks/recurrent_memory.py --write`. A recurrent cell with {INPUTS} inputs; gradients by all
weights and inputs. Beside it stand two adjoints by hand in Numba, found equal before anything is measured:

* *states only* (`benchmarks/recurrent_by_hand.py`): stores the states and nothing else. It knows what the slope of
  each loss by a state is, so what the loss makes of the states is never there;
* *by statements* (`benchmarks/recurrent_by_statements.py`): reverses each statement of the loss. It keeps the
  states, what the loss collects as long as that is read, and the adjoint of what the loss collects.

Memory is the growth of the high-water mark of resident memory during one call, in MiB; the goal for {LONG}
steps is {GOAL} times.

* a: the state is updated, the mean of the last
* b: the states are collected in a list, the mean
* c: the states are assigned to slices of one array, the mean
* d: the states are joined by `np.concatenate` in the loop, the mean of squares

What is kept, in arrays of all states:

* a: one record of the states;
* b: the states, which stay where the list has them, and their shadows. Beside them a step takes 530 to 570
  bytes: the list and its shadow, of 56 bytes an item, and what they outgrew; headers of blocks; pointers;
* c: the record of the states, and the shadow of the array; the array itself goes, as nobody reads it again;
* d: the record, the array and its shadow; `y * y` is not made ([tape](decisions/tape.md)).

| loss | hidden | steps | ours | states only | ratio | by statements | ratio | our region's peak | time ratio | states only |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"renew {REPORT.name}")
    parser.add_argument("--quick", action="store_true", help="one size, a tenth of the steps")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        question = json.loads(chosen.measure)
        print(json.dumps(many_calls(*question) if len(question) == 1 else measure(*question)))
        return
    lines = rows(quick=chosen.quick)
    calls = CALLS // 10 if chosen.quick else CALLS
    flat = new_process(calls)
    told = (
        f"Resident memory grew by {mib(flat['grown'])} MiB of {mib(flat['of'])} "
        f"over {calls} gradients of loss d, 8 hidden, 50 steps."
    )
    print(told)
    if chosen.write:
        REPORT.write_text(HEAD + "\n".join(lines) + "\n\n" + told + "\n")


if __name__ == "__main__":
    main()
