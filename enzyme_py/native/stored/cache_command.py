"""`python -m enzyme_py cache`: what the cache holds, as text, and its care."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from enzyme_py.native.stored import disk_cache, holdings, tuned
from enzyme_py.native.stored.holdings import Wanted
from enzyme_py.native.stored.shelf import KINDS, File

_ORDERS: dict[str, Callable[[File], Any]] = {
    "used": lambda file: -file.used,
    "made": lambda file: -holdings.made(file),
    "size": lambda file: -file.size,
    "kernel": lambda file: str(file.about.get("kernel", "")),
}
_WIDTH = 36  # of a column that may be long


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add what there is to be done with the cache."""
    parser.add_argument("--clear", action="store_true", help="as `clear`")
    parser.set_defaults(run=lambda given: clear(given) if given.clear else summary(given))
    doings = parser.add_subparsers(metavar="what")
    shown = doings.add_parser("list", help="each file: kernel, derivative, types, size, age, last use")
    shown.add_argument("--by", choices=_ORDERS, default="used", help="the order (the usual: last used first)")
    shown.add_argument("--json", action="store_true", help="one JSON object a line, with all that is known")
    _add_choice(shown)
    shown.set_defaults(run=show)
    sizes = doings.add_parser("size", help="how much each kernel takes")
    _add_choice(sizes)
    sizes.set_defaults(run=size)
    pruned = doings.add_parser("prune", help="remove what is asked for: all conditions must hold")
    _add_choice(pruned)
    pruned.add_argument("--unused", type=float, metavar="DAYS", help="not used for so many days")
    pruned.add_argument("--older", type=float, metavar="DAYS", help="made so many days ago, or earlier")
    pruned.add_argument("--stale", action="store_true", help="made by other versions: never found again")
    pruned.add_argument("--foreign", action="store_true", help="made for another processor")
    pruned.add_argument("--damaged", action="store_true", help="not as it was written")
    pruned.add_argument("--size", type=_size, metavar="BYTES", help="then the least recently used, down to so much (500MB)")
    pruned.add_argument("--dry-run", action="store_true", help="only say what would go")
    pruned.set_defaults(run=prune)
    cleared = doings.add_parser("clear", help="remove everything")
    cleared.set_defaults(run=clear)
    exported = doings.add_parser("export", help="copy into a folder that others read (ENZYME_PY_CACHE_SHARED)")
    exported.add_argument("folder", type=Path)
    _add_choice(exported)
    exported.set_defaults(run=export)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kernel", default="", metavar="PATTERN", help="of kernels of such names: loss, 'grad_*'")


def _size(text: str) -> int:
    try:
        return holdings.size_of(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write 500MB or 2G") from None


def summary(_given: argparse.Namespace) -> int:
    """Say how much there is, and where."""
    held = disk_cache.summary()
    found = holdings.listed()
    counts = ", ".join(f"{_count(found, kind)} {kind}" for kind in KINDS)
    print(f"{held.folder}: {counts}, {held.bytes / 1e6:.1f} MB of at most {held.limit / 1e6:.0f} MB")
    for root, there in holdings.shared():
        said = f"{len(there)} files, {sum(one.size for one in there) / 1e6:.1f} MB"
        print(f"{root} (only read): {said if root.is_dir() else 'there is no such folder'}")
    return 0


def _count(found: list[File], kind: str) -> int:
    return sum(file.kind == kind for file in found)


def show(given: argparse.Namespace) -> int:
    """List files."""
    found = sorted(holdings.listed(Wanted(kernel=given.kernel)), key=_ORDERS[given.by])
    if given.json:
        for file in found:
            print(json.dumps(holdings.facts_of(file)))
        return 0
    rows: list[tuple[str, ...]] = [("kernel", "derivative", "types", "size", "made", "used", "")]
    rows += [_row(file) for file in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def _row(file: File) -> tuple[str, ...]:
    facts = holdings.facts_of(file)
    texts = [_cut(str(facts.get(one, ""))) for one in ("kernel", "derivative", "types")]
    mark = "" if facts["usable"] else "of another version or processor"
    return (*texts, f"{file.size / 1e3:.0f} kB", _ago(facts["made"]), _ago(file.used), mark)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."


def _ago(when: float) -> str:
    seconds = max(0.0, time.time() - when)
    for name, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {name} ago"
    return f"{seconds:.0f} s ago"


def size(given: argparse.Namespace) -> int:
    """Say how much each kernel takes."""
    found = holdings.listed(Wanted(kernel=given.kernel))
    for kernel, own in holdings.by_kernel(found).items():
        print(f"{sum(file.size for file in own) / 1e6:10.1f} MB  {len(own):5d} files  {kernel or 'unknown'}")
    print(f"{sum(file.size for file in found) / 1e6:10.1f} MB  {len(found):5d} files")
    return 0


def prune(given: argparse.Namespace) -> int:
    """Remove what is asked for."""
    wanted = Wanted(given.kernel, given.unused, given.older, given.stale, given.foreign, given.damaged)
    if not wanted.says_something and given.size is None:
        print("prune what? Say --unused, --older, --kernel, --stale, --foreign, --damaged or --size; `clear` removes all.")
        return 2
    gone = holdings.prune(wanted, given.size, is_dry=given.dry_run)
    verb = "would remove" if given.dry_run else "removed"
    print(f"{verb} {len(gone)} files, {sum(file.size for file in gone) / 1e6:.1f} MB")
    return 0


def clear(_given: argparse.Namespace) -> int:
    """Remove everything."""
    print(f"removed {disk_cache.clear() + tuned.forget()} files")
    return 0


def export(given: argparse.Namespace) -> int:
    """Copy what others may read."""
    done = holdings.export(given.folder.expanduser().absolute(), Wanted(kernel=given.kernel))
    print(f"copied {len(done)} files, {sum(file.size for file in done) / 1e6:.1f} MB, to {given.folder}")
    print(f"read them with ENZYME_PY_CACHE_SHARED={given.folder}")
    return 0
