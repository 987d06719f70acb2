"""numba-mpi's functions, in forward and reverse mode and in second orders, against answers by hand."""

from __future__ import annotations

import pytest

from tests.mpi.launching import needs_mpi, run

pytestmark = needs_mpi
ROWS = "send_recv ring exchange allreduce reduce bcast gather allgather scatter extremes".split()


def test_all_functions_in_both_modes() -> None:
    run(2, "functions.py", "all").check(3 * 2)


@pytest.mark.full
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_each_function(row: str, ranks: int) -> None:
    run(ranks, "functions.py", row).check(3 * ranks)


@pytest.mark.full
@pytest.mark.parametrize("row", ROWS)
def test_second_orders(row: str) -> None:
    run(2, "functions.py", "second", row).check(3 * 2)
