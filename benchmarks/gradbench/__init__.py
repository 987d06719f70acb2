"""The evaluations of the public GradBench suite, in plain Numba code without a derivative by hand.

One module for each. `FUNCTIONS` names what the suite may ask of it; the value takes the message's input and
returns an `Evaluation`: what is timed, and what makes the answer of its result. `warm_up` compiles.
"""
