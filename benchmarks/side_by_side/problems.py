"""The problems and their sizes: what every tool is given, the same in every process.

Inputs have the form of the suite's messages, with arrays in place of lists. The numbers are drawn by us; what the
suite reads from files (a text, a hand, cameras) has the same shapes here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Given = dict[str, Any]
Numbers = dict[str, int]


def lse(n: int) -> Given:
    return {"x": np.random.default_rng(n).random(n)}


def llsq(n: int, m: int = 128) -> Given:
    return {"x": np.random.default_rng(n).random(m), "n": n}


def ode(n: int, s: int) -> Given:
    return {"x": np.random.default_rng(n).random(n), "s": s}


def gmm(d: int, k: int, n: int = 1000) -> Given:
    random = np.random.default_rng(d * k)
    return {
        "d": d,
        "k": k,
        "n": n,
        "x": random.normal(size=(n, d)),
        "m": 0,
        "gamma": 1.0,
        "alpha": random.normal(size=k),
        "mu": random.random((k, d)),
        "q": random.normal(size=(k, d)),
        "l": random.normal(size=(k, d * (d - 1) // 2)),
    }


def lstm(l: int, c: int, b: int = 7) -> Given:  # noqa: E741  # the suite's name
    random = np.random.default_rng(l * c)
    return {
        "main_params": random.random((2 * l, 4 * b)),
        "extra_params": random.random((3, b)),
        "state": random.random((2 * l, b)),
        "sequence": random.integers(0, 2, (c, b)).astype(float),
    }


PARENTS = [-1, *(parent for f in range(5) for parent in (0, 4 * f + 1, 4 * f + 2, 4 * f + 3)), 0]


def ht(c: int, vertices: int = 10_000) -> Given:
    """A hand of rigid bones, each vertex on one to four of them, each point on a triangle."""
    random = np.random.default_rng(c)
    bones = len(PARENTS)
    rigid = np.zeros((2, bones, 4, 4))
    rigid[:, :, :3, :3] = np.linalg.qr(random.normal(size=(2, bones, 3, 3)))[0]
    rigid[:, :, :3, 3] = 0.1 * random.normal(size=(2, bones, 3))
    rigid[:, :, 3, 3] = 1.0
    weights = np.zeros((vertices, bones))
    for vertex, count in enumerate(
        random.choice([1, 2, 3, 4], vertices, p=[0.4, 0.53, 0.04, 0.03])
    ):
        weights[vertex, random.permutation(bones)[:count]] = 1.0 / count
    model = {
        "parents": PARENTS,
        "base_relatives": rigid[0],
        "inverse_base_absolutes": rigid[1],
        "base_positions": np.hstack((random.normal(size=(vertices, 3)), np.ones((vertices, 1)))),
        "weights": weights,
        "triangles": random.integers(0, vertices, (1084, 3)),
        "is_mirrored": False,
    }
    seen = random.integers(0, 1084, c)
    data = {"model": model, "correspondences": seen, "points": random.normal(size=(c, 3))}
    return {"theta": 0.3 * random.normal(size=26), "us": 0.3 * random.random((c, 2)), "data": data}


def ba(n: int, m: int, p: int) -> Given:
    camera = [-0.75, -1.1, -0.85, 34.5, 39.7, 53.9, 419.2, 5.9, -8.5, 0.0878, 0.00274]
    given = {"n": n, "m": m, "p": p, "cam": np.array(camera), "x": np.array([7.2, 0.0011, 3.02])}
    return {**given, "w": 0.417, "feat": np.array([271.8, 834.2])}


MAKERS: dict[str, Callable[..., Given]] = {
    each.__name__: each for each in (lse, llsq, ode, gmm, lstm, ht, ba)
}

# Of each problem the workloads, from small to large: a third of them is called small, two thirds medium.
WORKLOADS: dict[str, list[Numbers]] = {
    "lse": [{"n": 2500}, {"n": 80_000}, {"n": 320_000}],
    "llsq": [{"n": 16}, {"n": 1024}, {"n": 131_072}, {"n": 524_288}],
    "ode": [
        {"n": 1000, "s": 10},
        {"n": 10_000, "s": 100},
        {"n": 100_000, "s": 100},
        {"n": 100_000, "s": 400},
    ],
    "gmm": [{"d": 2, "k": 5}, {"d": 10, "k": 25}, {"d": 64, "k": 25}, {"d": 64, "k": 100}],
    "lstm": [{"l": 2, "c": 1024}, {"l": 4, "c": 4096}, {"l": 6, "c": 8192}],
    "ht": [{"c": 100}, {"c": 800}, {"c": 12_800}],
    "ba": [
        {"n": 49, "m": 7776, "p": 31_843},
        {"n": 257, "m": 65_132, "p": 225_911},
        {"n": 1197, "m": 126_327, "p": 563_734},
    ],
}

# Small enough for a test.
TINY: dict[str, Numbers] = {
    "lse": {"n": 33},
    "llsq": {"n": 9, "m": 5},
    "ode": {"n": 7, "s": 3},
    "gmm": {"d": 5, "k": 3, "n": 37},
    "lstm": {"l": 2, "c": 6, "b": 3},
    "ht": {"c": 5, "vertices": 40},
    "ba": {"n": 2, "m": 3, "p": 11},
}


def given(problem: str, numbers: Numbers) -> Given:
    """Return what a tool is given."""
    return MAKERS[problem](**numbers)


def described(numbers: Numbers) -> str:
    """Name a workload; of ba's numbers the last says it all."""
    shown = {"p": numbers["p"]} if "p" in numbers else numbers
    return ",".join(f"{name}={number}" for name, number in shown.items())


def workloads(problem: str, sizes: str) -> list[Numbers]:
    """Return those up to a size: tiny, small, medium or all."""
    if sizes == "tiny":
        return [TINY[problem]]
    rows = WORKLOADS[problem]
    return rows[: {"small": 1, "medium": 2, "all": len(rows)}[sizes]]
