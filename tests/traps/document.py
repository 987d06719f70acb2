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
| `passes/memory/blocks/unescaped_blocks.py` | the memory of all iterations of what a loop makes by `np.zeros` or copies | [tape](decisions/tape.md#what-a-loop-fills-with-zeros-or-copies-is-made-again) |
| `passes/memory/read_once.py` | temporaries that the next loop reads once, with their shadows | [tape](decisions/tape.md#temporaries-that-the-next-loop-reads-once-are-not-made) |
| `passes/memory/states/recorded_states.py`, `state_loop.py`, `state_record.py` | the second record of a recurrence's states | [tape](decisions/tape.md#the-states-of-a-recurrence-are-recorded-once) |
| `passes/memory/states/states_in_place.py` | copies of states that a list keeps | [tape](decisions/tape.md#states-that-a-list-keeps-are-their-own-record) |
| `passes/memory/overwriting/untouched_arguments.py` | copies of the operands of products, in every iteration | [tape](decisions/tape.md#arguments-that-a-kernel-does-not-write-say-so) |
| `passes/values/cached_slopes.py` | calls of exp, sin, tanh again in the reverse sweep (and a NaN: `infinite_slope`) | [tape](decisions/tape.md#slopes-are-cached) |

Of these no small module was found yet that shows the fault by itself. What shows it is a kernel, in the test that is named:
without the cure it fails (asked with `pytest --without NAME`, a name of `tests/passes/switches.py`), but where the last
column says otherwise.

| cure | what goes wrong without it | test | asked without it |
| --- | --- | --- | --- |
| `passes/control_flow/bounds/cached_bounds.py` | a crash ("function failed verification") | `test_cached_bounds.py` | the pass crashes |
| `passes/control_flow/raising_cases.py` | the reverse sweep of a loop is lost | `test_raising_cases.py` | the derivative crashes |
| `passes/memory/overwriting/marked_reads.py` | a mark on a read is lost, and with it what was read | `test_marked_reads.py` | wrong |
| `passes/types/integers/loads.py` | indices refused as a float's bits | `test_counted_loads.py` | refused |
| `passes/types/integers/fields.py` | sizes in records refused as a float's bits | none known | all right: 67 second orders of `test_containers.py`, 28 of `test_losses.py`, 22 of `test_growth.py`; it stays until 2,000 kernels of lists of arrays say the same |
| `passes/types/integers/stores.py` | structured arrays with integers refused | `test_integer_stores.py` | refused |
| `passes/types/typed_accesses.py` | tangents of unknown type, filled with zero bytes | `test_typed_accesses.py` | wrong |
| `passes/memory/allocations.py`, in nested reverse mode | blocks under a branch, and masks, that are made again | `test_nested_memory.py` | the derivative crashes |
| `passes/memory/blocks/block_copies.py`, memory that loops fill | memory that grows with the iterations | `test_block_copies.py` | too much memory |
| `passes/memory/blocks/block_copies.py`, where all forms were refused | rules of copies with constant operands | `test_captured_arrays.py` | refused |
| `passes/memory/cache_marks.py`, in split modes | memory of halves that is made again | none known | all right: 25 of `test_may_be_lost.py`, 21 split scenarios, four kernels of `tests/fuzz/corpus/`, 11 fuzzed ones; so are the four without rules of the marks. Halves make no memory again at all (`mask_in_a_half`). It stays until 2,000 kernels say the same |
| `host/made.py`: no `!invariant.group` | LLVM believes of all reads that they give the same | `test_reads_again.py` | the derivative crashes |
| `host/made.py`: indices without a value, and `host/process/client.py`: then once more without the minimal cut | what two loops leave is read from memory that nobody wrote | `tests/fuzz/corpus/what_two_loops_leave.txt` | wrong: NaN in reverse over forward. All 28 of `test_nesting.py` are right |
| `host/process/client.py`: `--enable-gvn-memdep=0` | a read in front of a loop is taken for the one behind it | `test_reads_again.py`, `tests/fuzz/corpus/first_number_behind_a_loop.txt`, `calls_itself_until_a_break.txt` | wrong |
| `host/process/client.py`: `--simplifycfg-hoist-common=0` | a length that grows is read once | `test_reads_again.py` | wrong: "list index out of range" |
| `host/process/client.py`: behind a failed assertion without the minimal cut | "getNumUses() == 0", "An asserting value handle still pointed to this value" | none known | all right: 11 of `test_reads_again.py`, 20 kernels of `tests/fuzz/corpus/`, 14 fuzzed ones in split mode; it stays until 2,000 kernels say the same |
| `host/process/client.py`: behind a segmentation fault without postopt | GVN crashes on large loops | none known | all right: 11 of `test_reads_again.py`, six kernels of `tests/fuzz/corpus/`, 15 fuzzed ones in reverse mode; it stays until 2,000 kernels say the same |
| `--jump-threading-threshold=0` | zero gradients where memory is made again | `test_buffers.py` | the derivative crashes: a second order. All three of `test_kernels.py` are right |
| `--disable-loop-idiom-memset` | refusals in second orders | `test_containers.py` | all right: 21 second orders of `test_containers.py`; it stays until 2,000 kernels say the same |

Of these there is a trap above, and they were asked as well:

| cure | left out as | what fails then |
| --- | --- | --- |
| `passes/steps.py` (`kept_index_twice`, `recursion_twice`) | `steps` | refused: two second orders of `test_in_steps.py` as a float's bits; three there and five of `test_recursion.py` as reverse over reverse of what calls itself |
| `assembly/inlining.py`, of what takes derivatives (`called_derivative`) | `inlining` | refused: three third orders of an array in `test_orders.py`; `test_nested_calls.py` and `test_nested_memory.py` are right |
| `assembly/inlining.py`, of what is reversed twice (`called_loop_twice`) | `inlining of what is reversed twice` | wrong: both of `test_nested_calls.py` |
| `assembly/entry.py`: halves make nothing again (`mask_in_a_half`) | `nothing made again in halves` | wrong: `tests/fuzz/corpus/count_in_a_loop.txt`; 36 others of split mode are right |
"""
