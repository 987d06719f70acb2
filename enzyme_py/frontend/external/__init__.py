"""Code that kernels call and that Numba did not make: of other languages, of Python, with rules."""
