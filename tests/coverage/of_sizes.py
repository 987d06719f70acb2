"""Rows of table_sizes.py as kernels: of 3 to 5 dimensions, in loops, in functions, of all layouts and dtypes.

    t, q = 0.0, 1.0
    for i in range(n):
        x = a * (1.0 + 0.1 * i)                     in the layout that is asked for
        r = np.reshape(x, (x.shape[0], k1, x.shape[2]))
        t += total(r) * q
        q = 0.75 + 0.5 * np.tanh(t)

Memory of a loop is made anew in each iteration, and its size is known at run time only. Choices of place, layout, dtype and
dimensions go round against each other, so that a few kernels of each row meet all choices, and all rows all pairs of them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np

from tests.coverage.measure import ALL_ORDERS, Case, Finding, measure
from tests.coverage.row import Draw, Row
from tests.coverage.table_sizes import GROUPS, SIZES, words
from tests.coverage.total import total, total_of_complex

SHAPES = {3: (2, 3, 4), 4: (2, 3, 2, 2), 5: (2, 2, 3, 1, 2)}
PLACES = ("in a loop", "once", "called in a loop", "in two loops")
LAYOUTS = {
    "C": "x = {b}",
    "F": "x = np.asfortranarray({b})",
    "strided": "p = np.empty(a.shape + (2,), a.dtype)\np[..., 0] = 2.0\np[..., 1] = {b}\nx = p[..., 1]",
    "reversed": "p = {b}\nx = p[::-1, :, ::-1]",
    "transposed": "p = {b}\nx = p.T",
}
DTYPES = ("float64", "complex128", "float32")
ROUNDS = 20  # kernels of each row
BEHIND = " @ "


def names(rounds: int = ROUNDS) -> list[str]:
    """Return the names of the kernels, such that each row comes once before any comes again."""
    return list(
        dict.fromkeys(
            _name(row, at, round_) for round_ in range(rounds) for at, row in enumerate(SIZES)
        )
    )


def _name(row: str, at: int, round_: int) -> str:
    layouts = list(LAYOUTS)
    # The first kernel of each row is the plainest; the others go round, by numbers without a common factor.
    shift = 0 if round_ == 0 else at
    choices = (
        f"{3 + (round_ // 2 + shift) % 3}d",
        PLACES[(round_ + shift) % len(PLACES)],
        layouts[(round_ + shift // 2) % len(layouts)],
        DTYPES[(round_ + round_ // 3) % len(DTYPES)],
    )
    return row + BEHIND + ", ".join(choices)


def measure_sizes(name: str) -> Iterator[Finding]:
    """Yield what all orders of a kernel give."""
    return measure(twin(name), tuple(ALL_ORDERS))


def twin(name: str) -> Row:
    """Return a row, with its kernel for Numba and the same for NumPy."""
    row, _, choices = name.partition(BEHIND)
    dimensions, place, layout, dtype = choices.split(", ")
    shape = SHAPES[int(dimensions[0])]
    drawn = shape[::-1] if layout == "transposed" else shape
    text = _text(SIZES[row], place, layout, dtype, len(shape))
    helper = _function(_helper(SIZES[row], len(shape)), "helper")
    kernel = _function(text, "kernel", total=total, helper=numba.njit(helper))
    args = (Draw(drawn, dtype=dtype), *shape, 3)
    own = Row(name, kernel, args, GROUPS[row], row)
    plain_total = total if dtype != "complex128" and not _gives_complex(own) else total_of_complex
    plain = _function(text, "kernel", total=plain_total, helper=helper)
    return Row(name, kernel, args, GROUPS[row], row, plain=plain)


def _gives_complex(row: Row) -> bool:
    try:
        return Case(row).is_complex
    except Exception:  # the row is told to be broken where it is measured
        return False


def _parameters(dimensions: int) -> str:
    return ", ".join(f"k{i}" for i in range(dimensions))


def _helper(row: str, dimensions: int) -> str:
    body = row.format(**words(dimensions)) + "\nreturn r"
    return f"def helper(x, {_parameters(dimensions)}):\n{textwrap.indent(body, '    ')}\n"


def _text(row: str, place: str, layout: str, dtype: str, dimensions: int) -> str:
    given = _parameters(dimensions)
    step = {
        "once": "1.5",
        "in two loops": "1.0 + 0.1 * i + 0.05 * j",
    }.get(place, "1.0 + 0.1 * i")
    factor = f"np.float32({step})" if dtype == "float32" else f"({step})"
    made = LAYOUTS[layout].format(b=f"a * {factor}")
    own = row.format(**words(dimensions))
    if place == "called in a loop":
        own = f"r = helper(x, {given})"
    body = f"{made}\n{own}"
    if place == "once":
        body += "\nreturn r"
    else:
        body += "\nt += total(r) * q\nq = 0.75 + 0.5 * np.tanh(t)"
        for counter in ("j", "i") if place == "in two loops" else ("i",):
            body = f"for {counter} in range(n):\n{textwrap.indent(body, '    ')}"
        body = f"t = 0.0\nq = 1.0\n{body}\nreturn t + q"
    return f"def kernel(a, {given}, n):\n{textwrap.indent(body, '    ')}\n"


def _function(text: str, name: str, **scope: Any) -> Callable[..., Any]:
    scope["np"] = np
    exec(text, scope)
    function: Callable[..., Any] = scope[name]
    return function
