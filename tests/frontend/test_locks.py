"""A lock that a thread of the parent holds is free in a forked process."""

from __future__ import annotations

import os
import threading

from enzyme_py.foundations.locks import LockOfProcess


def test_a_forked_process_begins_with_a_free_lock() -> None:
    lock, inside, done = LockOfProcess(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            inside.set()
            done.wait(60.0)

    holder = threading.Thread(target=hold)
    holder.start()
    assert inside.wait(60.0)
    child = os.fork()
    if not child:
        os._exit(int(lock.locked()))
    assert lock.locked()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    done.set()
    holder.join()
    assert not lock.locked()
