"""Random functions that are called and not inlined, in two levels, whose loops end by what memory holds.

    python -m tests.called --count 40 --seed 0
    python -m tests.called --count 40 --grammar wide            views, lists of arrays, dicts, functions of whole arrays
    python -m tests.called --count 40 --grammar objects         state in classes, records, lists and dicts
    python -m tests.called --count 10 --second --calls large    second orders, too; LLVM inlines as for users

What is called has a tape of its own in Enzyme, and most of the faults that other people's code showed stood there; our own kernels
are small, and LLVM inlines what they call. So nothing is inlined here; with `--calls users` all but the functions of the kernel's own
text, as where these are large. All that `tests.numba_suite` asks of a call is asked of each kernel, in a process that may die.
"""
