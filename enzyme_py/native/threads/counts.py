"""How many threads a derivative uses: `settings.threads`, else as many as Numba would, in the thread that calls it.

`numba.set_num_threads` and NUMBA_NUM_THREADS are Numba's; it answers for the calling thread. Its own pool runs
nothing of ours, and starts none of its threads for being asked.
"""

from __future__ import annotations

import functools

import llvmlite.binding as llvm
import numba

from enzyme_py.native.runtime import interface, library
from enzyme_py.settings import settings, when_changed

_ASKS = "get_num_threads"


@functools.cache
def follow_settings() -> None:
    """Tell the C runtime, now and whenever a setting changes; called where code that forks is loaded."""
    from numba.np.ufunc.parallel import _launch_threads

    _launch_threads()  # or Numba does not know the symbol
    when_changed.append(_tell)
    _tell()


def _tell() -> None:
    asked = interface().cast("int64_t (*)(void)", llvm.address_of_symbol(_ASKS) or 0)
    standard = numba.config.NUMBA_NUM_THREADS
    library().enzyme_py_threads(asked, standard, settings.threads or 0, settings.parts or 0)


def fork_count() -> int:
    """Return how many loops of derivatives ran on several threads in this process, for tests."""
    return int(library().enzyme_py_fork_count())
