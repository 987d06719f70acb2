"""What is asked of a kernel: the value and eight derivatives, beside the numbers that Twice carries."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from enzyme_py.assembly.entry import ENTRY
from enzyme_py.errors import EnzymeError
from tests.cpp.grammar import SIZE
from tests.cpp.programs import WAYS, Asked, Batch

TOLERANCE = 1e-8  # of the largest number of an answer: what rounding of loops in loops may cost
LARGEST = 1e8

Verdict = tuple[str, str]


def answers(batch: Batch, name: str, seed: int, ways: tuple[str, ...] = WAYS) -> Iterator[Verdict]:
    """Yield each question and its verdict: right, wrong or refused; nothing where the numbers are too large to compare."""
    right = _answer(batch, name, _Arrays(seed))
    every = np.concatenate(list(right.values()))
    if not (np.isfinite(every).all() and abs(every).max() < LARGEST):
        return
    beside = _answer(batch, name, _Arrays(seed, tx="ux", tc="uc"))
    seeded = _answer(batch, name, _Arrays(seed, dx="ux", dc="uc"))
    ends = {"x": right["x"], "c": right["c"]}
    product = {"tdx": right["tdx"], "tdc": right["tdc"]}
    slopes = {"dx": right["dx"], "dc": right["dc"]}
    tangents = {"r": right["r"], "tr": right["tr"], "tx": right["tx"], "tc": right["tc"]}
    expected: dict[str, dict[str, Any]] = {
        "value": {"r": right["r"], **ends},
        "reverse": {**slopes, **ends},
        "forward": {**tangents, **ends},
        "fr": {**slopes, **product, **ends},
        "rr": product,
        "rf": product,
        "reverse2": {**slopes, "ux": seeded["dx"], "uc": seeded["dc"], **ends},
        "forward2": {**tangents, "ur": beside["tr"], "ux": beside["tx"], "uc": beside["tc"], **ends},
        "fr2": {**slopes, **product, "udx": beside["tdx"], "udc": beside["tdc"], **ends},
    }
    for way in ways:
        try:
            function = batch.differentiated(name, way)
        except EnzymeError as refusal:
            yield way, f"refused: {str(refusal).splitlines()[0]}"
            continue
        found = _Arrays(seed)
        status = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(function.addresses[ENTRY])(
            None, ctypes.byref(ctypes.c_void_p()), ctypes.byref(found.asked())
        )
        yield way, f"wrong: status {status}" if status else _verdict(found, expected[way])


def _answer(batch: Batch, name: str, given: _Arrays) -> dict[str, Any]:
    """Return the numbers by Twice: what x and c hold at the end, its tangents, the slopes, the products."""
    ends = {key: np.zeros(3 * SIZE) for key in "xc"}
    getattr(batch.answers, f"{name}_answer")(ctypes.byref(given.asked()), *map(_pointer, ends.values()))
    found = {key: given[key] for key in ("r", "tr", "tdx", "tdc")}
    for key, end in ends.items():
        found[key], found[f"t{key}"], found[f"d{key}"] = end.reshape(3, SIZE)
    return found


def _verdict(found: _Arrays, expected: dict[str, Any]) -> str:
    scale = 1e-2 + max(abs(one).max() for one in expected.values())
    for key, right in expected.items():
        if not abs(found[key] - right).max() <= TOLERANCE * scale:
            return f"wrong: {key} = {found[key].tolist()}, not {right.tolist()}"
    return "right"


class _Arrays:
    """The numbers of one seed, and memory for what comes out; `others` stand in the places of some."""

    def __init__(self, seed: int, **others: str) -> None:
        random = np.random.default_rng(seed)
        numbers = random.random((2, SIZE)) * 0.6 + 0.2
        directions = np.round(random.normal(size=(6, SIZE)), 3)
        self._arrays = {key: np.zeros(SIZE) for key in ("tdx", "tdc", "udx", "udc")} | {key: np.zeros(1) for key in ("r", "tr")}
        self._arrays |= {"dr": np.ones(1), "ur": np.ones(1), "x": numbers[0], "c": numbers[1]}
        self._arrays |= dict(zip(("dx", "dc", "tx", "tc", "ux", "uc"), directions, strict=True))
        self._arrays |= {key: self._arrays[other].copy() for key, other in others.items()}

    def __getitem__(self, key: str) -> Any:
        return self._arrays[key]

    def asked(self) -> Asked:
        """Return the struct that points to them."""
        return Asked(**{key: _pointer(one) for key, one in self._arrays.items()}, n=SIZE)


def _pointer(array: Any) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
