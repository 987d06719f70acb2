"""What is tried when Enzyme refuses a module or dies of it: tables, each read from top to bottom.

    FORMS      the forms in which code is given to Enzyme: the fastest first, then the plainest
    CRASHES    what is tried where Enzyme crashed on one form
    REFUSALS   what is tried where all forms were refused

Requests of another meaning at the same answer (activity decided while running, shadows for constants) are tried around
these, by `compiling.py`; options of the pass inside of them, by the host (host/process/client.py).

A row is tried where those above it gave way, and gives way itself to the next for the refusals that it names; any
other refusal is the user's. What was tried, and what came of it, stands in the journal of the compilation.

A row with a `doubt` changes more than a form: its answer is right wherever it was looked at, which proves nothing for other
code. What such rows give is compared where that is asked for (docs/checking.md, "Doubtful answers").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from enzyme_py.errors import (
    ActivityError,
    DerivativeError,
    HostCrashed,
    HostError,
    NoDerivativeError,
    TypeAnalysisError,
)
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.block_order import USED_BEFORE, BlockOrder
from enzyme_py.passes.control_flow.bounds.cached_bounds import CachedBounds
from enzyme_py.passes.control_flow.hidden_indices import ASSERTION, HiddenIndices
from enzyme_py.passes.journal import journal
from enzyme_py.passes.memory.blocks.block_copies import CopiesWithBodies
from enzyme_py.passes.memory.states.recorded_states import RecordedStates
from enzyme_py.passes.memory.written_pointers import CONSTANT_MEMORY, WrittenAllocations
from enzyme_py.passes.pipeline import O2, run_one
from enzyme_py.passes.types.integers.loads import IntegerLoads
from enzyme_py.passes.types.integers.stores import IntegerStores
from enzyme_py.passes.types.typed_moves import TypedMoves
from enzyme_py.passes.values.cached_slopes import CachedSlopes

Done = TypeVar("Done")
Refusals = tuple[type[Exception], ...]

NONE: Refusals = ()
ALL: Refusals = (DerivativeError, HostError)


@dataclass(frozen=True)
class Attempt:
    """One row. Without a pass it is the code as it is."""

    name: str
    change: Pass | None
    gives_way_to: Refusals
    costs: str
    answers: str = ""  # words that the refusal above must say
    unless: str = ""  # a row above: not tried where that one was
    after_o2: bool = False  # on the code as O2 leaves it
    doubt: str = ""  # why an answer is not proven for the code at hand


_HIDDEN = "Enzyme crashed on how an index is computed, which is hidden from it"
_BOUNDS = "Enzyme crashed on how the bound of a loop is computed, which is hidden from it"

FORMS: tuple[Attempt, ...] = (
    Attempt(
        "states recorded",
        RecordedStates(),
        (DerivativeError,),
        "saves half of a recurrence's tape; has no second derivative",
    ),
    Attempt(
        "slopes cached",
        CachedSlopes(),
        (DerivativeError, HostCrashed),
        "8 bytes of tape for each call of exp, sin, tanh; saves the calls in the reverse sweep",
        unless="states recorded",
        after_o2=True,
    ),
    Attempt("plain", None, (DerivativeError, HostCrashed), "nothing"),
    Attempt(
        "chosen integers told",
        IntegerStores(),
        (DerivativeError, HostCrashed),
        "a second run of Enzyme",
        answers=CONSTANT_MEMORY,
        after_o2=True,
        doubt="memory that Enzyme took for pointers holds integers, which it was told",
    ),
    Attempt(
        "allocations with shadows",
        WrittenAllocations(),
        (DerivativeError, HostCrashed),
        "memory and time for shadows that stay zero",
        answers=CONSTANT_MEMORY,
        doubt="memory that Enzyme took for constant has hidden shadows",
    ),
    Attempt(
        "block copies with bodies",
        CopiesWithBodies(),
        NONE,
        "copies are differentiated loop by loop: slower to compile, and to run where they are large",
        doubt="every other form of the code was refused",
    ),
)

CRASHES: tuple[Attempt, ...] = (
    Attempt("as it is", None, (HostCrashed,), "nothing"),
    Attempt("blocks in order", BlockOrder(), (HostCrashed,), "nothing", answers=USED_BEFORE),
    Attempt(
        "wrapping indices hidden",
        HiddenIndices(every=False),
        (HostCrashed,),
        "what such indices read is cached",
        answers=ASSERTION,
        doubt=_HIDDEN,
    ),
    Attempt(
        "all indices hidden",
        HiddenIndices(every=True),
        (HostCrashed,),
        "whatever is read by an index is cached, and no memory is made again",
        answers=ASSERTION,
        doubt=_HIDDEN,
    ),
    Attempt(
        "merged bounds cached",
        CachedBounds(reads=False),
        (HostCrashed,),
        "one number for each run of a loop, and no memory is made again",
        doubt=_BOUNDS,
    ),
    Attempt(
        "all bounds cached",
        CachedBounds(reads=True),
        (HostCrashed,),
        "likewise, also for bounds that are read from memory",
        doubt=_BOUNDS,
    ),
)

REFUSALS: tuple[Attempt, ...] = (
    Attempt("as prepared", None, (NoDerivativeError, TypeAnalysisError, HostCrashed), "nothing"),
    Attempt(
        "blocks of floats copied one by one",
        TypedMoves(),
        (NoDerivativeError, TypeAnalysisError, HostCrashed),
        "a second run of Enzyme, and copies that are loops",
        answers="fills it with zeros",
        after_o2=True,
        doubt="Enzyme knew no types of a block, and took them from how it is used",
    ),
    Attempt(
        "counts told",
        IntegerLoads(),
        ALL,
        "a second run of Enzyme",
        after_o2=True,
        doubt="Enzyme could not tell integers from floats, and was told",
    ),
)


class Given:
    """A draft for several who change it: each has it as it was given, read anew where another one changed it.

    Most often the first one serves. So that one changes the very draft, and the others are kept its text.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = replace(draft, hidden_numbers=dict(draft.hidden_numbers))
        self._text = str(draft.code)
        self._version = draft.code.version

    def draft(self) -> Draft:
        """Return the draft as it was given."""
        if self._draft.code.version != self._version:
            self._draft.code = Module(self._text)
            self._version = self._draft.code.version
        return replace(self._draft, hidden_numbers=dict(self._draft.hidden_numbers))


