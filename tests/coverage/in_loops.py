"""Rows again, with the function called in a loop, of arrays made there whose numbers lie apart.

    t, q, b = 0.0, 1.0, a * 1.0
    for k in range(3):
        p = np.empty(b.shape + (2,), b.dtype)
        p[..., 1] = b
        p[..., 0] = b * b
        t += total(function(p[..., 1])) * q         the function's result counts for more where others were large
        q = 0.75 + 0.5 * np.tanh(t)
        b = b * 0.96                                an array of its own in each turn

What is right once was wrong there: memory of one turn taken for that of another, indices multiplied by steps. Where Numba
takes no such array, the function gets b itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numba
import numpy as np

from tests.coverage.measure import Case, Finding, measure
from tests.coverage.row import ROWS, Draw, Row
from tests.coverage.total import total, total_of_complex

SUFFIX = " in a loop"
ORDERS = ("R", "F")


def names() -> list[str]:
    """Return the names of the rows that have a twin: all but those that draw, or whose numbers have 32 bits."""
    kept = (row for row in ROWS.values() if row.group != "random numbers" and not row.single)
    return [f"{row.name}{SUFFIX}" for row in kept]


def measure_in_a_loop(name: str) -> Iterator[Finding]:
    """Yield what reverse and forward mode give of the twin with a name."""
    row = ROWS[name.removesuffix(SUFFIX)]
    apart = list(measure(_twin(row, is_apart=True), ORDERS))
    is_compiled = any(finding.status != "uncompiled" for finding in apart)
    yield from apart if is_compiled else measure(_twin(row, is_apart=False), ORDERS)


def _twin(row: Row, *, is_apart: bool) -> Row:
    text = _text(row, is_apart=is_apart)
    plain_total = total_of_complex if Case(row).is_complex else total
    kernel = _function(text, total=total, function=numba.njit(row.kernel))
    plain = _function(text, total=plain_total, function=row.plain or row.kernel)
    return replace(row, name=f"{row.name}{SUFFIX}", kernel=kernel, plain=plain)


def _text(row: Row, *, is_apart: bool) -> str:
    active = [place for place, arg in enumerate(row.args) if isinstance(arg, Draw)]
    apart = [place for place in active if is_apart and row.args[place].shape is not None]
    given = [f"a{place}" for place in range(len(row.args))]
    for place in active:
        given[place] = f"p{place}[..., 1]" if place in apart else f"b{place}"
    parts = [
        f"p{place} = np.empty(b{place}.shape + (2,), b{place}.dtype)\n"
        f"        p{place}[..., 1] = b{place}\n"
        f"        p{place}[..., 0] = b{place} * b{place}"
        for place in apart
    ]
    turn = [
        *parts,
        f"t += total(function({', '.join(given)})) * q",
        "q = 0.75 + 0.5 * np.tanh(t)",
        *(f"b{place} = b{place} * 0.96" for place in active),
    ]
    copies = "".join(f"    b{place} = a{place} * 1.0\n" for place in active)
    body = "".join(f"        {line}\n" for line in turn)
    parameters = ", ".join(f"a{place}" for place in range(len(row.args)))
    return (
        f"def in_a_loop({parameters}):\n{copies}    t = 0.0\n    q = 1.0\n"
        f"    for k in range(3):\n{body}    return t + q\n"
    )


def _function(text: str, **scope: Any) -> Callable[..., Any]:
    scope["np"] = np
    exec(text, scope)
    function: Callable[..., Any] = scope["in_a_loop"]
    return function
