"""The name of the Enzyme that would be used: nothing is searched, fetched or started for it."""

from __future__ import annotations

from pathlib import Path

from enzyme_py.host.installing import pinned
from enzyme_py.settings import settings


def identity() -> str:
    """A name for Enzyme that would be used, down to its build: part of the disk cache's keys.

    The pinned executable is the same wherever it lies.
    """
    given = settings.plugin or settings.host
    if not given:
        return f"{pinned.PROJECT} {pinned.VERSION}"
    try:
        status = Path(given).expanduser().stat()
    except OSError:
        return given
    return f"{given} {status.st_size} {status.st_mtime_ns}"
