"""Reverse over reverse of loops with several exits is refused, where they could not be rewritten.

Symptom, cause and cure: control_flow/single_exits.py. What is left is a loop that is entered at several blocks.
"""

from __future__ import annotations

from enzyme_py.errors import DerivativeError
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import with_several_exits
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.symbols import readable


class CheckNestedExits(Pass):
    """A refusal of loops with several exits that two reverse sweeps would go through."""

    name = "check nested exits"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Raise if such a loop is left."""
        for function in with_several_exits(draft.code):
            message = (
                f"reverse over reverse of `{readable(function.name.split('.', 1)[-1])}`, which holds a loop with "
                "several exits (break, or return inside it)"
            )
            remedy = (
                "Enzyme would get this wrong. Take forward over reverse, jvp of grad, or leave the loop "
                "by a flag in its condition"
            )
            raise DerivativeError(message, where=draft.where, remedy=remedy)
