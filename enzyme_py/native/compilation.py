"""DiffModule -> NativeFunction: the disk cache around differentiating, optimising and loading."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import EnzymeError
from enzyme_py.foundations.stages import stage
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.faults.watched import Origin
from enzyme_py.native.function import NativeFunction, Profile
from enzyme_py.native.loading import load, loaded
from enzyme_py.native.optimising import optimise
from enzyme_py.native.stored import disk_cache
from enzyme_py.native.stored.about import about

Differentiate = Callable[[DiffModule], DifferentiatedModule]


def compile(
    module: DiffModule, differentiate: Differentiate, host_identity: str | None = None
) -> NativeFunction:
    """Machine code for a module; `differentiate` is called only where the cache has none.

    `host_identity` names the host that `differentiate` would use, down to its exact build. Without
    one the disk cache is left out of it: another host's code must never pass for this one's.
    """
    if host_identity is None or not disk_cache.is_cacheable(module):
        return _loaded(module, *_make(module, differentiate))
    name = disk_cache.key(module, host_identity)
    return _from_cache(module, name) or _into_cache(module, differentiate, name)


def _from_cache(module: DiffModule, name: str) -> NativeFunction | None:
    found = loaded(name)
    if found is not None:
        return replace(found, profile=replace(found.profile, is_from_cache=True))
    with stage("cache"):
        code = disk_cache.find(name)
        if code is None:
            return None
        try:
            return _loaded(module, code, Profile(is_from_cache=True), name)
        except EnzymeError:  # it links no longer, say against another SciPy: made anew, it may
            return None


def _into_cache(module: DiffModule, differentiate: Differentiate, name: str) -> NativeFunction:
    code, profile = _make(module, differentiate)
    function = _loaded(module, code, profile, name)  # what does not load is not worth keeping
    with stage("cache"):
        disk_cache.keep(name, code, about(module.where, module.name.replace("_", " "), module.types))
    return function


def _make(module: DiffModule, differentiate: Differentiate) -> tuple[ObjectCode, Profile]:
    differentiated = replace(differentiate(module), style=module.style)
    begun = time.perf_counter()
    with stage("optimising"):
        code = optimise(differentiated)
    native = time.perf_counter() - begun
    return code, Profile(host=differentiated.seconds, native=native)


def _loaded(
    module: DiffModule, code: ObjectCode, profile: Profile, name: str = ""
) -> NativeFunction:
    origin = Origin(module.name or "a derivative", module.where, module.ir)
    with stage("loading"):
        function = load(code, module.where, origin, name)
    measured = replace(
        function.profile,
        host=profile.host,
        native=profile.native,
        is_from_cache=profile.is_from_cache,
    )
    return replace(function, profile=measured)
