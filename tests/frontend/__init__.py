"""Kernels as users write them, and what the frontend makes of them."""
