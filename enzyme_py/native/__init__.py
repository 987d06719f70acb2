"""The last stage: from the module after Enzyme to machine code that can be called.

With `frontend`, the only folder that touches `llvmlite.binding`; and the door to the C runtime. Its names are
imported when they are first asked for: who only loads code needs no optimiser.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enzyme_py.native.code import ObjectCode as ObjectCode
    from enzyme_py.native.compilation import compile as compile
    from enzyme_py.native.function import NativeFunction as NativeFunction
    from enzyme_py.native.function import Profile as Profile
    from enzyme_py.native.loading import load as load
    from enzyme_py.native.optimising import assembly as assembly
    from enzyme_py.native.optimising import optimise as optimise
    from enzyme_py.native.optimising import optimised_ir as optimised_ir
    from enzyme_py.native.runtime import MemoryStats as MemoryStats
    from enzyme_py.native.runtime import library as library
    from enzyme_py.native.runtime import memory_stats as memory_stats
    from enzyme_py.native.runtime import register as register
    from enzyme_py.native.runtime import runtime_addresses as runtime_addresses

__all__ = [
    "MemoryStats",
    "NativeFunction",
    "ObjectCode",
    "Profile",
    "assembly",
    "compile",
    "library",
    "load",
    "memory_stats",
    "optimise",
    "optimised_ir",
    "register",
    "runtime_addresses",
]
_HOMES = {
    "code": ("ObjectCode",),
    "compilation": ("compile",),
    "function": ("NativeFunction", "Profile"),
    "loading": ("load",),
    "optimising": ("assembly", "optimise", "optimised_ir"),
    "runtime": ("MemoryStats", "library", "memory_stats", "register", "runtime_addresses"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        found = getattr(importlib.import_module(f"enzyme_py.native.{_HOME_OF[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
