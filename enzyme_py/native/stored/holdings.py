"""What the cache holds, for `python -m enzyme_py cache`: listed, thrown out by what is asked, exported for others to read."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enzyme_py.foundations.files.trusted_files import read_trusted, write_whole
from enzyme_py.native.stored.about import made_by, processor
from enzyme_py.native.stored.shelf import File, evict, files, is_whole, remove
from enzyme_py.settings import settings

DAY = 86_400.0


@dataclass(frozen=True)
class Wanted:
    """Which files are meant: those for which all holds that is said."""

    kernel: str = ""  # a pattern, as of a shell
    unused_days: float | None = None
    older_days: float | None = None
    is_stale: bool = False  # made by other versions: this installation never finds it
    is_foreign: bool = False  # for another processor
    is_damaged: bool = False

    @property
    def says_something(self) -> bool:
        """Whether not simply everything is meant."""
        return self != Wanted()

    def takes(self, file: File) -> bool:
        """Tell whether a file is meant."""
        now, about = time.time(), file.about
        checks = (
            not self.kernel or fnmatch.fnmatchcase(str(about.get("kernel", "")), self.kernel),
            self.unused_days is None or now - file.used >= self.unused_days * DAY,
            self.older_days is None or now - made(file) >= self.older_days * DAY,
            not self.is_stale or about.get("by") != made_by(),
            not self.is_foreign or about.get("processor") != processor(),
            not self.is_damaged or not _is_sound(file),
        )
        return all(checks)


def made(file: File) -> float:
    """Return when a file was made, in seconds since 1970; when it was used, if it does not say."""
    return float(file.about.get("made", file.used))


def listed(wanted: Wanted | None = None, root: Path | None = None) -> list[File]:
    """Return the finished files that are meant, the last used first."""
    found = [one for one in files(root, with_facts=True) if not one.is_aside]
    return sorted((one for one in found if wanted is None or wanted.takes(one)), key=lambda one: -one.used)


def prune(wanted: Wanted, limit: int | None = None, *, is_dry: bool = False) -> list[File]:
    """Remove the files that are meant, then the least recently used until the rest takes `limit` bytes; return them."""
    gone = listed(wanted) if wanted.says_something else []
    if is_dry:
        return [*gone, *_too_many(gone, limit)]
    gone = [file for file in gone if remove(file)]
    return [*gone, *(() if limit is None else evict(limit))]


def _too_many(gone: Iterable[File], limit: int | None) -> Iterator[File]:
    going = {file.path for file in gone}
    rest = [one for one in reversed(listed()) if one.path not in going]
    total = sum(one.size for one in rest)
    for one in rest:
        if limit is None or total <= limit:
            return
        total -= one.size
        yield one


def export(folder: Path, wanted: Wanted | None = None) -> list[File]:
    """Copy what is meant into a folder that others can read and only its owner can write; return what was copied.

    What is there already stays, and what cannot be trusted or is damaged is left out.
    """
    done = []
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for file in listed(wanted):
        place = folder / file.kind
        place.mkdir(exist_ok=True)
        place.chmod(0o755)
        content = None if (place / file.path.name).exists() else read_trusted(file.path)
        if content is not None and is_whole(file.name, content):
            write_whole(place / file.path.name, content, 0o644)
            done.append(file)
    return done


def by_kernel(found: Iterable[File]) -> dict[str, list[File]]:
    """Return files by their kernels, those of the most bytes first."""
    groups: dict[str, list[File]] = {}
    for file in found:
        groups.setdefault(str(file.about.get("kernel", "")), []).append(file)
    return dict(sorted(groups.items(), key=lambda one: -sum(file.size for file in one[1])))


def facts_of(file: File) -> dict[str, Any]:
    """Return all that is known of a file, as JSON has it."""
    return {
        **file.about,
        "kind": file.kind,
        "name": file.name,
        "bytes": file.size,
        "used": int(file.used),
        "made": int(made(file)),
        "usable": file.about.get("by") == made_by() and file.about.get("processor") == processor(),
    }


def size_of(text: str) -> int:
    """Return the bytes that a size says: `500MB`, `2G`, `1000`."""
    number = text.strip().upper().removesuffix("B")
    factor = {"K": 10**3, "M": 10**6, "G": 10**9}.get(number[-1:], 1)
    found = float(number if factor == 1 else number[:-1]) * factor
    if not found >= 0:
        raise ValueError(text)
    return int(found)


def shared() -> list[tuple[Path, list[File]]]:
    """Return the shared caches with what they hold."""
    return [(root, listed(root=root)) for root in settings.shared_caches]


def _is_sound(file: File) -> bool:
    try:
        return is_whole(file.name, file.path.read_bytes())
    except OSError:
        return False
