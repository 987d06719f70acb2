"""Short names against long ones: what an entry was made of, told by the modules that Enzyme read.

A short name (keys.py) promises that whoever computes it would come to the very module of LLVM code for which the entry was
compiled. With ENZYME_PY_COMPARE_KEYS=1 nothing is believed: every call takes the long way, and the modules are compared
with those of the entry that would have served. Places in source files do not count: neither debug information, nor the
lines that exceptions tell; nor do names of values.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable

import llvmlite.binding as llvm

from enzyme_py.errors import EnzymeError, Where
from enzyme_py.finished.behind import Behind
from enzyme_py.foundations.llvm_modules import Modules, run_once
from enzyme_py.native.machine import initialise_llvm, target_machine
from enzyme_py.native.stored.disk_cache import digest_of
from enzyme_py.native.stored.shipped import without_exceptions


class KeyMismatchError(EnzymeError):
    """An entry would have been taken that is not of this kernel: a defect of this package."""


def content_of_modules(behind: Iterable[Behind]) -> str:
    """Return a digest of the modules that derivatives were made of."""
    initialise_llvm()
    return digest_of(_content(one.packed) for one in behind)


def _content(packed: bytes) -> str:
    code = without_exceptions(gzip.decompress(packed).decode(errors="surrogateescape"))
    code.drop_debug_information()
    with Modules() as modules:
        parsed = modules.parsed(str(code))
        manager = llvm.create_new_module_pass_manager()
        manager.add_strip_symbols_pass()  # names of values, in which Numba counts what the process compiled before
        tuning = llvm.create_pipeline_tuning_options()
        run_once(manager, parsed, llvm.create_pass_builder(target_machine(), tuning))
        return str(parsed)


def check_same(expected: str, found: str, where: Where, key: str) -> None:
    """Raise if what was compiled is not what the entry of the same name is made of."""
    if expected and expected != found:
        what = "the finished derivative that would have been loaded was compiled from other code"
        remedy = "please report this kernel; enzyme_py.config(cache=False) does without finished derivatives"
        raise KeyMismatchError(what, where=where, remedy=remedy, detail=f"the entry {key}")
