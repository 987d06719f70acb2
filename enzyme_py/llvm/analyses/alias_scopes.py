"""Which accesses cannot meet, as metadata say: `alias.scope` and `noalias`.

A scope belongs to a domain. An access of `noalias` meets none of `alias.scope` where, for one domain, it names all of the other's
scopes of that domain. The other domains say nothing then. So it is in LLVM's reference, under "noalias and alias.scope metadata".
"""

from __future__ import annotations

from collections.abc import Mapping

from enzyme_py.llvm.instructions import Instruction
from enzyme_py.llvm.module import Module

_Scopes = Mapping[str, frozenset[str]]  # by domain


class AliasScopes:
    """The scopes of a module's accesses."""

    def __init__(self, code: Module) -> None:
        self._code = code
        self._lists = dict[str | None, _Scopes]()
        self._apart = dict[tuple[str | None, str | None], bool]()

    def tell_apart(self, one: Instruction, other: Instruction) -> bool:
        """Tell whether two accesses cannot meet."""
        return self._is_apart(one, other) or self._is_apart(other, one)

    def _is_apart(self, one: Instruction, other: Instruction) -> bool:
        key = one.metadata.get("alias.scope"), other.metadata.get("noalias")
        if key not in self._apart:
            scopes, others = (self._of_list(name) for name in key)
            self._apart[key] = any(here <= others.get(domain, frozenset()) for domain, here in scopes.items())
        return self._apart[key]

    def _of_list(self, name: str | None) -> _Scopes:
        if name not in self._lists:
            found = dict[str, frozenset[str]]()
            for scope in self._parts(name):
                parts = self._parts(scope)
                if len(parts) > 1:
                    found[parts[1]] = found.get(parts[1], frozenset()) | {scope}
            self._lists[name] = found
        return self._lists[name]

    def _parts(self, name: str | None) -> list[str]:
        node = None if name is None else self._code.metadata.get(name)
        return [] if node is None else node.operands
