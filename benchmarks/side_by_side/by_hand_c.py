"""Adjoints written by hand in C, compiled by gcc -O3, and called from Python by ctypes.

Memory is the caller's, or kept by the C code from call to call: nothing is allocated twice.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gradbench import ba, gmm, ht, lstm

SOURCES = Path(__file__).resolve().parent.parent / "by_hand"
FLAGS = "-O3 -march=native -ffp-contract=fast -shared -fPIC".split()
Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]


def library(problem: str) -> Any:
    """Compile a file once, and load it."""
    source = SOURCES / f"{problem}.c"
    digest = hashlib.sha256(source.read_bytes() + str(FLAGS).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"enzyme_py_by_hand_{os.getuid()}"
    folder.mkdir(exist_ok=True)
    built = folder / f"{problem}-{digest}.so"
    if not built.exists():
        unfinished = built.with_suffix(f".{os.getpid()}")
        compiler = os.environ.get("CC", "gcc")
        subprocess.run([compiler, *FLAGS, str(source), "-o", str(unfinished), "-lm"], check=True)
        unfinished.rename(built)
    return ctypes.CDLL(str(built))


def pointer(array: Any) -> Any:
    """Return the address of contiguous numbers; the array must be kept by the caller."""
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)


def bound(function: Any, *arguments: Any, gives: Any = None) -> Callable[[], Any]:
    """Return a call with its arguments converted beforehand; arrays go by address and are kept."""
    function.restype = gives

    def converted(argument: Any) -> Any:
        if isinstance(argument, np.ndarray):
            return pointer(argument)
        return ctypes.c_double(argument) if isinstance(argument, float) else ctypes.c_long(argument)

    made = [converted(argument) for argument in arguments]

    def run() -> Any:
        return function(*made)

    run.kept = arguments  # type: ignore[attr-defined]
    return run


def filling(run: Callable[[], Any], *outputs: Any) -> Prepared:
    """Return a call whose answer is what it wrote."""
    return run, lambda _: np.concatenate([np.ravel(one) for one in outputs])


def valued(run: Callable[[], Any]) -> Prepared:
    """Return a call whose answer is its result."""
    return run, lambda found: np.array([found])


def of_lse(lib: Any, function: str, given: dict[str, Any]) -> Prepared:
    x = given["x"]
    if function == "primal":
        return valued(bound(lib.lse_primal, x, x.size, gives=ctypes.c_double))
    out = np.empty(x.size)
    return filling(bound(lib.lse_gradient, x, x.size, out), out)


def of_llsq(lib: Any, function: str, given: dict[str, Any]) -> Prepared:
    x, n = given["x"], given["n"]
    if function == "primal":
        return valued(bound(lib.llsq_primal, x, x.size, n, gives=ctypes.c_double))
    out = np.empty(x.size)
    return filling(bound(lib.llsq_gradient, x, x.size, n, out), out)


def of_ode(lib: Any, function: str, given: dict[str, Any]) -> Prepared:
    x, out = given["x"], np.empty(given["x"].size)
    return filling(bound(getattr(lib, f"ode_{function}"), x, x.size, given["s"], out), out)


def of_gmm(lib: Any, function: str, given: dict[str, Any]) -> Prepared:
    *arrays, gamma, m, constant = gmm._arguments(given)
    sizes = given["n"], given["k"], given["d"], float(gamma), float(m)
    if function == "primal":
        return valued(bound(lib.gmm_primal, *arrays, *sizes, constant, gives=ctypes.c_double))
    outs = [np.empty_like(array) for array in arrays[:4]]
    return filling(bound(lib.gmm_gradient, *arrays, *sizes, *outs), *outs)


def of_lstm(lib: Any, function: str, given: dict[str, Any]) -> Prepared:
    main, extra, start, sequence = lstm._arguments(given)
    arguments = main, extra, start, sequence, start.shape[0] // 2, start.shape[1], len(sequence)
    if function == "primal":
        return valued(bound(lib.lstm_primal, *arguments, gives=ctypes.c_double))
    outs = [np.empty_like(main), np.empty_like(extra)]
    return filling(bound(lib.lstm_gradient, *arguments, *outs), *outs)


def of_ba(lib: Any, function: str, given: dict[str, Any]) -> Prepared:
    cameras, points, weights, seen, features = ba._arguments(given)
    arguments = cameras, points, weights, seen, features, len(cameras), len(points), len(weights)
    p = len(weights)
    if function == "primal":
        outs = [np.empty((p, 2)), np.empty(p)]
        return filling(bound(lib.ba_primal, *arguments, *outs), *outs)
    rows, columns = np.empty(3 * p + 1, np.int64), np.empty(31 * p, np.int64)
    values = np.empty(31 * p)
    return filling(bound(lib.ba_gradient, *arguments, rows, columns, values), values)


def of_ht(lib: Any, function: str, given: dict[str, Any]) -> Prepared:
    theta, us, model, points, seen, triangles = ht._arguments(given)
    parents, *arrays, mirrored = model
    arguments = [theta, us, parents, *arrays, points, seen, triangles, parents.size]
    arguments += [len(arrays[2]), seen.size, int(mirrored)]
    columns = 28 if function == "gradient" else 1
    out = np.empty((columns, 3 * seen.size))
    return filling(bound(getattr(lib, f"ht_{function}"), *arguments, out), out)


PREPARE = {name[3:]: made for name, made in list(globals().items()) if name.startswith("of_")}


def prepared(problem: str, function: str, given: dict[str, Any]) -> Prepared:
    """Return what is timed, and what makes a flat answer of its result."""
    return PREPARE[problem](library(problem), function, given)
