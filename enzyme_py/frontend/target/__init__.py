"""The Numba target of kernels, and what is lowered by this package in place of Numba."""
