"""Random kernels in C++, straight through the package's passes and Enzyme, beside derivatives by hand.

    python -m tests.cpp --count 1000 --folder FOLDER
    python -m tests.cpp --only 188 --without "overlapping moves"

What Numba compiles is half of the time of a random kernel, and differences of second derivatives say little. Here neither is:
clang compiles a kernel to IR, and the same text for numbers that carry two directions and the product of both
(numbers.hpp), which are right to rounding. So every kernel is asked for its gradient, for a product with its Hessian in reverse over
reverse, and for one more, with seeds for what it writes; `--only` asks for all. The forms are those of loops and memory (grammar.py): loops that count up, down and
over pointers, that end early or where a number says so, temporaries, buffers that change places, blocks that are moved.

It needs a clang of a version whose IR llvmlite can read.
"""
