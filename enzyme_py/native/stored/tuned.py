"""Choices that may make a derivative faster, and which of them was found best, by derivative.

No choice changes what is computed, only what is kept and what is computed again, and how loops are laid out. A choice is remembered in the cache folder under
the key of the module without it (disk_cache.py), so whoever compiles that derivative later has it, in this process or another.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from enzyme_py.foundations.files.trusted_files import write_whole
from enzyme_py.native.stored import disk_cache
from enzyme_py.settings import settings
from enzyme_py.symbols import NO_RECOMPUTING

if TYPE_CHECKING:
    from enzyme_py.assembly.module import DiffModule


@dataclass(frozen=True)
class Choice:
    """Options of Enzyme, the style of the native stage, whether slopes are kept (rules/slopes.py)."""

    options: tuple[str, ...] = ()
    style: str = ""
    keeps_slopes: bool = True


# What Enzyme can be told of its caches beside these made the same code of nine kernels out of ten, and gained
# nothing (measured), so it is not tried.
CHOICES = {
    "as usual": Choice(),
    "slopes made again": Choice(keeps_slopes=False),
    "arrays kept": Choice((NO_RECOMPUTING,)),
    "caches not minimised": Choice(("--enzyme-mincut-cache=0",)),
    "no vectors": Choice(style="scalar"),
    "loops not unrolled": Choice(style="rolled"),
}


@dataclass
class Trial:
    """A choice that is tried out, the keys of the modules compiled with it, and hashes of what became of them."""

    name: str
    keys: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


# The trial of this thread: others may compile meanwhile.
_trial: contextvars.ContextVar[Trial | None] = contextvars.ContextVar("trial", default=None)


@contextlib.contextmanager
def trying(name: str) -> Iterator[Trial]:
    """Within the block, what is compiled has a choice."""
    trial = Trial(name)
    token = _trial.set(trial)
    try:
        yield trial
    finally:
        _trial.reset(token)


def current() -> str | None:
    """Return the choice that is tried out now, if there is one."""
    trial = _trial.get()
    return None if trial is None else trial.name


def stamp() -> int:
    """Return what changes whenever a choice is remembered or forgotten."""
    try:
        return _folder().stat().st_mtime_ns
    except OSError:
        return 0


def note(object_hash: str) -> None:
    """Tell the choice that is tried out what code it made."""
    trial = _trial.get()
    if trial is not None:
        trial.codes.append(object_hash)


def with_choice(module: DiffModule, identity: str) -> DiffModule:
    """Return the module with the options that are tried out, or that were found best for it."""
    is_recorded = settings.record is not None  # for others, who look for what is usual
    trial = _trial.get()
    if trial is None and (is_recorded or not _folder().is_dir()):
        return module
    key = disk_cache.key(module, identity)
    if trial is not None:
        trial.keys.append(key)
    choice = CHOICES[remembered(key) if trial is None else trial.name]
    added = tuple(one for one in choice.options if one not in module.options)
    keeps_slopes = module.keeps_slopes and choice.keeps_slopes
    options = module.options + added
    return replace(module, options=options, style=choice.style, keeps_slopes=keeps_slopes)


def remembered(key: str) -> str:
    """Return the choice for a derivative."""
    try:
        name = json.loads((_folder() / key).read_text())["choice"]
    except (OSError, ValueError, KeyError, TypeError):
        return "as usual"
    return name if name in CHOICES else "as usual"


def remember(key: str, name: str) -> None:
    """Keep the choice for a derivative; one that was kept for it goes."""
    _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(_folder() / key, json.dumps({"choice": name}).encode())


def forget() -> int:
    """Remove all choices; returns how many there were."""
    files = list(_folder().iterdir()) if _folder().is_dir() else []
    for file in files:
        file.unlink(missing_ok=True)
    return len(files)


def _folder() -> Path:
    return settings.cache_dir / "tuned"
