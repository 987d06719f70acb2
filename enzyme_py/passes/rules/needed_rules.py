"""Rules of a direction that no request takes are left out.

Symptom: half of the time is spent on code that nobody asked for (measured), and what nobody asked for may be refused.

Cause: a table tells Enzyme of each rule, forward and reverse, and what a table names is optimised, differentiated and
translated.

Cure: the tables of a direction go, if no request that the module's entries lead to is of that direction. Rules that are
needed may hold requests themselves, so it is asked until nothing is added.
"""

from __future__ import annotations

from enzyme_py.llvm import Function
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.names_in_code import RULE_PARTS, has_rules, mentions, reached
from enzyme_py.symbols import REQUEST, RULED

_TABLE = f"{REQUEST}register_"
_REQUESTS = {
    "derivative": (f"{REQUEST}fwd",),
    "gradient": (f"{REQUEST}autodiff", f"{REQUEST}augmentfwd", f"{REQUEST}reverse"),
}
_LOCAL = ("internal", "private", "linkonce_odr")


class NeededRules(Pass):
    """The tables of rules that requests need, and no others."""

    name = "needed rules"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module has rules."""
        return has_rules(draft.code)

    def run(self, draft: Draft) -> None:
        """Remove the tables of directions that nothing asks for."""
        code = draft.code
        unused = _REQUESTS.keys() - _needed(code.functions, mentions(code))
        starts = tuple(f"{_TABLE}{kind}_{RULED}" for kind in unused)
        for table in code.variables:
            if starts and table.name.startswith(starts):
                table.erase()


def _needed(functions: list[Function], calls: dict[str, set[str]]) -> set[str]:
    """Return the directions that are asked for."""
    roots = {one.name for one in functions if one.linkage not in _LOCAL and RULED not in one.name}
    needed = set[str]()
    while True:
        parts = tuple(part for kind in needed for part in RULE_PARTS[kind])
        rules = {name for name in calls if name.startswith(RULED) and name.endswith(parts)}
        named = set[str]().union(
            *(calls[one] for one in reached(roots | rules, calls) & calls.keys())
        )
        found = {
            kind
            for kind, starts in _REQUESTS.items()
            if any(one.startswith(starts) for one in named)
        }
        if found <= needed:
            return needed
        needed |= found
