"""Options of the pass that may make a derivative faster, and which of them were found best, by derivative.

No choice changes what is computed, only what is kept and what is computed again. A choice is remembered in the cache folder under
the key of the module without it (disk_cache.py), so whoever compiles that derivative later has it, in this process or another.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from enzyme_py.assembly.kept import NO_RECOMPUTING
from enzyme_py.assembly.module import DiffModule
from enzyme_py.native import disk_cache
from enzyme_py.settings import settings

CHOICES: dict[str, tuple[str, ...]] = {
    "as usual": (),
    "arrays kept": (NO_RECOMPUTING,),
    "values kept": ("--enzyme-max-cache=1",),
    "loop invariants recomputed": ("--enzyme-loop-invariant-cache=0",),
    "caches not minimised": ("--enzyme-mincut-cache=0",),
    "allocations joined": ("--enzyme-coalese=1",),
}


@dataclass
class Trial:
    """A choice that is tried out, the keys of the modules compiled with it, and hashes of what became of them."""

    name: str
    keys: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


_trials: list[Trial] = []  # the innermost one counts; compilation holds Numba's lock


@contextlib.contextmanager
def trying(name: str) -> Iterator[Trial]:
    """Within the block, what is compiled has a choice."""
    _trials.append(Trial(name))
    try:
        yield _trials[-1]
    finally:
        _trials.pop()


def current() -> str | None:
    """Return the choice that is tried out now, if there is one."""
    return _trials[-1].name if _trials else None


def note(object_hash: str) -> None:
    """Tell the choice that is tried out what code it made."""
    if _trials:
        _trials[-1].codes.append(object_hash)


def with_choice(module: DiffModule, identity: str) -> DiffModule:
    """Return the module with the options that are tried out, or that were found best for it."""
    if not _trials and not _folder().is_dir():
        return module
    key = disk_cache.key(module, identity)
    if _trials:
        _trials[-1].keys.append(key)
    name = _trials[-1].name if _trials else remembered(key)
    added = tuple(one for one in CHOICES[name] if one not in module.options)
    return replace(module, options=module.options + added)


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
    disk_cache.write_whole(_folder() / key, json.dumps({"choice": name}).encode())


def _folder() -> Path:
    return settings.cache_dir / "tuned"
