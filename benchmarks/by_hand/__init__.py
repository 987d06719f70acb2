"""The suite's gradients written by hand, in C and in Numba: what derivatives are measured against."""
