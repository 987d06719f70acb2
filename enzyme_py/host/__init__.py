"""DiffModule -> DifferentiatedModule: the Enzyme pass, in a process of its own.

`differentiate` is the one verb of this stage. Importing this package neither looks for the
executable nor starts it; the first request does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enzyme_py.host.installing.identity import identity as identity
    from enzyme_py.host.process.client import close as close
    from enzyme_py.host.process.client import differentiate as differentiate
    from enzyme_py.host.process.client import simplify as simplify

__all__ = ["close", "differentiate", "identity", "simplify"]
_HOMES = {
    "close": "process.client",
    "differentiate": "process.client",
    "simplify": "process.client",
    "identity": "installing.identity",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        home = importlib.import_module(f"enzyme_py.host.{_HOMES[name]}")
        return getattr(home, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
