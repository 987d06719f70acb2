"""The table of all kernels: each order on 1, 2, 4 and 7 threads beside plain loops and the answer by hand; races.

An answer is *on threads* or *plain* (no loop of it ran on several threads) if it is right on any number of threads and
its bits are the same: in each run with the same number of threads, and for any number of threads with the number of parts
set. Any other is told by words.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError
from enzyme_py.native.threads.counts import fork_count
from tests.threads.kernels import CASES, Case
from tests.threads.kernels.of_arrays import OF_ARRAYS
from tests.threads.kernels.of_data import OF_DATA
from tests.threads.kernels.of_loops import OF_LOOPS
from tests.threads.orders import ALL, ORDERS, POINT, asked, expected
from tests.threads.watching import small_parts, watched

TABLE = (*CASES, *OF_LOOPS, *OF_DATA, *OF_ARRAYS)
THREADS = (2, 4, 7)
PARTS = 4
WATCHED = ("gradient", "FoR", "RoR")
FORKED, PLAIN = "threads", "plain"
ONLY = "threads only"  # refused, with a reason, with plain loops
RIGHT = (FORKED, PLAIN, ONLY)
Row = dict[str, str]
# Relative: rounding of a few hundred operations, in the precision of the kernel.
EXACT, SINGLE = 2e-11, 2e-5


def is_near(case: Case, got: np.ndarray, want: np.ndarray) -> bool:
    """Tell whether an answer is the one by hand."""
    tolerance = SINGLE if case.is_single else EXACT
    return bool(np.max(np.abs(got - want)) <= tolerance * (1.0 + np.max(np.abs(want))))


def verdict(case: Case, order: str) -> str:
    """Ask for one order with plain loops and on threads, and return what came of it."""
    want = expected(case, order)
    with warnings.catch_warnings(), small_parts():
        warnings.simplefilter("ignore")
        try:
            with enzyme.config(threads=1):
                plain = asked(case.anew().kernel, order)()
        except EnzymeError:
            plain = None
        if plain is not None and not is_near(case, plain, want):
            return f"wrong in plain loops by {np.max(np.abs(plain - want)):.2g}"
        try:
            found = _on_threads(case, asked(case.anew().kernel, order), want)
        except EnzymeError as refusal:
            return f"refused: {str(refusal).splitlines()[0]}"
        return ONLY if plain is None and found == FORKED else found


def _on_threads(case: Case, ask: Callable[[], np.ndarray], want: np.ndarray) -> str:
    before = fork_count()
    for threads in THREADS:
        with enzyme.config(threads=threads):
            found = [ask(), ask()]
        if not is_near(case, found[0], want):
            return f"wrong on {threads} threads by {np.max(np.abs(found[0] - want)):.2g}"
        if found[0].tobytes() != found[1].tobytes():
            return f"other bits in a second run on {threads} threads"
    bits = set()
    for threads in (1, *THREADS):
        with enzyme.config(threads=threads, parts=PARTS):
            found = [ask()]
        if not is_near(case, found[0], want):
            return f"wrong on {threads} threads, in {PARTS} parts, by {np.max(np.abs(found[0] - want)):.2g}"
        bits.add(found[0].tobytes())
    if len(bits) > 1:
        return f"{PARTS} parts have other bits on another number of threads"
    return FORKED if fork_count() > before else PLAIN


def why_serial(case: Case) -> str:
    """Return why loops of a kernel stay serial, as `enzyme.inspect.loops` tells it; nothing if none does."""
    with enzyme.config(threads=2), warnings.catch_warnings(), small_parts():
        warnings.simplefilter("ignore")
        try:
            told = enzyme.inspect.loops(case.kernel, *POINT)
        except EnzymeError as refusal:
            return f"refused: {str(refusal).splitlines()[0]}"
    return "; ".join(dict.fromkeys(one.why_serial for one in told if not one.is_threaded))


def races(case: Case, orders: Iterable[str] = WATCHED) -> str:
    """Return what the detector says: nothing, or the races of an order."""
    for order in orders:
        with warnings.catch_warnings(), small_parts(), watched(parts=PARTS) as watch:
            warnings.simplefilter("ignore")
            try:
                found = asked(case.anew().kernel, order)()
            except EnzymeError:
                continue  # the verdict tells it
        if not is_near(case, found, expected(case, order)):
            return f"{order}: wrong while it was watched"
        if watch.races:
            return f"{order}: {len(watch.races)} races, {watch.races[0]}"
    return ""


def row(case: Case) -> Row:
    """Return the row of a kernel."""
    found = {"kernel": case.name, "why": why_serial(case), "expected": case.why_serial}
    found |= {order: verdict(case, order) for order in ORDERS}
    return found | {"races": races(case)}


def is_good(found: Row) -> bool:
    """Tell whether a row has what was promised."""
    right = all(found[order] in RIGHT for order in ORDERS)
    return right and not found["races"] and found["expected"] in found["why"] and is_told(found)


def is_told(found: Row) -> bool:
    """Tell whether the reason is told where a gradient has plain loops."""
    return found["gradient"] == FORKED or bool(found["why"])


def by_name() -> dict[str, Case]:
    """Return all kernels by their names."""
    cases = {one.name: one for one in TABLE}
    assert len(cases) == len(TABLE)
    return cases


def gradient_of(case: Case) -> Any:
    """Return the gradient by all three arguments."""
    return enzyme.grad(case.kernel, argnums=ALL)
