"""Files whose content is run: read only where nobody else can have written them, written so that no reader sees a part.

A file of a user's own folder must belong to him or to root, and so must the folder; nobody else may be able to write either.
In a shared folder (`settings.shared_caches`) they may also belong to whoever owns that folder: who names it trusts its
owner. What is looked at are open files and folders, not names, so nothing can be exchanged in between; links below
the folder are not followed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from enzyme_py.errors import CacheWarning, Where, calling_place

ASIDE = ".part"  # the ending of what is being written
_READ = os.O_RDONLY | os.O_CLOEXEC
# Folders are looked at and gone through, not listed: the right to do that is enough, where the system knows the difference.
_FOLDER = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)
_REMEDIES = (
    ((errno.ENOSPC, errno.EDQUOT), "make room (`python -m enzyme_py cache prune`), or name another folder by ENZYME_PY_CACHE_DIR"),
    ((errno.EACCES, errno.EPERM, errno.EROFS), "name a folder that you can write by ENZYME_PY_CACHE_DIR"),
    ((errno.ENOTDIR, errno.EEXIST), "there is a file where a folder belongs: remove it, or set ENZYME_PY_CACHE_DIR"),
    ((errno.ELOOP,), "remove the link: in this folder none is followed"),
)  # fmt: skip
_PRIVATE = "make it yours alone (`chown`, `chmod go-w`), or remove it: it is made anew"
_OF_A_SHARED_ONE = "have its owner take the right to write from all others (`chmod -R go-w`)"


class NotTrusted(Exception):
    """Others could have written it; says what about it, and what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy


def read_trusted(path: Path, shared: Path | None = None) -> bytes | None:
    """Return what a file holds that only this user can have written; None if there is no such file.

    With `shared`, a file of that folder: one of a folder in it. What cannot be trusted, or read, is told once.
    """
    try:
        with _opened(path, shared) as descriptor:
            return _content(descriptor)
    except FileNotFoundError:
        return None
    except NotTrusted as why:
        warn_once("trust", path, str(why), why.remedy)
    except OSError as error:
        warn_once("read", path, str(error), remedy_of(error))
    return None


@contextlib.contextmanager
def _opened(path: Path, shared: Path | None) -> Iterator[int]:
    """Open a file of which nobody else can have changed anything, from its folders down."""
    owners = {os.geteuid(), 0}
    with contextlib.ExitStack() as open_ones:

        def opened(name: str | Path, flags: int, inside: int | None = None) -> int:
            descriptor = os.open(name, _READ | flags, dir_fd=inside)
            open_ones.callback(os.close, descriptor)
            return descriptor

        if shared is None:
            folder = opened(path.parent, _FOLDER)
        else:
            root = opened(shared, _FOLDER)
            owners.add(os.fstat(root).st_uid)
            _check(root, owners, is_shared=True)
            folder = opened(path.parent.name, _FOLDER | os.O_NOFOLLOW, root)
        _check(folder, owners, is_shared=shared is not None)
        file = opened(path.name, os.O_NOFOLLOW | os.O_NONBLOCK, folder)
        _check(file, owners, is_shared=shared is not None)
        yield file


def _check(descriptor: int, owners: set[int], *, is_shared: bool) -> None:
    status = os.fstat(descriptor)
    remedy = _OF_A_SHARED_ONE if is_shared else _PRIVATE
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise NotTrusted("it is no file", remedy)
    if status.st_uid not in owners:
        what = f"others own it (user {status.st_uid}), and its content is run"
        raise NotTrusted(what, "have it belong to the owner of the folder, or to root" if is_shared else remedy)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise NotTrusted("others can write to it, and its content is run", remedy)


def _content(descriptor: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def write_whole(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file aside and rename it, so that a reader sees all of it or none."""
    descriptor, aside = tempfile.mkstemp(dir=path.parent, suffix=ASIDE)  # readable by us alone
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if mode != 0o600:
                os.fchmod(file.fileno(), mode)
        os.replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise


def remedy_of(error: OSError) -> str:
    """Return what can be done about what the system refuses."""
    return next((remedy for numbers, remedy in _REMEDIES if error.errno in numbers), "")


_warned: set[tuple[str, Path]] = set()


def warn_once(verb: str, path: Path, reason: str, remedy: str = "") -> None:
    """Tell once for each folder that it cannot be used; of writing, once for the whole cache: the disk is the same."""
    place = path.parent.parent if verb == "write" else path.parent
    if (verb, place) in _warned:
        return
    _warned.add((verb, place))
    message = f"enzyme_py cannot {verb} its cache in {path.parent}: {reason}. It goes on without."
    if remedy:
        message += f" What to do: {remedy}."
    user = calling_place() or Where()
    warnings.warn_explicit(message, CacheWarning, user.file or "enzyme_py", user.line or 1)
