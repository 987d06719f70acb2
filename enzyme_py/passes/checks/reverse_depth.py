"""Reverse mode over reverse mode over any third derivative through rules is refused.

Symptom: a part of the derivative is lost without a word. Measured: 0 in place of 24 for three reverse modes of x^4, 36 in place of
48 for reverse over reverse over forward of x^3 x at 2, also for rules that do nothing else. The other six nestings of three are
right.
"""

from __future__ import annotations

from enzyme_py.errors import DerivativeError
from enzyme_py.llvm import Function, Module
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.names_in_code import has_rules, mentions
from enzyme_py.passes.module.requests import is_request, is_reverse_request
from enzyme_py.symbols import REQUEST, RULED

_LOST = 3


class CheckReverseDepth(Pass):
    """A refusal of what loses a part of a third derivative."""

    name = "check reverse depth"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module has rules, and more than one request."""
        return has_rules(draft.code)

    def run(self, draft: Draft) -> None:
        """Raise if reverse mode nests too deeply."""
        depths = _Depths(draft.code)
        names = (one.name for one in draft.code.functions)
        if max((depths.of(one) for one in names if RULED not in one), default=0) >= _LOST:
            what = "a third derivative, reverse over reverse outside, through linear algebra or a custom rule"
            remedy = "take one of the two outer ones in forward mode: grad of jvp of grad"
            raise DerivativeError(what, where=draft.where, remedy=remedy)


class _Depths:
    """How many derivatives nest below each function: the innermost counts, and each reverse one around it."""

    def __init__(self, code: Module) -> None:
        self._functions = {one.name: one for one in code.functions}
        self._mentions = mentions(code)
        self._known: dict[str, int] = {}

    def of(self, name: str) -> int:
        """Return the depth below a function."""
        if name not in self._known:
            self._known[name] = 0  # for recursion
            asked = _requests(self._functions[name])
            own = 0
            for other in self._mentions[name] & self._functions.keys() - {name}:
                below = self.of(other)
                # None: mentioned, but not differentiated.
                is_reverse = asked.get(other)
                own = max(own, below + bool(is_reverse) if below else int(is_reverse is not None))
            self._known[name] = own
        return self._known[name]


def _requests(function: Function) -> dict[str, bool]:
    """Return the functions that a function differentiates, each with whether in reverse mode."""
    found: dict[str, bool] = {}
    for call in function.calls if function.mentions(REQUEST) else ():
        if is_request(call):
            for one in call.arguments:
                if isinstance(one, Function):
                    found[one.name] = found.get(one.name, False) or is_reverse_request(call)
    return found
