"""One process compiles for all that share a cache folder, while the others wait for what it leaves there.

    with first_in_folder(name, types):
        ...                                  # compiles, or finds what another process compiled

Some files of the folder are locked in turn, chosen by a hash of the name. The one who has finished writes the hash into its
file: whoever finds it there need not wait. Where there is no cache, or its files cannot be locked or written, everybody compiles.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from enzyme_py.settings import settings

_FILES = 16


@contextlib.contextmanager
def first_in_folder(*name: Any) -> Iterator[None]:
    """Let one process of those with this name in, and the others when it has left."""
    digest = hashlib.sha256(repr(name).encode()).hexdigest()
    path = Path(settings.cache_dir) / "cluster" / f"lock-{int(digest, 16) % _FILES}"
    descriptor = _opened(path) if settings.cache else None
    if descriptor is None:
        yield
        return
    try:
        if os.pread(descriptor, len(digest), 0).decode(errors="replace") != digest:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        with contextlib.suppress(OSError):
            os.pwrite(descriptor, digest.encode(), 0)
    finally:
        os.close(descriptor)  # and so unlocked


def _opened(path: Path) -> int | None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
