"""The short forms of the suites, and the cures that are left out.

The kernels were chosen from those of the long forms, such that many cures have something to do in one of them; what is asked of
them is what the suite asks of all its kernels, and the answers come from differences and from other modes. The programs of `enzyme_suite`
are our own (tests/enzyme_suite/short), in the form of Enzyme's.
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
        "branches.knot_of_a_spline", "held.rows_in_a_list", "held.weights_of_the_module", "branches.found_in_two_loops",
        "branches.first_above twice", "branches.no_inner_points", "branches.running_maximum", "branches.running_quotient",
        "branches.neither_one_nor_three", "branches.array_of_a_branch", "branches.of_the_step_before", "branches.before_the_last twice",
        "branches.counted_and_cut", "branches.inner_turns_left_out", "branches.pairs_apart twice", "branches.entropy",
        "held.column_of_constants twice", "held.roots_with_a_rule twice", "held.product_by_calls twice", "held.called_twice twice",
        "held.gathered twice", "held.third_smallest twice", "held.four_elements", "held.products_two_apart", "held.rows_in_turn",
        "held.turned_and_shaped", "held.last_and_first", "held.patch", "held.rows_in_a_dict", "held.parts_of_an_outer_product",
        "products.carried", "products.grow", "products.temp_slice4", "products.temp_branch", "products.rev_slice2", "products.lists2",
        "products.infn", "products.early", "exchanged.while_swap", "exchanged.cond_swap", "updates.three", "updates.inplace_stencil",
        "updates.two_d_loop", "updates.mask_scalar", "updates.lu_hand", "updates.minmax_track", "recurrences.legendre",
        "recurrences.dptable", "views.rows_iter2", "views.t_write", "views.closure_w", "algorithms.dtw", "algorithms.forelse",
        "models.trycatch", "models.hmm",
    ),
    "fuzz": (
        "first_number_behind_a_loop", "count_in_a_loop", "first_turns_taken_out", "what_two_loops_leave", "number_of_the_turn_before",
        "maximum_and_quotient_of_each_turn", "rows_of_a_copy_by_a_table", "third_smallest_of_a_column", "part_of_four_dimensions",
        "constants_in_rows_of_a_dict", "constants_in_rows_of_a_list", "root_by_a_rule", "table_in_new_arrays", "no_inner_points",
        "four_elements", "distances_of_all_pairs", "calls_itself_until_a_break", "array_of_a_branch", "break_in_a_range_with_a_step",
        "carried_and_written", "carried_array", "chosen_and_moved", "column_of_constants", "complex_indices_that_wrap",
        "concatenation_of_concatenations", "constant_in_a_dict_of_arrays", "constant_through_a_view", "copies_in_a_loop",
        "index_that_the_pass_keeps", "length_from_an_inner_loop", "length_of_what_is_made_again", "loop_with_three_ends",
        "loop_with_two_ends", "masks_beside_a_list", "products_of_what_they_replace", "range_with_a_step", "ranges_behind_returns",
        "recursion_with_activity_decided_while_running", "reshape_in_a_loop", "reshape_of_fortrans_order", "sums_of_what_a_mask_picks",
        "turned_in_place", "two_loops_whose_indices_wrap", "used_behind_its_loop",
    ),
    "metamorphic": (
        "2 textbook.products.temp_slice4 tuple", "1 textbook.branches.running_maximum named,by while",
        "1 textbook.branches.neither_one_nor_three branches turned", "1 textbook.held.rows_in_a_list named",
        "1 textbook.branches.of_the_step_before part", "1 textbook.products.carried nested", "1 textbook.branches.knot_of_a_spline guarded",
        "1 textbook.branches.found_in_two_loops named", "1 textbook.branches.no_inner_points by while",
        "1 textbook.held.rows_in_turn unrolled", "2 textbook.held.weights_of_the_module by a function",
        "1 textbook.held.turned_and_shaped copied", "1 textbook.held.last_and_first other order",
        "1 textbook.held.products_two_apart peeled", "1 textbook.held.third_smallest part", "1 textbook.held.roots_with_a_rule guarded",
        "1 textbook.held.patch flattened", "1 textbook.branches.entropy both branches", "1 textbook.recurrences.dptable loop in a function",
        "1 textbook.updates.three once",
    ),
    "guided": (
        "235 number_of_the_turn_before number_of_the_turn_before",
        "208 used_behind_its_loop maximum_and_quotient_of_each_turn", "49 distances_of_all_pairs array_of_a_branch",
        "190 carried_array carried_array", "40 two_loops_whose_indices_wrap table_in_new_arrays",
        "208 third_smallest_of_a_column loop_with_three_ends", "388 loop_with_three_ends no_inner_points",
        "208 first_turns_taken_out two_loops_whose_indices_wrap", "111 length_of_what_is_made_again length_of_what_is_made_again",
        "34 no_inner_points column_of_constants", "84 third_smallest_of_a_column third_smallest_of_a_column",
        "3 rows_of_a_copy_by_a_table rows_of_a_copy_by_a_table", "383 reshape_of_fortrans_order reshape_of_fortrans_order",
        "221 used_behind_its_loop calls_itself_until_a_break",
    ),
    "enzyme_suite": (
        "equal_number.c O1", "buffers_in_turn.c O1", "carried_array.c O1", "no_inner_points.c O1", "neighbours.c O1", "of_the_step_before.c O1",
        "running_maximum.c O1", "running_quotient.c O1", "return_of_two_loops.c O0", "written_by_a_list.c O1", "sizes_of_a_loop.c O1",
        "wrapped_and_written.c O0", "looked_up.c O1", "tree.c O1", "table_of_weights.c O1", "counted_inside.c O1", "counted_parts.c O1",
        "third_smallest.c O0", "neither_one_nor_three.c O1", "last_and_first.c O1", "made_by_a_function.c O1", "ways_that_meet.c O1",
    ),
}  # fmt: skip