def first_that_serves(
    table: Sequence[Attempt], given: Given, ask: Callable[[Draft], Done], o2: O2
) -> Done:
    """Ask with one row after the other, until one gives an answer; raise the first refusal, or the last of a row that is nearer to the cause.

    Each row begins with the draft as it was given, not with what the row above made of it.
    """
    refusal: Exception | None = None
    tried = set[str]()
    for row in table:
        if row.unless in tried or (refusal is not None and row.answers not in str(refusal)):
            continue
        form = _form(row, given.draft(), o2)
        if form is None:
            continue
        tried.add(row.name)
        try:
            with journal().attempt(row.name, row.doubt):
                return ask(form)
        except row.gives_way_to as said:
            # What a row is refused for behind a refusal that it answers is nearer to the cause; of memory that seems constant, run-time activity is left.
            is_nearer = row.change is None or isinstance(said, ActivityError)
            refusal = said if refusal is None or is_nearer else refusal
    assert refusal is not None, "a table has a row that is always tried"
    raise refusal


def _form(row: Attempt, draft: Draft, o2: O2) -> Draft | None:
    """Return the code in the form that a row gives it; None if it has that form already."""
    if row.change is None:
        return draft
    if not row.change.applies(draft):
        return None
    form = o2(draft) if row.after_o2 and not draft.is_simplified else draft
    return form if run_one(row.change, form) else None
