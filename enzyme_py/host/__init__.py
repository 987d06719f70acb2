"""DiffModule -> DifferentiatedModule: the Enzyme pass, in a process of its own.

`differentiate` is the one verb of this stage. Importing this package neither looks for the
executable nor starts it; the first request does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enzyme_py.host.client import close as close
    from enzyme_py.host.client import differentiate as differentiate

__all__ = ["close", "differentiate"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from enzyme_py.host import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
