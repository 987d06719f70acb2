"""The short forms of the suites, and the cures that are left out.

The kernels were chosen from those of the long forms, such that many cures have something to do in one of them; what is asked of
them is what the suite asks of all its kernels, and the answers come from differences and from other modes.
"""

from __future__ import annotations

# As tests/passes/switches.py names them: passes, options of Enzyme's run, and others. What only makes derivatives faster
# or smaller is not here.
CURES = (
    "equal numbers",
    "split aggregates",
    "written results",
    "returned numbers",
    "multi-level exits",
    "single exits",
    "own bounds",
    "integer fields",
    "rules first",
    "cached allocations",
    "empty loops",
    "lasting variables",
    "written pointers",
    "lasting reads",
    "later iterations",
    "live-out integers",
    "live-out floats",
    "loop-carried choices",
    "two-way merges",
    "typed accesses",
    "hide captured numbers",
    "cached slopes",
    "copies with bodies",
    "hidden indices",
    "cached bounds",
    "typed moves",
    "integer loads",
    "copies in pieces",
    "steps",
    "inlining",
    "inlining of what is reversed twice",
    "nothing made again in halves",
    "no notes of same values",
    "search for indices without a value",
    "--enzyme-loop-invariant-cache=0",
    "--enable-gvn-memdep=0",
    "--unroll-peel-max-count=0",
    "--phi-node-folding-threshold=0",
    "--disable-loop-idiom-memcpy",
)

SHORT: dict[str, tuple[str, ...]] = {
    "textbook": (
        "products.carried", "products.grow", "products.temp_slice4", "products.temp_branch", "products.rev_slice2", "products.brk",
        "products.early", "products.nested3", "products.infn", "products.lists2", "exchanged.while_swap", "exchanged.cond_swap",
        "exchanged.neighbours", "updates.three", "updates.swap_bufs", "updates.inplace_stencil", "updates.overlap_loop", "updates.minmax_track",
        "updates.lu_hand", "updates.whileconv", "updates.two_d_loop", "updates.mask_scalar", "recurrences.dptable", "recurrences.tri_nl",
        "recurrences.legendre", "recurrences.window", "recurrences.ring", "recurrences.heapify", "views.helper_zero", "views.helper_pick",
        "views.rows_iter2", "views.closure_w", "views.t_write", "algorithms.forelse", "algorithms.viterbi", "algorithms.dtw",
        "algorithms.jacobi_rot", "algorithms.records", "algorithms.list_lists", "models.trycatch", "models.bisect_", "models.hmm",
        "models.welford", "models.fft_hand",
    ),
    "fuzz": (
        "array_of_a_branch", "break_in_a_range_with_a_step", "calls_itself_until_a_break", "carried_and_written", "carried_array",
        "chosen_and_moved", "column_of_constants", "complex_indices_that_wrap", "concatenation_of_concatenations", "constant_in_a_dict_of_arrays",
        "constant_through_a_view", "copies_in_a_loop", "count_in_a_loop", "first_number_behind_a_loop", "first_turns_taken_out",
        "index_that_the_pass_keeps", "length_from_an_inner_loop", "length_of_what_is_made_again", "loop_with_three_ends", "loop_with_two_ends",
        "masks_beside_a_list", "number_of_the_turn_before", "products_of_what_they_replace", "range_with_a_step", "ranges_behind_returns",
        "recursion_with_activity_decided_while_running", "reshape_in_a_loop", "reshape_of_fortrans_order", "sums_of_what_a_mask_picks",
        "turned_in_place", "two_loops_whose_indices_wrap", "used_behind_its_loop", "what_two_loops_leave",
    ),
}  # fmt: skip
