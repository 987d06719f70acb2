"""Loops on threads: the kernels that benchmarks/threads.py measures, their gradients by hand in C and by JAX, and a model."""
