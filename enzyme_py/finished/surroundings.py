"""What compiled code depends on beside the function and its types: versions, processor, settings, what Numba was taught.

`surroundings()` is one name for all of it. It is asked for at each first call, so it costs little: what cannot change
in a process is told once.
"""

from __future__ import annotations

import functools
import sys
from importlib import metadata
from typing import Any

import numba
import numpy as np
from numba import config as numba_config
from numba.core import entrypoints

from enzyme_py.finished.taught import taught
from enzyme_py.foundations.content.function_content import content_of
from enzyme_py.foundations.versions import version_of
from enzyme_py.frontend.parallel.wishes import has_one_thread
from enzyme_py.host.installing.identity import identity
from enzyme_py.native.machine import host_cpu, llvm_identity
from enzyme_py.native.stored import tuned
from enzyme_py.rules.inactive import INACTIVE_CLASSES
from enzyme_py.settings import settings

FORMAT = 2  # raise it with each change of what an entry holds, or of how its name is made

# Of Numba's settings, those that change nothing in the code.
_IDLE = frozenset(("CACHE_DIR", "CACHE_LOCATOR_CLASSES", "COLOR_SCHEME", "SHOW_HELP", "CHROME_TRACE"))


def surroundings() -> str:
    """Return a digest; raises `NotHashable` where something that was taught cannot be told."""
    mine = settings.keep_slopes, settings.ordered_sums, tuned.stamp(), tuned.current(), has_one_thread()
    inactive = [(one.__module__, one.__qualname__) for one in INACTIVE_CLASSES]
    told = extensions(), sorted(inactive), taught()
    return content_of(of_process(), numbas_settings(), mine, identity(), *told)


@functools.cache
def extensions() -> tuple[Any, ...]:
    """Return the extensions that Numba loads before it compiles; they are loaded, since `taught` tells what they do."""
    found = metadata.entry_points(group="numba_extensions", name="init")
    if found:
        entrypoints.init_all()
    return tuple(sorted((one.value, one.dist.version if one.dist else "") for one in found))


@functools.cache
def of_process() -> str:
    """Return a digest of what stays as it is as long as a process lives."""
    cpu = host_cpu()
    versions = numba.__version__, np.__version__, version_of("scipy"), llvm_identity()
    python = sys.implementation.cache_tag, sys.version_info[:3], sys.flags.optimize
    return content_of(
        FORMAT, python, versions, (cpu.triple, cpu.name, cpu.features), version_of("enzyme_py")
    )


def numbas_settings() -> tuple[Any, ...]:
    """Return Numba's settings, as they are now: they follow environment variables, and programs change them."""
    known = vars(numba_config)
    return tuple((name, repr(known[name])) for name in sorted(known) if name.isupper() and name not in _IDLE)
