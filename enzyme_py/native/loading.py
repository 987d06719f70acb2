"""ObjectCode -> NativeFunction: linked into this process, and unloaded with its last reference.

Each function has a small linker instance of its own: loading takes half a millisecond, unloading
gives everything back, and an unresolved symbol is an exception and never a jump to address 0.
measured against alternatives: one shared instance leaks 10 kB a function, MCJIT takes longer.
"""

from __future__ import annotations

import hashlib
import itertools
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import llvmlite.binding as llvm

from enzyme_py.errors import UnresolvedSymbolError, Where
from enzyme_py.foundations.locks import LockOfProcess
from enzyme_py.native import symbols
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.faults.watched import Origin, forget, watch
from enzyme_py.native.function import NativeFunction, Profile
from enzyme_py.native.heap import keep_freed_memory
from enzyme_py.native.machine import target_machine
from enzyme_py.symbols import FORK, RULE_CODE

_numbers = itertools.count(1)


class _Linked:
    """Owns the memory of one function's code."""

    function: NativeFunction | None = None  # without its keep_alive, which is this

    def __init__(self, linker: llvm.LLJIT, code: llvm.ResourceTracker) -> None:
        unloading = weakref.finalize(self, _unload, linker, code)
        unloading.atexit = False  # what runs during shutdown may still call the code


def _unload(linker: llvm.LLJIT, code: llvm.ResourceTracker) -> None:
    code.close()
    linker.close()


# What is loaded, by its name in the disk cache. One name is one symbol, so it may not be loaded twice at a time: whoever
# holds the one would call the other, which may go before.
_loaded: weakref.WeakValueDictionary[str, _Linked] = weakref.WeakValueDictionary()
_turn = LockOfProcess()


def loaded(key: str) -> NativeFunction | None:
    """Return the code of this name in the disk cache, if it is loaded."""
    linked = _loaded.get(key)
    if linked is None or linked.function is None or symbols.is_traced.get():
        return None
    return replace(linked.function, keep_alive=linked)


def load(
    code: ObjectCode, where: Where | None = None, origin: Origin | None = None, key: str = ""
) -> NativeFunction:
    """Put code where it can run, and tell LLVM of its entries; `key` is its name in the disk cache."""
    _bring_rules(code)
    if not key or symbols.is_traced.get():  # which is nobody else's
        return _load(code, where, origin, "")
    with _turn:
        return loaded(key) or _load(code, where, origin, key)


def _load(code: ObjectCode, where: Where | None, origin: Origin | None, key: str) -> NativeFunction:
    begun = time.perf_counter()
    keep_freed_memory()
    if FORK in code.symbols:
        # Numba's threads, for who has any.
        from enzyme_py.native.threads.counts import follow_settings

        follow_settings()
    linked, addresses = link(code, address_of, where)
    if origin is not None and code.layout.size:
        begin = watch(origin, addresses[code.entries[0]], code.layout)
        # Before the code goes: finalizers run last made first.
        weakref.finalize(linked, forget, begin).atexit = False
    names = _register(addresses, key or str(next(_numbers)))
    seconds = time.perf_counter() - begun
    function = NativeFunction(
        addresses=addresses,
        symbols=names,
        keep_alive=None,
        profile=Profile(
            load=seconds,
            object_bytes=len(code.binary),
            object_hash=hashlib.sha256(code.binary).hexdigest(),
        ),
        lost=code.lost,
        doubts=code.doubts,
        key=key,
        rules=rules_of(code),
    )
    if key:
        linked.function = function
        _loaded[key] = linked
    return replace(function, keep_alive=linked)


@dataclass(frozen=True)
class RuleCode:
    """The code of a rule that is loaded (rule_code.py); it is never unloaded."""

    address: int
    holder: object
    key: str  # its name in the disk cache, if it has one
    needs: tuple[str, ...]  # the symbols of other rules that it calls


rules: dict[str, RuleCode] = {}  # by symbol


def rules_of(code: ObjectCode) -> tuple[str, ...]:
    """Return the symbols of the rules that code calls."""
    return tuple(name for name in code.symbols if name.startswith(RULE_CODE))


def linked_rule(
    symbol: str, code: ObjectCode, key: str, where: Where, address: Callable[[str], int | None]
) -> RuleCode:
    """Put the code of a rule where it can run; `key` is its name in the disk cache, if it has one."""
    linked, addresses = link(code, address, where)
    return RuleCode(addresses[symbol], linked, key, rules_of(code))


def _bring_rules(code: ObjectCode) -> None:
    """Have the code of the rules that code calls, before anybody's turn begins.

    It may have to be compiled, which takes Numba's lock. Who holds that may wait for a turn: then both would for ever.
    """
    missing = [name for name in rules_of(code) if name not in rules]
    if missing:
        from enzyme_py.native.rule_code import rule_address  # which is linked by this file itself

        for name in missing:  # of one that nobody has, `link` tells
            rule_address(name)


def address_of(name: str) -> int | None:
    """Return the address of an outside name, also of a rule whose code is loaded."""
    known = rules.get(name)
    return symbols.address_of(name) if known is None else known.address


def link(
    code: ObjectCode, address: Callable[[str], int | None], where: Where | None = None
) -> tuple[_Linked, dict[str, int]]:
    """Put code where it can run, with what it needs at the given addresses.

    Returns what holds the code, and the addresses of its entries.
    """
    needed = symbols.resolve(code.symbols, where, address)
    return _link(code, {**symbols.code_generation_addresses(), **needed}, where)


def _link(
    code: ObjectCode, imports: Mapping[str, int], where: Where | None
) -> tuple[_Linked, dict[str, int]]:
    builder = llvm.JITLibraryBuilder().add_object_img(code.binary)
    for name, address in imports.items():
        builder.import_symbol(name, address)
    for entry in code.entries:
        builder.export_symbol(entry)
    linker = llvm.create_lljit_compiler(target_machine(), use_jit_link=True, suppress_errors=True)
    try:
        tracker = builder.link(linker, "derivative")
    except RuntimeError as error:
        what = "the derivative could not be linked into this process"
        raise UnresolvedSymbolError(what, where=where, detail=str(error)) from error
    return _Linked(linker, tracker), {entry: tracker[entry] for entry in code.entries}


def _register(addresses: Mapping[str, int], code: str) -> dict[str, str]:
    names = {entry: f"enzyme_py_d{code}_{entry}" for entry in addresses}
    for entry, name in names.items():
        llvm.add_symbol(name, addresses[entry])
    return names
