"""Which of some variables are needed behind a statement: in typed Numba IR that still has phis."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from numba.core import ir


def used_names(statement: Any) -> set[str]:
    """Return the variables that a statement reads."""
    value = statement.value if isinstance(statement, ir.Assign) else statement
    if isinstance(value, ir.Var):
        return {value.name}
    return {one.name for one in getattr(value, "list_vars", list)()}


def is_phi(statement: Any) -> bool:
    """Tell whether a statement assigns a phi."""
    value = statement.value if isinstance(statement, ir.Assign) else None
    return isinstance(value, ir.Expr) and value.op == "phi"


class Liveness:
    """The lives of the named variables in one function."""

    def __init__(self, blocks: dict[int, ir.Block], names: Collection[str]) -> None:
        self._blocks, self._names = blocks, frozenset(names)
        self._at_end: dict[int, set[str]] = {label: set() for label in blocks}
        changed = True
        while changed:
            changed = any(self._propagate(label) for label in blocks)

    def behind(self, statement: Any) -> set[str]:
        """Return the variables of which someone reads, behind a statement, what they hold there."""
        label = next(one for one, block in self._blocks.items() if statement in block.body)
        live = set(self._at_end[label])
        for one in reversed(self._blocks[label].body):
            if one is statement:
                break
            self._step_back(one, live)
        return live

    def _propagate(self, label: int) -> bool:
        """Take what lives at the end of a block to those in front of it; tell if that was new."""
        live = set(self._at_end[label])
        for statement in reversed(self._blocks[label].body):
            self._step_back(statement, live)
        changed = False
        for before, block in self._blocks.items():
            if label in block.terminator.get_targets():
                known = self._at_end[before]
                needed = live | self._given_to_phis(label, before)
                changed = changed or not needed <= known
                known |= needed
        return changed

    def _step_back(self, statement: Any, live: set[str]) -> None:
        if isinstance(statement, ir.Del):
            return
        if isinstance(statement, ir.Assign):
            live.discard(statement.target.name)
        if not is_phi(statement):
            live |= used_names(statement) & self._names

    def _given_to_phis(self, label: int, before: int) -> set[str]:
        """Return the variables that the phis of a block take from one in front of it."""
        return {
            value.name
            for statement in self._blocks[label].body
            if is_phi(statement)
            for value, source in zip(
                statement.value.incoming_values, statement.value.incoming_blocks, strict=True
            )
            if source == before and value is not ir.UNDEFINED and value.name in self._names
        }
