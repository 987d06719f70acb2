"""Entry -> a function that Python calls at the cost of an njit call, with nothing compiled and no registry filled.

The code is what Numba made of the runner: it takes its arguments from Python objects, and returns such. It looks up
constants (dtypes, mostly) in *environments*, which Numba would give it; here each code gets its own, so that no name of
another process can meet one of this.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from typing import Any

from numba import _dynfunc
from numba import config as numba_config
from numba.core import serialize
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from enzyme_py.errors import EnzymeError, Where
from enzyme_py.finished.behind import Behind
from enzyme_py.finished.entries import Entry
from enzyme_py.native.faults.watched import Origin
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.loading import address_of, link, linked_rule, load, loaded, rules
from enzyme_py.native.stored import disk_cache
from enzyme_py.symbols import FORK


class Gone(Exception):
    """Something that an entry needs is not there any more; says what."""


def ready(entry: Entry, function: Any, where: Where) -> tuple[Any, tuple[NativeFunction, ...]]:
    """Return the C function of an entry, and the derivatives behind it.

    `function` is the Python function whose code it is, `where` the kernel of the derivatives.
    """
    behind = tuple(brought(one, where) for one in entry.behind)
    if numba_config.NRT_STATS:
        rtsys.initialize(cpu_target.target_context)  # counts are switched on there
    try:
        linked, addresses = link(entry.code, address_of, where)
    except EnzymeError as error:
        raise Gone(error.what) from error
    if FORK in entry.code.symbols:
        from enzyme_py.native.threads.counts import (
            follow_settings,  # Numba's threads, for who has any
        )

        follow_settings()
    environments = _bind(entry.environments, addresses, function)
    name = function.__name__
    made = _dynfunc.make_function(
        sys.modules[__name__],
        name,
        f"compiled wrapper for {name!r}",
        addresses[entry.wrapper],
        environments.get(entry.environment) or _dynfunc.Environment(function.__globals__),
        (linked, behind, tuple(environments.values())),
    )
    return made, behind


def brought(one: Behind, where: Where) -> NativeFunction:
    """Return a derivative that is loaded, or that the cache of derivatives has."""
    found = loaded(one.key)
    if found is not None:
        return found
    code = disk_cache.find(one.key)
    if code is None:
        raise Gone("a derivative behind the entry is not in the cache any more")
    try:
        for symbol, key in one.rules:
            _load_rule(symbol, key, where)
        return load(code, where, Origin(one.name, where, packed=one.packed), one.key)
    except EnzymeError as error:  # it links no longer, say against another SciPy
        raise Gone(error.what) from error


def _load_rule(symbol: str, key: str, where: Where) -> None:
    """Load the code of a rule; those that it calls come before."""
    if symbol in rules:
        return
    code = disk_cache.find(key)
    if code is None:
        raise Gone("the code of a rule behind the entry is not in the cache any more")
    rules.setdefault(symbol, linked_rule(symbol, code, key, where, address_of))


def _bind(
    pickled: Mapping[str, bytes], addresses: Mapping[str, int], function: Any
) -> dict[str, Any]:
    """Give the code its constants; returns what holds them."""
    found = {}
    for symbol, constants in pickled.items():
        environment = _dynfunc.Environment(function.__globals__)
        try:
            environment.consts.extend(serialize.loads(constants))
        except Exception as error:  # a class that is somewhere else now
            raise Gone(f"a constant cannot be read again: {error}") from error
        ctypes.c_void_p.from_address(addresses[symbol]).value = id(environment)
        found[symbol] = environment
    return found
