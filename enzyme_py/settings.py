"""What a user can set, read once from the environment and changed by `config`.

The environment variables are ENZYME_PY_HOST, ENZYME_PY_PLUGIN, ENZYME_PY_CACHE_DIR, ENZYME_PY_CACHE_SHARED,
ENZYME_PY_VERBOSE, ENZYME_PY_CHECK, ENZYME_PY_DEV, ENZYME_PY_THREADS, ENZYME_PY_PARTS and ENZYME_PY_PROGRESS; `config` sets the same from Python, for good or, as a
context manager, for a while.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType

DOUBTFUL = "doubtful"  # what `check` is where only answers that carry a doubt are compared


@dataclass
class Settings:
    """The one mutable record of the process; everything reads it at the time of use."""

    host: str | None = None  # an Enzyme executable that the user points at
    plugin: str | None = None  # a real LLVMEnzyme-22.so, run by opt
    cache_dir: Path = Path()  # everything written for a user lies under it
    verbose: bool = False  # errors show Enzyme's own text and the IR
    strict: bool = False  # warnings about lost derivatives become errors
    keep_slopes: bool = True  # of exp, sin, tanh, ... in reverse mode: memory for time
    ordered_sums: bool = False  # adjoints are summed in the order that Enzyme wrote: time for the same last digits
    progress: bool | None = None  # a line about what is being compiled; None: where a terminal shows it
    check: bool | str = False  # each derivative is compared with differences at its first call; "doubtful": those with a doubt
    cache: bool = True  # the disk cache of finished derivatives
    threads: int | None = 1  # that a derivative uses; None: as many as Numba would
    parts: int | None = None  # of each parallel loop; None: one for each thread. Same parts, same bits
    compare_keys: bool = False  # what is found there by its source is compiled as well, and compared
    cache_limit: int = 2**30  # bytes of it
    shared_caches: tuple[Path, ...] = ()  # further caches that are only read, see docs/caches.md
    precompiled: tuple[Path, ...] = ()  # folders of derivatives that packages bring; only read
    record: Path | None = None  # where to keep such derivatives, see precompiling.py
    time_limit: float = 300.0  # seconds one request may run in Enzyme
    memory_limit: int = 8 * 2**30  # bytes one request may take in Enzyme


def _is_true(text: str) -> bool:
    return text.strip().lower() not in ("", "0", "no", "false", "off")


def _check(environment: Mapping[str, str]) -> bool | str:
    """ENZYME_PY_CHECK; where it says nothing, development mode compares what is doubtful."""
    text = environment.get("ENZYME_PY_CHECK", "").strip().lower()
    if not text:
        return DOUBTFUL if _is_true(environment.get("ENZYME_PY_DEV", "")) else False
    return DOUBTFUL if text == DOUBTFUL else _is_true(text)


def _if_said(text: str) -> bool | None:
    return _is_true(text) if text.strip() else None


def _count(text: str) -> int | None:
    return int(text) if text.strip() else None


def _threads(text: str) -> int | None:
    return None if text.strip() == "all" else _count(text) or 1


def _folder(given: object) -> Path:
    return Path(str(given)).expanduser().absolute()


def _folders(text: str) -> tuple[Path, ...]:
    return tuple(_folder(one) for one in text.split(os.pathsep) if one)


def default_cache_dir(environment: Mapping[str, str]) -> Path:
    """ENZYME_PY_CACHE_DIR, else enzyme_py under the user's cache folder."""
    given = environment.get("ENZYME_PY_CACHE_DIR")
    if given:
        return Path(given).expanduser().absolute()
    base = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "enzyme_py"


def read_environment(environment: Mapping[str, str]) -> Settings:
    return Settings(
        host=environment.get("ENZYME_PY_HOST") or None,
        plugin=environment.get("ENZYME_PY_PLUGIN") or None,
        cache_dir=default_cache_dir(environment),
        verbose=_is_true(environment.get("ENZYME_PY_VERBOSE", "")),
        progress=_if_said(environment.get("ENZYME_PY_PROGRESS", "")),
        check=_check(environment),
        shared_caches=_folders(environment.get("ENZYME_PY_CACHE_SHARED", "")),
        compare_keys=_is_true(environment.get("ENZYME_PY_COMPARE_KEYS", "")),
        threads=_threads(environment.get("ENZYME_PY_THREADS", "")),
        parts=_count(environment.get("ENZYME_PY_PARTS", "")),
        precompiled=_folders(environment.get("ENZYME_PY_PRECOMPILED", "")),
    )


settings = read_environment(os.environ)
when_changed: list[Callable[[], None]] = []  # called when any setting has changed
when_checking: list[Callable[[], None]] = []  # called when `check` is switched on


def _said_of_check(given: object) -> bool | str:
    if isinstance(given, str) and given != DOUBTFUL:
        message = f"check is True, False or {DOUBTFUL!r}; not {given!r}"
        raise TypeError(message)
    return DOUBTFUL if isinstance(given, str) else bool(given)


class config:  # noqa: N801  (a verb, used like a function: enzyme.config(verbose=True))
    """Set settings: `config(verbose=True)` for good, `with config(...):` for the block.

    Examples:
        >>> with enzyme.config(check=True):  # for the block: every new derivative is compared
        ...     enzyme.grad(lambda x: x**3)(2.0)
        12.0
    """

    def __init__(self, **changes: object) -> None:
        known = {field.name for field in fields(Settings)}
        unknown = sorted(set(changes) - known)
        if unknown:
            message = f"unknown setting {unknown[0]!r}; known are {', '.join(sorted(known))}"
            raise TypeError(message)
        if "cache_dir" in changes:
            changes["cache_dir"] = _folder(changes["cache_dir"])
        changes |= {name: _said_of_check(given) for name, given in changes.items() if name == "check"}
        for name in ("threads", "parts"):
            given = changes.get(name)
            if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 1):
                message = f"{name} is a number of at least 1, or None; not {given!r}"
                raise TypeError(message)
        if "shared_caches" in changes:
            given = changes["shared_caches"]
            if not isinstance(given, (list, tuple)):
                message = f"shared_caches is a list of folders, not {given!r}"
                raise TypeError(message)
            changes["shared_caches"] = tuple(map(_folder, given))
        self._before = {name: getattr(settings, name) for name in changes}
        for name, value in changes.items():
            setattr(settings, name, value)
        _tell_of_changes()
        if changes.get("check"):
            for action in when_checking:
                action()

    def __enter__(self) -> Settings:
        return settings

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name, value in self._before.items():
            setattr(settings, name, value)
        _tell_of_changes()


def _tell_of_changes() -> None:
    for action in when_changed:
        action()


def set_verbose_errors(verbose: bool) -> None:
    """Show Enzyme's own text and the IR in every error message, or stop showing them.

    Examples:
        >>> enzyme.set_verbose_errors(True)
        >>> enzyme.set_verbose_errors(False)
    """
    settings.verbose = bool(verbose)
