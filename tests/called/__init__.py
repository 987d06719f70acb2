"""Random functions that are called and not inlined, in two levels, whose loops end by what memory holds.

    python -m tests.called --count 40 --seed 0
    python -m tests.called --count 10 --second --inlined
    python -m tests.called --count 40 --wide

What is called has a tape of its own in Enzyme, and most of the faults that other people's code showed stood there; our own kernels
are small, and LLVM inlines what they call. So it does not here, but with `--inlined`. All that `tests.numba_suite` asks of a call is asked of
each kernel, in a process that may die.
"""
