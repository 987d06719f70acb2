"""Values around a transform: copies, shadows, results, functions."""
