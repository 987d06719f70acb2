"""Passes about numbers: which leave a loop, go into its next iteration, or are worth caching."""
