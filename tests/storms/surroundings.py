"""Surroundings that misbehave: clocks that jump, disks that are full, another version of the package at the same cache.

    clocks(rounds, say)      a laptop that sleeps, a clock that is set: hours and days, forwards and back
    disks(rounds, say)       a disk of 100 kB, and writes that fail half done
    versions(rounds, say)    two versions at once, with one cache that is too small for both

Each runs tests/storms/asker.py in processes of its own, whose answers are known by hand, and returns what failed.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.host.host_programs import compile_c

ROOT = Path(__file__).resolve().parents[2]
HOUR = 3600 * 10**9
JUMPS = (0, HOUR, -HOUR, 25 * HOUR, -25 * HOUR, 24 * 365 * HOUR, -24 * 365 * HOUR)  # of the clock on the wall
SLEEPS = (0, HOUR, 10 * HOUR)  # of the one that never goes back: each is added to those before
SECONDS_BETWEEN_JUMPS = 0.5
# How another version is made: its gradients are twice as large, so that code of one in the other is seen.
CHANGED = "transforms/derivatives/bound_gradient.py"

Say = Callable[[str], None]


def asker(rounds: int, seed: int, cache: Path, *given: str, **environment: str) -> subprocess.Popen[str]:
    """Start a program that asks."""
    os.makedirs(cache, mode=0o700, exist_ok=True)
    named = {"ENZYME_PY_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    if "ENZYME_PY_HOST" not in os.environ:
        from enzyme_py.host.installing.locate import find_toolchain

        named["ENZYME_PY_HOST"] = str(find_toolchain().executable)
    command = [sys.executable, "-m", "tests.storms.asker", str(rounds), str(seed)]
    if "ANOTHER" in environment:  # the folder of another version, in front of where this one is installed
        packages = [one for one in sys.path if one.endswith("site-packages")]
        named["PYTHONPATH"] = os.pathsep.join([environment.pop("ANOTHER"), str(ROOT), *packages])
        command.insert(1, "-S")
    return subprocess.Popen(
        [*command, *given],
        env={**os.environ, **named, **environment},
        cwd="/",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told_by(process: subprocess.Popen[str]) -> tuple[dict[str, Any], list[str]]:
    """What a program said, and what failed in it."""
    out, err = process.communicate()
    lines = out.strip().splitlines()
    if process.returncode or not lines:
        return {}, [f"a program ended with {process.returncode}: {err.strip()[-500:]}"]
    told: dict[str, Any] = json.loads(lines[-1])
    failures = list(told["failures"])
    if not told["right"]:
        failures.append("nothing was answered")
    return told, failures


@contextlib.contextmanager
def place() -> Iterator[Path]:
    """A folder for a storm."""
    with tempfile.TemporaryDirectory(prefix="enzyme_py_storm_") as name:
        yield Path(name)


def _unruly(folder: Path) -> tuple[Path, Path]:
    """The library that makes a machine misbehave, and the file of its orders."""
    library = compile_c(folder / "unruly.so", "-fPIC", "-shared", "-O1", str(ROOT / "tests/csrc/unruly.c"), "-ldl", "-lpthread")
    orders = folder / "orders"
    orders.write_bytes(struct.pack("3q", 0, 0, 0))
    return library, orders


def _write(orders: Path, real: int, monotonic: int, fails_one_of: int) -> None:
    with orders.open("r+b") as file:  # in place: it is mapped
        file.write(struct.pack("3q", real, monotonic, fails_one_of))


def clocks(rounds: int, say: Say, seed: int = 1) -> list[str]:
    """Let the clocks jump under a program; every answer is right, and nothing is told: no limit has run out."""
    draw, jumps, slept = random.Random(seed), 0, 0
    with place() as folder:
        library, orders = _unruly(folder)
        named = {"LD_PRELOAD": str(library), "UNRULY": str(library), "UNRULY_ORDERS": str(orders)}
        process = asker(rounds, seed, folder / "cache", STORM_CACHE_LIMIT="200000", **named)
        while process.poll() is None:
            time.sleep(draw.expovariate(1.0 / SECONDS_BETWEEN_JUMPS))
            slept += draw.choice(SLEEPS)
            _write(orders, draw.choice(JUMPS), slept, 0)
            jumps += 1
        told, failures = told_by(process)
    say(f"clocks: {jumps} jumps, {slept // HOUR} hours asleep; {told}")
    failures += [f"told: {one}" for kind in ("errors", "warnings") for one in told.get(kind, {})]
    return failures + [f"left aside: {one}" for one in told.get("aside", ())]


@contextlib.contextmanager
def _disk(folder: Path, size: str) -> Iterator[Path | None]:
    """A disk of that size, or None where none can be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def disks(rounds: int, say: Say, seed: int = 1) -> list[str]:
    """Fill disks under programs; every answer is right, and what is told is one warning about the cache."""
    failures = []
    with place() as folder, _disk(folder / "small", "100k") as small:
        library, orders = _unruly(folder)
        _write(orders, 0, 0, 3)
        running = {
            "writes that fail": asker(
                rounds,
                seed,
                folder / "cache",
                LD_PRELOAD=str(library),
                UNRULY_ORDERS=str(orders),
                UNRULY_FOLDER=str(folder / "cache"),
            )
        }
        if small is not None:
            running["a small disk"] = asker(rounds, seed + 1, small)
        for name, process in running.items():
            told, found = told_by(process)
            say(f"{name}: {told}")
            found += [f"told: {one}" for one in told.get("errors", {})]
            found += [f"told: {one}" for one in told.get("warnings", {}) if one != "CacheWarning"]
            if told and not told["warnings"]:
                found.append("a disk that fills up was not told")
            failures += [f"{name}: {one}" for one in (*found, *told.get("aside", ()))]
    return failures


def another_version(folder: Path, changed: Callable[[str], str]) -> Path:
    """A copy of the package, with one file changed."""
    package = Path(sys.modules["enzyme_py"].__file__ or "").parent
    shutil.copytree(package, folder / "enzyme_py", ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "enzyme_py" / CHANGED
    text = file.read_text()
    new = changed(text)
    assert new != text, f"{CHANGED} is another file now"
    file.write_text(new)
    return folder


def versions(rounds: int, say: Say, seed: int = 1, processes: int = 4) -> list[str]:
    """Processes of two versions in turn, with one cache; each has its own answers, of which those of the other are twice as large."""
    failures = []
    with place() as folder:
        other = another_version(folder / "other", twice)
        running = []
        for number in range(processes):
            named = {"ANOTHER": str(other)} if number % 2 else {}
            own = ["2.0"] if number % 2 else []
            running.append(asker(rounds, seed + number // 2, folder / "cache", *own, STORM_CACHE_LIMIT="300000", **named))
        for number, process in enumerate(running):
            told, found = told_by(process)
            say(f"version {number % 2 + 1}: {told}")
            found += [f"told: {one}" for kind in ("errors", "warnings") for one in told.get(kind, {})]
            failures += [f"version {number % 2 + 1}: {one}" for one in found]
    return failures


def twice(text: str) -> str:
    """The other version: gradients from Python functions are twice what they should be."""
    return text.replace("get_constant(types.float64, 1.0)", "get_constant(types.float64, 2.0)")
