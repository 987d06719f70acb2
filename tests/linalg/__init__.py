"""Linear algebra in kernels, and products of arrays."""
