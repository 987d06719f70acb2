"""The code of one rule as a module of its own: what a derivative of first order calls but does not look into.

A rule of linear algebra is long, and where nothing is differentiated twice Enzyme only calls it. So such a derivative's
module declares it (RULE_CODE in symbols.py), and the code is compiled once: native/rule_code.py.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.compiler_lock import global_compiler_lock

from enzyme_py.assembly.block_copies import link_copies
from enzyme_py.assembly.entry import link_helpers
from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.frontend.codegen.library import linked_module
from enzyme_py.frontend.external.ruled import RULES, code_library
from enzyme_py.frontend.target.target import KERNEL
from enzyme_py.rules import copies
from enzyme_py.symbols import RULE_CODE

alone = global_compiler_lock  # for those who compile


def rule_of(symbol: str) -> Any:
    """Return the Python function behind the symbol of a rule's code, or None."""
    name, _, part = _name_of(symbol).rpartition(".")
    rules = RULES.get(name.rpartition(".")[0])
    return getattr(rules, part, None)


def rule_module(symbol: str) -> str:
    """Return the code of a rule as a module with one entry, the symbol; other rules are declared there."""
    dtype = _name_of(symbol).rsplit(".", 2)[1]
    kind = types.Array(getattr(types, dtype), 1, "C")
    with alone, KERNEL.override(), Modules() as modules:
        library = code_library(KERNEL.target_context, symbol, kind, rule_of(symbol))
        module = linked_module(library, modules)
        link_helpers(module, modules, order=1)
        link_copies(module, copies.LOOPS, modules)
        module.get_function(symbol).linkage = "external"
        module.verify()
        return str(module)


def _name_of(symbol: str) -> str:
    return symbol.removeprefix(RULE_CODE)
