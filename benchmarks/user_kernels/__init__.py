"""Kernels as users write them, one subject a file, and adjoints of some of them by hand."""
