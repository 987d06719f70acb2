"""What goes wrong on some ranks ends or raises on all of them, and says what it was. Nothing hangs: `run` kills."""

from __future__ import annotations

import sys

import pytest

from enzyme_py.errors import EnzymeError
from enzyme_py.mpi import library
from tests.mpi.launching import needs_mpi, run

pytestmark = needs_mpi


def test_sizes_that_differ_in_a_collective_function_raise_on_every_rank_and_a_deadlock_is_told() -> None:
    """Both by one program, whose derivative is compiled once: what raises leaves all ranks able to go on."""
    found = run(2, "failing.py", "collective", "deadlock", timeout=3)
    assert found.code != 0
    assert "rank 1 has waited 3 seconds to receive 3 numbers from rank 1, tag 3" in found.error or (
        "rank 0 has waited 3 seconds to meet all ranks in allreduce" in found.error
    )
    assert "WRONG" not in found.out
    assert len(found.good) == 2 * 2  # of the first; nothing comes behind the deadlock


@pytest.mark.full
def test_a_message_of_another_size_ends_all_ranks() -> None:
    found = run(2, "failing.py", "sizes")
    assert found.code != 0
    assert "rank 1 got a message of 3 numbers from rank 0, tag 3, into an array of 4" in found.error
    assert "good" not in found.out


@pytest.mark.full
def test_a_rank_that_raises_ends_all_ranks() -> None:
    found = run(2, "failing.py", "raises")
    assert found.code != 0
    assert "ZeroDivisionError: this rank fails" in found.error
    assert "good" not in found.out


@pytest.mark.parametrize(("which", "count"), [pytest.param([], 12, id="some"), pytest.param(["all"], 17, id="all", marks=pytest.mark.full)])
def test_refusals(which: list[str], count: int) -> None:
    run(1, "refusals.py", *which).check(count)


def test_refusals_of_communicators() -> None:
    run(1, "communicator_refusals.py").check(18)


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(EnzymeError, match=r"pip install 'enzyme_py\[mpi\]'"):
        library._table()
