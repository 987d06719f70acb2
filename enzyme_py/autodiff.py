"""The heart: a request and its argument types become callable machine code.

Four stages, in the order in which the data flows: lower and assemble, differentiate, load.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from enzyme_py import host, native
from enzyme_py.assembly.entry import assemble
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
                found = native.compile(module, host.differentiate, host.identity())
                _compiled[key] = found
    return found
