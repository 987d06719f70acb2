"""Rewrites of a kernel's source that keep its meaning must keep its gradient.

    python -m tests.metamorphic --count 2000 --seed 1 --folder FOLDER
    python -m tests.metamorphic --only 17            one seed: what was asked, and what came out
    python -m tests.metamorphic --rewrites unrolled,view --count 300 --folder FOLDER
    python -m tests.metamorphic --rewrites tuple --each --folder FOLDER    every kernel, with arrays of known sizes

A seed draws a kernel of the scenarios or of the textbook battery, and one to five rewrites of it, each at a place that it draws
(forms.py has what is rewritten; loops.py, statements.py, values.py and arguments.py have the rewrites). The rewritten
kernel runs as it stands, compiled by Numba. If its value is that of the kernel it came from, as far as rounding lets one
tell, then so must be its gradient by reverse mode, its tangent, and, by a draw, its product with a Hessian and its gradient
by some arguments only (questions.py). The value tells whether a rewrite kept the meaning; where it did not, the verdict is
"changed", which is a fault of the rewrite, and nothing is said of the gradient. What Numba does not take is "invalid".

Two gradients of one kernel can be wrong alike. That is what differences are for, in the tests that these kernels come from.
A process that dies, and a run that is interrupted, are as in tests/numba_suite.
"""
