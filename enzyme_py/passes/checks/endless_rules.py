"""A rule that needs its own derivative is refused, in what Enzyme made.

Symptom: the reverse of a rule runs the reverse of the rule, until the stack is full.

Cause: Enzyme takes a ruled call for active even if its work array holds constants only. A jvp rule that calls its own function is
transposed by another version of that, whose reverse returns at once where all cotangents are zero (custom/transposes.py);
that one may call itself. Any other cycle is endless.
"""

from __future__ import annotations

from enzyme_py.errors import DerivativeError
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.names_in_code import has_rules, mentions, reached
from enzyme_py.symbols import RULED, SILENT


class CheckEndlessRules(Pass):
    """A refusal of rules that lead to themselves."""

    name = "check endless rules"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module has rules."""
        return has_rules(draft.code)

    def run(self, draft: Draft) -> None:
        """Raise if a function of a rule calls itself, directly or not."""
        # Whoever calls, mentions. So nothing is read as long as nothing even mentions itself.
        if _in_cycles(mentions(draft.code)) and _in_cycles(_calls(draft.code)):
            what = "a rule needs its own derivative: it calls its function where that is differentiated"
            remedy = "let the rule compute what it needs itself, or call its function by name in the rule"
            raise DerivativeError(what, where=draft.where, remedy=remedy)


def _in_cycles(led_to: dict[str, set[str]]) -> bool:
    """Tell whether a function of a rule leads to itself; silent ones are not followed."""
    known = {name: others for name, others in led_to.items() if SILENT not in name}
    return any(name in reached(others, known) for name, others in known.items() if RULED in name)


def _calls(code: Module) -> dict[str, set[str]]:
    return {one.name: {call.callee for call in one.calls} for one in code.functions}
