"""What is changed in a module behind Enzyme: frees, lanes, fast mathematics, BLAS."""
