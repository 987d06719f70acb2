"""This package's own files, as a name: another version may make other code of the same kernel.

The name is a hash of their content, so that machines with installations of their own can share what they made. Reading
all of them takes 25 ms. So the hash is kept in the cache folder under the sizes and times of the files.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from enzyme_py.foundations.files.trusted_files import read_trusted, write_whole
from enzyme_py.settings import settings

_ROOT = Path(__file__).parent.parent.parent
_LENGTH = len(hashlib.sha256().hexdigest())


@functools.cache
def fingerprint() -> str:
    """Return what changes whenever the content of one of the files does; where they lie does not count."""
    found = sorted(_files(str(_ROOT), ""))
    stamps = hashlib.sha256(repr((str(_ROOT), found)).encode()).hexdigest()
    path = settings.cache_dir / "sources" / stamps
    with contextlib.suppress(OSError, UnicodeError):
        known = (read_trusted(path) or b"").decode()
        if len(known) == _LENGTH:
            return known
    content = content_of(_ROOT / name for name, _, _ in found)
    with contextlib.suppress(OSError):  # it is made anew in the next process
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, content.encode())
    return content


def content_of(paths: Iterator[Path]) -> str:
    """Return a hash of some of the package's files, in this order."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(str(path.relative_to(_ROOT)).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files(folder: str, inside: str) -> Iterator[tuple[str, int, int]]:
    for one in os.scandir(folder):
        if one.is_dir():
            if one.name != "__pycache__":
                yield from _files(one.path, f"{inside}{one.name}/")
        elif one.name.endswith((".py", ".so")):
            status = one.stat()
            yield inside + one.name, status.st_size, status.st_mtime_ns
