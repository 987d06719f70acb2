"""From Numba to raw LLVM code of a kernel."""
