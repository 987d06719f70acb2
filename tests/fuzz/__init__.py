"""A differential fuzzer: random kernels whose derivatives must agree with each other.

    python -m tests.fuzz --count 10000 --seed 1         a long run, on all cores
    python -m tests.fuzz --only 1234                    one kernel, by its number, with its source

    python -m tests.fuzz --grammar moving               of one grammar: arrays, numbers, shapes, containers, prange or moving

`grammar` writes kernels, `checks` asks the questions, `shrink` makes a failure small, `runs` spreads the work
over processes and sums up. The ordinary tests run a few kernels and all of corpus/ (tests/suites/test_fuzz.py).
"""
