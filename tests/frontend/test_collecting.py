"""The collector of cycles looks less often within blocks, and behind them as the user had set it."""

from __future__ import annotations

import gc
import threading

import pytest

from enzyme_py.frontend.target.collecting import seldom_collected


@pytest.fixture(autouse=True)
def usual():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_blocks_in_blocks():
    with seldom_collected():
        assert gc.get_threshold()[0] > 700
        with pytest.raises(ValueError, match="out"), seldom_collected():
            raise ValueError("out")
        assert gc.get_threshold()[0] > 700
    assert gc.get_threshold() == (700, 10, 10)


def test_blocks_of_threads_end_in_any_order():
    began, first_ended = threading.Event(), threading.Event()

    def other():
        with seldom_collected():
            began.set()
            first_ended.wait(60)

    thread = threading.Thread(target=other)
    with seldom_collected():
        thread.start()
        began.wait(60)
    assert gc.get_threshold()[0] > 700  # the other thread still compiles
    first_ended.set()
    thread.join()
    assert gc.get_threshold() == (700, 10, 10)


def test_what_the_user_sets_is_kept():
    with seldom_collected():
        gc.set_threshold(5, 5, 5)
    assert gc.get_threshold() == (5, 5, 5)
    for mine in ((0, 10, 10), (1_000_000, 10, 10)):  # off, and rarer still
        gc.set_threshold(*mine)
        with seldom_collected():
            assert gc.get_threshold() == mine
        assert gc.get_threshold() == mine
