"""docs/traps.md: what the traps are, what each does today, and which file goes around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from enzyme_py.host.installing import pinned
from enzyme_py.settings import settings
from tests.traps.trap import ROOT, Trap, Verdict

DOCUMENT = ROOT / "docs" / "traps.md"

_HEAD = """# Traps of Enzyme

Each row is a small LLVM module, `tests/traps/NAME.ll`, on which the Enzyme pass by itself gives a wrong derivative, crashes
or refuses, and what keeps kernels away from that in this package. This page is written by

    python -m tests.traps --write

which asks the installed Enzyme about each. With a new Enzyme, run it: what is *mended* there needs its cure no longer.

"""


def page(traps: Sequence[Trap], verdicts: Mapping[str, Verdict]) -> str:
    """Return the text of the document."""
    needed = sum(not verdicts[one.name].is_mended for one in traps)
    lines = [
        f"Enzyme {_version()}: of {len(traps)} traps {needed} are needed still, {len(traps) - needed} are mended.",
        "",
        "| trap | what | what Enzyme does | cure | |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [_row(one, verdicts[one.name]) for one in traps]
    return _HEAD + "\n".join(lines) + "\n\n" + _FAST


def _version() -> str:
    given = settings.plugin
    return f"of {given}" if given else pinned.ENZYME_VERSION


def _row(trap: Trap, verdict: Verdict) -> str:
    told = "mended" if verdict.is_mended else "needed still"
    cures = ", ".join(f"`{one.strip()}`" for one in trap.keys["cure"].split(","))
    cells = (f"`{trap.name}`", trap.keys["what"].replace("|", "\\|"), verdict.kind, cures, told)
    return f"| {' | '.join(cells)} |"


_FAST = """## Cures without a trap here

These make derivatives faster or smaller. What the pass does without them is right, so there is nothing to ask it.

| cure | what it saves | figures |
| --- | --- | --- |
| `passes/memory/hoisted_buffers.py` | the memory of all iterations of arrays that a loop makes anew | [tape](decisions/tape.md#what-a-loop-allocates-is-made-once-in-front-of-it) |
| `passes/memory/read_once.py` | temporaries that the next loop reads once, with their shadows | [tape](decisions/tape.md#temporaries-that-the-next-loop-reads-once-are-not-made) |
| `passes/memory/states/recorded_states.py`, `state_loop.py`, `state_record.py` | the second record of a recurrence's states | [tape](decisions/tape.md#the-states-of-a-recurrence-are-recorded-once) |
| `passes/memory/states/states_in_place.py` | copies of states that a list keeps | [tape](decisions/tape.md#states-that-a-list-keeps-are-their-own-record) |
| `passes/memory/untouched_arguments.py` | copies of the operands of products, in every iteration | [tape](decisions/tape.md#arguments-that-a-kernel-does-not-write-say-so) |
| `passes/values/cached_slopes.py` | calls of exp, sin, tanh again in the reverse sweep (and a NaN: `infinite_slope`) | [tape](decisions/tape.md#slopes-are-cached) |

Of these no small module was found yet that shows the fault by itself. What shows it is a kernel, in the test that is named:
without the cure it fails (asked with `leave_out` of `tests/passes/switches.py`), but where the last column says otherwise.

| cure | what goes wrong without it | test | asked without it |
| --- | --- | --- | --- |
| `passes/control_flow/own_bounds.py` | reverse over reverse of nested loops with one bound | `test_multi_level_exits.py` | wrong |
| `passes/control_flow/cached_bounds.py` | a crash ("function failed verification") | `test_cached_bounds.py` | the pass crashes |
| `passes/types/integer_loads.py` | indices refused as a float's bits | `test_counted_loads.py` | refused |
| `passes/types/integer_fields.py` | sizes in records refused as a float's bits | none known | all right: 67 second orders of `test_containers.py`, 28 of `test_losses.py`, 22 of `test_growth.py`; it stays until 2,000 kernels of lists of arrays say the same |
| `passes/types/typed_accesses.py` | tangents of unknown type, filled with zero bytes | `test_typed_accesses.py` | wrong |
| `passes/steps.py` | refusals of second orders (for one that is wrong: `recursion_twice`) | `test_in_steps.py` | not asked |
| `passes/memory/allocations.py`, in nested reverse mode | blocks under a branch, and masks, that are made again | `test_nested_memory.py` | the derivative crashes |
| `passes/memory/block_copies.py`, memory that loops fill | memory that grows with the iterations | `test_block_copies.py` | too much memory |
| `passes/memory/block_copies.py`, where all forms were refused | rules of copies with constant operands | `test_captured_arrays.py` | refused |
| `inlining`, of what takes derivatives | "Number of arg operands != function parameters" | `test_nested_calls.py` | not asked |
| `passes/memory/cache_marks.py`, in split modes | reverse halves that lose a loop | `test_may_be_lost.py` | not asked |
| `host/process/client.py`: without postopt, without the minimal cut, no `!invariant.group`, indices without a value, `--enable-gvn-memdep=0`, `--simplifycfg-hoist-common=0` | crashes and wrong reads in what the pass cleans up | `tests/fuzz/corpus/` |
| `--jump-threading-threshold=0`, `--disable-loop-idiom-memset` | zero gradients; refusals in second orders | `test_kernels.py`, `test_containers.py` |
"""
