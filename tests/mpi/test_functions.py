"""numba-mpi's functions and mpi4py's communicators, in forward and reverse mode and in second orders, against answers by hand."""

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


def test_a_communicator_of_groups() -> None:
    """Ranks 0 and 2 make one group, rank 1 the other: two of a group, whose second has another number in the world."""
    run(3, "communicators.py", "reverse", "allreduce").check(3 * 3)


@pytest.mark.full
def test_all_methods_in_one_kernel() -> None:
    run(4, "communicators.py", "all").check(3 * 4)


@pytest.mark.full
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 6])
def test_each_method_of_a_communicator(row: str, ranks: int) -> None:
    run(ranks, "communicators.py", row).check(4 * ranks)


@pytest.mark.full
@pytest.mark.parametrize("row", ROWS)
def test_second_orders_of_communicators(row: str) -> None:
    run(4, "communicators.py", "second", row).check(3 * 4)
