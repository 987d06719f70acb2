"""Functions that stay calls, and are differentiated in two halves: what the second half needs is Enzyme's choice.

Of what a function leaves in memory, Enzyme hands some to the second half on the tape and makes some again there. What was
written in between, by the caller or by another call, it has to know then. Where it did not, gradients were wrong without
a word (docs/traps.md, `mask_in_a_half`); that it knows here is not proven. Halves that allocate nothing make no memory again,
and with `--enzyme-rematerialize=0` none does.
"""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.passes.memory.merged_pointers import allocations, may_allocate
from enzyme_py.symbols import NO_RECOMPUTING

DOUBT = "recomputation across calls: a function that stays a call may make its memory again in the reverse sweep"
_FIRST, _SECOND = "augmented_", "diffe"  # how Enzyme names the halves of a function


def is_recomputed_across_calls(made: Module, options: tuple[str, ...]) -> bool:
    """Tell whether the second half of a function may make memory again, in what Enzyme made with some options."""
    if NO_RECOMPUTING in options:
        return False
    names = tuple(
        f"{_SECOND}{one.name.removeprefix(_FIRST)}" for one in made.functions if one.name.startswith(_FIRST)
    )
    halves = (one for one in made.functions if names and one.name.startswith(names))
    return any(may_allocate(one) and allocations(one) for one in halves)
