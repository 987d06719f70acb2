"""Which cases of a long list the ordinary run takes: each EVERY-th; `pytest --full` takes all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest

Case = TypeVar("Case")


def selected(cases: Sequence[Case], config: pytest.Config, every: int) -> Sequence[Case]:
    """Return all cases of a full run, each `every`-th of them otherwise.

    `every` should have no factor in common with the lengths of the lists that the cases are a
    product of: then each row of each list is met.
    """
    return cases if config.getoption("full") else cases[::every]
