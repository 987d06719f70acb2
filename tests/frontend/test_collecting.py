"""The collector of cycles looks less often within blocks, of whatever threads, and as before behind them."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
from collections.abc import Iterator

import pytest

from enzyme_py.frontend.target.collecting import _RARELY, seldom_collected

USUAL = (600, 11, 12)


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_within_a_block_and_behind_it() -> None:
    with seldom_collected():
        assert gc.get_threshold() == _RARELY
        with seldom_collected():
            assert gc.get_threshold() == _RARELY
        assert gc.get_threshold() == _RARELY
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_blocks_of_threads_end_in_any_order(order: tuple[int, ...]) -> None:
    blocks = []
    for _ in order:
        blocks.append(contextlib.ExitStack())
        blocks[-1].enter_context(seldom_collected())
    for number in order:
        assert gc.get_threshold() == _RARELY
        blocks[number].close()
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("own", [(0, 10, 10), (100_000, 5, 5)], ids=["off", "even less"])
def test_what_the_user_has_set_stays(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with seldom_collected():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_is_set_within_a_block_stays() -> None:
    with seldom_collected():
        gc.set_threshold(1000, 5, 5)
    assert gc.get_threshold() == (1000, 5, 5)


def test_an_exception_ends_a_block() -> None:
    with pytest.raises(ValueError, match="no"), seldom_collected():
        raise ValueError("no")
    assert gc.get_threshold() == USUAL


def test_a_forked_process_is_as_before() -> None:
    with seldom_collected():
        child = os.fork()
        if not child:
            os._exit(gc.get_threshold() != USUAL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
