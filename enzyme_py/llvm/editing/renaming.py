"""Another name for something, wherever the text of a module names it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from enzyme_py.llvm import naming
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.toplevel import GlobalValue, Rewriting

if TYPE_CHECKING:
    from enzyme_py.llvm.module import Module


def rename_global(module: Module, value: GlobalValue, name: str) -> None:
    """Name a function or variable otherwise; the module must have nothing of that name."""
    assert module.get(name) is None, name
    old, new = naming.canonical(value.ref), f"@{naming.quoted(name)}"
    users = value.users

    def changed(found: re.Match[str]) -> str:
        is_meant = found[0].startswith("@") and naming.canonical(found[0]) == old
        return new if is_meant else found[0]

    rewrite(module, value.name, lambda text: patterns.NAMED.sub(changed, text))
    del module.symbols[value.ref]
    value.ref = new
    module.symbols[new] = value
    for user in users:
        user.touch()


def rename_globals(module: Module, names: Mapping[GlobalValue, str]) -> None:
    """Name functions and variables otherwise: see `Module.rename_all`."""
    known = {naming.canonical(one.ref): f"@{naming.quoted(name)}" for one, name in names.items()}

    def changed(found: re.Match[str]) -> str:
        return known.get(naming.canonical(found[0]), found[0]) if found[0][0] == "@" else found[0]

    rewrite(module, "@", lambda text: patterns.GLOBAL_OR_STRING.sub(changed, text))
    for one in names:
        module.symbols.pop(one.ref, None)
    for one in names:
        one.ref = known[naming.canonical(one.ref)]
        module.symbols[one.ref] = one
        for user in one._users:
            user.touch()


def rewrite(module: Module, old: str, change: Rewriting) -> None:
    """Change the text of everything in which a name stands."""
    for item in list(module.items):
        if old in item.text:
            item.rewrite(old, change)
    module.version += 1
