"""A transform as one call that Numba can type and lower, and what Python calls to run it."""
