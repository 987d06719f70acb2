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

import llvmlite.binding as llvm

from enzyme_py.errors import UnresolvedSymbolError, Where
from enzyme_py.native import symbols
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.faults.watched import Origin, forget, watch
from enzyme_py.native.function import NativeFunction, Profile
from enzyme_py.native.machine import target_machine
from enzyme_py.symbols import RULE_CODE

_numbers = itertools.count(1)


class _Linked:
    """Owns the memory of one function's code."""

    def __init__(self, linker: llvm.LLJIT, code: llvm.ResourceTracker) -> None:
        unloading = weakref.finalize(self, _unload, linker, code)
        unloading.atexit = False  # what runs during shutdown may still call the code


def _unload(linker: llvm.LLJIT, code: llvm.ResourceTracker) -> None:
    code.close()
    linker.close()


def load(
    code: ObjectCode, where: Where | None = None, origin: Origin | None = None
) -> NativeFunction:
    """Put code where it can run, and tell LLVM of its entries under process-wide names."""
    begun = time.perf_counter()
    linked, addresses = link(code, _addresses(code), where)
    if origin is not None and code.layout.size:
        begin = watch(origin, addresses[code.entries[0]], code.layout)
        # Before the code goes: finalizers run last made first.
        weakref.finalize(linked, forget, begin).atexit = False
    names = _register(addresses)
    seconds = time.perf_counter() - begun
    return NativeFunction(
        addresses=addresses,
        symbols=names,
        keep_alive=linked,
        profile=Profile(
            load=seconds,
            object_bytes=len(code.binary),
            object_hash=hashlib.sha256(code.binary).hexdigest(),
        ),
        lost=code.lost,
    )


def _addresses(code: ObjectCode) -> Callable[[str], int | None]:
    """Return what finds the outside names of code."""
    if not any(name.startswith(RULE_CODE) for name in code.symbols):
        return symbols.address_of
    from enzyme_py.native.rule_code import address_of  # which is linked by this file itself

    return address_of


def link(
    code: ObjectCode, address: Callable[[str], int | None], where: Where | None = None
) -> tuple[object, dict[str, int]]:
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


def _register(addresses: Mapping[str, int]) -> dict[str, str]:
    number = next(_numbers)
    names = {entry: f"enzyme_py_d{number}_{entry}" for entry in addresses}
    for entry, name in names.items():
        llvm.add_symbol(name, addresses[entry])
    return names
