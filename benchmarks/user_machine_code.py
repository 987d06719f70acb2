"""The loops in which a row of the table of user kernels spends its time, as the processor sees them.

    python benchmarks/user_machine_code.py heat_1d [--what primal,gradient,hand,hvp] [--seconds 1] [--least 4] [--code]

The row is called again and again while Linux' `perf` looks where it stands; the code there is read out of the memory of
this process and taken apart by `objdump` (x86-64). For each innermost loop: its share of the samples, the bytes that it
goes on by in one round (0: no index was recognised), floating-point instructions on whole vectors (and how wide these
are) and on single numbers, how many of both are divisions or square roots, loads, stores, calls, branches. What is in
no loop of its own is in the loop around it. Samples in libraries are shown by function.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from user_kernels import measure
from user_kernels.by_hand import HAND
from user_kernels.rows import kernel_of
from user_kernels.table import ROWS

FLOATS = re.compile(r"v?(add|sub|mul|div|sqrt|min|max|fn?m(?:add|sub)\w*|cmp\w*|u?comi)([ps])[sd]$")
UNTOUCHED = ("lea", "nop", "prefetch", "call", "j", "data16", "cs")
ALONE = "in no loop"
RECORD = "perf record -q -e cpu-clock:u -F 4000 -o {file} -p {process}"
DISASSEMBLE = "objdump -D -b binary -mi386:x86-64 --no-show-raw-insn --adjust-vma={begin} {file}"
SHOWN = ("share", "bytes", "vector (bits)", "single", "divisions", "loads", "stores", "calls", "branches")


class Instruction(NamedTuple):
    at: int
    name: str
    operands: str


def output(command: str) -> str:
    return subprocess.run(command.split(), capture_output=True, text=True, check=True).stdout


def samples(call: Callable[[], Any], seconds: float) -> list[tuple[int, str]]:
    """Return where this process stood while it made the call again and again: an address and a name each."""
    with tempfile.NamedTemporaryFile() as kept:
        record = RECORD.format(file=kept.name, process=os.getpid())
        perf = subprocess.Popen(record.split(), stderr=subprocess.DEVNULL)
        while not Path(kept.name).stat().st_size and perf.poll() is None:
            time.sleep(0.01)
        begun = time.perf_counter()
        while time.perf_counter() - begun < seconds:
            call()
        perf.send_signal(2)
        perf.wait()
        told = output(f"perf script -i {kept.name} -F ip,sym,dso")
    found = [line.split(maxsplit=1) for line in told.splitlines() if line.strip()]
    return [(int(at, 16), re.sub(r"[(].*/", "(", name.strip())) for at, name in found]


def own_code(addresses: set[int]) -> list[Instruction]:
    """Return the instructions of the mappings without a file that hold the addresses."""
    found: list[Instruction] = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        fields = line.split()
        begin, end = (int(edge, 16) for edge in fields[0].split("-"))
        if "x" in fields[1] and len(fields) == 5 and any(begin <= at < end for at in addresses):
            with tempfile.NamedTemporaryFile() as kept:
                Path(kept.name).write_bytes(ctypes.string_at(begin, end - begin))
                text = output(DISASSEMBLE.format(begin=begin, file=kept.name))
            for at, name, operands in re.findall(r"(?m)^ *([0-9a-f]+):\t(\S+) *(.*)$", text):
                found.append(Instruction(int(at, 16), name, operands.strip()))
    return found


def loops_of(code: list[Instruction]) -> list[tuple[int, int]]:
    """Return first and last address of what is jumped back over, the shortest first."""
    starts = {one.at for one in code}
    jumps = [one for one in code if one.name.startswith("j") and one.operands.startswith("0x")]
    found = {(int(one.operands.split()[0], 16), one.at) for one in jumps}
    found = {loop for loop in found if loop[0] <= loop[1] and loop[0] in starts}
    return sorted(found, key=lambda loop: loop[1] - loop[0])


def around(at: int, loops: list[tuple[int, int]]) -> Any:
    """Return the innermost loop around an address."""
    return next((loop for loop in loops if loop[0] <= at <= loop[1]), ALONE)


def bytes_of(body: list[Instruction]) -> int:
    """Return how many bytes an index goes on by in a round."""
    text = "\n".join(one.operands for one in body if not one.name.startswith(UNTOUCHED))
    steps = [0]
    for one in body:
        step = re.match(r"\$0x([0-9a-f]+),(%r\w+)$" if one.name in ("add", "sub") else r"()(%r\w+)$", one.operands)
        if one.name in ("add", "sub", "inc", "dec") and step:
            number = int(step[1] or "1", 16)
            number = min(number, 2**64 - number)
            scales = re.findall(rf"{step[2]},([1248])\)", text) + ["1"] * (f"({step[2]}" in text)
            steps += [number * int(scale) for scale in scales]
    return max(steps)


def counted(body: list[Instruction]) -> list[Any]:
    """Return what is in a body, in the order of SHOWN."""
    count: Counter[str] = Counter()
    for one in body:
        kind = FLOATS.match(one.name)
        if kind:
            count["vector" if kind[2] == "p" else "single"] += 1
            count["divisions"] += kind[1] in ("div", "sqrt")
            count["wide"] += kind[2] == "p" and "%ymm" in one.operands
        if "(" in one.operands and not one.name.startswith(UNTOUCHED):
            is_store = one.operands.endswith(")") and not one.name.startswith(("cmp", "test"))
            count["stores" if is_store else "loads"] += 1
        count["calls"] += one.name.startswith("call")
        count["branches"] += one.name.startswith("j")
    vector = f"{count['vector']} ({256 if count['wide'] else 128})" if count["vector"] else "0"
    return [bytes_of(body), vector, *(count[name] for name in SHOWN[3:])]


def show(seen: list[tuple[int, str]], least: float, with_code: bool) -> None:
    """Print the loops and the functions of libraries, the hottest first."""
    code = own_code({at for at, _ in seen})
    addresses, loops = {one.at for one in code}, loops_of(code)
    where = Counter(at for at, _ in seen)
    inside: Counter[Any] = Counter()
    for at, name in seen:
        inside[around(at, loops) if at in addresses else name] += 1
    print(*SHOWN, sep="  ")
    for place, count in inside.most_common():
        share = 100 * count / len(seen)
        if share < least:
            continue
        body = [one for one in code if place == ALONE and where[one.at] and around(one.at, loops) == ALONE]
        cells = [place]
        if not isinstance(place, str):
            body = [one for one in code if place[0] <= one.at <= place[1]]
            cells = [f"{cell:>{len(title)}}" for cell, title in zip(counted(body), SHOWN[1:], strict=True)]
        print(f"{share:4.0f}%", *cells, sep="  ")
        for one in body if with_code else ():
            print(f"      {where[one.at]:>6} {one.at:x} {one.name} {one.operands}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("row", choices=ROWS)
    parser.add_argument("--what", default="primal,gradient,hand")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--least", type=float, default=4.0, help="per cent of the samples that are shown")
    parser.add_argument("--code", action="store_true", help="the instructions too, each with its samples")
    chosen = parser.parse_args()
    import numba

    import enzyme_py as enzyme

    row = ROWS[chosen.row]
    given = row.arguments(row.size)
    primal, gradient = kernel_of(row, numba.njit), enzyme.value_and_grad(row.kernel)
    calls = {"primal": lambda: primal(*given), "gradient": lambda: gradient(*given)}
    if row.name in HAND:
        calls["hand"] = lambda: HAND[row.name](*given)
    v = np.random.default_rng(5).random(given[0].shape).astype(given[0].dtype)
    calls |= measure.second_orders(row, given, v, orders=False)
    for what in filter(calls.get, chosen.what.split(",")):
        calls[what]()
        least = min(measure.timed(calls[what]) for _ in range(7))
        print(f"{row.name}, {what}: {1e3 * least:.2f} ms")
        show(samples(calls[what], chosen.seconds), chosen.least, chosen.code)


if __name__ == "__main__":
    main()
