"""`differentiate`: a DiffModule goes to the host, a DifferentiatedModule or an exception comes back.

The one server of the process is kept here: started on first use, replaced when it died, when the
settings name another program, or in a process made by os.fork. Importing starts nothing.
"""

from __future__ import annotations

import atexit
import os
import threading

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import HostCrashed
from enzyme_py.host.diagnose import REQUIRED_OPTIONS, judge
from enzyme_py.host.forkserver import ForkServer, ServerGone
from enzyme_py.host.locate import find_toolchain
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.host.outcome import Limits, Outcome
from enzyme_py.host.protocol import INPUT_DESCRIPTOR, OUTPUT_DESCRIPTOR, WORKSPACE
from enzyme_py.host.toolchain import Toolchain
from enzyme_py.settings import settings

SOURCE = f"/proc/self/fd/{INPUT_DESCRIPTOR}"
RESULT = f"/proc/self/fd/{OUTPUT_DESCRIPTOR}"


class _Keeper:
    """Holds the server of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: ForkServer | None = None

    def server(self, toolchain: Toolchain) -> ForkServer:
        with self._lock:
            current = self._server
            if current is not None and current.executable == toolchain.executable and current.is_alive():
                return current
            if current is not None:
                current.close()
            self._server = ForkServer(toolchain.executable)
            return self._server

    def close(self) -> None:
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.close()

    def after_fork_in_child(self) -> None:
        """The lock may be held by a thread that does not exist here: make a new one."""
        self._lock = threading.Lock()
        server, self._server = self._server, None
        if server is not None:
            server.abandon()


_keeper = _Keeper()
atexit.register(_keeper.close)
os.register_at_fork(after_in_child=_keeper.after_fork_in_child)


def close() -> None:
    """End the host process of this process, if one runs. The next request starts another."""
    _keeper.close()


def differentiate(module: DiffModule) -> DifferentiatedModule:
    """Run the pass on `module`. Every way in which that can fail has its own exception."""
    outcome = _run(module)
    return judge(module, outcome)


def _run(module: DiffModule) -> Outcome:
    toolchain = find_toolchain()
    options = (*REQUIRED_OPTIONS, *module.options)
    arguments = toolchain.arguments(options, SOURCE, RESULT, WORKSPACE)
    limits = Limits(seconds=settings.time_limit, memory=settings.memory_limit)
    server = _keeper.server(toolchain)
    ir = toolchain.prepare(module.ir).encode()
    try:
        return server.run(arguments, ir, limits)
    except ServerGone as error:
        raise HostCrashed(error.what, where=module.where, remedy=error.remedy) from error
