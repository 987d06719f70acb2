"""Modules that crashed Enzyme, kept under the cache folder so that they can be reported.

Saving never raises: whoever saves is about to raise something more important. A folder that others
can write is not written to, and no link in it is followed.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from enzyme_py.host.installing.store import objection_to
from enzyme_py.settings import settings

KEPT = 10  # files; the oldest go first


def crash_folder() -> Path:
    """Where they lie."""
    return settings.cache_dir / "crashes"


def save_module(ir: str, log: str) -> Path | None:
    """Save a module, and what Enzyme said, as comments in front; None if that is impossible."""
    digest = hashlib.sha256(ir.encode()).hexdigest()[:16]
    path = crash_folder() / f"{digest}.ll"
    comments = "".join(f"; {line}\n" for line in log.splitlines()[:200])
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if objection_to(path.parent) is not None:
            return None
        _write(path, comments + ir)
        _drop_oldest(path)
    except OSError:
        return None
    return path


def _write(path: Path, text: str) -> None:
    """Aside, and renamed: a disk that fills up leaves no half of a module."""
    descriptor, aside = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise


def _drop_oldest(saved: Path) -> None:
    """Keep KEPT files: the one that was saved now, whatever the clock says of the others, and the latest of these."""
    folder = saved.parent
    others = [one for one in (*folder.glob("*.ll"), *folder.glob("*.ll.gz")) if one != saved]
    others.sort(key=lambda file: file.stat().st_mtime_ns)
    for file in others[: -KEPT + 1]:
        file.unlink(missing_ok=True)
