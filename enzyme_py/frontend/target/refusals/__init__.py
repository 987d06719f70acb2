"""What kernels may not hold, and what to write in its place."""
