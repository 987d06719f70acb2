"""Which cases of a long list the ordinary run takes; `pytest --full` takes all.

A case that is not taken has the mark `full`: `conftest.py` leaves it out of an ordinary run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

import pytest

Case = TypeVar("Case")


def selected(cases: Sequence[Case], config: pytest.Config, every: int) -> Sequence[Case]:
    """Return all cases of a full run, each `every`-th of them otherwise.

    `every` should have no factor in common with the lengths of the lists that the cases are a
    product of: then each row of each list is met.
    """
    return cases if config.getoption("full") else cases[::every]


def sweep(cases: Iterable[Any], every: int, first: int = 0) -> list[Any]:
    """Return parameters for all cases, of which an ordinary run takes each `every`-th; a tuple is several parameters."""
    return [
        _parameter(case if isinstance(case, tuple) else (case,), number % every == first)
        for number, case in enumerate(cases)
    ]


def diagonal(*lists: Iterable[Any]) -> list[Any]:
    """Return parameters for the product of some lists, of which an ordinary run takes a diagonal.

    Each member of each list is met there: the n-th of the longest list with the n-th of the others, which begin again
    at their ends.
    """
    rows = [list(one) for one in lists]
    longest = max(range(len(rows)), key=lambda number: len(rows[number]))

    def is_met(places: tuple[int, ...]) -> bool:
        turn = places[longest]
        return all(turn % len(row) == place for row, place in zip(rows, places, strict=True))

    return [
        _parameter([row[place] for row, place in zip(rows, places, strict=True)], is_met(places))
        for places in product(*(range(len(row)) for row in rows))
    ]


def _parameter(values: Sequence[Any], is_ordinary: bool) -> Any:
    return pytest.param(*values, marks=() if is_ordinary else pytest.mark.full)
