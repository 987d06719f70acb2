"""The heart: a request and its argument types become callable machine code.

Four stages, in the order in which the data flows: lower and assemble, differentiate, load.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from enzyme_py import host, native
from enzyme_py.assembly.allocations import allocates, protect_carried
from enzyme_py.assembly.entry import assemble
from enzyme_py.assembly.module import DiffModule
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.native.function import NativeFunction
from enzyme_py.request import Request

_compiled: dict[tuple[Request, tuple[Any, ...]], NativeFunction] = {}


def compiled(request: Request, given_types: tuple[Any, ...]) -> NativeFunction:
    """Return the machine code of a request for arguments of the given Numba types."""
    key = (request, given_types)
    found = _compiled.get(key)
    if found is None:
        with global_compiler_lock:
            found = _compiled.get(key)
            if found is None:
                module = assemble(request, given_types)
                found = native.compile(module, _differentiate, host.identity())
                _compiled[key] = found
    return found


def _differentiate(module: DiffModule) -> DifferentiatedModule:
    """Run the pass; what it may not recompute is visible, and marked, only after its own O2."""
    if allocates(module.ir):
        simplified = host.simplify(module)
        module = dataclasses.replace(simplified, ir=protect_carried(simplified.ir))
    return host.differentiate(module)
