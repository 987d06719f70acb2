"""A lock that no thread of a parent holds in a process made by os.fork."""

from __future__ import annotations

import os
import threading
from types import TracebackType


class LockOfProcess:
    """`with lock:`; the thread that forks may not be inside."""

    def __init__(self) -> None:
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def locked(self) -> bool:
        """Tell whether somebody is inside."""
        return self._lock.locked()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()
