"""What is asked of a kernel: the value and five derivatives, beside the numbers that Twice carries."""

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
    right = _Arrays(seed)
    end_x, end_c = np.zeros(3 * SIZE), np.zeros(3 * SIZE)
    getattr(batch.answers, f"{name}_answer")(ctypes.byref(right.asked()), _pointer(end_x), _pointer(end_c))
    every = np.concatenate([end_x, end_c, right["r"], right["tr"], right["tdx"], right["tdc"]])
    if not (np.isfinite(every).all() and abs(every).max() < LARGEST):
        return
    (x, tx, gx), (c, tc, gc) = end_x.reshape(3, SIZE), end_c.reshape(3, SIZE)
    ends = {"x": x, "c": c}
    expected: dict[str, dict[str, Any]] = {
        "value": {"r": right["r"], **ends},
        "reverse": {"dx": gx, "dc": gc, **ends},
        "forward": {"r": right["r"], "tr": right["tr"], "tx": tx, "tc": tc, **ends},
        "fr": {"dx": gx, "dc": gc, "tdx": right["tdx"], "tdc": right["tdc"], **ends},
        "rr": {"tdx": right["tdx"], "tdc": right["tdc"]},
        "rf": {"tdx": right["tdx"], "tdc": right["tdc"]},
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


def _verdict(found: _Arrays, expected: dict[str, Any]) -> str:
    scale = 1e-2 + max(abs(one).max() for one in expected.values())
    for key, right in expected.items():
        if not abs(found[key] - right).max() <= TOLERANCE * scale:
            return f"wrong: {key} = {found[key].tolist()}, not {right.tolist()}"
    return "right"


class _Arrays:
    """The numbers of one seed, and memory for what comes out."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        numbers = random.random((6, SIZE)) * 0.6 + 0.2
        directions = np.round(random.normal(size=(6, SIZE)), 3)
        self._arrays = {key: np.zeros(SIZE) for key in ("tdx", "tdc")} | {key: np.zeros(1) for key in ("r", "tr")}
        self._arrays |= {"dr": np.ones(1), "x": numbers[0], "c": numbers[1]}
        self._arrays |= dict(zip(("dx", "dc", "tx", "tc"), directions, strict=False))

    def __getitem__(self, key: str) -> Any:
        return self._arrays[key]

    def asked(self) -> Asked:
        """Return the struct that points to them."""
        return Asked(**{key: _pointer(one) for key, one in self._arrays.items()}, n=SIZE)


def _pointer(array: Any) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
