"""Where the Enzyme executable is."""

from __future__ import annotations

from pathlib import Path

from enzyme_py.errors import HostNotFound
from enzyme_py.host.toolchain import Catalyst, Toolchain
from enzyme_py.settings import settings


def find_toolchain() -> Toolchain:
    """The program that runs the pass, by the settings."""
    if settings.host:
        return Catalyst(Path(settings.host))
    raise HostNotFound("no Enzyme executable was found", remedy="set ENZYME_PY_HOST")
