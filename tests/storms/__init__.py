"""Storms: long runs that kill, damage and wear out, as commands of their own.

    python -m tests.storms kills --kills 1000 --corrupt 100 --threads 8
    python -m tests.storms resources --calls 1000000 --derivatives 10000
    python -m tests.storms life --calls 10000000 --derivatives 100000 --hours 24
    python -m tests.storms clocks --rounds 2000
    python -m tests.storms disks --rounds 2000
    python -m tests.storms versions --rounds 2000

Everything in them is real: processes, signals, files. `tests/storms/test_storms.py` runs short forms.
"""
