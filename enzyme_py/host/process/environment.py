"""The environment that the host gets: named variables of the user's, and nothing else.

What loads code (LD_PRELOAD, LD_AUDIT), tunes the C library or carries secrets is not handed on.
LD_LIBRARY_PATH may be needed to find the C++ library; its entries are handed on where they are
absolute and not for everybody to write.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

KEPT = ("PATH", "HOME", "TZ", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
KEPT_PREFIXES = ("LC_", "ENZYME_PY_")
SEARCHED = "LD_LIBRARY_PATH"


def host_environment(ours: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What is handed on of our own environment."""
    kept = {
        name: value
        for name, value in ours.items()
        if name in KEPT or name.startswith(KEPT_PREFIXES)
    }
    folders = [folder for folder in ours.get(SEARCHED, "").split(":") if _may_hold_code(folder)]
    if folders:
        kept[SEARCHED] = ":".join(folders)
    # A crash must not start a symbolizer: that takes a second, and says no more.
    return {**kept, "LLVM_DISABLE_SYMBOLIZATION": "1"}


def _may_hold_code(folder: str) -> bool:
    if not os.path.isabs(folder):  # an empty entry means the current folder
        return False
    try:
        status = os.stat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and not status.st_mode & stat.S_IWOTH
