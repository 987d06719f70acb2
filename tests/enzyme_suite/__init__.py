"""Enzyme's own integration tests: C and C++ programs that state their answers.

    python -m tests.enzyme_suite CHECKOUT --folder FOLDER
    python -m tests.enzyme_suite CHECKOUT --only loops.c --levels O1 --clang clang-19
    python -m tests.enzyme_suite --without "later iterations"

CHECKOUT is a copy of the repository EnzymeAD/Enzyme, of any year; nothing of it is kept here. Each program in
`enzyme/test/Integration` calls `__enzyme_autodiff` or `__enzyme_fwddiff` and compares what these leave with its own answers.
Here it runs as it stands, but for these calls: each goes to a function of this process (host.py), which links the named
function from IR of -O0, -O1 or -O2 by `link_ir` (programs.py), takes its derivative by `autodiff` with the activities that
the call names or that Enzyme takes by itself, and hands it back. So what is said of the answer is said by the program: it
ends with 0, or it aborts and says which number is wrong. Each program has a process of its own (program.py).

What has no signature of `link_ir` is not asked: arguments that are structures, pointers to pointers or objects of C++ (Eigen's matrices
of fixed size are their numbers).
Neither is what needs headers that are not there, or several processes, or OpenMP; the summary has each reason. clang is
that of the command line, or the newest that is found whose IR llvmlite can read.

Without CHECKOUT it asks the programs of the short form (short/): our own, in the same form, each after what the docstring of a pass says of the
code that needs it. Their answers are differences, or known by hand.
"""
