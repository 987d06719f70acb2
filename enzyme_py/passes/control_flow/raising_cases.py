"""The first case of a switch is one that goes on, in reverse mode.

    switch i64 %n, label %raise.shapes [      switch i64 %n, label %raise.shapes [
      i64 3, label %raise.index          -->    i64 4, label %on
      i64 4, label %on                          i64 3, label %raise.index
    ]                                         ]

Symptom: a segmentation fault, or an exception that the kernel does not raise (measured): `np.take(v, ORDER) * v` of a slice v in a loop, with a
constant array of indices. Enzyme lost the reverse sweep of the loop: what it made goes to `unreachable` there.

Cause: not known in full. It happens where the default of a switch in a loop raises and its first case does so as well; with the
same cases in another order, or a branch in place of the switch, nothing is lost (measured, with a dozen forms of one module).

Cure: cases that raise stand behind those that do not. O2 makes such a switch of two checks of one length, of indices and of shapes.
"""

from __future__ import annotations

from enzyme_py.llvm import Function, Switch
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_plain, without_raises
from enzyme_py.passes.module.requests import has_reverse


class RaisingCases(Pass):
    """Let cases of a switch that raise stand behind those that do not."""

    name = "raising cases"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Order the cases of all switches."""
        for function in draft.code.functions:
            if function.mentions("switch ") and is_plain(function):
                _order_cases(function)


def _order_cases(function: Function) -> None:
    going_on = without_raises(function)
    for block in function.blocks:
        switch = block.terminator
        if isinstance(switch, Switch):
            cases = switch.cases
            ordered = sorted(cases, key=lambda case: case[1] not in going_on)
            if ordered != cases:
                switch.set_cases(ordered)
