"""The functions of rules stand in front of all others.

Symptom: a rule's own request is taken for a call of an unknown function, which is refused or has no derivative.

Cause: a rule may differentiate: half of a rule is made from the other (custom/transposes.py: the gradient of <pull(c), t>
by c is push(t)). Enzyme goes through the functions in the order of the module. When it differentiates a rule that still holds
a request of its own, it does not know that for one.

Cure: rules come first, and before them the rules of what they call.
"""

from __future__ import annotations

from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.names_in_code import has_rules, mentions, reached
from enzyme_py.symbols import REQUEST, RULED


class RulesFirst(Pass):
    """The order of functions in which rules are differentiated before they are used."""

    name = "rules first"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module has rules, and requests."""
        code = draft.code
        return has_rules(code) and any(one.name.startswith(REQUEST) for one in code.declarations)

    def run(self, draft: Draft) -> None:
        """Put the functions of rules in order, in front of all others."""
        code = draft.code
        names = sorted_rules(mentions(code))
        ordered = list(dict.fromkeys(code.function(name) for name in names))
        if code.functions[: len(ordered)] == ordered:
            return
        first = next(one for one in code.functions if one not in ordered)
        for one in ordered:
            code.move_before(one, first)


def sorted_rules(calls: dict[str, set[str]]) -> list[str]:
    """Return the names of the functions of rules, what they lead to in front of them."""
    rules = [name for name in calls if name.startswith(RULED)]
    order, seen = list[str](), set[str]()

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        led_to = reached(calls[name], calls)
        for other in rules:
            if other in led_to or other.rpartition(".")[0] in led_to:
                visit(other)
        order.append(name)

    for name in rules:
        visit(name)
    return order
