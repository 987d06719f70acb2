"""The heat equation with exchanged rows: gradients on several ranks are those of one."""

from __future__ import annotations

import pytest

from tests.mpi.launching import needs_mpi, run

pytestmark = needs_mpi


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_requests(ranks: int) -> None:
    run(ranks, "heat.py", "halo=requests").check(2 * ranks)


@pytest.mark.full
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_messages_to_and_fro(ranks: int) -> None:
    run(ranks, "heat.py", "halo=sendrecv").check(2 * ranks)
