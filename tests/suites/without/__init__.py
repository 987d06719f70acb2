"""Does each suite find it if a cure is missing?

    python -m tests.suites.without --folder FOLDER
    python -m tests.suites.without --folder FOLDER --suites textbook --cures "cached allocations,live-out floats"
    python -m tests.suites.without --folder FOLDER --write

A suite has a short form: kernels that it asks its own questions about, in some seconds each (`kernels.py`). With all cures
they are right. Then each cure is left out (tests/passes/switches.py), in a process of its own, and the kernels are asked again, until one has
a bad answer. The questions are those of the long form, and know nothing of cures.

A pass that changed nothing in a kernel's modules cannot be missed there, so that such kernels are not asked again. What was
changed, the first run takes down.

FOLDER/answers.jsonl has what is known so far: a run goes on from there. `--write` puts the table into docs/testing-without.md; the columns
of suites of which FOLDER has nothing stay as they are. The programs of `enzyme_suite` need clang.
"""
