"""Passes over LLVM code, in front of Enzyme and behind it: one pass a file.

    control_flow/   loop exits, merges, loop bounds, trip counts
    memory/         allocations, buffers, copies, loads that must be cached, states of recurrences
    values/         live-out and loop-carried numbers
    types/          hints and tags that say what is a float
    checks/         what would be lost, what is refused

pipeline.py is the table of what runs when; attempts.py the table of what is tried after a refusal.
Passes know LLVM code (enzyme_py.llvm) and the names that generated code calls (enzyme_py.symbols). They know nothing
of Numba.
"""
