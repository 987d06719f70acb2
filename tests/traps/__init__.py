"""The traps of Enzyme that this package goes around, each as the smallest LLVM code that falls into it.

    python -m tests.traps                 ask the installed Enzyme about each: needed still, or mended
    python -m tests.traps NAME... --show  and show what the pass said, and what came out
    python -m tests.traps --write         write docs/traps.md

A trap is a file `NAME.ll`: LLVM code that asks for one derivative, with a header that says what goes wrong
and what would be right (trap.py reads it). Nothing here knows how the package rewrites code: the bare pass is asked.
"""
