"""The user's own copy of the executable: where it lies, and whether it may be run.

One folder per version and platform under `cache_dir/host`, with the executable and a manifest that
was written when it was installed. The folder appears whole, by one rename, or not at all.

Checked on every start, in microseconds: that the folder and the file are ours, nobody else may write
them, no symbolic link is involved, and size and modification time are those of the manifest. Not
checked on every start: the hash of 227 MB (0.3 s, ten times the start itself). It would not protect
from more: who can change a file of ours, of this mode, can change our Python code too. `doctor`
hashes the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from enzyme_py.host.installing.pinned import Pin
from enzyme_py.settings import settings

EXECUTABLE = "catalyst"
MANIFEST = "manifest.json"
BLOCK = 1 << 20


@dataclass(frozen=True)
class Manifest:
    """What was known when the executable was installed."""

    wheel_sha256: str
    original_sha256: str  # of the executable as the wheel has it
    sha256: str  # of the file that lies there: the same, or its stripped copy
    size: int
    mtime_ns: int
    is_stripped: bool


def host_folder() -> Path:
    """The folder of all executables."""
    return settings.cache_dir / "host"


def folder_of(pin: Pin) -> Path:
    """The folder of one executable."""
    return host_folder() / f"{pin.version}-{pin.platform}"


def _show_nothing(done: int) -> None:
    """No progress bar."""


def sha256_of(path: Path, show: Callable[[int], None] = _show_nothing) -> str:
    """The hash of a file, read in blocks; `show` learns how many bytes are done."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            done += len(block)
            show(done)
    return digest.hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of a folder that is being built."""
    path = folder / MANIFEST
    path.write_text(json.dumps(asdict(manifest), indent=1) + "\n", encoding="utf-8")
    path.chmod(0o600)


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest, or None if there is none that can be read."""
    try:
        fields = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return Manifest(**fields)
    except (OSError, ValueError, TypeError):
        return None


def objection_to(path: Path) -> str | None:
    """Why a file or folder is not trusted, or None: a link, another owner, or writable by others."""
    try:
        status = path.lstat()
    except OSError as error:
        return f"{path}: {error.strerror}"
    if stat.S_ISLNK(status.st_mode):
        return f"{path} is a symbolic link"
    if status.st_uid != os.getuid():
        return f"{path} belongs to another user (uid {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{path} can be written by others (mode {stat.S_IMODE(status.st_mode):o})"
    return None


def objection_to_stored(pin: Pin) -> str | None:
    """Why the stored executable may not be run, or None: the check of every start."""
    folder = folder_of(pin)
    for path in (host_folder(), folder, folder / MANIFEST, folder / EXECUTABLE):
        objection = objection_to(path)
        if objection is not None:
            return objection
    manifest = read_manifest(folder)
    if manifest is None or manifest.wheel_sha256 != pin.wheel_sha256:
        return f"{folder / MANIFEST} is not the manifest of this version"
    status = (folder / EXECUTABLE).stat()
    if (status.st_size, status.st_mtime_ns) != (manifest.size, manifest.mtime_ns):
        return f"{folder / EXECUTABLE} was changed after it was installed"
    return None


def stored_executable(pin: Pin) -> Path | None:
    """The executable of the store, if it may be run."""
    return None if objection_to_stored(pin) else folder_of(pin) / EXECUTABLE


def hash_matches(pin: Pin) -> bool:
    """Whether the stored executable still is what was installed, byte for byte: the slow check."""
    manifest = read_manifest(folder_of(pin))
    return manifest is not None and sha256_of(folder_of(pin) / EXECUTABLE) == manifest.sha256
