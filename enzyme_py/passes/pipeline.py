"""Which passes run, in which order, and why: a table, read from top to bottom.

    ASSEMBLE  on what Numba lowered and we linked, as it is (assembly/entry.py): the cache goes by what comes of it
    PREPARE   behind LLVM's O2, once for a module: the code that Enzyme really reads
    READY     in front of every run of Enzyme
    BEHIND    on what Enzyme made

Each row has a pass and the reason why it stands where it stands; what the pass does and why, its own docstring tells. A
row may say for which modules it is (`of`), and that O2 runs again behind it if it changed something (`then_o2`). Where
the reason names other passes, `after` names them too: a table in another order is refused when it is made.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from enzyme_py.passes import journal as journals
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.checks.linked_code.changing_scalars import CheckChangingScalars
from enzyme_py.passes.checks.linked_code.function_pointers import CheckFunctionPointers
from enzyme_py.passes.checks.linked_code.variables import CheckVariables
from enzyme_py.passes.checks.linked_code.vectors import CheckVectors
from enzyme_py.passes.checks.nested_exits import CheckNestedExits
from enzyme_py.passes.control_flow.block_order import AllocationsFirst
from enzyme_py.passes.control_flow.bounds.moving_bounds import MovingBounds
from enzyme_py.passes.control_flow.bounds.own_bounds import OwnBounds
from enzyme_py.passes.control_flow.bounds.read_bounds import ReadBounds
from enzyme_py.passes.control_flow.chosen_integers import ChosenIntegers
from enzyme_py.passes.control_flow.empty_loops import EmptyLoops
from enzyme_py.passes.control_flow.kept_calls import KeptCalls
from enzyme_py.passes.control_flow.multi_level_exits import (
    CheckMultiLevelExits,
    MultiLevelExits,
)
from enzyme_py.passes.control_flow.raising_cases import RaisingCases
from enzyme_py.passes.control_flow.searching_loops import SearchingLoops
from enzyme_py.passes.control_flow.single_exits import SingleExits
from enzyme_py.passes.control_flow.skipped_iterations import SkippedIterations
from enzyme_py.passes.control_flow.two_way_merges import TwoWayMerges
from enzyme_py.passes.llvm_own import to_memory
from enzyme_py.passes.memory.allocations import CachedAllocations
from enzyme_py.passes.memory.atomic_differences import AtomicDifferences
from enzyme_py.passes.memory.blocks.block_copies import (
    CopiesOfNumbers,
    CopiesWithBodies,
    RematerialisableCopies,
)
from enzyme_py.passes.memory.blocks.copies_of_zeros import CopiesOfZeros
from enzyme_py.passes.memory.blocks.overlapping_moves import OverlappingMoves
from enzyme_py.passes.memory.blocks.unescaped_blocks import UnescapedBlocks
from enzyme_py.passes.memory.captured_numbers import HideCapturedNumbers, RestoreCapturedNumbers
from enzyme_py.passes.memory.constant_memory import ConstantMemory, ForgetConstantMemory
from enzyme_py.passes.memory.hoisted_buffers import HoistedBuffers
from enzyme_py.passes.memory.lasting_variables import LastingVariables
from enzyme_py.passes.memory.loaded_pointers import LoadedPointers
from enzyme_py.passes.memory.overwriting.lasting_reads import LastingReads
from enzyme_py.passes.memory.overwriting.later_iterations import LaterIterations
from enzyme_py.passes.memory.overwriting.marked_reads import MarkedReads
from enzyme_py.passes.memory.overwriting.memory_of_parts import MemoryOfParts
from enzyme_py.passes.memory.overwriting.reads_of_parts import ReadsOfParts
from enzyme_py.passes.memory.overwriting.snapshots import Snapshots
from enzyme_py.passes.memory.overwriting.untouched_arguments import UntouchedArguments
from enzyme_py.passes.memory.read_once import ReadOnce
from enzyme_py.passes.memory.stack_blocks import StackBlocks
from enzyme_py.passes.memory.written_pointers import WrittenPointers
from enzyme_py.passes.memory.written_results import WrittenResults
from enzyme_py.passes.module.requests import has_reverse, nests_reverse
from enzyme_py.passes.module.stable_names import StableNames
from enzyme_py.passes.rules.declarations import Declarations
from enzyme_py.passes.rules.needed_rules import NeededRules
from enzyme_py.passes.rules.rules_first import RulesFirst
from enzyme_py.passes.rules.strong_zero import PlainInside
from enzyme_py.passes.types.integers.fields import IntegerFields
from enzyme_py.passes.types.mixed_results import MixedResults
from enzyme_py.passes.types.split_aggregates import SplitAggregates
from enzyme_py.passes.types.typed_accesses import TypedAccesses
from enzyme_py.passes.types.typed_fills import TypedFills
from enzyme_py.passes.values.equal_numbers import EqualNumbers
from enzyme_py.passes.values.forward_quotients import ForwardQuotients, MarkQuotients
from enzyme_py.passes.values.held_in_loops import HeldInLoops
from enzyme_py.passes.values.live_out_floats import LiveOutFloats
from enzyme_py.passes.values.live_out_integers import LiveOutIntegers
from enzyme_py.passes.values.loop_carried_choices import LoopCarriedChoices
from enzyme_py.passes.values.picked_constants import PickedConstants
from enzyme_py.passes.values.returned_numbers import ReturnedNumbers
from enzyme_py.passes.values.squares_of_roots import RootsReturned, SquaresOfRoots
from enzyme_py.rules.copies import is_rule

O2 = Callable[[Draft], Draft]  # the host's


def every(draft: Draft) -> bool:
    """Say yes: the row is for all modules."""
    return True


def of_memory(draft: Draft) -> bool:
    """Tell whether a module has memory, or sweeps, of which Enzyme may make something again."""
    return draft.has_memory or draft.nests_reverse


def of_first_reverse(draft: Draft) -> bool:
    """Tell whether a module has memory, and reverse mode differentiates no other derivative."""
    return draft.has_memory and not draft.nests_reverse


def of_copies_without_rules(draft: Draft) -> bool:
    """Tell whether the block copies of a module began without rules (assembly/entry.py)."""
    return not any(is_rule(one.name) for one in draft.code.functions)


def of_nests(draft: Draft) -> bool:
    """Tell whether reverse mode differentiates another derivative."""
    return draft.nests_reverse


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    change: Pass
    why_here: str
    after: tuple[
        type[Pass], ...
    ] = ()  # what must stand above in the table: wrong without a word otherwise
    of: Callable[[Draft], bool] = every
    then_o2: bool = False


class WrongOrderError(AssertionError):
    """A table has a row in front of one that must come first."""


def ordered(*rows: Row) -> tuple[Row, ...]:
    """Return a table of rows; raises if one stands in front of what it must come after."""
    for place, row in enumerate(rows):
        above = tuple(one.change for one in rows[:place])
        for kind in row.after:
            if not any(isinstance(one, kind) for one in above):
                message = f"`{row.change.name}` must come after `{kind.name}`"
                raise WrongOrderError(message)
    return rows


ASSEMBLE: tuple[Row, ...] = ordered(
    Row(StableNames(), "first: all below knows functions by names that stay"),
    Row(Declarations(), "before anybody asks what a declared function does", after=(StableNames,)),
    Row(StackBlocks(), "before O2 sees the memory that they become", after=(StableNames,)),
    Row(NeededRules(), "with all that the module will ever hold", after=(StableNames,)),
    Row(EqualNumbers(), "before LLVM sees anything, the rules included", after=(NeededRules,)),
)

# Of modules that differentiate something more than once.
ASSEMBLE_NESTED: tuple[Row, ...] = (
    Row(PlainInside(), "behind the rules: whose requests are left counts for the nest"),
    Row(PickedConstants(), "behind the rules, which pick values"),
)

PREPARE: tuple[Row, ...] = ordered(
    Row(SplitAggregates(), "fields are pointers and numbers of their own for all below"),
    Row(WrittenResults(), "inlining makes all other code: first", then_o2=True),
    Row(RootsReturned(), "as the results that are written", then_o2=True),
    Row(
        ReturnedNumbers(),
        "behind all inlining: of what is left of calls",
        after=(WrittenResults, RootsReturned),
        then_o2=True,
    ),
    Row(
        MultiLevelExits(to_memory),
        "exits become edges of the loops around, which all below looks at",
        then_o2=True,
    ),
    Row(
        CheckMultiLevelExits(),
        "what is left of such exits is refused before anything is spent on it",
        after=(MultiLevelExits,),
    ),
    Row(
        SingleExits(to_memory),
        "with the loops as they will stay",
        after=(MultiLevelExits,),
        of=of_nests,
        then_o2=True,
    ),
    Row(
        CheckNestedExits(),
        "what is left of several exits is refused",
        after=(SingleExits,),
        of=of_nests,
    ),
    Row(ChosenIntegers(), "behind the last O2 that changes edges", after=(MultiLevelExits, SingleExits)),
    Row(
        ReadOnce(),
        "what is read once needs no memory: before memory is looked at",
        of=of_memory,
    ),
    Row(
        HoistedBuffers(),
        "memory made once in front of a loop is carried by no iteration",
        after=(ReadOnce,),
        of=of_memory,
    ),
    Row(
        CopiesOfNumbers(),
        "behind the buffers: what is left is made in its loop",
        after=(HoistedBuffers,),
        of=of_first_reverse,
    ),
    Row(
        UnescapedBlocks(),
        "behind who asks the hints what is copied",
        after=(HoistedBuffers, CopiesOfNumbers),
        of=of_first_reverse,
    ),
    Row(
        RematerialisableCopies(),
        "behind the buffers, whose copies stay rules",
        after=(HoistedBuffers,),
        of=of_memory,
    ),
    Row(
        CopiesWithBodies(),
        "of modules that began without rules, behind who looks at copies",
        after=(HoistedBuffers,),
        of=of_copies_without_rules,
    ),
    Row(
        IntegerFields(),
        "records as the copies left them, and results of what is left of calls",
        after=(RematerialisableCopies, ReturnedNumbers),
    ),
    Row(
        RulesFirst(),
        "no pass behind this adds a rule",
        after=(RematerialisableCopies,),
        of=of_memory,
    ),
    Row(KeptCalls(), "behind the last O2: of what is still called"),
    Row(HeldInLoops(), "behind the last O2, while what it held is still in its loop"),
    Row(MemoryOfParts(), "behind the last O2, which finds it; before alias analysis is asked", of=of_memory),
    Row(UntouchedArguments(), "marks for alias analysis, before it is asked", of=of_memory),
    Row(
        CachedAllocations(),
        "last: its marks are true of the code as it stands",
        after=(
            ReadOnce,
            HoistedBuffers,
            RematerialisableCopies,
            UntouchedArguments,
        ),
        of=of_memory,
    ),
)

# Of modules that need no more.
ROOTS = (Row(RootsReturned(), "in values", then_o2=True),)

READY: tuple[Row, ...] = ordered(
    Row(SplitAggregates(), "first: for modules that were not prepared"),
    Row(SquaresOfRoots(), "behind the last O2, and before anything else looks at numbers"),
    Row(CheckVariables(), "behind the last O2, which takes variables out", after=(SplitAggregates,)),
    Row(CheckChangingScalars(), "with the variables as Enzyme will see them"),
    Row(CheckFunctionPointers(), "behind the last O2, which finds out about addresses"),
    Row(CheckVectors(), "behind the last O2, which takes some of these apart"),
    Row(CopiesOfZeros(), "behind what lets memory begin as zeros"),
    Row(OverlappingMoves(), "behind the last O2, which would put them together again"),
    Row(TypedFills(), "behind the moves, whose copies it looks at; before who looks at loops", after=(OverlappingMoves,)),
    Row(AtomicDifferences(), "anywhere"),
    Row(EmptyLoops(), "trip counts, before values that leave loops are named"),
    Row(LoadedPointers(), "pointers by their own names, before anybody asks what memory holds"),
    Row(LastingVariables(), "no later pass looks at where variables begin"),
    Row(WrittenPointers(), "with the loads as O2 left them"),
    Row(MixedResults(), "with the calls as O2 left them"),
    Row(Snapshots(), "with the loads as O2 left them"),
    Row(LastingReads(), "behind the copies, whose reads last", after=(Snapshots,)),
    Row(ReadsOfParts(), "beside them", after=(Snapshots,)),
    Row(LaterIterations(), "but for those that are not written again", after=(LastingReads,)),
    Row(SkippedIterations(), "behind who looks at where loops end", after=(Snapshots, LastingReads, LaterIterations)),
    Row(
        OwnBounds(),
        "behind who looks at where loops end",
        after=(EmptyLoops, Snapshots, LastingReads, LaterIterations, SkippedIterations),
    ),
    Row(MovingBounds(), "behind who looks at where loops end", after=(OwnBounds,)),
    Row(ReadBounds(), "likewise", after=(OwnBounds,)),
    Row(SearchingLoops(), "an option: with the loops as Enzyme will see them", after=(SkippedIterations,)),
    Row(
        LiveOutIntegers(),
        "integers before floats: what indexes a float is named first",
        after=(EmptyLoops,),
    ),
    Row(LiveOutFloats(), "behind the integers", after=(LiveOutIntegers,)),
    Row(
        LoopCarriedChoices(),
        "behind what leaves inner loops, which it takes for carried",
        after=(LiveOutFloats,),
    ),
    Row(
        TwoWayMerges(),
        "last of what changes edges: merges of all phis made above",
        after=(
            EmptyLoops,
            LiveOutIntegers,
            LiveOutFloats,
            LoopCarriedChoices,
        ),
    ),
    Row(MarkedReads(), "behind all marks, and whatever looks at addresses", after=(LaterIterations, OwnBounds)),
    Row(RaisingCases(), "of switches as Enzyme will see them", after=(TwoWayMerges,)),
    Row(
        TypedAccesses(),
        "tags for every load and store that is there now",
        after=(
            LastingReads,
            LaterIterations,
            LiveOutIntegers,
            LiveOutFloats,
            LoopCarriedChoices,
            TwoWayMerges,
        ),
    ),
    Row(ConstantMemory(), "with the loads as Enzyme will see them", after=(LastingReads, TwoWayMerges)),
    Row(MarkQuotients(), "marks, of the code as Enzyme will see it"),
    Row(HideCapturedNumbers(), "behind whatever looks at constants", after=(TypedAccesses,)),
    Row(AllocationsFirst(), "of the blocks as Enzyme will see them", after=(TwoWayMerges,)),
)

BEHIND: tuple[Row, ...] = (
    Row(RestoreCapturedNumbers(), "the numbers that Enzyme was not shown"),
    Row(ForwardQuotients(), "behind the captured numbers, which are divisors"),
    Row(ForgetConstantMemory(), "before another run reads the marks"),
)


def prepared(draft: Draft, o2: O2) -> Draft:
    """Return the code that Enzyme will be given, but for what READY does in front of each run.

    Forward mode of a module without memory is left as it was assembled: nothing is made again there, and no path is
    gone backwards. But squares are found in values only.
    """
    draft.has_memory = draft.code.get("malloc") is not None
    if not draft.has_memory and not has_reverse(draft.code):
        return run(ROOTS, o2(draft), o2) if SquaresOfRoots().applies(draft) else draft
    draft = o2(draft)
    draft.nests_reverse = nests_reverse(draft.code)
    return run(PREPARE, draft, o2)


def run(rows: Sequence[Row], draft: Draft, o2: O2 | None = None) -> Draft:
    """Run the rows over a draft and return it: another object where O2 ran again."""
    for row in rows:
        if row.of(draft) and row.change.applies(draft):
            has_changed = run_one(row.change, draft)
            if has_changed and row.then_o2:
                assert o2 is not None
                draft = o2(draft)
                run_one(SplitAggregates(), draft)
    return draft


def run_one(change: Pass, draft: Draft) -> bool:
    """Run one pass, note it in the journal, and tell whether it changed the code."""
    journal = journals.journal()
    before = str(draft.code) if journal.keeps_code else ""
    version, begun = draft.code.version, time.perf_counter()
    change.run(draft)
    seconds = time.perf_counter() - begun
    has_changed = draft.code.version != version
    after = str(draft.code) if journal.keeps_code or (has_changed and journals.verify) else ""
    journal.steps.append(
        journals.Step(
            change.name,
            seconds,
            has_changed,
            before if journal.keeps_code else "",
            after if journal.keeps_code else "",
        )
    )
    if has_changed and journals.verify is not None:
        journals.verify(change.name, after)
    return has_changed
