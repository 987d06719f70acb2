"""Random loops in and behind each other that read the same arrays, which are written over at some time.

    python -m tests.readers --count 100 --seed 0

Enzyme took such loops for each other, and no grammar of ours wrote them (passes/control_flow/bounds/own_bounds.py): `--without "own bounds"`
finds a kernel that is wrong (seed 76). Four combinations of modes are asked, by both arguments.
"""
