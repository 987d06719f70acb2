"""The heat equation with exchanged rows: gradients on several ranks are those of one."""

from __future__ import annotations

import pytest

from tests.mpi.launching import needs_mpi, run

pytestmark = needs_mpi


def test_two_ranks() -> None:
    run(2, "heat.py", "halo=requests").check(2 * 2)


@pytest.mark.full
@pytest.mark.parametrize("halo", ["sendrecv", "requests"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_all(halo: str, ranks: int) -> None:
    run(ranks, "heat.py", f"halo={halo}").check(2 * ranks)
